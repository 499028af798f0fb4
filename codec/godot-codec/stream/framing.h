// SPDX-License-Identifier: MIT
/// @file
/// Packets in a byte stream: PacketPeerStream and StreamPeer.put_var() send a u32 length, little-endian, and then so
/// many bytes, back to back. A StreamPeer with big_endian sends its length with the high byte first; the Variant behind
/// it is as ever. (core/io/packet_peer.cpp, core/io/stream_peer.cpp)
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// Bytes of the length in front of every packet of a stream.
inline constexpr std::size_t stream_prefix_size = 4;

struct StreamOptions {
  std::uint32_t max_length = 8U << 20;  ///< a longer packet is none; Godot's own buffer for encoding has 8 MiB
  ReadOptions read;                     ///< how to read the Variants
  bool is_big_endian = false;           ///< the sender's lengths have their high byte first
  /// The sender is known to send packets. Until then lengths alone are believed only where they fit the data: a game
  /// may write what it likes into a stream.
  bool is_framed = true;
};

/// How many bytes a message takes, as far as can be told.
struct StreamExtent {
  std::size_t length = 0;    ///< the packets whose lengths are there; exact, if is_exact
  std::size_t least = 0;     ///< the message has so many bytes at least; as length, if is_exact
  bool is_complete = false;  ///< all of the message is there
  bool is_exact = false;     ///< the data tell the whole length
  bool is_valid = false;     ///< every length may be one
  bool is_boundary = false;  ///< a packet ends behind so many bytes as length says
};

/// The extent of the message whose first packet's length stands at @p offset of a part of a stream.
/// @param max_length a longer packet is none
using MeasureMessage = StreamExtent (*)(Bytes data, std::size_t offset, std::uint32_t max_length);

/// A message that is one packet.
[[nodiscard]] StreamExtent measure_packet(Bytes data, std::size_t offset, std::uint32_t max_length);

/// A message that is one packet of a sender with big_endian.
[[nodiscard]] StreamExtent measure_big_endian_packet(Bytes data, std::size_t offset, std::uint32_t max_length);

/// True if a packet may begin at @p offset: a length that is one, and a Variant that takes just so many bytes, as far
/// as it is there; or nothing yet, as Godot sends the length by itself.
/// @param needs_value the whole Variant has to be there
[[nodiscard]] bool may_be_packet(Bytes data, std::size_t offset, const StreamOptions &options, bool needs_value);

/// A part of a stream, cut up: a message, or bytes that are none.
struct StreamPiece {
  enum class Kind : std::uint8_t {
    message,     ///< whole
    unfinished,  ///< a message that goes on behind the data: the last piece
    broken,      ///< a message that is ended by a length that is none
    skipped,     ///< no message could be found in it
  };
  Kind kind = Kind::message;
  Range range;                 ///< the data's bytes; pieces follow each other without gaps
  StreamExtent extent;         ///< a message's extent
  bool is_big_endian = false;  ///< the message's length has its high byte first
};

/// Cuts a part of a stream into messages, front to back, once. Plain data: it may be jumped over by longjmp.
///
/// Where it is not known that a message begins there (data was lost, the capture began later than the stream), the next
/// one is found by structure: a length, and a Variant that takes just so many bytes.
///
/// Where a length is none in the sender's byte order, but in the other one, and a Variant of just that length follows
/// (or nothing yet, as Godot sends the length by itself), the sender's order is the other one from there on.
class StreamReader {
 public:
  /// @param is_boundary a message is known to begin at the data's first byte
  StreamReader(Bytes data, bool is_boundary, const StreamOptions &options, MeasureMessage measure)
      : data_(data), options_(options), measure_(measure), is_boundary_(is_boundary) {}

  /// @returns false behind the last piece
  bool next(StreamPiece &piece);

  // Behind the last piece:

  /// Where the next packet begins that is known of: at or behind the end of the data.
  [[nodiscard]] std::size_t next_boundary() const { return next_boundary_; }
  [[nodiscard]] bool has_next_boundary() const { return has_next_boundary_; }
  /// Where the message begins that goes on behind the data; the end of the data, if none does.
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }
  /// The sender's byte order.
  [[nodiscard]] bool is_big_endian() const { return options_.is_big_endian; }

 private:
  bool finish(StreamPiece &piece, std::size_t end);
  bool read_message(StreamPiece &piece);
  bool pass_over(StreamPiece &piece);
  [[nodiscard]] StreamExtent measure() const;
  [[nodiscard]] bool may_go_on() const;
  bool turn(bool needs_value);

  Bytes data_;
  StreamOptions options_;
  MeasureMessage measure_;
  std::size_t offset_ = 0;
  std::size_t next_boundary_ = 0;
  std::size_t unfinished_ = 0;
  bool is_boundary_;
  bool has_next_boundary_ = false;
};
static_assert(std::is_trivially_destructible_v<StreamReader>);

}  // namespace godot_codec
