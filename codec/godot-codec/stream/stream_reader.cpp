// SPDX-License-Identifier: MIT
#include "godot-codec/stream/stream_reader.h"

#include <algorithm>

#include "godot-codec/core/confidence.h"
#include "godot-codec/variant/dialect_detection.h"

namespace godot_codec {
namespace {

// A truncated packet is credible if at least this many captured bytes are readable as a Variant.
constexpr std::size_t min_truncated_evidence = 32;
// A single packet of at least this length is enough evidence. Shorter lengths often occur by chance.
constexpr std::size_t min_packet_evidence = 8;
// A sender fills a segment before it begins the next segment. So in a segment shorter than this, the last packet is
// complete.
constexpr std::size_t min_full_segment = 512;
// Size of a length prefix and a Variant's header.
constexpr std::size_t min_packet_start = 8;
// Highest type number in the compact form, which has only six bits for the type.
constexpr std::uint8_t last_type = 63;
// The search for a boundary reads at most this many times the size of the data.
constexpr std::size_t max_search_factor = 16;

// A packet's length prefix.
struct LengthPrefix {
  bool is_captured = false;
  bool is_valid = false;
  std::uint32_t length = 0;
};

LengthPrefix read_prefix_at(Bytes data, std::size_t offset, const StreamOptions &options) {
  Cursor cursor(data, offset);
  LengthPrefix prefix;
  prefix.length = options.is_big_endian ? cursor.read_be<std::uint32_t>() : cursor.read<std::uint32_t>();
  prefix.is_captured = cursor.ok();
  prefix.is_valid = prefix.is_captured && prefix.length > 0 && prefix.length <= options.max_length;
  return prefix;
}

// Returns the packet after a length prefix. The packet may continue after the data.
Bytes packet_at(Bytes data, std::size_t prefix_offset, std::uint32_t length) {
  const std::size_t start = prefix_offset + stream_prefix_size;
  const std::size_t available = start < data.captured ? data.captured - start : 0;
  return {data.data + std::min(start, data.captured), std::min<std::size_t>(available, length), length};
}

// Consecutive packets, found by their length prefixes alone.
struct PacketSequence {
  std::size_t end;          // end of the data, or of the last packet before an invalid length
  std::size_t last_packet;  // start of the last packet if it continues after the data; otherwise the end of the data
};

PacketSequence follow_lengths(Bytes data, std::size_t offset, const StreamOptions &options) {
  std::size_t at = offset;
  std::size_t last = offset;
  while (at < data.reported) {
    const LengthPrefix prefix = read_prefix_at(data, at, options);
    if (!prefix.is_captured) return {data.reported, at};  // the length prefix itself continues after the data
    if (!prefix.is_valid) return {at, at};
    last = at;
    at += stream_prefix_size + prefix.length;
  }
  return {data.reported, at > data.reported ? last : data.reported};
}

// Rates the evidence that packets begin at an offset. Strong if at least one packet is exactly a Variant. Weak if the
// first packet continues after the data, and the available bytes could be the beginning of a Variant.
class BoundarySearch {
 public:
  BoundarySearch(Bytes data, const StreamOptions &options)
      : data_(data),
        options_(options),
        remaining_effort_(max_search_factor * (data.captured + min_truncated_evidence)) {}

  // Reads the packets from an offset on. Requires less evidence at the start of the data, because senders often begin a
  // packet there.
  Confidence evidence_at(std::size_t offset, bool is_start) {
    std::size_t at = offset;
    std::size_t packets = 0;
    bool is_long_enough = is_start;
    while (at < data_.reported) {
      const LengthPrefix prefix = read_prefix_at(data_, at, options_);
      if (!prefix.is_captured) break;
      const Bytes packet = packet_at(data_, at, prefix.length);
      const DialectFit fit = prefix.is_valid ? detect_fit(packet) : DialectFit::none;
      if (fit == DialectFit::truncated && packets == 0) {
        return is_start || packet.captured >= min_truncated_evidence ? Confidence::weak : Confidence::none;
      }
      if (fit == DialectFit::truncated) break;
      if (fit != DialectFit::exact && fit != DialectFit::with_notes) {
        const bool is_enough = packets > 1 || (is_start && packets > 0);
        return is_enough ? Confidence::strong : Confidence::none;
      }
      is_long_enough = is_long_enough || prefix.length >= min_packet_evidence;
      ++packets;
      at += stream_prefix_size + prefix.length;
    }
    return packets > 1 || (packets > 0 && is_long_enough) ? Confidence::strong : Confidence::none;
  }

