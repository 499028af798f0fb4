// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The common part of the transports TCP and TLS: splits a segment of a stream into messages, and calls the protocol's
/// dissector for each message. The two transports find the protocol, and the segment's position in the stream. A TLS
/// segment is the data that TLS passes on in one call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/message.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/stream/reassembler.h"
#include "godot-codec/stream/stream_position.h"
#include "godot-codec/stream/stream_reader.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the options for reading the messages of each StreamProtocol.
[[nodiscard]] godot_codec::StreamCandidateOptions stream_options();
/// Returns the candidates that the user has not disabled.
[[nodiscard]] godot_codec::StreamCandidates enabled_stream_candidates();
/// Returns the maximum size of a packet, in bytes.
[[nodiscard]] std::uint32_t max_length_of(godot_codec::StreamProtocol protocol);
[[nodiscard]] godot_codec::StreamOptions options_of(godot_codec::StreamProtocol protocol);

/// A stream's state. Written on the first pass only.
struct StreamState {
  StreamState(conversation_t *of, std::pmr::memory_resource *memory)
      : conversation(of),
        detection(stream_options(), memory),
        positions{godot_codec::StreamPosition(memory), godot_codec::StreamPosition(memory)},
        reassemblers{godot_codec::Reassembler(memory), godot_codec::Reassembler(memory)} {}

  conversation_t *const conversation;  ///< conversation of the stream's packets
  godot_codec::StreamDetection detection;
  std::array<godot_codec::StreamPosition, 2> positions;  ///< by direction_of()
  std::array<godot_codec::Reassembler, 2> reassemblers;  ///< by direction_of()
  /// By direction_of(): true after exact Variants with a little-endian length ([0]) or a big-endian length ([1]).
  std::array<std::array<bool, 2>, 2> has_length_order{};
  /// By direction_of(): the first segment with a complete message; 0: not found yet.
  std::array<godot_codec::PacketPosition, 2> first_framed_position{};
  godot_codec::DebugStreamDetection debug_program;
  godot_codec::PacketPosition
      first_variants_position;        ///< position of the first Variants on a debugger port; 0: not found yet
  bool is_pinned_before_tcp = false;  ///< true if the protocol was decided before TCP, on another dissector's port
  /// By direction_of(): the packet that contains the end of that dissector's message; 0: no such packet.
  std::array<std::uint32_t, 2> foreign_message_packet{};
};

/// A segment of a stream during dissection.
struct SegmentContext {
  tvbuff_t *original_tvb;  ///< the bytes that TCP or TLS has passed on
  tvbuff_t *tvb;           ///< the beginning of a message that continues in this segment, and then `original`
  packet_info *pinfo;
  proto_tree *tree;
  godot_codec::StreamProtocol protocol;
  PacketCounts *counts;
  StreamState *stream;
  godot_codec::PacketPosition position;
  std::uint32_t seq;              ///< sequence number of the tvb's first byte
  std::size_t head_size;          ///< size of that beginning, in bytes; `original` does not contain it
  std::size_t newest_offset = 0;  ///< on the first pass: offset of the newest segment in the reassembled bytes
  bool is_framed = true;          ///< false if bytes without a length prefix are custom payload
};

[[nodiscard]] SegmentContext begin_segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                                           godot_codec::StreamProtocol protocol, StreamState *stream);

/// True if detect_framing() is not needed: the stream's messages are known to have a length prefix.
[[nodiscard]] bool is_framing_known(const SegmentContext &segment);

/// Detects whether the sender's packets have a length prefix. On a port that the user has named, they may have none.
/// @param has_beginning true if the sender's first bytes were captured
void detect_framing(SegmentContext &segment, bool has_beginning);

/// Returns a reader that splits a segment into items. @param is_boundary true if the segment begins with a message
/// @param is_big_endian true if the sender's lengths have been big-endian so far
[[nodiscard]] godot_codec::StreamReader reader_of(const SegmentContext &segment, bool is_boundary,
                                                  bool is_big_endian = false);

/// Dissects a segment message by message, and requests the rest of an incomplete message from epan. @returns the
/// reader, after the last item
godot_codec::StreamReader dissect_items(const SegmentContext &segment, bool is_boundary, bool is_big_endian = false);

/// Dissects a segment if the stream's Reassembler reassembles its messages. @returns false if the Reassembler does not
bool dissect_reassembled(SegmentContext segment, const godot_codec::StreamChunk &where);

}  // namespace godot_plugin
