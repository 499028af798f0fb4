// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_mp`: RPCs, spawns and syncs of Godot's high-level multiplayer. Also owns the capture's session.
#pragma once

#include <optional>

#include "godot-codec/multiplayer/packet_reader.h"
#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct CountedName;

/// Returns the generation that the user has configured; nullopt: automatic.
[[nodiscard]] std::optional<godot_codec::Generation> preferred_generation();

/// Dissects a packet, with the state as of the packet's position. @param reading the parsed packet
/// @returns a line with sender and summary for Follow Stream, in the packet's memory; null if no stream is followed
const char *dissect_mp_packet(const MessageContext &context, const godot_codec::MpPacket &packet,
                              const godot_codec::MpParsedPacket &reading, godot_codec::MpFraming framing);

/// Registers protocol, fields and preferences. @param apply called when a preference has changed
void register_godot_mp(void (*apply)());
void register_advanced_godot_mp_preferences();

/// Returns the session of the open capture.
[[nodiscard]] godot_codec::MpSession &mp_session();

/// Returns the index of a connection, from 0, in the order in which the first message of each connection was shown.
[[nodiscard]] std::uint32_t mp_stream_index(const godot_codec::MpConnection &connection);

/// Counts a call or a value in the table of names. @param name node, call_row or value_row, and the name; `shown` is
/// null if the name is not known
void count_name(packet_info *pinfo, const CountedName &name);

/// Registers entries in the context menu of packets. Plugins can have such entries since Wireshark 4.4.
void register_packet_menu();

}  // namespace godot_plugin
