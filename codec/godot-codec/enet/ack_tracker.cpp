// SPDX-License-Identifier: MIT
#include "godot-codec/enet/ack_tracker.h"

#include <algorithm>
#include <optional>

#include "godot-codec/enet/datagram.h"

namespace godot_codec {
namespace {

// A connect is the first command of a connection.
constexpr std::uint16_t connect_seq = 1;
// Maximum number of transmissions of one command that are searched for a sent time. ENet doubles the interval between
// them, so there are few.
constexpr unsigned max_transmissions_searched = 64;
// Sequence numbers up to this far below the highest number are recognised if they arrive late.
constexpr int late_window = 64;

// Returns the distance from @p other to @p number, negative if @p number precedes @p other. Uses the shorter distance,
// because the numbers wrap.
std::int16_t sequence_distance(std::uint16_t number, std::uint16_t other) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(number - other));
}

// True if the sender would have retransmitted a command by now if it had not received an acknowledgement. ENet first
// retransmits after the round-trip time plus four times its variance. Each further interval is twice as long.
bool is_retransmission_overdue(const Transmission &latest, std::int64_t until) {
  constexpr std::int64_t longest_first_wait = 2 * nanoseconds_per_second;
  const std::int64_t before = latest.previous == nullptr ? 0 : elapsed(latest.previous->time, latest.time);
  const std::int64_t passed = elapsed(latest.time, until);
  return passed > std::max(longest_first_wait, 3 * before) && passed <= max_wait;
}

// Maximum number of slots that are searched for a key. A longer sequence of used slots only occurs if a sender has
// chosen its keys to cause it. Then the oldest entry is overwritten.
constexpr std::size_t longest_probe = 128;

std::uint64_t hash(std::uint64_t key) {
  key = (key ^ key >> 32) * 0x9e3779b97f4a7c15U;
  key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9U;
  return key ^ key >> 32;
}

}  // namespace

void GapCounter::start_after(std::uint16_t number) {
  highest_number_ = number;
  seen_bits_ = ~std::uint64_t{0};  // sequence numbers before the beginning of the capture are not missing
  has_begun_ = true;
}

bool GapCounter::is_below_highest(std::uint16_t number) const {
  return has_begun_ && sequence_distance(number, highest_number_) < 0;
}

bool GapCounter::is_above_highest(std::uint16_t number) const {
  return !has_begun_ || sequence_distance(number, highest_number_) > 0;
}

bool GapCounter::is_new(std::uint16_t number) const {
  const int behind = -sequence_distance(number, highest_number_);
  return !has_begun_ || behind < 0 || (behind < late_window && (seen_bits_ >> behind & 1) == 0);
}

std::uint32_t GapCounter::add(std::uint16_t number, std::uint16_t unreadable) {
  const bool may_be_unread = unreadable != unreadable_datagrams_ && sequence_distance(number, highest_number_) > 0;
  unreadable_datagrams_ = unreadable;
  if (!has_begun_ || may_be_unread) start_after(static_cast<std::uint16_t>(number - 1));
  const int ahead = sequence_distance(number, highest_number_);
  if (ahead > 0) {
    seen_bits_ = ahead < late_window ? seen_bits_ << ahead | 1 : 1;
    highest_number_ = number;
    missing_ += static_cast<std::uint64_t>(ahead - 1);
    return static_cast<std::uint32_t>(ahead - 1);
  }
  if (-ahead < late_window && (seen_bits_ >> -ahead & 1) == 0) {
    seen_bits_ |= std::uint64_t{1} << -ahead;
    --missing_;
  }
  return 0;
}

AckTracker::AckTracker(std::pmr::memory_resource *memory)
    : memory_(memory),
      transmissions_(memory),
      matches_(memory),
      connections_(memory),
      slots_(memory),
      channels_(memory),
      head_of_line_(memory),
      uncaptured_ack_times_(memory),
      delays_(memory) {}

std::uint64_t AckTracker::channel_key(std::uint32_t connection, unsigned sender, std::uint8_t channel) {
  return std::uint64_t{connection} << 9 | sender << 8 | channel;
}