  // Returns the first offset after @p start with strong evidence; without one, the first with weak evidence if @p least
  // is weak; otherwise the end of the data.
  std::size_t find_boundary_after(std::size_t start, Confidence least) {
    std::size_t truncated_at = data_.reported;
    for (std::size_t at = start + 1; at < data_.captured && remaining_effort_ > 0; ++at) {
      const Confidence evidence = evidence_at(at, false);
      if (evidence == Confidence::strong) return at;
      if (evidence == Confidence::weak) truncated_at = std::min(truncated_at, at);
    }
    return least == Confidence::weak ? truncated_at : data_.reported;
  }

 private:
  DialectFit detect_fit(Bytes packet) {
    if (!has_variant_header(packet)) return DialectFit::none;
    remaining_effort_ -= std::min(remaining_effort_, packet.captured);
    return detect_dialect(packet, options_.read).fit;
  }

  Bytes data_;
  const StreamOptions &options_;
  std::size_t remaining_effort_;
};

// Finds a packet boundary at or after an offset: a length, followed by a Variant of exactly this length.
// @returns the end of the data if no boundary is found
std::size_t find_boundary(Bytes data, std::size_t offset, const StreamOptions &options) {
  const bool accepts_truncated = options.has_known_framing || data.reported >= min_full_segment;
  BoundarySearch search(data, options);
  Confidence here = search.evidence_at(offset, true);
  if (here == Confidence::weak && !accepts_truncated) here = Confidence::none;
  // Custom packets do not look like Variants, so it is enough if their lengths fit the data.
  const bool fills_data = follow_lengths(data, offset, options).last_packet == data.reported;
  if (here == Confidence::strong || fills_data) return offset;

  // Foreign bytes easily look like a truncated packet, so complete packets at a later offset are better evidence.
  const bool needs_complete = here == Confidence::weak || !options.has_known_framing;
  const std::size_t end = search.find_boundary_after(offset, needs_complete ? Confidence::strong : Confidence::weak);
  return here == Confidence::weak && end == data.reported ? offset : end;
}

}  // namespace

MessageExtent measure_packet(Bytes data, std::size_t offset, const StreamOptions &options) {
  const LengthPrefix prefix = read_prefix_at(data, offset, options);
  MessageExtent extent{stream_prefix_size, stream_prefix_size};
  extent.is_valid = prefix.is_valid || !prefix.is_captured;
  if (!prefix.is_valid) return extent;
  extent.length += prefix.length;
  extent.min_size = extent.length;
  extent.is_complete = offset <= data.reported && extent.length <= data.reported - offset;
  extent.is_exact = true;
  extent.is_boundary = true;
  return extent;
}

bool may_be_packet(Bytes data, std::size_t offset, const StreamOptions &options, bool needs_value) {
  const LengthPrefix prefix = read_prefix_at(data, offset, options);
  // Every Variant's size is a multiple of 4 bytes.
  if (!prefix.is_valid || prefix.length % stream_prefix_size != 0) return false;
  const Bytes packet = packet_at(data, offset, prefix.length);
  if (packet.captured == 0 && !needs_value) return offset + stream_prefix_size == data.reported;
  if (!has_variant_header(packet)) return false;
  const DialectFit fit = detect_dialect(packet, options.read).fit;
  return fit == DialectFit::exact || (fit == DialectFit::truncated && !needs_value);
}

namespace {

// True if the bytes from an offset on may be the incomplete beginning of a packet with a Variant.
bool may_begin_variant(Bytes data, std::size_t offset, const StreamOptions &options) {
  constexpr std::uint8_t least_length = 4;  // every Variant's size is a multiple of 4 bytes
  const std::size_t available = data.captured - std::min(data.captured, offset);
  const std::uint8_t *bytes = data.data + offset;
  if (available == stream_prefix_size) return true;
  if (available == 0 || bytes[0] % least_length != 0) return false;
  if (available < stream_prefix_size) return bytes[0] != 0;
  const bool has_header = available >= min_packet_start;
  return has_header ? may_be_packet(data, offset, options, false) : bytes[stream_prefix_size] <= last_type;
}

}  // namespace

// Switches to the other byte order if the packet at the current offset is valid in it.
// @param needs_value requires a whole Variant, because a length alone may be valid in both orders
// @returns true if the order was switched
bool StreamReader::switch_byte_order(bool needs_value) {
  if (options_.measure != measure_packet) return false;
  StreamOptions switched = options_;
  switched.is_big_endian = !switched.is_big_endian;
  if (!may_be_packet(data_, offset_, switched, needs_value)) return false;
  options_ = switched;
  return true;
}

// True if valid lengths lead to the end of the data. Used until the first packet of a stream is found. Accepts a length
// alone and an incomplete Variant, because Godot may send a packet in several segments.
bool StreamReader::may_continue_to_end() const {
  const PacketSequence lengths = follow_lengths(data_, offset_, options_);
  if (lengths.end != data_.reported) return false;
  if (data_.reported >= min_full_segment) return true;
  return lengths.last_packet == offset_ && may_begin_variant(data_, offset_, options_);
}

bool StreamReader::next(StreamItem &item) {
  if (offset_ >= data_.reported) return false;
  if (!options_.has_known_framing) is_boundary_ = is_boundary_ && (may_continue_to_end() || switch_byte_order(false));
  return is_boundary_ ? read_message(item) : skip_to_boundary(item);
}

bool StreamReader::finish_item(StreamItem &item, std::size_t end) {
  item.range = {offset_, end - offset_};
  offset_ = end;
  unfinished_offset_ = end;
  next_boundary_ = end;
  has_next_boundary_ = is_boundary_;
  return true;
}

bool StreamReader::read_message(StreamItem &item) {
  const std::size_t start = offset_;
  item.extent = options_.extent_at(data_, offset_);
  if (!item.extent.is_complete && switch_byte_order(item.extent.is_valid)) {
    item.extent = options_.extent_at(data_, offset_);
  }
  item.is_big_endian = options_.is_big_endian;
  if (item.extent.is_complete) {
    options_.has_known_framing = true;
    item.kind = StreamItemKind::message;
    return finish_item(item, start + item.extent.length);
  }
  if (item.extent.is_valid) {
    item.kind = StreamItemKind::unfinished;
    if (!options_.has_known_framing && data_.reported - start < min_packet_start) item.extent.is_exact = false;
    finish_item(item, data_.reported);
    unfinished_offset_ = start;
    next_boundary_ = start + item.extent.length;
    has_next_boundary_ = item.extent.is_boundary;
    return true;
  }
  is_boundary_ = false;
  const std::size_t end = follow_lengths(data_, start, options_).end;
  if (end == start) return skip_to_boundary(item);
  item.kind = StreamItemKind::broken;
  return finish_item(item, end);
}

bool StreamReader::skip_to_boundary(StreamItem &item) {
  const std::size_t boundary = find_boundary(data_, offset_, options_);
  const bool is_switched = boundary > offset_ && switch_byte_order(!options_.has_known_framing);
  is_boundary_ = boundary < data_.reported || is_switched;
  if (boundary == offset_ || is_switched) return read_message(item);
  item.kind = StreamItemKind::skipped;
  return finish_item(item, boundary);
}

}  // namespace godot_codec
