// SPDX-License-Identifier: MIT
#include "godot-codec/stream/pending_stream.h"

#include <algorithm>

#include "godot-codec/variant/dialect_detection.h"

namespace godot_codec {
// ---- adding a segment

void PendingStream::add(std::uint32_t seq, Bytes segment) {
  const bool goes_on = !bytes_.empty() && seq == first_seq_ + static_cast<std::uint32_t>(bytes_.size());
  is_truncated_ = segment.captured < segment.reported;
  if (!goes_on || is_truncated_) clear();
  if (bytes_.empty()) first_seq_ = seq;
  segment_offset_ = bytes_.size();
  bytes_.insert(bytes_.end(), segment.data, segment.data + segment.captured);
  if (segment_offset_ == 0) choose_byte_order();
}

// Chooses little-endian lengths, unless only big-endian lengths fit the first bytes.
void PendingStream::choose_byte_order() {
  StreamOptions &options = options_.back();
  options.is_big_endian = false;
  const bool is_little_endian = options.extent_at(bytes(), 0).is_valid;
  options.is_big_endian = !is_little_endian && may_be_packet(bytes(), 0, {options.max_length, {}, true}, false);
}

// ---- view for a candidate

Bytes PendingStream::undecided_bytes(std::size_t candidate) {
  UnfinishedMessage &message = unfinished_messages_[candidate];
  const std::size_t available = bytes_.size() - message.start;
  if (has_earlier_bytes(candidate) && available < std::min(message.retry_size, message.min_size)) return {};
  // A message in many small segments is evaluated again only after it has grown by an eighth.
  message.retry_size = available + available / 8 + 1;
  return bytes().slice({message.start, available});
}

// ---- bytes to keep after a segment that decided nothing

void PendingStream::keep_undecided(bool is_waiting) {
  std::size_t &first = unfinished_messages_.front().start;
  std::size_t &last = unfinished_messages_.back().start;
  const bool is_valid = skip_complete_messages(stream_candidates - 1);
  if (!skip_complete_messages(0)) first = bytes_.size();
  if (is_waiting) last = std::min(first, last);
  if (bytes_.size() > max_size) drop_front(is_within_variant() ? last : std::min(first, last));
  const std::size_t most = is_within_variant() ? max_variant_size : max_size;
  if (!is_valid || is_truncated_ || bytes_.size() > most) clear();
}

// Advances a candidate's start past its complete messages.
// @returns false at an invalid length
bool PendingStream::skip_complete_messages(std::size_t candidate) {
  UnfinishedMessage &message = unfinished_messages_[candidate];
  while (message.start < bytes_.size()) {
    const MessageExtent extent = options_[candidate].extent_at(bytes(), message.start);
    if (!extent.is_valid) return false;
    message.min_size = extent.min_size;
    if (!extent.is_complete) return true;
    message.start += extent.length;
    message.retry_size = 0;
  }
  return true;
}

// True if the last candidate's message is unfinished and begins with a Variant's header.
bool PendingStream::is_within_variant() const {
  const UnfinishedMessage &message = unfinished_messages_.back();
  const bool is_whole_words = message.min_size % sizeof(std::uint32_t) == 0;
  return message.start < bytes_.size() && is_whole_words &&
         has_variant_header(bytes().slice({message.start + stream_prefix_size, bytes_.size()}));
}

// ---- removing bytes

void PendingStream::drop_earlier_segments() {
  drop_front(segment_offset_);
  for (UnfinishedMessage &message : unfinished_messages_) message.start = 0;
}

void PendingStream::move_to_reassembler(Reassembler &join, std::size_t candidate, bool has_segment,
                                        PacketPosition position) {
  const std::size_t segment = has_segment ? segment_offset_ : bytes_.size();
  if (segment > 0) join.begin(position, options_[candidate], first_seq_, bytes(), segment, false);
  clear();
}

void PendingStream::drop_front(std::size_t count) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
  first_seq_ += static_cast<std::uint32_t>(count);
  segment_offset_ -= std::min(segment_offset_, count);
  for (UnfinishedMessage &message : unfinished_messages_) message.start -= std::min(message.start, count);
}

void PendingStream::clear() {
  bytes_.clear();
  bytes_.shrink_to_fit();
  unfinished_messages_ = {};
  segment_offset_ = 0;
}

}  // namespace godot_codec
