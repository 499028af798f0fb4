// SPDX-License-Identifier: MIT
#include "godot-codec/enet/head_of_line_tracker.h"

#include <algorithm>
#include <iterator>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/ack_tracker.h"

namespace godot_codec {
namespace {

constexpr unsigned channel_bits = 8;  // low bits of a channel's key: the channel number; other bits: the side's key

}  // namespace

HeadOfLineTracker::WaitingCommands::iterator HeadOfLineTracker::find_first_waiting(std::uint64_t key) {
  const auto found = waiting_commands_.lower_bound({key, 0});
  return found != waiting_commands_.end() && found->first.first == key ? found : waiting_commands_.end();
}

// Processes the command that has the awaited sequence number.
void HeadOfLineTracker::process_awaited(std::uint64_t key, Channel &channel, const Transmission &transmission) {
  const FragmentRole part = transmission.role;
  if (part == FragmentRole::whole || part == FragmentRole::first) {
    channel.message_begin_time = channel.complete;
    channel.is_message_begin_time_known = channel.is_complete_time_known;
    channel.newest = &transmission;
  } else if (channel.newest != nullptr && transmission.time >= channel.newest->time) {
    channel.newest = &transmission;
  }
  if (part == FragmentRole::whole || part == FragmentRole::last) {
    const bool has_waited = channel.newest != nullptr && channel.is_message_begin_time_known &&
                            channel.message_begin_time > channel.newest->time;
    EnetDelayStatistics &side = statistics_by_side_[key >> channel_bits];
    ++side.messages;
    if (has_waited) {
      const std::int64_t wait = elapsed(channel.newest->time, channel.message_begin_time);
      delays_[channel.newest] = wait;
      ++side.late_messages;
      if (wait > noticeable_delay) ++side.noticeable_delays;
      side.longest = std::max(side.longest, wait);
    }
    channel.newest = nullptr;
  }
  channel.complete = channel.is_complete_time_known ? std::max(channel.complete, transmission.time) : transmission.time;
  channel.is_complete_time_known = true;
  ++channel.next;
}

// Processes a command that was not captured. So its time and its fragment index are not known.
void HeadOfLineTracker::process_awaited_uncaptured(Channel &channel) {
  channel.is_complete_time_known = false;
  channel.newest = nullptr;
  ++channel.next;
}

void HeadOfLineTracker::process_waiting(std::uint64_t key, Channel &channel, std::int64_t now) {
  channel.waiting_since = now;
  auto early = find_first_waiting(key);
  while (early != waiting_commands_.end() && early->first == std::pair{key, channel.next}) {
    if (early->second == nullptr) {
      process_awaited_uncaptured(channel);
    } else {
      process_awaited(key, channel, *early->second);
    }
    early = waiting_commands_.erase(early);
  }
}

void HeadOfLineTracker::on_uncaptured_arrival(std::uint64_t key, std::uint16_t seq, std::int64_t now) {
  const auto found = channels_.find(key);
  if (found == channels_.end()) return;
  Channel &channel = found->second;
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(seq - channel.next));
  if (ahead < 0) return;
  if (ahead > 0) {
    if (find_first_waiting(key) == waiting_commands_.end()) channel.waiting_since = now;
    waiting_commands_.try_emplace({key, channel.next + static_cast<std::uint64_t>(ahead)}, nullptr);
    return;
  }
  process_awaited_uncaptured(channel);
  process_waiting(key, channel, now);
}

void HeadOfLineTracker::on_arrival(std::uint64_t key, bool is_whole, const Transmission &transmission,
                                   std::int64_t now) {
  const auto [position, is_new] = channels_.try_emplace(key);
  Channel &channel = position->second;
  // One round of 65536 numbers is added, so that earlier sequence numbers do not become negative.
  constexpr std::uint64_t round = std::uint64_t{1} << 16;
  if (is_new) channel.next = round + (is_whole ? 1 : transmission.seq);
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(transmission.seq - channel.next));
  if (ahead < 0) return;  // skipped before (see below), or sent before the capture
  if (ahead == 0) {
    process_awaited(key, channel, transmission);
    process_waiting(key, channel, now);
    return;
  }
  auto early = find_first_waiting(key);
  if (early == waiting_commands_.end()) channel.waiting_since = now;
  waiting_commands_.try_emplace({key, channel.next + static_cast<std::uint64_t>(ahead)}, &transmission);
  if (elapsed(channel.waiting_since, now) <= max_wait) return;
  // The missing command must have arrived long ago, without a captured acknowledgement. Otherwise ENet would have ended
  // the connection.
  channel.next = find_first_waiting(key)->first.second;
  channel.is_complete_time_known = false;
  channel.newest = nullptr;
  process_waiting(key, channel, now);
}

std::optional<std::uint16_t> HeadOfLineTracker::awaited_sequence_number(std::uint64_t key) const {
  const auto early = waiting_commands_.lower_bound({key, 0});
  if (early == waiting_commands_.end() || early->first.first != key) return std::nullopt;
  return static_cast<std::uint16_t>(channels_.at(key).next);
}

EnetDelayStatistics HeadOfLineTracker::delay_statistics(std::uint64_t side) const {
  const auto found = statistics_by_side_.find(side);
  return found == statistics_by_side_.end() ? EnetDelayStatistics{} : found->second;
}

EnetBlockage HeadOfLineTracker::find_blockage(std::uint64_t side) const {
  EnetBlockage blockage;
  for (auto channel = channels_.lower_bound(side << channel_bits);
       channel != channels_.end() && channel->first >> channel_bits == side; ++channel) {
    const auto first = waiting_commands_.lower_bound({channel->first, 0});
    if (first == waiting_commands_.end() || first->first.first != channel->first) continue;
    const auto newest = std::prev(waiting_commands_.lower_bound({channel->first + 1, 0}));
    // If a command is only known from its acknowledgement, its time and its fragment index are not known.
    if (first->second == nullptr || newest->second == nullptr) continue;
    const FragmentRole part = first->second->role;
    const bool is_of_missing = part == FragmentRole::middle || part == FragmentRole::last;
    const std::int64_t time = elapsed(channel->second.waiting_since, newest->second->time);
    if (is_of_missing && time > blockage.waiting_time) blockage = {first->second, time};
  }
  return blockage;
}

std::int64_t HeadOfLineTracker::head_of_line_delay(const Transmission &transmission) const {
  const auto found = delays_.find(&transmission);
  return found == delays_.end() ? 0 : found->second;
}

}  // namespace godot_codec
