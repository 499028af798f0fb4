// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Where in a TCP stream packets with a length begin: remembered from segment to segment, found again after a gap.
#pragma once

#include <cstdint>

#include "godot-codec/variant/stream.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// How far one direction of a TCP stream has been read, in tcpinfo's numbers. Written on the first pass only.
struct StreamPosition {
  bool was_seen;             ///< the direction has had data
  bool is_known;             ///< next_seq is
  std::uint32_t next_seq;    ///< where the next packet begins
  std::uint32_t unfinished;  ///< where the last packet began that was not whole yet: there reassembled data begins
  /// A length alone in a segment that was nobody's yet: StreamPeer.put_var() sends it so. 0: there was none.
  std::uint32_t lone_length;
  std::uint32_t lone_next_seq;  ///< where its packet begins
};

/// Both directions of a conversation, by direction_of().
using StreamPositions = StreamPosition[2];

/// How a part of a stream begins.
struct StreamStart {
  bool is_boundary;        ///< it is known that a packet begins here, behind the headless one
  std::uint32_t headless;  ///< bytes of a packet whose length was alone in the segment before
};

/// Where what is made of several packets begins that is not whole at the end of a part of a stream.
/// @param packets a run of packets in @p data; @returns their unfinished, or a packet before that
using FindUnfinished = std::size_t (*)(godot_codec::Bytes data, const godot_codec::Stretch &packets);

/// The position of the packet's direction.
[[nodiscard]] StreamPosition &position_of(StreamPositions &positions, packet_info *pinfo, const tcpinfo &tcp);

/// The length of the packet that a part of a stream begins with, if that came alone; 0 if not.
[[nodiscard]] std::uint32_t headless_length(const StreamPosition &position, std::uint32_t seq, godot_codec::Bytes data);

/// How a part of a stream begins. Remembers on the first pass what it says of the next part.
/// @param find_unfinished null: a packet is all that is put together
[[nodiscard]] StreamStart find_stream_start(StreamPositions &positions, packet_info *pinfo, const tcpinfo &tcp,
                                            godot_codec::Bytes data, const godot_codec::StreamOptions &options,
                                            bool is_first_pass, FindUnfinished find_unfinished = nullptr);

/// Draws bytes in which no packet was found, as a protocol's.
void draw_skipped(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, int proto, godot_codec::Range range);

}  // namespace godot_plugin
