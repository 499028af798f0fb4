// SPDX-License-Identifier: MIT
#include "godot-codec/enet/order.h"

#include <algorithm>
#include <iterator>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/tracker.h"

namespace godot_codec {
namespace {

constexpr unsigned channel_bits = 8;  // number of bits for the channel in the key of a channel

}  // namespace

HeadOfLineTracker::Waiting::iterator HeadOfLineTracker::first_waiting(std::uint64_t key) {
  const auto found = waiting_.lower_bound({key, 0});
  return found != waiting_.end() && found->first.first == key ? found : waiting_.end();
}

// Processes the command that has the awaited sequence number.
void HeadOfLineTracker::pass(std::uint64_t key, Channel &channel, const Transmission &transmission) {
  const MessagePart part = transmission.part;
  if (part == MessagePart::whole || part == MessagePart::first) {
    channel.message_from = channel.complete;
    channel.is_message_from_known = channel.is_complete_known;
    channel.newest = &transmission;
  } else if (channel.newest != nullptr && transmission.time >= channel.newest->time) {
    channel.newest = &transmission;
  }
  if (part == MessagePart::whole || part == MessagePart::last) {
    const bool has_waited =
        channel.newest != nullptr && channel.is_message_from_known && channel.message_from > channel.newest->time;
    EnetDelays &side = sides_[key >> channel_bits];
    ++side.messages;
    if (has_waited) {
      const std::int64_t wait = elapsed(channel.newest->time, channel.message_from);
      delays_[channel.newest] = wait;
      ++side.late;
      if (wait > noticeable_delay) ++side.noticeable;
      side.longest = std::max(side.longest, wait);
    }
    channel.newest = nullptr;
  }
  channel.complete = channel.is_complete_known ? std::max(channel.complete, transmission.time) : transmission.time;
  channel.is_complete_known = true;
  ++channel.next;
}

// Processes a command that was not captured. So its time and its fragment index are not known.
void HeadOfLineTracker::pass_uncaptured(Channel &channel) {
  channel.is_complete_known = false;
  channel.newest = nullptr;
  ++channel.next;
}

void HeadOfLineTracker::pass_waiting(std::uint64_t key, Channel &channel, std::int64_t now) {
  channel.waiting_since = now;
  auto early = first_waiting(key);
  while (early != waiting_.end() && early->first == std::pair{key, channel.next}) {
    if (early->second == nullptr) {
      pass_uncaptured(channel);
    } else {
      pass(key, channel, *early->second);
    }
    early = waiting_.erase(early);
  }
}

void HeadOfLineTracker::on_uncaptured_arrival(std::uint64_t key, std::uint16_t seq, std::int64_t now) {
  const auto found = channels_.find(key);
  if (found == channels_.end()) return;
  Channel &channel = found->second;
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(seq - channel.next));
  if (ahead < 0) return;
  if (ahead > 0) {
    if (first_waiting(key) == waiting_.end()) channel.waiting_since = now;
    waiting_.try_emplace({key, channel.next + static_cast<std::uint64_t>(ahead)}, nullptr);
    return;
  }
  pass_uncaptured(channel);
  pass_waiting(key, channel, now);
}

void HeadOfLineTracker::on_arrival(std::uint64_t key, bool is_whole, const Transmission &transmission,
                                   std::int64_t now) {
  const auto [position, is_new] = channels_.try_emplace(key);
  Channel &channel = position->second;
  // One round is added, so that even the places of earlier sequence numbers are not negative.
  constexpr std::uint64_t round = std::uint64_t{1} << 16;
  if (is_new) channel.next = round + (is_whole ? 1 : transmission.seq);
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(transmission.seq - channel.next));
  if (ahead < 0) return;  // the sender has given up the command, or sent it before the capture
  if (ahead == 0) {
    pass(key, channel, transmission);
    pass_waiting(key, channel, now);
    return;
  }
  auto early = first_waiting(key);
  if (early == waiting_.end()) channel.waiting_since = now;
  waiting_.try_emplace({key, channel.next + static_cast<std::uint64_t>(ahead)}, &transmission);
  if (elapsed(channel.waiting_since, now) <= max_wait) return;
  // The missing command must have arrived long ago, without a captured acknowledgement. Otherwise ENet would have ended
  // the connection.
  channel.next = first_waiting(key)->first.second;
  channel.is_complete_known = false;
  channel.newest = nullptr;
  pass_waiting(key, channel, now);
}

std::optional<std::uint16_t> HeadOfLineTracker::awaited(std::uint64_t key) const {
  const auto early = waiting_.lower_bound({key, 0});
  if (early == waiting_.end() || early->first.first != key) return std::nullopt;
  return static_cast<std::uint16_t>(channels_.at(key).next);
}

EnetDelays HeadOfLineTracker::delays(std::uint64_t side) const {
  const auto found = sides_.find(side);
  return found == sides_.end() ? EnetDelays{} : found->second;
}

EnetBlockage HeadOfLineTracker::blockage(std::uint64_t side) const {
  EnetBlockage stuck;
  for (auto channel = channels_.lower_bound(side << channel_bits);
       channel != channels_.end() && channel->first >> channel_bits == side; ++channel) {
    const auto first = waiting_.lower_bound({channel->first, 0});
    if (first == waiting_.end() || first->first.first != channel->first) continue;
    const auto newest = std::prev(waiting_.lower_bound({channel->first + 1, 0}));
    // If a command is only known from its acknowledgement, its time and its fragment index are not known.
    if (first->second == nullptr || newest->second == nullptr) continue;
    const MessagePart part = first->second->part;
    const bool is_of_missing = part == MessagePart::middle || part == MessagePart::last;
    const std::int64_t time = elapsed(channel->second.waiting_since, newest->second->time);
    if (is_of_missing && time > stuck.time) stuck = {first->second, time};
  }
  return stuck;
}

std::int64_t HeadOfLineTracker::delay(const Transmission &transmission) const {
  const auto found = delays_.find(&transmission);
  return found == delays_.end() ? 0 : found->second;
}

}  // namespace godot_codec
