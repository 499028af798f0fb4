// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A packet of the high-level multiplayer while it is dissected: what is at hand.
#pragma once

#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Where a packet is drawn, and what the codec knows of it.
struct MpDrawing {
  packet_info *pinfo;
  tvbuff_t *tvb;
  proto_tree *tree;  ///< the protocol's; null if nobody looks at it
  proto_item *item;
  godot_codec::MpPacket packet;
  godot_codec::MpRoute *route;  ///< the message's route; for a relay, the route of the relayed command
  const Message *message;
  const char **own_text;  ///< the Info text of a game's own dissector for its bytes; null if none
  const char **mark;      ///< a few words on what is wrong with it, for the Info column; null if nothing is
  const char **dropped;   ///< the rule by which its receiver drops it; null if none does
};

/// The id of one of two peers neither of which is known to be the server: signalling may have told it, or the game's
/// scripts. 0: not known
/// @param peer mp_client or mp_server, which are mere names here
[[nodiscard]] inline std::int32_t id_of_end(const MpDrawing &drawing, std::int32_t peer) {
  const bool is_sender = (peer == godot_codec::mp_client) == drawing.packet.is_from_client;
  const std::int32_t signalled = is_sender ? drawing.message->source_id : drawing.message->destination_id;
  return signalled != 0 ? signalled : drawing.packet.connection->authority().id_of_end(peer == godot_codec::mp_client);
}

}  // namespace godot_plugin
