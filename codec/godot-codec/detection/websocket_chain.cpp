// SPDX-License-Identifier: MIT
#include "godot-codec/detection/websocket_chain.h"

#include <algorithm>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/stream/tcp_segment.h"

namespace godot_codec {
namespace {

enum ChainCandidate : std::uint8_t { chained_variants, chained_multiplayer };

// Longer messages are skipped by their lengths, not read.
constexpr std::size_t longest_read = 1024;

// True for a frame that Godot may send: one whole message, and no text. If frames of captures/ws_godot4.6.pcapng are
// missing, the middle of a frame can read like a text frame.
bool is_likely(const WebSocketFrame &frame) {
  constexpr std::size_t longest = 1U << 24;
  constexpr std::size_t longest_control = 125;
  const bool is_known = frame.is_control() ? frame.content.length <= longest_control
                                           : frame.opcode == WebSocketFrame::binary && frame.content.length <= longest;
  return frame.is_plain() && !frame.is_longer && is_known;
}

}  // namespace

void WebSocketChain::weigh(Bytes masked, const WebSocketKey &key, const ReadOptions &options) {
  std::array<std::uint8_t, longest_read> room;  // NOLINT: only the bytes that are read later are initialised
  if (masked.captured < masked.reported || masked.reported > room.size() || masked.reported == 0) return;
  auto &scores = detection_.scores;
  unmask(masked, key, room.data());
  const Bytes message(room.data(), masked.captured);
  scores[chained_variants].add(variant_evidence(message, options));
  Evidence game;
  for (const MpFraming framing : {MpFraming::none, MpFraming::websocket3}) {
    const Evidence evidence = mp_evidence(message, framing, options);
    if (evidence.confidence > game.confidence) game = evidence;
  }
  scores[chained_multiplayer].add(game);
}

// @returns false if the bytes are not a frame
bool WebSocketChain::take_frame(unsigned direction, Bytes rest, std::size_t &size, const ReadOptions &options) {
  const WebSocketFrame frame = read_web_socket_frame(rest, 0);
  if (!is_likely(frame)) return false;
  Side &side = sides_[direction];
  size = frame.content.end();
  const Bytes content = rest.slice(frame.content);
  if (content.reported < frame.content.length) has_split_ = true;
  if (frame.opcode != WebSocketFrame::binary) return true;
  if (content.reported == frame.content.length) weigh(content, frame.key, options);
  if (content.reported == 0) {
    side.awaited = static_cast<std::uint32_t>(frame.content.length);
    side.key = frame.key;
  }
  return true;
}

// Evaluates the content of a frame with its header at the end of an earlier segment. Godot sends each frame like this
// (all captures named ws and mp_ws, if they begin late).
void WebSocketChain::take_awaited(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options) {
  Side &side = sides_[direction];
  if (side.awaited == 0 || segment.reported == 0 || seq != side.next - side.awaited) return;
  if (segment.reported >= side.awaited) {
    weigh(segment.slice({0, side.awaited}), side.key, options);
  }
  side.awaited = 0;
}

bool WebSocketChain::follow(unsigned direction, std::uint32_t seq, Bytes segment, const ReadOptions &options) {
  Side &side = sides_[direction];
  const std::uint32_t end = seq + static_cast<std::uint32_t>(segment.reported);
  take_awaited(direction, seq, segment, options);
  // An earlier frame continues after this segment, or ends with it. Or the segment was retransmitted.
  if (side.is_known && !is_seq_before(side.next, end)) return true;
  if (side.is_known && is_seq_before(side.next, seq)) return false;  // a segment is missing
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

bool WebSocketChain::add(unsigned direction, PacketPosition position, std::uint32_t seq, Bytes segment,
                         const ReadOptions &options) {
  const bool is_at_frame = !sides_[direction].is_known || sides_[direction].next == seq;
  if (!follow(direction, seq, segment, options)) {
    *this = WebSocketChain{};
    return false;
  }
  detection_.offer(position);
  const bool is_decided =
      detection_.scores[chained_variants].is_decided || detection_.scores[chained_multiplayer].is_decided;
  if (!is_decided || !is_at_frame) return false;
  if (has_split_) detection_.first = position;
  return true;
}

bool begins_with_likely_frame(Bytes segment) { return is_likely(read_web_socket_frame(segment, 0)); }

}  // namespace godot_codec
