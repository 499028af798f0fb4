// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Rules for ENet connections: problems at the start of a connection, of its messages, and at its end. In rules.cpp,
/// each expert item is next to its condition and its texts. A finding without a rule means that there is no problem.
#pragma once

#include <span>

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// True if the packet goes to the connection's server.
[[nodiscard]] bool is_to_server(const packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// Returns how the connection ended, as far as the capture shows. Examples: "disconnected by client, data 0", "no
/// answer to 3 connection attempts: …", "open".
/// @param pinfo packet of the connection; the text is in its memory
[[nodiscard]] const char *describe_connection_end(packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// Returns the longest silence of either side, in nanoseconds.
[[nodiscard]] std::int64_t longest_silence(const godot_codec::EnetConnection &connection);

/// Finds why a connection attempt failed, for the item of a connect or disconnect command. A finding with a rule but
/// without a mark is only a note.
[[nodiscard]] Finding find_failed_connect(packet_info *pinfo, const godot_codec::EnetDatagramFindings &known,
                                          const godot_codec::EnetCommand &command, bool is_repeated);

/// Finds a disconnect, for the datagram that ends the connection. @param known findings about a datagram, which must
/// have a connection
[[nodiscard]] Finding find_disconnect(packet_info *pinfo, const godot_codec::EnetDatagramFindings &known);

/// Finds a side that vanished without a disconnect.
[[nodiscard]] Finding find_peer_gone(packet_info *pinfo, const godot_codec::EnetConnection &connection);

/// Finds a stall of the datagram's sender.
[[nodiscard]] Finding describe_stall(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                     const godot_codec::EnetStall &stall);

/// True if the other side timed out the datagram's sender because of this stall. Then `peer_timeout` reports both.
[[nodiscard]] bool has_stall_caused_timeout(const godot_codec::EnetConnection &connection, unsigned sender,
                                            const godot_codec::EnetStall &stall);

/// Finds a sender with a low frame rate. @param frame_time frame interval in nanoseconds
[[nodiscard]] Finding find_slow_frames(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                       std::int64_t frame_time);

/// Returns a finding if lost messages delayed many reliable messages of a side.
[[nodiscard]] Finding find_head_of_line_blocking(packet_info *pinfo, const godot_codec::EnetConnection &connection,
                                                 unsigned sender);

/// A rule that is checked at the end of a connection, for each sender: losses and delays of its messages.
using EnetEndRule = Finding (*)(packet_info *pinfo, const godot_codec::EnetConnection &connection, unsigned sender);
[[nodiscard]] std::span<const EnetEndRule> enet_end_rules();

}  // namespace godot_plugin
