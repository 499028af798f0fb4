// SPDX-License-Identifier: MIT
#include "godot-codec/recognise/websocket_chain.h"

#include <algorithm>
#include <optional>

#include "godot-codec/recognise/evidence.h"
#include "godot-codec/stream/sequence.h"

namespace godot_codec {
namespace {

constexpr std::size_t mask_size = 4;
// Longer messages are followed by their lengths, but not read.
constexpr std::size_t longest_read = 1024;

struct FrameHeader {
  bool is_masked = false;
  bool is_binary = false;  // else about the connection: close, ping, pong
  std::size_t size = 0;    // the key's bytes with it
  std::size_t length = 0;  // bytes that follow
};

// Godot sends no text here, and each message in one frame.
std::optional<FrameHeader> read_header(Bytes bytes) {
  constexpr std::uint8_t binary = 0x82;
  constexpr std::uint8_t first_control = 0x88;
  constexpr std::uint8_t last_control = 0x8a;
  constexpr std::uint8_t mask_bit = 0x80;
  constexpr std::uint8_t length_of_16_bits = 126;
  constexpr std::uint8_t length_of_64_bits = 127;
  constexpr std::uint64_t longest = 1U << 24;
  Cursor cursor(bytes);
  const auto kind = cursor.read_be<std::uint8_t>();
  const auto second = cursor.read_be<std::uint8_t>();
  const bool is_control = kind >= first_control && kind <= last_control;
  if (!cursor.ok() || (kind != binary && !is_control)) return std::nullopt;
  FrameHeader header{.is_masked = (second & mask_bit) != 0, .is_binary = kind == binary};
  std::uint64_t length = second & static_cast<std::uint8_t>(~mask_bit);
  if (is_control && length >= length_of_16_bits) return std::nullopt;
  std::uint64_t least = 0;  // a shorter one has a shorter form
  if (length == length_of_64_bits) {
    length = cursor.read_be<std::uint64_t>();
    least = UINT16_MAX + 1;
  } else if (length == length_of_16_bits) {
    length = cursor.read_be<std::uint16_t>();
    least = length_of_16_bits;
  }
  if (header.is_masked) cursor.take(mask_size);
  if (!cursor.ok() || length < least || length > longest) return std::nullopt;
  header.size = cursor.offset();
  header.length = length;
  return header;
}

}  // namespace

void WebSocketChain::weigh(Bytes masked, const std::uint8_t *key, const ReadOptions &options) {
  std::array<std::uint8_t, longest_read> room;  // NOLINT: as much of it as is read is written
  if (masked.captured < masked.reported || masked.reported > room.size() || masked.reported == 0) return;
  for (std::size_t i = 0; i < masked.captured; ++i) {
    room[i] = key == nullptr ? masked.data[i] : static_cast<std::uint8_t>(masked.data[i] ^ key[i % mask_size]);
  }
  const Bytes message(room.data(), masked.captured);
  variants_.add(variant_evidence(message, options));
  Evidence game;
  for (const MpFraming framing : {MpFraming::none, MpFraming::websocket3}) {
    const Evidence evidence = mp_evidence(message, framing, options);
    if (evidence.confidence > game.confidence) game = evidence;
  }
  multiplayer_.add(game);
}

// @returns false at what is no frame
bool WebSocketChain::take_frame(unsigned direction, Bytes rest, std::size_t &size, const ReadOptions &options) {
  const std::optional<FrameHeader> header = read_header(rest);
  if (!header) return false;
  Side &side = sides_[direction];
  const Side &other = sides_[1 - direction];
  if (side.count > 0 && side.is_masked != header->is_masked) return false;
  if (other.count > 0 && other.is_masked == header->is_masked) return false;
  side.is_masked = header->is_masked;
  ++side.count;
  size = header->size + header->length;
  const Bytes content = rest.slice({header->size, header->length});
  if (content.reported < header->length) has_split_ = true;
  if (!header->is_binary) return true;
  const std::uint8_t *key = header->is_masked ? rest.data + header->size - mask_size : nullptr;
  if (content.reported == header->length) weigh(content, key, options);
  if (content.reported == 0) {
    side.awaited = static_cast<std::uint32_t>(header->length);
    if (header->is_masked) std::copy_n(key, mask_size, side.key.begin());
  }
  return true;
}

// Weighs the content of a frame whose header was the end of an earlier segment.
void WebSocketChain::take_awaited(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options) {
  Side &side = sides_[direction];
  if (side.awaited == 0 || segment.reported == 0 || seq != side.next - side.awaited) return;
  if (segment.reported >= side.awaited) {
    weigh(segment.slice({0, side.awaited}), side.is_masked ? side.key.data() : nullptr, options);
  }
  side.awaited = 0;
}

bool WebSocketChain::follow(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options) {
  Side &side = sides_[direction];
  const std::uint32_t end = seq + static_cast<std::uint32_t>(segment.reported);
  take_awaited(direction, seq, segment, options);
  if (!side.is_known || is_seq_before(side.seen, end)) side.seen = end;
  // A frame begun earlier goes on beyond the segment, or up to its end; or the segment was sent again.
  if (side.is_known && !is_seq_before(side.next, end)) return true;
  if (side.is_known && is_seq_before(side.next, seq)) return false;  // something is missing
  std::size_t offset = side.is_known ? side.next - seq : 0;
  while (offset < segment.reported) {
    std::size_t size = 0;
    const Bytes rest = segment.slice({offset, segment.reported});
    if (!take_frame(direction, rest, size, options)) return false;
    offset += size;
  }
  side.is_known = true;
  side.next = seq + static_cast<std::uint32_t>(offset);
  return true;
}

bool WebSocketChain::add(unsigned direction, PacketPosition moment, std::uint32_t seq, Bytes segment,
                         const ReadOptions &options) {
  const bool is_at_frame = !sides_[direction].is_known || sides_[direction].next == seq;
  if (!follow(direction, seq, segment, options)) {
    *this = WebSocketChain{};
    return false;
  }
  if (!is_begun()) first_ = moment;
  const bool is_settled = variants_.is_settled || multiplayer_.is_settled;
  const Side &other = sides_[1 - direction];
  const bool is_inside = other.is_known && is_seq_before(other.seen, other.next);
  // One frame is a header only, and leads to nothing.
  if (!is_settled || is_inside || !is_at_frame || sides_[0].count + sides_[1].count < 2) return false;
  if (has_split_) first_ = moment;
  return true;
}

bool may_begin_websocket_frame(Bytes segment) { return read_header(segment).has_value(); }

}  // namespace godot_codec
