// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A packet of the high-level multiplayer while it is dissected: what is at hand, who speaks to whom, and what the
/// numbers in it stand for.
#pragma once

#include <cstdint>

#include "godot-codec/multiplayer/message.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/multiplayer/state.h"

namespace godot_plugin {

/// What the first pass decides of a packet.
struct MpDecision {
  bool is_mp;
  godot_codec::Generation generation;
  godot_codec::MpFraming framing;
  bool is_over_mtu;  ///< unreliable, and in fragments
};

/// What is at hand while a packet is dissected.
struct MpPacket {
  packet_info *pinfo;
  tvbuff_t *tvb;
  godot_codec::Bytes bytes;
  proto_tree *tree;  ///< of the protocol; null if nobody looks at it
  proto_item *item;
  MpGame *game;
  const MpDecision *decision;
  MpMoment moment;
};

/// Who speaks to whom: ids of peers, or mp_client.
struct MpRoute {
  std::int32_t sender;
  std::int32_t receiver;  ///< mp_everyone: everyone; negative: everyone but that one
};

[[nodiscard]] bool is_from_client(const packet_info *pinfo, const MpGame &game);

/// From a connection's one end to the other.
[[nodiscard]] MpRoute direct_route(const MpPacket &packet);

/// Of a command that is relayed. @param peer as the relay has it: its target, or from the server its source
[[nodiscard]] MpRoute relayed_route(const MpPacket &packet, const MpRoute &route, std::int32_t peer);

/// Who gets a message at the end of this connection, or further on; everyone if that is several.
[[nodiscard]] std::int32_t listener_of(const MpPacket &packet, const MpRoute &route);

/// Whose numbers a message is about, and who is to know them.
struct MpNumbering {
  std::int32_t owner;
  std::int32_t listener;
};

/// A confirmation is about its receiver's numbers, all else about its sender's.
[[nodiscard]] MpNumbering numbering_of(const MpPacket &packet, const MpRoute &route, godot_codec::MpCommand command);

[[nodiscard]] inline std::uint32_t number_of(const godot_codec::MpFields &fields, godot_codec::MpField field) {
  return static_cast<std::uint32_t>(fields.integer(field));
}

[[nodiscard]] inline std::int32_t peer_in(const godot_codec::MpFields &fields, godot_codec::MpField field) {
  return static_cast<std::int32_t>(fields.integer(field));
}

/// The definition of the number by which fields name a node's path; null if they do not, or it is not known.
[[nodiscard]] MpName *name_of(const MpPacket &packet, const godot_codec::MpFields &fields,
                              const MpNumbering &numbering);

/// The path that fields name or mean; null if it is not known.
[[nodiscard]] const char *path_of(const MpPacket &packet, const godot_codec::MpFields &fields,
                                  const MpNumbering &numbering);

/// What an object is of: a spawned node by its net id, another by the path of its synchronizer; null if not known.
[[nodiscard]] const char *node_of(const MpPacket &packet, const godot_codec::MpFields &fields,
                                  const MpNumbering &numbering);

/// Remembers what a command says. On the first pass only.
void learn_message(const MpPacket &packet, const godot_codec::MpMessage &message, const MpRoute &route);

/// Remembers what a packet says of its connection: its only command, or what stands before it. On the first pass only.
void learn_connection(const MpPacket &packet, const godot_codec::MpMessage &message);
void learn_connection(const MpPacket &packet, const godot_codec::MpPrefix &prefix);

}  // namespace godot_plugin
