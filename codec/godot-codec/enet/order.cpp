// SPDX-License-Identifier: MIT
#include "godot-codec/enet/order.h"

#include <algorithm>
#include <iterator>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/tracker.h"

namespace godot_codec {
namespace {

constexpr unsigned channel_bits = 8;  // number of bits for the channel in a line's key

}  // namespace

HeadOfLine::Early::iterator HeadOfLine::first_early(std::uint64_t key) {
  const auto found = early_.lower_bound({key, 0});
  return found != early_.end() && found->first.first == key ? found : early_.end();
}

// Processes the command with the awaited number.
void HeadOfLine::pass(std::uint64_t key, Line &line, const Transmission &transmission) {
  const MessagePart part = transmission.part;
  if (part == MessagePart::whole || part == MessagePart::first) {
    line.message_from = line.complete;
    line.is_message_from_known = line.is_complete_known;
    line.newest = &transmission;
  } else if (line.newest != nullptr && transmission.time >= line.newest->time) {
    line.newest = &transmission;
  }
  if (part == MessagePart::whole || part == MessagePart::last) {
    const bool has_waited =
        line.newest != nullptr && line.is_message_from_known && line.message_from > line.newest->time;
    EnetWaits &side = sides_[key >> channel_bits];
    ++side.messages;
    if (has_waited) {
      const std::int64_t wait = elapsed(line.newest->time, line.message_from);
      waits_[line.newest] = wait;
      ++side.late;
      if (wait > noticeable_wait) ++side.waited;
      side.longest = std::max(side.longest, wait);
    }
    line.newest = nullptr;
  }
  line.complete = line.is_complete_known ? std::max(line.complete, transmission.time) : transmission.time;
  line.is_complete_known = true;
  ++line.next;
}

// Processes a command that was not captured, so that its time and its fragment number are not known.
void HeadOfLine::pass_uncaptured(Line &line) {
  line.is_complete_known = false;
  line.newest = nullptr;
  ++line.next;
}

void HeadOfLine::pass_early(std::uint64_t key, Line &line, std::int64_t now) {
  line.early_since = now;
  auto early = first_early(key);
  while (early != early_.end() && early->first == std::pair{key, line.next}) {
    if (early->second == nullptr) {
      pass_uncaptured(line);
    } else {
      pass(key, line, *early->second);
    }
    early = early_.erase(early);
  }
}

void HeadOfLine::on_uncaptured_arrival(std::uint64_t key, std::uint16_t seq, std::int64_t now) {
  const auto found = lines_.find(key);
  if (found == lines_.end()) return;
  Line &line = found->second;
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(seq - line.next));
  if (ahead < 0) return;
  if (ahead > 0) {
    if (first_early(key) == early_.end()) line.early_since = now;
    early_.try_emplace({key, line.next + static_cast<std::uint64_t>(ahead)}, nullptr);
    return;
  }
  pass_uncaptured(line);
  pass_early(key, line, now);
}

void HeadOfLine::on_arrival(std::uint64_t key, bool is_whole, const Transmission &transmission, std::int64_t now) {
  const auto [place, is_new] = lines_.try_emplace(key);
  Line &line = place->second;
  // Added to the first number, so that no number is negative, not even one before the first.
  constexpr std::uint64_t round = std::uint64_t{1} << 16;
  if (is_new) line.next = round + (is_whole ? 1 : transmission.seq);
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(transmission.seq - line.next));
  if (ahead < 0) return;  // the sender has given up the command, or sent it before the capture
  if (ahead == 0) {
    pass(key, line, transmission);
    pass_early(key, line, now);
    return;
  }
  auto early = first_early(key);
  if (early == early_.end()) line.early_since = now;
  early_.try_emplace({key, line.next + static_cast<std::uint64_t>(ahead)}, &transmission);
  if (elapsed(line.early_since, now) <= longest_wait) return;
  // The missing command arrived long ago, but its acknowledgement is not in the capture. Otherwise ENet would have
  // ended the connection.
  line.next = first_early(key)->first.second;
  line.is_complete_known = false;
  line.newest = nullptr;
  pass_early(key, line, now);
}

std::optional<std::uint16_t> HeadOfLine::awaited(std::uint64_t key) const {
  const auto early = early_.lower_bound({key, 0});
  if (early == early_.end() || early->first.first != key) return std::nullopt;
  return static_cast<std::uint16_t>(lines_.at(key).next);
}

EnetWaits HeadOfLine::waits(std::uint64_t side) const {
  const auto found = sides_.find(side);
  return found == sides_.end() ? EnetWaits{} : found->second;
}

EnetStuck HeadOfLine::stuck(std::uint64_t side) const {
  EnetStuck stuck;
  for (auto line = lines_.lower_bound(side << channel_bits);
       line != lines_.end() && line->first >> channel_bits == side; ++line) {
    const auto first = early_.lower_bound({line->first, 0});
    if (first == early_.end() || first->first.first != line->first) continue;
    const auto newest = std::prev(early_.lower_bound({line->first + 1, 0}));
    // If a command is only known from its acknowledgement, its time and its fragment number are not known.
    if (first->second == nullptr || newest->second == nullptr) continue;
    const MessagePart part = first->second->part;
    const bool is_of_missing = part == MessagePart::middle || part == MessagePart::last;
    const std::int64_t time = elapsed(line->second.early_since, newest->second->time);
    if (is_of_missing && time > stuck.time) stuck = {first->second, time};
  }
  return stuck;
}

std::int64_t HeadOfLine::waited(const Transmission &transmission) const {
  const auto found = waits_.find(&transmission);
  return found == waits_.end() ? 0 : found->second;
}

}  // namespace godot_codec