std::uint32_t AckTracker::begin_connection(bool is_whole) {
  Connection &connection = connections_.emplace_back();
  connection.is_whole = is_whole;
  if (is_whole) {
    for (GapCounter &counter : connection.unsequenced) counter.start_after(0);
  }
  return static_cast<std::uint32_t>(connections_.size() - 1);
}

void AckTracker::on_datagram(std::uint32_t connection, unsigned sender, std::int64_t time) {
  connections_[connection].has_sent[sender] = true;
  connections_[connection].last_heard[sender] = time;
}

std::uint32_t &AckTracker::find_or_reserve_slot(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  const std::size_t start = hash(key);
  std::uint32_t *oldest = &slots_[start & mask];
  for (std::size_t i = 0; i < longest_probe && i <= mask; ++i) {
    std::uint32_t &slot = slots_[(start + i) & mask];
    if (slot == 0 || key_of(transmissions_[slot - 1]) == key) return slot;
    if (slot < *oldest) oldest = &slot;
  }
  return *oldest;
}

Transmission *AckTracker::find_transmission(std::uint64_t key) {
  if (slots_.empty()) return nullptr;
  const std::uint32_t slot = find_or_reserve_slot(key);
  if (slot == 0) return nullptr;
  Transmission &latest = transmissions_[slot - 1];
  return key_of(latest) == key ? &latest : nullptr;
}

void AckTracker::grow_slots() {
  constexpr std::size_t least = 16;
  std::pmr::vector<std::uint32_t> old(std::max(least, 2 * slots_.size()), 0, slots_.get_allocator());
  old.swap(slots_);
  used_slots_ = 0;
  for (const std::uint32_t each : old) {
    if (each == 0) continue;
    std::uint32_t &slot = find_or_reserve_slot(key_of(transmissions_[each - 1]));
    if (slot == 0) ++used_slots_;
    slot = each;
  }
}

void AckTracker::count_reliable_command(Channel &channel, const ReliableCommand &command) {
  Connection &connection = connections_[command.connection];
  if (!channel.reliable.has_begun() && connection.is_whole) channel.reliable.start_after(0);
  const std::uint64_t before = channel.reliable.missing();
  channel.reliable.add(command.seq);
  connection.missing_reliable_count +=
      channel.reliable.missing() - before;  // may decrease, because a late command is no longer missing
  ++connection.reliable;
}

const Transmission &AckTracker::on_reliable(const ReliableCommand &command) {
  const std::uint64_t channel = channel_key(command.connection, command.sender, command.channel);
  const std::uint64_t key = command_key(channel, command.seq);
  Transmission *const latest = find_latest_transmission(key, command.time);
  count_reliable_command(channels_[channel], command);
  Transmission &transmission = transmissions_.add({command.time, command.position, latest, nullptr, 0,
                                                   command.connection, command.seq, command.sent_time, command.channel,
                                                   static_cast<std::uint8_t>(command.sender), false, command.role});
  transmission.original = latest != nullptr ? latest->original : &transmission;
  if (4 * (used_slots_ + 1) > 3 * slots_.size()) grow_slots();
  std::uint32_t &slot = find_or_reserve_slot(key);
  if (slot == 0) ++used_slots_;
  slot = static_cast<std::uint32_t>(transmissions_.size());
  return transmission;
}

Transmission *AckTracker::find_latest_transmission(std::uint64_t key, std::int64_t time) {
  // A sequence number above the highest number was not sent yet. Its entry is from 65536 commands ago.
  const auto channel = channels_.find(key >> 16);
  const auto seq = static_cast<std::uint16_t>(key);
  if (channel == channels_.end() || channel->second.reliable.is_above_highest(seq)) return nullptr;
  Transmission *const latest = find_transmission(key);
  return latest != nullptr && elapsed(latest->time, time) <= max_wait ? latest : nullptr;
}

AckMatch AckTracker::add_match(Transmission &transmission, EnetCommandPosition position, std::int64_t time,
                               bool is_sent_time_known) {
  if (transmission.acked_in == 0) transmission.acked_in = position.packet;
  // Control commands are excluded, because they do not wait for each other.
  const bool is_first = !transmission.original->is_command_acked;
  transmission.original->is_command_acked = true;
  if (is_first && transmission.channel != enet_control_channel) record_arrival(transmission, time, is_sent_time_known);
  return matches_.add({position, &transmission, elapsed(transmission.time, time), is_sent_time_known, is_first});
}

