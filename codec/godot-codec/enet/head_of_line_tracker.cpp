// SPDX-License-Identifier: MIT
#include "godot-codec/enet/head_of_line_tracker.h"

#include <algorithm>
#include <iterator>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/ack_tracker.h"

namespace godot_codec {

// Returns how far a sequence number is above the awaited number; negative if it is below.
std::int64_t HeadOfLineTracker::distance_from_next(std::uint16_t seq) const {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(seq - next_));
}

// Processes the command that has the awaited sequence number.
// @param transmission null if the command was not captured, so its time and its fragment index are not known
void HeadOfLineTracker::process_awaited(const Transmission *transmission, Delays &delays) {
  ++next_;
  if (transmission == nullptr) {
    is_complete_time_known_ = false;
    newest_ = nullptr;
    return;
  }
  const FragmentRole part = transmission->role;
  if (part == FragmentRole::whole || part == FragmentRole::first) {
    message_begin_time_ = complete_;
    is_message_begin_time_known_ = is_complete_time_known_;
    newest_ = transmission;
  } else if (newest_ != nullptr && transmission->time >= newest_->time) {
    newest_ = transmission;
  }
  if (part == FragmentRole::whole || part == FragmentRole::last) record_delay(delays);
  complete_ = is_complete_time_known_ ? std::max(complete_, transmission->time) : transmission->time;
  is_complete_time_known_ = true;
}

// Records how long the message that is now complete has waited for earlier messages.
void HeadOfLineTracker::record_delay(Delays &delays) {
  ++statistics_.messages;
  const bool has_waited = newest_ != nullptr && is_message_begin_time_known_ && message_begin_time_ > newest_->time;
  if (has_waited) {
    const std::int64_t wait = elapsed(newest_->time, message_begin_time_);
    delays[newest_] = wait;
    ++statistics_.late_messages;
    if (wait > noticeable_delay) ++statistics_.noticeable_delays;
    statistics_.longest = std::max(statistics_.longest, wait);
  }
  newest_ = nullptr;
}

void HeadOfLineTracker::process_waiting(std::int64_t now, Delays &delays) {
  waiting_since_ = now;
  auto early = waiting_commands_.begin();
  while (early != waiting_commands_.end() && early->first == next_) {
    process_awaited(early->second, delays);
    early = waiting_commands_.erase(early);
  }
}

void HeadOfLineTracker::on_uncaptured_arrival(std::uint16_t seq, std::int64_t now, Delays &delays) {
  const std::int64_t ahead = distance_from_next(seq);
  if (next_ == 0 || ahead < 0) return;
  if (ahead > 0) {
    if (waiting_commands_.empty()) waiting_since_ = now;
    waiting_commands_.try_emplace(next_ + static_cast<std::uint64_t>(ahead), nullptr);
    return;
  }
  process_awaited(nullptr, delays);
  process_waiting(now, delays);
}

void HeadOfLineTracker::on_arrival(bool is_whole, const Transmission &transmission, std::int64_t now, Delays &delays) {
  // One round of 65536 numbers is added, so that earlier sequence numbers do not become negative.
  constexpr std::uint64_t round = std::uint64_t{1} << 16;
  if (next_ == 0) next_ = round + (is_whole ? 1 : transmission.seq);
  const std::int64_t ahead = distance_from_next(transmission.seq);
  if (ahead < 0) return;  // skipped before (see below), or sent before the capture
  if (ahead == 0) {
    process_awaited(&transmission, delays);
    process_waiting(now, delays);
    return;
  }
  if (waiting_commands_.empty()) waiting_since_ = now;
  waiting_commands_.try_emplace(next_ + static_cast<std::uint64_t>(ahead), &transmission);
  if (elapsed(waiting_since_, now) <= max_wait) return;
  // The missing command must have arrived long ago, without a captured acknowledgement. Otherwise ENet would have ended
  // the connection.
  next_ = waiting_commands_.begin()->first;
  is_complete_time_known_ = false;
  newest_ = nullptr;
  process_waiting(now, delays);
}

std::optional<std::uint16_t> HeadOfLineTracker::awaited_sequence_number() const {
  return waiting_commands_.empty() ? std::nullopt : std::optional(static_cast<std::uint16_t>(next_));
}

EnetBlockage HeadOfLineTracker::find_blockage() const {
  if (waiting_commands_.empty()) return {};
  const Transmission *first = waiting_commands_.begin()->second;
  const Transmission *newest = std::prev(waiting_commands_.end())->second;
  // If a command is only known from its acknowledgement, its time and its fragment index are not known.
  if (first == nullptr || newest == nullptr) return {};
  const bool is_of_missing = first->role == FragmentRole::middle || first->role == FragmentRole::last;
  const std::int64_t time = elapsed(waiting_since_, newest->time);
  return is_of_missing && time > 0 ? EnetBlockage{first, time} : EnetBlockage{};
}

}  // namespace godot_codec
