// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/delivery_tracker.h"

#include <algorithm>
#include <limits>

namespace godot_codec {
namespace {

// ENet retransmits a lost command after half a second, then after twice this time, and so on. If a message is not
// captured within this time, but the connection continues, the message was probably delivered. Then only the capture
// lacks the message.
constexpr std::int64_t longest_resend = 2 * nanoseconds_per_second;
// Maximum number of messages that wait for a missing message. The windows of ENet and SCTP hold fewer messages, even if
// all messages are small.
constexpr std::uint64_t most_waiting = 4096;
constexpr unsigned mp_channel_bits = 16;

std::uint32_t key_of(const Message &message) {
  return message.sender_side << mp_channel_bits | message.sequence.channel;
}

}  // namespace

bool MpDeliveryTracker::add_in_order(const Message &message) {
  const SequenceRange &range = message.sequence;
  const auto *found = channels_.find(key_of(message));
  if (found == nullptr || found->value->awaited()) return false;
  SequenceTracker<std::uint16_t> &numbers = found->value->numbers;
  if (static_cast<std::uint16_t>(numbers.next_number()) != range.first_number) return false;
  numbers.add(range.first_number, range.count, message.position, message.time);
  return true;
}

void MpDeliveryTracker::add(const Message &message, bool is_from_start) {
  const SequenceRange &range = message.sequence;
  const PacketPosition position = message.position;
  const std::int64_t time = message.time;
  Channel *&known = channels_[key_of(message)];
  if (known == nullptr) known = std::pmr::polymorphic_allocator<>(memory_).new_object<Channel>(memory_);
  Channel &channel = *known;
  SequenceTracker<std::uint16_t> &numbers = channel.numbers;
  // If the first messages of a channel are missing, their send time is not known.
  const bool lacks_first = is_from_start && range.first_number != range.channel_start;
  if (numbers.next_number() == 0) {
    numbers.start_at(is_from_start ? range.channel_start : range.first_number,
                     lacks_first ? std::numeric_limits<std::int64_t>::min() : time);
  }
  const std::optional<CaptureGap> before = channel.awaited();
  const std::uint64_t head = before ? before->begin : numbers.next_number();
  const std::uint64_t place = numbers.add(range.first_number, range.count, position, time);
  if (place < head) {
    late_messages_[position] = {};
    return;
  }
  if (!before) channel.waiting_since = time;
  if (place > head) {
    const CaptureGap gap = channel.awaited().value_or(CaptureGap{});
    const bool is_over =
        elapsed(channel.waiting_since, time) > longest_resend || numbers.next_number() - gap.end > most_waiting;
    if (!is_over) return;
    channel.skipped_below = gap.end;
  }
  channel.waiting_since = time;
  if (!before && place == head) return;
  const std::optional<CaptureGap> after = channel.awaited();
  channel.advances[position] = {head, after ? after->begin : numbers.next_number(),
                                before ? before->found_at : position};
}

MpDeliveryState MpDeliveryTracker::arrival(const Message &message) const {
  const PacketPosition position = message.position;
  const MpDeliveryState in_order{position, position, false};
  const auto *channel = channels_.find(key_of(message));
  if (message.sequence.count == 0 || channel == nullptr) return in_order;
  // The engine got a late message before the messages that follow it.
  if (late_messages_.find(position) != nullptr) return {packet_position_zero, position, false};
  const auto place_near = [&](std::uint64_t place) {
    return SequenceTracker<std::uint16_t>::extend_number(message.sequence.first_number, place);
  };
  std::optional<PacketPosition> sent;
  const SortedMap<PacketPosition, Advance> &advances = channel->value->advances;
  const auto *advance = advances.find(position);
  if (advance == nullptr) advance = advances.find_first_above(position);
  for (; advance != nullptr; advance = advances.find_first_above(advance->key)) {
    const auto &[begin, end, waiting_since] = advance->value;
    const std::uint64_t place = place_near(end);
    if (waiting_since > position || place < begin) return in_order;
    if (!sent) sent = waiting_since;
    if (place < end) return {*sent, advance->key, false};
  }
  const std::optional<CaptureGap> gap = channel->value->awaited();
  if (!gap || gap->found_at > position || place_near(gap->begin) < gap->begin) return in_order;
  return {sent.value_or(gap->found_at), {}, true};
}

// Returns true if @p is_wanted returns true for any channel of a side.
// @param is_wanted called with the sequence tracker of each channel
template <typename Is>
bool MpDeliveryTracker::has_channel_where(unsigned end, Is is_wanted) const {
  const std::uint32_t first = end << mp_channel_bits;
  const auto *channel = channels_.find(first);
  if (channel == nullptr) channel = channels_.find_first_above(first);
  for (; channel != nullptr && channel->key >> mp_channel_bits == end;
       channel = channels_.find_first_above(channel->key)) {
    if (is_wanted(channel->value->numbers)) return true;
  }
  return false;
}

bool MpDeliveryTracker::has_capture_gap(PacketPosition position) const {
  const auto has_gap = [&](const auto &numbers) { return numbers.has_gap(position); };
  if (transmission_trackers_ != nullptr && std::ranges::any_of(*transmission_trackers_, has_gap)) return true;
  for (const Times &truncated : truncated_messages_) {
    const auto *first = truncated.find_first_above(packet_position_zero);
    if (first != nullptr && first->key <= position) return true;
  }
  return has_channel_where(0, has_gap) || has_channel_where(1, has_gap);
}

bool MpDeliveryTracker::has_capture_gap(unsigned end, PacketPosition after, std::int64_t until) const {
  const auto has_gap = [&](const auto &numbers) { return numbers.has_gap(after, until); };
  if (transmission_trackers_ != nullptr && std::ranges::any_of(*transmission_trackers_, has_gap)) return true;
  const auto *truncated = truncated_messages_[end].find_first_above(after);
  if (truncated != nullptr && truncated->value <= until) return true;
  return has_channel_where(end, has_gap);
}

}  // namespace godot_codec
