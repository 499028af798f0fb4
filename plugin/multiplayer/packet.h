// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The context of a packet of the high-level multiplayer while it is dissected.
#pragma once

#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// What dissecting a message has found, for its summary and its delivery.
struct MpNotes {
  godot_codec::MpRoute route;      ///< the message's route; for a relay, the route of the relayed command
  const char *own_text = nullptr;  ///< Info text of the user's dissector for the custom payload; null: none
  const char *mark = nullptr;      ///< a few words about a problem, for the Info column; null: no problem
  const char *dropped = nullptr;   ///< rule by which the receiver drops the message; null: none
};

/// A packet of the multiplayer, and where it is shown.
struct MpDrawing {
  packet_info *pinfo;
  tvbuff_t *tvb;
  proto_tree *tree;  ///< the protocol's; null if no tree is built
  proto_item *item;
  godot_codec::MpPacket packet;
  const MessageContext *context;
  MpNotes *notes;
};

/// The id of one of two peers neither of which is known to be the server: signalling may have told it, or the game's
/// scripts. 0: not known
[[nodiscard]] inline std::int32_t id_of_end(const MpDrawing &drawing, std::int32_t peer) {
  const bool is_sender = peer == godot_codec::mp_end(drawing.packet.end);
  const std::int32_t signalled =
      is_sender ? drawing.context->channel.source_id : drawing.context->channel.destination_id;
  return signalled != 0 ? signalled : drawing.packet.connection->authority().id_of_end(godot_codec::end_of_peer(peer));
}

}  // namespace godot_plugin
