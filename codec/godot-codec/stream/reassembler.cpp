// SPDX-License-Identifier: MIT
#include "godot-codec/stream/reassembler.h"

#include <algorithm>

#include "godot-codec/stream/tcp_segment.h"

namespace godot_codec {

// ---- adding segments

void Reassembler::begin(PacketPosition position, const StreamOptions &options, std::uint32_t seq, Bytes bytes,
                        std::size_t segment, bool is_message) {
  SegmentRun &run = runs_.emplace_back();
  run.bytes = std::pmr::vector<std::uint8_t>(bytes.data, bytes.data + bytes.captured, runs_.get_allocator());
  run.options = options;
  run.started_at = position;
  run.first_seq = seq;
  run.last_packet = position.packet;
  run.covered_size = bytes.captured;
  run.skip_complete_messages(segment);
  if (is_message) run.no_end_before = run.covered_size;
}

void Reassembler::add_segment(PacketPosition position, std::uint32_t seq, Bytes segment) {
  if (!is_open()) return;
  SegmentRun &run = runs_.back();
  if (is_seq_before(seq, run.end_seq())) return;
  const std::size_t start = run.bytes.size();
  const bool is_too_long = start + segment.captured > max_size;
  if (seq != run.end_seq() || is_too_long || segment.captured < segment.reported) {
    run.is_open = false;
    return;
  }
  run.bytes.insert(run.bytes.end(), segment.data, segment.data + segment.captured);
  run.covered_size = run.bytes.size();
  run.last_packet = position.packet;
  if (run.is_one_message()) run.no_end_before = start;
  run.skip_complete_messages(start);
}

// Advances past the complete messages. The run stays open if the next message is incomplete and began before the newest
// segment. An incomplete message that begins in the newest segment is left to TCP's reassembly.
void Reassembler::SegmentRun::skip_complete_messages(std::size_t segment) {
  const bool is_short = bytes.size() - unfinished.start < unfinished.min_size;
  if (is_short || unfinished.lacks_packets(view(), options.max_length)) return;
  while (unfinished.start < bytes.size()) {
    const MessageExtent extent = options.extent_at(view(), unfinished.start);
    if (!extent.is_complete) {
      unfinished.update_from(extent);
      if (extent.is_valid && unfinished.start < segment) return;
      break;
    }
    unfinished.start += extent.length;
  }
  close(segment);
}

// Drops the last segment's bytes, because the callers of find() still have them.
void Reassembler::SegmentRun::close(std::size_t segment) {
  is_open = false;
  bytes.resize(segment);
  bytes.shrink_to_fit();
}

void Reassembler::UnfinishedMessage::update_from(const MessageExtent &extent) {
  constexpr std::size_t least_packet = stream_prefix_size + sizeof(std::uint32_t);
  min_size = extent.min_size;
  next_packet = start + extent.length;
  min_missing_packets = extent.is_boundary ? (extent.min_size - extent.length) / least_packet : 0;
}

// Skips the packets that must still arrive. So a message of many packets is not measured again with each packet.
bool Reassembler::UnfinishedMessage::lacks_packets(Bytes bytes, std::uint32_t max_length) {
  while (min_missing_packets > 0) {
    const MessageExtent packet = measure_packet(bytes, next_packet, {max_length});
    if (!packet.is_valid) return false;
    if (!packet.is_complete) return true;
    next_packet += packet.length;
    --min_missing_packets;
  }
  return false;
}

// ---- queries

bool Reassembler::begins_message_at(PacketPosition position) const {
  const auto later = std::ranges::upper_bound(runs_, position, {}, &SegmentRun::started_at);
  return later != runs_.begin() && std::prev(later)->started_at == position && std::prev(later)->is_one_message();
}

Reassembler::SegmentLookup Reassembler::find(PacketPosition position, std::uint32_t seq, std::size_t length) const {
  const SegmentRun *run = find_run(position);
  if (run == nullptr) return {};
  const std::size_t offset = seq - run->first_seq;
  if (offset >= run->covered_size || length > run->covered_size - offset) return {};
  const bool has_no_message_end = offset < run->no_end_before || (run->is_one_message() && run->is_open);
  if (has_no_message_end) return {true, true, {}};
  return {true, false, run->find_earlier_bytes(offset), run->options.is_big_endian};
}

// Returns the first run that ends at a position or later.
const Reassembler::SegmentRun *Reassembler::find_run(PacketPosition position) const {
  const auto run = std::ranges::lower_bound(runs_, position.packet, {}, &SegmentRun::last_packet);
  return run == runs_.end() ? nullptr : &*run;
}

// Returns the bytes before an offset that belong to the message at this offset. Empty if a message begins there.
Bytes Reassembler::SegmentRun::find_earlier_bytes(std::size_t offset) const {
  const std::size_t end = std::min(offset, bytes.size());
  for (std::size_t start = 0; start < end;) {
    const MessageExtent extent = options.extent_at(view(), start);
    if (!extent.is_valid) break;
    const bool goes_on = !extent.is_complete || start + extent.length > end;
    if (goes_on) return view().slice({start, end - start});
    start += extent.length;
  }
  return {};
}

std::size_t Reassembler::stored_size() const {
  std::size_t count = 0;
  for (const SegmentRun &run : runs_) count += run.bytes.size();
  return count;
}

}  // namespace godot_codec
