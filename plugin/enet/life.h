// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// How a connection lives and ends, in words.
#pragma once

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// True if a packet of the connection goes to its server.
[[nodiscard]] bool is_to_server(const packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// How it ended, as far as is known by now: "disconnected by client, data 0", "no answer to 3 connects: …", "open".
/// @param pinfo one of its packets; the text is in that one's memory
[[nodiscard]] const char *describe_end(packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// Returns the finding of a disconnect. The rule is null for datagrams that do not end the connection.
/// @param known of a datagram of a connection
[[nodiscard]] Finding describe_disconnect(packet_info *pinfo, const godot_codec::EnetFindings &known);

/// A side that is gone without a word, as far as is known by now: "The server is gone since …"; null if none is.
[[nodiscard]] const char *describe_peer_gone(packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// "The server stood still for 0.7 s": the sender of a datagram.
[[nodiscard]] const char *describe_hitch(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                         const godot_codec::EnetHitch &hitch);

/// True if the other side gave up the sender of a datagram for standing still, which is told as one thing.
[[nodiscard]] bool is_given_up_standstill(const godot_codec::EnetConnection &connection, godot_codec::Side sender,
                                          const godot_codec::EnetHitch &hitch);

/// "The server has 5.0 frames a second"; null where the sender of a datagram has more than a few.
[[nodiscard]] const char *describe_slow_frames(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                               std::int64_t frame_time);

/// The longest time in which one of its sides was silent, in nanoseconds.
[[nodiscard]] std::int64_t longest_silence(const godot_codec::EnetConnection &connection);

/// Returns why a connection attempt failed, on a connect or disconnect of a datagram. The rule is null if it did not.
[[nodiscard]] Finding describe_connect_trouble(packet_info *pinfo, const godot_codec::EnetFindings &known,
                                               const godot_codec::EnetCommand &command, bool is_repeated);

// Losses and delays of the messages of a side, by the end of the connection. The rule is null if they are too small to
// be noticed.

/// Fragments that are too large for the network path.
[[nodiscard]] Finding describe_too_large(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                         godot_codec::Side sender);
/// A side that was silent for long before it disconnected, or that still sends but acknowledges nothing any more.
[[nodiscard]] Finding describe_no_poll(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                       godot_codec::Side sender);
/// The reliable message that took longest.
[[nodiscard]] Finding describe_slow_message(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                            godot_codec::Side sender);
/// Unreliable messages in fragments of which some were lost.
[[nodiscard]] Finding describe_lost_fragments(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                              godot_codec::Side sender);

/// Reliable messages of a side that had to wait for lost ones; null where they are too few to be noticed.
[[nodiscard]] const char *describe_waits(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                         godot_codec::Side sender);

}  // namespace godot_plugin
