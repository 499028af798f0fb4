// SPDX-License-Identifier: MIT
// Feeds hostile streams, cut into segments of arbitrary sizes; some segments are lost, retransmitted or late. Aborts if
// more is stored than the limits allow, if two passes get different results, or if a byte belongs to no piece.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "godot-codec/debugger/message.h"
#include "godot-codec/detection/stream_detection.h"
#include "godot-codec/stream/reassembler.h"
#include "godot-codec/stream/stream_position.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::ChunkStart;
using godot_codec::PacketPosition;
using godot_codec::Reassembler;
using godot_codec::StreamChunk;
using godot_codec::StreamItem;
using godot_codec::StreamItemKind;
using godot_codec::StreamOptions;
using godot_codec::StreamPosition;
using godot_codec::StreamReader;

const godot_codec::StreamCandidateOptions all_options = {StreamOptions{.measure = godot_codec::measure_debug_message},
                                                         StreamOptions{}};

// Reads data to its end, and checks that its pieces follow one another without gaps.
void check_pieces(StreamReader &reader, Bytes data) {
  std::size_t end = 0;
  for (StreamItem piece; reader.next(piece);) {
    require(piece.range.offset == end && piece.range.length > 0);
    end = piece.range.end();
    const bool is_unfinished = piece.kind == StreamItemKind::unfinished;
    require(!is_unfinished || (end == data.reported && piece.extent.min_size >= piece.extent.length));
    if (is_unfinished && data.captured == data.reported) require(piece.extent.length > piece.range.length);
  }
  require(end == data.reported);
  require(reader.unfinished_offset() <= data.reported);
  require(!reader.has_next_boundary() || reader.next_boundary() >= data.reported);
}

// Reads data of a sender that is not known to send length-prefixed packets.
void check_unframed(Bytes data, bool is_boundary) {
  StreamOptions options;
  options.has_known_framing = false;
  StreamReader reader(data, is_boundary, options);
  check_pieces(reader, data);
}

// Reads one direction as the plugin does.
class Direction {
 public:
  explicit Direction(std::size_t candidate) : options_(all_options[candidate]) {}

  void add(PacketPosition position, std::uint32_t seq, Bytes segment) {
    join_.add_segment(position, seq, segment);
    const StreamChunk part{seq, segment.reported, false};
    if (join_.find(position, seq, segment.reported).is_covered) return;
    const ChunkStart start = position_.begin_chunk(position, part);
    starts_.push_back({position, start});
    StreamReader reader(segment, start.is_boundary, options_);
    check_pieces(reader, segment);
    check_unframed(segment, start.is_boundary);
    position_.end_chunk(part, reader);
    const std::size_t at = reader.unfinished_offset();
    if (at == segment.reported || segment.captured < segment.reported || join_.is_open()) return;
    const Bytes message = segment.slice({at, segment.reported - at});
    join_.begin(position, options_, seq + static_cast<std::uint32_t>(at), message, message.captured, at % 2 == 0);
  }

  // Checks a segment in a later pass.
  void check(PacketPosition position, std::uint32_t seq, Bytes segment) const {
    const Reassembler::SegmentLookup found = join_.find(position, seq, segment.reported);
    require(found.is_covered || found.head.captured == 0);
    require(found.head.captured <= join_.stored_size());
  }
  void check_starts() const {
    for (const Entered &each : starts_) require(position_.start_at(each.position) == each.start);
    require(position_.change_count() <= starts_.size());
  }

 private:
  struct Entered {
    PacketPosition position;
    ChunkStart start;
  };

  StreamOptions options_;
  StreamPosition position_{std::pmr::get_default_resource()};
  Reassembler join_{std::pmr::get_default_resource()};
  std::vector<Entered> starts_;
};

struct Segment {
  PacketPosition position;
  std::uint32_t seq;
  Bytes bytes;
};

// Cuts the stream into segments. The first bytes give their sizes, and which segments are lost, retransmitted or
// truncated.
std::vector<Segment> cut(const std::uint8_t *data, std::size_t size) {
  constexpr std::size_t plan_size = 8;
  std::vector<Segment> segments;
  if (size <= plan_size) return segments;
  const Bytes stream(data + plan_size, size - plan_size);
  std::size_t at = 0;
  for (std::uint32_t i = 0; at < stream.reported; ++i) {
    const std::uint8_t plan = data[i % plan_size];
    Bytes bytes = stream.slice({at, std::size_t{plan} % 61 + 1});
    at += bytes.reported;
    if (plan % 7 == 6 && plan > 200) continue;
    if (plan % 5 == 4 && plan > 200) bytes.captured /= 2;
    const auto seq = static_cast<std::uint32_t>(at - bytes.reported);
    segments.push_back({{i + 1, 0}, seq, bytes});
    if (plan % 3 == 2 && plan > 200) segments.push_back({{i + 1, 1}, seq, bytes});
  }
  return segments;
}

void check_choice(const std::vector<Segment> &segments) {
  godot_codec::StreamDetection detection(all_options, std::pmr::get_default_resource());
  Reassembler join(std::pmr::get_default_resource());
  for (const Segment &segment : segments) {
    if (!detection.add(segment.position.packet % 2, segment.position, segment.seq, segment.bytes, {}, {})) continue;
    require(detection.decided_since() == segment.position);
    for (const unsigned direction : {0U, 1U})
      detection.hand_over(join, direction, direction == segment.position.packet % 2);
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::vector<Segment> segments = cut(data, size);
  for (const std::size_t candidate : {std::size_t{0}, std::size_t{1}}) {
    Direction direction(candidate);
    for (const Segment &segment : segments) direction.add(segment.position, segment.seq, segment.bytes);
    for (const Segment &segment : segments) direction.check(segment.position, segment.seq, segment.bytes);
    direction.check_starts();
  }
  check_choice(segments);
  godot_codec::DebugStreamDetection program;
  for (const Segment &segment : segments) {
    program.update(segment.position, segment.bytes, segment.seq == 0, all_options[0]);
    require(program.latest() == program.at(segment.position));
  }
  return 0;
}
