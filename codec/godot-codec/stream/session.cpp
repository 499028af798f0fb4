// SPDX-License-Identifier: MIT
#include "godot-codec/stream/session.h"

#include <algorithm>

#include "godot-codec/variant/detect.h"

namespace godot_codec {

// ---- positions

void StreamPosition::begin_at(std::uint32_t seq) {
  was_seen_ = true;
  is_known_ = true;
  next_seq_ = seq;
  end_seq_ = seq;
  unfinished_seq_ = seq;
}

StreamStart StreamPosition::enter(Moment moment, const StreamPart &part) {
  StreamStart start;
  if (!part.is_reassembled) {
    start.is_boundary = is_known_ && next_seq_ == part.seq;
    start.has_gap = was_seen_ && is_seq_before(end_seq_, part.seq);
  }
  start.is_big_endian = is_big_endian_;
  const StreamStart before = changes_.empty() ? StreamStart{} : changes_.back().start;
  if (start != before) changes_.push_back({moment, start});
  return start;
}

void StreamPosition::leave(const StreamPart &part, const StreamReader &reader) {
  const std::uint32_t seq = seq_of(part);
  was_seen_ = true;
  is_known_ = reader.has_next_boundary();
  is_big_endian_ = reader.is_big_endian();
  next_seq_ = seq + static_cast<std::uint32_t>(reader.next_boundary());
  unfinished_seq_ = seq + static_cast<std::uint32_t>(reader.unfinished());
  end_seq_ = seq + static_cast<std::uint32_t>(part.length);
}

StreamStart StreamPosition::start_at(Moment moment) const {
  const auto later = std::upper_bound(changes_.begin(), changes_.end(), moment,
                                      [](Moment value, const Change &change) { return value < change.moment; });
  return later == changes_.begin() ? StreamStart{} : std::prev(later)->start;
}

// ---- what is put together here

namespace {

StreamExtent measure(const StreamRule &rule, Bytes bytes, std::size_t start) {
  return rule.measure(bytes, start, rule.max_length);
}

bool is_big_endian(const StreamRule &rule) { return rule.measure == measure_big_endian_packet; }

StreamOptions big_endian_options(const StreamRule &rule) { return {rule.max_length, {}, true}; }

}  // namespace

void StreamJoin::begin(Moment moment, const StreamRule &rule, std::uint32_t seq, Bytes bytes, std::size_t segment,
                       bool is_message) {
  Run &run = runs_.emplace_back();
  run.bytes = std::pmr::vector<std::uint8_t>(bytes.data, bytes.data + bytes.captured, runs_.get_allocator());
  run.rule = rule;
  run.begun = moment;
  run.first_seq = seq;
  run.last_packet = moment.packet;
  run.covered = bytes.captured;
  run.close_if_whole(segment);
  if (is_message) run.quiet = run.covered;
}

// Goes over the packets that are known to follow, so that a message of many is not measured again with each.
bool StreamJoin::Run::is_short_of_packets() {
  while (missing > 0) {
    const StreamExtent packet = measure_packet({bytes.data(), bytes.size()}, next, rule.max_length);
    if (!packet.is_valid) return false;
    if (!packet.is_complete) return true;
    next += packet.length;
    --missing;
  }
  return false;
}

// A message that begins in the last segment is joined to the next ones by TCP's own reassembly, so nothing of that
// segment is kept.
void StreamJoin::Run::close_if_whole(std::size_t segment) {
  if (bytes.size() - start < least || is_short_of_packets()) return;
  is_open = false;
  while (start < bytes.size()) {
    const StreamExtent extent = measure(rule, {bytes.data(), bytes.size()}, start);
    constexpr std::size_t least_packet = stream_prefix_size + sizeof(std::uint32_t);
    least = extent.least;
    next = start + extent.length;
    missing = extent.is_boundary ? (extent.least - extent.length) / least_packet : 0;
    is_open = extent.is_valid && !extent.is_complete && start < segment;
    if (!extent.is_complete) break;
    start += extent.length;
  }
  if (is_open) return;
  bytes.resize(segment);
  bytes.shrink_to_fit();
}

bool StreamJoin::begins_at(Moment moment) const {
  const auto later = std::ranges::upper_bound(runs_, moment, {}, &Run::begun);
  return later != runs_.begin() && std::prev(later)->begun == moment && std::prev(later)->quiet > 0;
}

void StreamJoin::follow(Moment moment, std::uint32_t seq, Bytes segment) {
  if (!is_open()) return;
  Run &run = runs_.back();
  if (is_seq_before(seq, run.end_seq())) return;
  const std::size_t start = run.bytes.size();
  const bool is_too_long = start + segment.captured > max_size;
  if (seq != run.end_seq() || is_too_long || segment.captured < segment.reported) {
    run.is_open = false;
    return;
  }
  run.bytes.insert(run.bytes.end(), segment.data, segment.data + segment.captured);
  run.covered = run.bytes.size();
  run.last_packet = moment.packet;
  if (run.quiet > 0) run.quiet = start;
  run.close_if_whole(start);
}

StreamJoin::Segment StreamJoin::find(Moment moment, std::uint32_t seq, std::size_t length) const {
  const auto run = std::lower_bound(runs_.begin(), runs_.end(), moment.packet,
                                    [](const Run &each, std::uint32_t packet) { return each.last_packet < packet; });
  if (run == runs_.end()) return {};
  const std::size_t offset = seq - run->first_seq;
  if (offset >= run->covered || length > run->covered - offset) return {};
  if (offset < run->quiet || (run->quiet > 0 && run->is_open)) return {true, true, {}};
  const Bytes bytes(run->bytes.data(), run->bytes.size());
  const std::size_t end = std::min(offset, bytes.captured);
  for (std::size_t start = 0; start < end;) {
    const StreamExtent extent = measure(run->rule, bytes, start);
    if (!extent.is_valid) break;
    const bool goes_on = !extent.is_complete || start + extent.length > end;
    if (goes_on) return {true, false, bytes.slice({start, end - start}), is_big_endian(run->rule)};
    start += extent.length;
  }
  return {true, false, {}, is_big_endian(run->rule)};
}

std::size_t StreamJoin::kept() const {
  std::size_t count = 0;
  for (const Run &run : runs_) count += run.bytes.size();
  return count;
}

// ---- prefixes

void StreamPrefix::clear() {
  bytes_.clear();
  bytes_.shrink_to_fit();
  starts_ = {};
  wanted_ = {};
  least_ = {};
  segment_ = 0;
}

void StreamPrefix::drop_front(std::size_t count) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
  first_seq_ += static_cast<std::uint32_t>(count);
  segment_ -= std::min(segment_, count);
  for (std::size_t &start : starts_) start -= std::min(start, count);
}

