// SPDX-License-Identifier: MIT
/// @file
/// Packets that follow each other in a byte stream. PacketPeerStream and StreamPeer.put_var() send a packet as a
/// little-endian u32 length, followed by as many bytes. With StreamPeer.big_endian, the length is big-endian; the
/// Variant after it is always little-endian. (core/io/packet_peer.cpp, core/io/stream_peer.cpp)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// Size of the length prefix of a packet, in bytes.
inline constexpr std::size_t stream_prefix_size = 4;

/// The size of a message, as far as known.
struct MessageExtent {
  std::size_t length = 0;    ///< total size of the packets with a known length, in bytes; the exact size of the message
                             ///< if is_exact
  std::size_t min_size = 0;  ///< minimum size of the message in bytes; equal to length if is_exact
  bool is_complete = false;  ///< true if the whole message is in the data
  bool is_exact = false;     ///< true if the data show the exact size
  bool is_valid = false;     ///< true if all length prefixes are valid
  bool is_boundary = false;  ///< true if a packet ends `length` bytes after the start
};

struct StreamOptions;

/// Returns the extent of the message that begins at @p offset of a part of a stream.
using MeasureMessage = MessageExtent (*)(Bytes data, std::size_t offset, const StreamOptions &options);

/// MeasureMessage for messages of one packet.
[[nodiscard]] MessageExtent measure_packet(Bytes data, std::size_t offset, const StreamOptions &options);

/// How to read the messages of a protocol in a stream.
struct StreamOptions {
  std::uint32_t max_length = 8U << 20;  ///< a longer packet is invalid; Godot's encoding buffer has 8 MiB
  ReadOptions read = {};                ///< how to read the Variants in the packets
  bool is_big_endian = false;           ///< true if the sender's lengths are big-endian
  /// True if the sender is known to send packets. If false, a length is only accepted if it fits the data, because a
  /// game may write any bytes into a stream.
  bool has_known_framing = true;
  MeasureMessage measure = measure_packet;

  [[nodiscard]] MessageExtent extent_at(Bytes data, std::size_t offset) const { return measure(data, offset, *this); }
};

/// True if a packet may begin at @p offset: a valid length, and a Variant of exactly this length. The Variant may be
/// truncated or missing, because Godot may send the length in a separate segment.
/// @param needs_value requires the whole Variant
[[nodiscard]] bool may_be_packet(Bytes data, std::size_t offset, const StreamOptions &options, bool needs_value);

enum class StreamItemKind : std::uint8_t {
  message,     ///< a complete message
  unfinished,  ///< a message that continues after the data; always the last item
  broken,      ///< a message that is followed by an invalid length before it is complete
  skipped,     ///< bytes in which no message was found
};

/// A range of a stream: a message, or bytes that are not a message.
struct StreamItem {
  StreamItemKind kind = StreamItemKind::message;
  Range range;                 ///< position in the data; items follow each other without gaps
  MessageExtent extent;        ///< for a message
  bool is_big_endian = false;  ///< true if the message's length is big-endian
};

/// Splits a part of a stream into messages, from front to back. Trivially destructible, so that longjmp may skip the
/// destructor.
///
/// The start of a message may be unknown, because data was lost or the capture began later than the stream. Then the
/// reader searches for the next message: a length, followed by a Variant of exactly this length.
///
/// A length may be invalid in the sender's byte order but valid in the other order. If a Variant of exactly this length
/// follows, or no data yet, the reader switches to the other order.
class StreamReader {
 public:
  /// @param is_boundary true if a message is known to begin at the first byte
  StreamReader(Bytes data, bool is_boundary, const StreamOptions &options)
      : data_(data), options_(options), is_boundary_(is_boundary) {}

  /// @returns false after the last item
  bool next(StreamItem &item);

  // ---- results, valid after the last item

  /// Offset of the next known packet boundary, which is at the end of the data or after it.
  [[nodiscard]] std::size_t next_boundary() const { return next_boundary_; }
  [[nodiscard]] bool has_next_boundary() const { return has_next_boundary_; }
  /// Offset of the message that continues after the data; the end of the data if there is none.
  [[nodiscard]] std::size_t unfinished_offset() const { return unfinished_offset_; }
  /// True if the sender's lengths are big-endian.
  [[nodiscard]] bool is_big_endian() const { return options_.is_big_endian; }

 private:
  bool finish_item(StreamItem &item, std::size_t end);
  bool read_message(StreamItem &item);
  bool skip_to_boundary(StreamItem &item);
  [[nodiscard]] bool may_continue_to_end() const;
  bool switch_byte_order(bool needs_value);

  Bytes data_;
  StreamOptions options_;
  std::size_t offset_ = 0;
  std::size_t next_boundary_ = 0;
  std::size_t unfinished_offset_ = 0;
  bool is_boundary_;
  bool has_next_boundary_ = false;
};
static_assert(std::is_trivially_destructible_v<StreamReader>);

/// Number of candidate protocols of a stream. The first candidate is checked first.
inline constexpr std::size_t stream_candidates = 2;

/// The options of each candidate.
using StreamCandidateOptions = std::array<StreamOptions, stream_candidates>;

}  // namespace godot_codec
