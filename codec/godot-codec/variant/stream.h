// SPDX-License-Identifier: MIT
/// @file
/// Packets in a byte stream: PacketPeerStream and StreamPeer.put_var() send a u32 length, little-endian, and then so
/// many bytes, back to back. (core/io/packet_peer.cpp, core/io/stream_peer.cpp)
#pragma once

#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// Bytes of the length in front of every packet of a stream.
inline constexpr std::size_t stream_prefix_size = 4;

struct StreamOptions {
  std::uint32_t max_length = 8U << 20;  ///< a longer packet is none; Godot's own buffer for encoding has 8 MiB
  ReadOptions read;
};

/// A run of a stream's bytes.
struct Stretch {
  Range range;              ///< from the offset asked for; ends with the data, or where the other kind begins
  bool is_packets = false;  ///< whole packets, the last one perhaps cut by the end of the data; else: passed over
  /// Offset of the first packet boundary at or behind the range's end, as far as lengths tell. It may lie behind the
  /// end of the data: there the last packet goes on.
  std::size_t next_boundary = 0;
  bool has_next_boundary = false;
  /// Offset of the last packet, if that goes on behind the data; the end of the data if it does not.
  std::size_t unfinished = 0;
};

/// The run of bytes that starts at @p offset of a part of a stream.
///
/// Where it is not known that a packet begins there (data was lost, the capture began later than the stream), the
/// next boundary is found by structure: a length, and a Variant that takes just so many bytes.
/// @param is_boundary a packet is known to begin at @p offset
[[nodiscard]] Stretch next_stretch(Bytes data, std::size_t offset, bool is_boundary, const StreamOptions &options);

}  // namespace godot_codec
