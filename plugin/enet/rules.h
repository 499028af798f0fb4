// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Rules for connections of ENet: what can be wrong with their beginning, their messages and their end. An expert item,
/// its condition and its texts are next to each other in rules.cpp. A finding without a rule means that there is no
/// problem.
#pragma once

#include <span>

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// True if a packet of the connection goes to its server.
[[nodiscard]] bool is_to_server(const packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// Returns how the connection ended, as far as it is known: "disconnected by client, data 0", "no answer to 3
/// connection attempts: …", "open".
/// @param pinfo packet of the connection, which owns the text
[[nodiscard]] const char *describe_end(packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// Returns the longest time in which a side was silent, in nanoseconds.
[[nodiscard]] std::int64_t longest_silence(const godot_codec::EnetConnection &connection);

/// Finds why a connection attempt failed, on a connect or disconnect of a datagram. A finding without a mark is no
/// problem.
[[nodiscard]] Finding find_failed_connect(packet_info *pinfo, const godot_codec::EnetFindings &known,
                                          const godot_codec::EnetCommand &command, bool is_repeated);

/// Finds a disconnect, on the datagram that ends the connection. @param known of a datagram of a connection
[[nodiscard]] Finding find_disconnect(packet_info *pinfo, const godot_codec::EnetFindings &known);

/// Finds a side that vanished without a disconnect.
[[nodiscard]] Finding find_peer_gone(packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// Finds a stall of the sender of a datagram.
[[nodiscard]] Finding find_stall(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                 const godot_codec::EnetHitch &hitch);

/// True if the other side timed out the sender of a datagram because of the stall: `peer_timeout` reports both.
[[nodiscard]] bool is_given_up_standstill(const godot_codec::EnetConnection &connection, godot_codec::Side sender,
                                          const godot_codec::EnetHitch &hitch);

/// Finds a sender with few frames per second. @param frame_time in nanoseconds
[[nodiscard]] Finding find_slow_frames(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                       std::int64_t frame_time);

/// Finds that many reliable messages of a side waited for lost ones.
[[nodiscard]] Finding find_head_of_line_blocking(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                                 godot_codec::Side sender);

/// A rule that is checked at the end of a connection, for each side: losses and delays of its messages.
using EnetEndRule = Finding (*)(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                godot_codec::Side sender);
[[nodiscard]] std::span<const EnetEndRule> enet_end_rules();

/// Registers the expert items of the rules for the protocol `enet`.
void register_enet_rules(int proto);

}  // namespace godot_plugin