// Updates the head-of-line blocking when a command is acknowledged. If no captured transmission has the acknowledged
// sent time, the transmission that arrived was not captured. If later commands wait for a command that is no longer
// retransmitted, this command has also arrived, but its acknowledgement was not captured.
void AckTracker::record_arrival(const Transmission &arrived, std::int64_t time, bool is_sent_time_known) {
  HeadOfLineTracker &order = order_of(arrived.connection, arrived.sender, arrived.channel);
  if (is_sent_time_known) {
    order.on_arrival(connections_[arrived.connection].is_whole, arrived, time, delays_);
  } else {
    order.on_uncaptured_arrival(arrived.seq, time, delays_);
  }
  while (const std::optional<std::uint16_t> awaited = order.awaited_sequence_number()) {
    const Transmission *latest =
        find_transmission(command_key(channel_key(arrived.connection, arrived.sender, arrived.channel), *awaited));
    if (latest == nullptr) return;
    if (!latest->original->is_command_acked && !is_retransmission_overdue(*latest, arrived.time)) return;
    order.on_uncaptured_arrival(*awaited, time, delays_);
  }
}

void AckTracker::record_uncaptured(const Acknowledgement &acknowledgement) {
  const auto &[connection, receiver, channel, seq, sent_time, position, time] = acknowledgement;
  // Control commands contain no messages, so no message can be missing.
  if (channel == enet_control_channel) return;
  constexpr std::size_t most = 4096;
  auto &uncaptured = uncaptured_ack_times_[channel_key(connection, receiver, 0)];
  if (uncaptured.size() >= most) return;
  uncaptured.push_back(time);
  order_of(connection, 1 - receiver, channel).on_uncaptured_arrival(seq, time, delays_);
}

AckMatch AckTracker::on_acknowledge(const Acknowledgement &acknowledgement) {
  const unsigned sender = 1 - acknowledgement.sender;
  Transmission *const latest = find_latest_transmission(
      command_key(channel_key(acknowledgement.connection, sender, acknowledgement.channel), acknowledgement.seq),
      acknowledgement.time);
  if (latest == nullptr) {
    record_uncaptured(acknowledgement);
    return {};
  }
  Transmission *match = latest;
  for (unsigned i = 0; i < max_transmissions_searched && match != nullptr; ++i) {
    if (match->sent_time == acknowledgement.sent_time) {
      AckMatch found = add_match(*match, acknowledgement.position, acknowledgement.time, true);
      found.shows_spurious = match != latest;
      return found;
    }
    match = match->previous;
  }
  return add_match(*latest, acknowledgement.position, acknowledgement.time, false);
}

AckMatch AckTracker::on_verify_connect(std::uint32_t connection, unsigned sender, EnetCommandPosition position,
                                       std::int64_t time) {
  Transmission *const latest = find_latest_transmission(
      command_key(channel_key(connection, 1 - sender, enet_control_channel), connect_seq), time);
  return latest == nullptr ? AckMatch{} : add_match(*latest, position, time, false);
}

std::uint32_t AckTracker::on_unreliable(std::uint32_t connection, unsigned sender, std::uint8_t channel,
                                        std::uint16_t reliable_seq, std::uint16_t unreliable_seq) {
  Channel &state = channels_[channel_key(connection, sender, channel)];
  Connection &whole = connections_[connection];
  // If the capture began during the connection, it possibly also began during this sequence of unreliable numbers.
  const bool is_whole_run = state.unreliable.has_begun() || whole.is_whole;
  const int ahead = sequence_distance(reliable_seq, state.reliable_seq);
  if (state.unreliable.has_begun() && ahead < 0) return 0;  // a late command of an earlier sequence
  if (is_whole_run && (ahead > 0 || !state.unreliable.has_begun())) state.unreliable.start_after(0);
  state.reliable_seq = reliable_seq;
  EnetSequencedCounts &ordered = whole.ordered[sender];
  if (state.unreliable.is_new(unreliable_seq)) {
    ++ordered.arrived;
    if (state.unreliable.is_below_highest(unreliable_seq)) ++ordered.late;
  }
  const std::uint64_t before = state.unreliable.missing();
  const std::uint32_t missing = state.unreliable.add(unreliable_seq, whole.unreadable[sender]);
  // May decrease, because a late number is no longer missing.
  ordered.missing += static_cast<std::uint32_t>(state.unreliable.missing() - before);
  return missing;
}

