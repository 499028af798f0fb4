// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/account.h"

#include <algorithm>
#include <limits>

namespace godot_codec {
namespace {

// ENet sends a lost command again after half a second, then after twice that, and so on. A message that has not come
// within this time was most likely delivered, as the connection lives, and is missing only from the capture.
constexpr std::int64_t longest_resend = 2 * nanoseconds_per_second;
// Neither ENet's window nor SCTP's holds so many small messages at once.
constexpr std::uint32_t most_early = 4096;
// Added to the first number, so that no number, not even one before the first, is below zero.
constexpr std::uint64_t round_of_sequence = std::uint64_t{1} << 16;
constexpr unsigned line_bits = 16;

std::int16_t ahead_of(std::uint16_t number, std::uint64_t next) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(number - next));
}

}  // namespace

std::uint32_t MpAccount::key_of(unsigned end, std::uint16_t line) { return end << line_bits | line; }

bool MpAccount::learn_in_order(unsigned end, const SequenceRange &turn, std::int64_t time) {
  auto *found = lines_.find(key_of(end, turn.channel));
  if (found == nullptr) return false;
  Line &line = found->value;
  if (line.early > 0 || ahead_of(turn.number, line.next) != 0) return false;
  line.next += turn.count;
  line.passed_time = time;
  return true;
}

void MpAccount::learn(unsigned end, const SequenceRange &turn, PacketPosition moment, std::int64_t time,
                      bool is_from_start) {
  const std::uint32_t key = key_of(end, turn.channel);
  auto *found = lines_.find(key);
  Line &line = found == nullptr ? lines_[key] : found->value;
  if (found == nullptr) {
    line.next = round_of_sequence + (is_from_start ? turn.first : turn.number);
    // The line's first messages are missing, and may have been sent at any time.
    line.passed_time = is_from_start && turn.number != turn.first ? std::numeric_limits<std::int64_t>::min() : time;
  }
  const std::int16_t ahead = ahead_of(turn.number, line.next);
  if (ahead < 0) {
    // The line has given this number up: the engine got the message before the ones after it.
    arrivals_[moment] = {packet_position_zero, moment, false};
    return;
  }
  if (ahead == 0) {
    if (line.early > 0) arrivals_[moment] = {line.early_since, moment, false};
    line.next += turn.count;
    line.passed_time = time;
    pass_early(key, line, moment, time);
    return;
  }
  if (line.early == 0) {
    line.early_since = moment;
    line.waiting_since = time;
  }
  arrivals_[moment] = {line.early_since, {}, true};
  early_[{key, line.next + static_cast<std::uint64_t>(ahead)}] = {moment, turn.count};
  ++line.early;
  const bool is_over = elapsed(line.waiting_since, time) > longest_resend || line.early > most_early;
  if (is_over) give_up(key, line, moment, time);
}

void MpAccount::learn_cut(unsigned end, PacketPosition moment, std::int64_t time) { lost_[{end, moment}] = time; }

void MpAccount::pass_early(std::uint32_t key, Line &line, PacketPosition moment, std::int64_t time) {
  while (line.early > 0) {
    const auto *early = early_.find({key, line.next});
    if (early == nullptr) break;
    arrivals_[early->value.moment].delivered = moment;
    arrivals_[early->value.moment].is_waiting = false;
    line.next += std::max(early->value.count, std::uint32_t{1});
    --line.early;
  }
  line.waiting_since = time;
  if (const auto *next = early_.first_above({key, line.next}); line.early > 0 && next != nullptr) {
    line.early_since = next->value.moment;
  }
}

void MpAccount::give_up(std::uint32_t key, Line &line, PacketPosition moment, std::int64_t time) {
  lost_[{key >> line_bits, line.early_since}] = line.passed_time;
  const auto *next = early_.first_above({key, line.next});
  if (next == nullptr || next->key.line != key) return;
  line.next = next->key.number;
  line.passed_time = time;
  pass_early(key, line, moment, time);
}

// True if any line of a side still waits for a message, and @p is_wanted holds for that line. A side has one line for
// each channel.
template <typename Is>
bool MpAccount::has_open_hole(unsigned end, Is is_wanted) const {
  const std::uint32_t first = key_of(end, 0);
  const auto *line = lines_.find(first);
  if (line == nullptr) line = lines_.first_above(first);
  for (; line != nullptr && line->key >> line_bits == end; line = lines_.first_above(line->key)) {
    if (line->value.early > 0 && is_wanted(line->value)) return true;
  }
  return false;
}

MpArrival MpAccount::arrival(PacketPosition moment) const {
  const auto *found = arrivals_.find(moment);
  return found == nullptr ? MpArrival{moment, moment, false} : found->value;
}

bool MpAccount::has_hole(PacketPosition moment) const {
  const auto is_missing = [&](const MissingNumbers &numbers) { return numbers.has_gap(moment); };
  if (missing_ != nullptr && std::ranges::any_of(*missing_, is_missing)) return true;
  for (const unsigned end : {0U, 1U}) {
    const auto *lost = lost_.first_above({end, packet_position_zero});
    if (lost != nullptr && lost->key.end == end && lost->key.passed_over <= moment) return true;
  }
  return has_open_hole(0, [&](const Line &line) { return line.early_since <= moment; }) ||
         has_open_hole(1, [&](const Line &line) { return line.early_since <= moment; });
}

bool MpAccount::has_hole(unsigned end, PacketPosition after, std::int64_t until) const {
  const auto is_missing = [&](const MissingNumbers &numbers) { return numbers.has_gap(after, until); };
  if (missing_ != nullptr && std::ranges::any_of(*missing_, is_missing)) return true;
  const auto *lost = lost_.first_above({end, after});
  if (lost != nullptr && lost->key.end == end && lost->value <= until) return true;
  return has_open_hole(end, [&](const Line &line) { return line.passed_time <= until; });
}

}  // namespace godot_codec
