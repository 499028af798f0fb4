// SPDX-License-Identifier: MIT
#include "godot-codec/detection/websocket_frame_chain.h"

#include "godot-codec/detection/evidence.h"

namespace godot_codec {
namespace {

enum ChainCandidate : std::uint8_t { chained_variants, chained_multiplayer };

// Longer messages are skipped by their lengths, not read.
constexpr std::size_t longest_read = 1024;

// True for a frame that Godot may send: one whole message, and no text. If frames of captures/ws_godot4.6.pcapng are
// missing, the middle of a frame can read like a text frame.
bool is_likely_frame(const WebSocketFrame &frame) {
  constexpr std::size_t longest = 1U << 24;
  constexpr std::size_t longest_control = 125;
  const bool is_known = frame.is_control() ? frame.content.length <= longest_control
                                           : frame.opcode == WebSocketFrame::binary && frame.content.length <= longest;
  return frame.is_plain() && !frame.has_overlong_length && is_known;
}

}  // namespace

void WebSocketFrameChain::add_message_evidence(Bytes masked, const WebSocketMaskingKey &key,
                                               const ReadOptions &options) {
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
bool WebSocketFrameChain::read_frame(unsigned direction, Bytes rest, std::size_t &size, const ReadOptions &options) {
  const WebSocketFrame frame = read_web_socket_frame(rest, 0);
  if (!is_likely_frame(frame)) return false;
  DirectionState &side = sides_[direction];
  size = frame.content.end();
  const Bytes content = rest.slice(frame.content);
  if (content.reported < frame.content.length) has_split_frame_ = true;
  if (frame.opcode != WebSocketFrame::binary) return true;
  if (content.reported == frame.content.length) add_message_evidence(content, frame.key, options);
  if (content.reported == 0) {
    side.awaited_bytes = static_cast<std::uint32_t>(frame.content.length);
    side.key = frame.key;
  }
  return true;
}

// Evaluates the content of a frame with its header at the end of an earlier segment. Godot sends each frame like this
// (all captures named ws and mp_ws, if they begin late).
void WebSocketFrameChain::read_awaited_content(unsigned direction, std::uint32_t seq, Bytes segment,
                                               const ReadOptions &options) {
  DirectionState &side = sides_[direction];
  if (side.awaited_bytes == 0 || segment.reported == 0 || seq != side.frames.next() - side.awaited_bytes) return;
  if (segment.reported >= side.awaited_bytes) {
    add_message_evidence(segment.slice({0, side.awaited_bytes}), side.key, options);
  }
  side.awaited_bytes = 0;
}

bool WebSocketFrameChain::follow_frames(unsigned direction, std::uint32_t seq, Bytes segment,
                                        const ReadOptions &options) {
  DirectionState &side = sides_[direction];
  read_awaited_content(direction, seq, segment, options);
  if (side.frames.has_gap_before(seq)) return false;
  // Begins after the bytes of an earlier frame, or at the end of the segment if it has no other bytes.
  std::size_t offset = segment.reported - side.frames.add(seq, segment.reported);
  while (offset < segment.reported) {
    std::size_t size = 0;
    const Bytes rest = segment.slice({offset, segment.reported});
    if (!read_frame(direction, rest, size, options)) return false;
    offset += size;
  }
  side.frames.add(seq, offset);
  return true;
}

bool WebSocketFrameChain::add(unsigned direction, PacketPosition position, std::uint32_t seq, Bytes segment,
                              const ReadOptions &options) {
  const bool is_at_frame = !sides_[direction].frames.has_begun() || sides_[direction].frames.next() == seq;
  if (!follow_frames(direction, seq, segment, options)) {
    *this = WebSocketFrameChain{};
    return false;
  }
  detection_.offer(position);
  const bool is_decided =
      detection_.scores[chained_variants].is_decided || detection_.scores[chained_multiplayer].is_decided;
  if (!is_decided || !is_at_frame) return false;
  if (has_split_frame_) detection_.first_offered = position;
  return true;
}

bool begins_with_likely_frame(Bytes segment) { return is_likely_frame(read_web_socket_frame(segment, 0)); }

}  // namespace godot_codec