std::uint32_t AckTracker::on_unsequenced(std::uint32_t connection, unsigned sender, std::uint16_t group) {
  Connection &whole = connections_[connection];
  return whole.unsequenced[sender].add(group, whole.unreadable[sender]);
}

bool AckTracker::is_unacknowledged(const Transmission &transmission) const {
  const unsigned receiver = 1U - transmission.sender;
  const Connection &connection = connections_[transmission.connection];
  const Transmission *before = transmission.previous;
  if (before == nullptr || before->previous == nullptr) return false;
  constexpr std::int64_t longest_frame = nanoseconds_per_second / 4;
  const bool is_asked_again_in_time = elapsed(transmission.time, connection.last_heard[transmission.sender]) <=
                                      2 * elapsed(before->time, transmission.time) + longest_frame;
  return is_asked_again_in_time && !transmission.original->is_command_acked && connection.has_sent[receiver] &&
         elapsed(transmission.time, connection.last_heard[receiver]) >= unacknowledged_after;
}

const AckMatch *AckTracker::find_acknowledgement(const Transmission &transmission) const {
  if (transmission.acked_in == 0) return nullptr;
  const auto part = matches_.indices_of_packet(transmission.acked_in);
  const std::size_t end = std::min(part.end, part.begin + 2 * enet_max_commands);
  for (std::size_t i = part.begin; i < end; ++i) {
    if (matches_[i].transmission == &transmission) return &matches_[i];
  }
  return nullptr;
}

bool AckTracker::is_packet_acknowledged(std::uint32_t packet) const {
  const auto part = transmissions_.indices_of_packet(packet);
  for (std::size_t i = part.begin; i < part.end; ++i) {
    if (!transmissions_[i].original->is_command_acked) return false;
  }
  return true;
}

std::int64_t AckTracker::head_of_line_delay(const Transmission &transmission) const {
  const auto found = delays_.find(&transmission);
  return found == delays_.end() ? 0 : found->second;
}

EnetDelayStatistics AckTracker::delay_statistics(std::uint32_t connection, unsigned sender) const {
  EnetDelayStatistics sum;
  for_each_order(connection, sender, [&](const HeadOfLineTracker &order) { sum.add(order.statistics()); });
  return sum;
}

EnetBlockage AckTracker::find_blockage(std::uint32_t connection, unsigned sender) const {
  EnetBlockage longest;
  for_each_order(connection, sender, [&](const HeadOfLineTracker &order) {
    const EnetBlockage blockage = order.find_blockage();
    if (blockage.waiting_time > longest.waiting_time) longest = blockage;
  });
  return longest;
}

EnetSequencedCounts AckTracker::sequenced_counts(std::uint32_t connection, unsigned sender) const {
  return connections_[connection].ordered[sender];
}

std::uint64_t AckTracker::missing_unsequenced(std::uint32_t connection, unsigned sender) const {
  return connections_[connection].unsequenced[sender].missing();
}

EnetReliableCounts AckTracker::reliable_counts(std::uint32_t connection) const {
  const Connection &whole = connections_[connection];
  return {whole.missing_reliable_count, whole.missing_reliable_count + whole.reliable};
}

bool AckTracker::has_acknowledged_uncaptured(std::uint32_t connection, unsigned sender, std::int64_t after,
                                             std::int64_t until) const {
  const auto uncaptured = uncaptured_ack_times_.find(channel_key(connection, sender, 0));
  return uncaptured != uncaptured_ack_times_.end() &&
         std::ranges::any_of(uncaptured->second, [&](std::int64_t time) { return time >= after && time <= until; });
}

}  // namespace godot_codec
