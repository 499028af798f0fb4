// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The common part of the transports TCP and TLS: splits a segment of a stream into messages, which the stream's
/// protocol dissects. Each of the two finds the segment's position in the stream, and the protocol. A segment of TLS is
/// what TLS passes on at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/stream_state.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/stream/framing.h"
#include "godot-codec/stream/position.h"
#include "godot-codec/stream/reassembler.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// How to measure the messages of each StreamProtocol.
[[nodiscard]] godot_codec::StreamRules stream_rules();
/// The candidates that the user has not disabled.
[[nodiscard]] godot_codec::StreamCandidates enabled_stream_candidates();
[[nodiscard]] godot_codec::StreamOptions options_of(godot_codec::StreamProtocol protocol);

/// A stream's state. Written on the first pass only.
struct Stream {
  Stream(conversation_t *of, std::pmr::memory_resource *memory)
      : conversation(of),
        detection(stream_rules(), memory),
        positions{godot_codec::StreamPosition(memory), godot_codec::StreamPosition(memory)},
        joins{godot_codec::Reassembler(memory), godot_codec::Reassembler(memory)} {}

  conversation_t *const conversation;  ///< of the stream's packets
  godot_codec::StreamDetection detection;
  std::array<godot_codec::StreamPosition, 2> positions;  ///< by direction_of()
  std::array<godot_codec::Reassembler, 2> joins;         ///< by direction_of()
  /// By direction_of(): true after exact Variants with a little-endian length [0] and with a big-endian length [1].
  std::array<std::array<bool, 2>, 2> has_order{};
  /// By direction_of(): the first segment with a complete message; 0: none so far.
  std::array<godot_codec::PacketPosition, 2> framed_since{};
  godot_codec::DebugProgram program;
  godot_codec::PacketPosition misnamed_since;  ///< the first Variants on a port of the debugger's; 0: none
  bool is_claimed = false;                     ///< decided before TCP, on a port of another dissector
  /// By direction_of(): the packet in which a message of that dissector ends; 0: none.
  std::array<std::uint32_t, 2> foreign_packet{};
};

/// A segment of a stream while it is dissected.
struct SegmentContext {
  tvbuff_t *original;  ///< the bytes that TCP or TLS has passed on
  tvbuff_t *tvb;       ///< `original`, after the beginning of a message that continues in it
  packet_info *pinfo;
  proto_tree *tree;
  godot_codec::StreamProtocol protocol;
  PacketCounts *counts;
  Stream *stream;
  godot_codec::PacketPosition position;
  std::uint32_t seq;       ///< sequence number of the tvb's first byte
  std::size_t head;        ///< length of that beginning, which epan does not know
  std::size_t newest = 0;  ///< on the first pass: where the newest segment begins in the reassembled bytes
  bool is_framed = true;   ///< false: bytes without a length prefix are custom payload
};

[[nodiscard]] SegmentContext begin_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                           godot_codec::StreamProtocol protocol, Stream *stream);

/// True if detect_framing() need not be called: the stream was detected by its packets, or has no packets.
[[nodiscard]] bool is_framing_known(const SegmentContext &segment);

/// Checks whether the sender sends packets with a length prefix, which a port named by the user does not guarantee.
/// @param has_beginning the sender's first bytes were captured
void detect_framing(SegmentContext &segment, bool has_beginning);

/// Returns a reader that splits a segment into items. @param is_boundary true if the segment begins with a message
/// @param is_big_endian the sender's lengths have been big-endian so far
[[nodiscard]] godot_codec::StreamReader reader_of(const SegmentContext &segment, bool is_boundary,
                                                  bool is_big_endian = false);

/// Dissects a segment message by message, and requests the rest of an incomplete message from epan. @returns the
/// reader, after the last item
godot_codec::StreamReader dissect_items(const SegmentContext &segment, bool is_boundary, bool is_big_endian = false);

/// Dissects a segment whose messages the stream's Reassembler reassembles. @returns false if it does not
bool dissect_joined(SegmentContext segment, const godot_codec::StreamPart &where);

}  // namespace godot_plugin
