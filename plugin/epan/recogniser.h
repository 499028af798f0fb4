// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Conversations recognised by what their packets say, without being told the port.
#pragma once

#include "godot-codec/recognise/evidence.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The user has said whose one of the ports is. What that one does not take is nobody's; a conversation pinned by it
/// would not go by the user's word any more.
[[nodiscard]] bool is_decided_by_user(const packet_info *pinfo);

/// What one protocol's heuristic has found out about conversations of one transport. One for each, static.
class Recogniser {
 public:
  /// Once, when the protocol is registered.
  void register_state();

  /// Whether a packet shows that its conversation is the protocol's, or one before it has. From there on the dissector
  /// gets the conversation's packets without the heuristic being asked, whatever their ports are.
  /// @param judge what the packet says; called with what is known, on the first pass only
  template <typename Judge>
  bool recognise(packet_info *pinfo, dissector_handle_t dissector, Judge judge) {
    if (is_decided_by_user(pinfo)) return false;
    conversation_t *conversation = find_or_create_conversation(pinfo);
    Known *known = known_of(conversation);
    // UDP asks again on later passes about the packet that was recognised.
    if (known->recognition.is_recognised || PINFO_FD_VISITED(pinfo)) {
      return known->recognition.is_recognised && pinfo->num >= known->frame;
    }
    if (!known->recognition.add(judge(known->recognition))) return false;
    known->frame = pinfo->num;
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, dissector);
    return true;
  }

  /// The same of a message of a connection that is somebody else's to keep; for the first pass only.
  template <typename Judge>
  bool recognise_message(const void *connection, Judge judge) {
    godot_codec::Recognition &recognition = known_of(connection)->recognition;
    return recognition.is_recognised || recognition.add(judge(recognition));
  }

 private:
  struct Known {
    godot_codec::Recognition recognition;
    std::uint32_t frame;  // that was recognised
  };

  [[nodiscard]] Known *known_of(const void *connection) const;

  wmem_map_t *conversations_ = nullptr;  // Known by the address of what is known
};

}  // namespace godot_plugin