void StreamPrefix::add(std::uint32_t seq, Bytes segment) {
  const bool goes_on = !bytes_.empty() && seq == first_seq_ + static_cast<std::uint32_t>(bytes_.size());
  is_cut_ = segment.captured < segment.reported;
  if (!goes_on || is_cut_) clear();
  if (bytes_.empty()) first_seq_ = seq;
  segment_ = bytes_.size();
  bytes_.insert(bytes_.end(), segment.data, segment.data + segment.captured);
  if (segment_ == 0) choose_order();
}

// Low byte first, unless the first bytes speak against it.
void StreamPrefix::choose_order() {
  StreamRule &rule = rules_.back();
  rule.measure = measure_packet;
  const bool is_little_endian = measure_packet(bytes(), 0, rule.max_length).is_valid;
  if (is_little_endian || !may_be_packet(bytes(), 0, big_endian_options(rule), false)) return;
  rule.measure = measure_big_endian_packet;
}

// True if lengths were taken for big-endian, and a message that begins in the newest segment is no Variant. Many a
// protocol writes such lengths, and few bytes are kept of those.
bool StreamPrefix::is_refuted() const {
  const std::size_t start = starts_.back();
  const bool is_new = segment_ <= start + stream_prefix_size && start + stream_prefix_size < bytes_.size();
  return is_big_endian() && is_new && !may_be_packet(bytes(), start, big_endian_options(rules_.back()), false);
}

Bytes StreamPrefix::view(std::size_t candidate) {
  const std::size_t start = starts_[candidate];
  const std::size_t available = bytes_.size() - start;
  if (has_head(candidate) && available < std::min(wanted_[candidate], least_[candidate])) return {};
  // A message that comes in small parts is looked at when there is an eighth more of it.
  wanted_[candidate] = available + available / 8 + 1;
  return bytes().slice({start, available});
}

// Goes behind the messages that are whole. @returns false at a length that is none
bool StreamPrefix::advance(std::size_t candidate) {
  std::size_t &start = starts_[candidate];
  while (start < bytes_.size()) {
    const StreamExtent extent = rules_[candidate].measure(bytes(), start, rules_[candidate].max_length);
    if (!extent.is_valid) return false;
    least_[candidate] = extent.least;
    if (!extent.is_complete) return true;
    start += extent.length;
    wanted_[candidate] = 0;
  }
  return true;
}

// True if the last candidate's message goes on, and begins with a Variant's header.
bool StreamPrefix::is_within_variant() const {
  const std::size_t start = starts_[stream_candidates - 1];
  const bool is_whole_words = least_[stream_candidates - 1] % sizeof(std::uint32_t) == 0;
  return start < bytes_.size() && is_whole_words &&
         has_variant_header(bytes().slice({start + stream_prefix_size, bytes_.size()}));
}

void StreamPrefix::settle(bool is_waiting) {
  auto &[first, last] = starts_;
  const bool is_valid = !is_refuted() && advance(stream_candidates - 1);
  if (!advance(0)) first = bytes_.size();
  if (is_waiting) last = std::min(first, last);
  if (bytes_.size() > max_size) drop_front(is_within_variant() ? last : std::min(first, last));
  const std::size_t most = is_within_variant() ? max_variant : max_size;
  if (!is_valid || is_cut_ || bytes_.size() > most) clear();
}

void StreamPrefix::forget_earlier() {
  drop_front(segment_);
  starts_ = {};
}

void StreamPrefix::hand_over(StreamJoin &join, std::size_t candidate, bool has_segment, Moment moment) {
  const std::size_t segment = has_segment ? segment_ : bytes_.size();
  if (segment > 0) join.begin(moment, rules_[candidate], first_seq_, bytes(), segment, false);
  clear();
}

}  // namespace godot_codec
