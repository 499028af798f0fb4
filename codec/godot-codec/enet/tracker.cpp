// SPDX-License-Identifier: MIT
#include "godot-codec/enet/tracker.h"

#include "godot-codec/enet/datagram.h"

namespace godot_codec {
namespace {

// A connect is a connection's first command.
constexpr std::uint16_t connect_seq = 1;
// Transmissions of one command that are searched for a sent time. ENet doubles the wait from one to the next.
constexpr unsigned max_transmissions_searched = 64;
// Numbers below the highest whose late arrival is noticed.
constexpr int late_window = 64;

constexpr std::size_t index(Side side) { return static_cast<std::size_t>(side); }

// How far a number is ahead of another, the shorter way round.
std::int16_t ahead_of(std::uint16_t number, std::uint16_t other) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(number - other));
}

AckMatch answer(Transmission &transmission, std::uint32_t frame, std::int64_t time, bool is_sent_time_known) {
  if (transmission.acked_in == 0) transmission.acked_in = frame;
  transmission.original->is_command_acked = true;
  return {&transmission, elapsed(transmission.command.time, time), is_sent_time_known};
}

}  // namespace

void GapCounter::start_behind(std::uint16_t number) {
  highest_ = number;
  seen_ = ~std::uint64_t{0};  // what came before the beginning is not missing
  has_begun_ = true;
}

std::uint32_t GapCounter::add(std::uint16_t number) {
  if (!has_begun_) start_behind(static_cast<std::uint16_t>(number - 1));
  const int ahead = ahead_of(number, highest_);
  if (ahead > 0) {
    seen_ = ahead < late_window ? seen_ << ahead | 1 : 1;
    highest_ = number;
    missing_ += static_cast<std::uint64_t>(ahead - 1);
    return static_cast<std::uint32_t>(ahead - 1);
  }
  if (-ahead < late_window && (seen_ >> -ahead & 1) == 0) {
    seen_ |= std::uint64_t{1} << -ahead;
    --missing_;
  }
  return 0;
}

std::uint32_t AckTracker::channel_key(Side sender, std::uint8_t channel) {
  return static_cast<std::uint32_t>(index(sender)) << 8 | channel;
}

std::uint32_t AckTracker::command_key(Side sender, std::uint8_t channel, std::uint16_t seq) {
  return channel_key(sender, channel) << 16 | seq;
}

void AckTracker::reset() {
  lives_.emplace_back();
  latest_.clear();
  channels_.clear();
  for (GapCounter &counter : unsequenced_) {
    counter = {};
    counter.start_behind(0);
  }
}

void AckTracker::on_datagram(Side sender, std::int64_t time) {
  lives_.back().is_heard[index(sender)] = true;
  lives_.back().last_heard[index(sender)] = time;
}

const Transmission &AckTracker::on_reliable(const ReliableCommand &command) {
  Channel &channel = channels_[channel_key(command.sender, command.channel)];
  const bool is_new = !channel.has_reliable || ahead_of(command.seq, channel.highest_seq) > 0;
  if (is_new) channel.highest_seq = command.seq;
  channel.has_reliable = true;

  Transmission *&latest = latest_[command_key(command.sender, command.channel, command.seq)];
  // A number ahead of all others is not sent again: an entry that it has is of 65536 commands ago.
  const bool is_again = !is_new && latest != nullptr && elapsed(latest->command.time, command.time) <= longest_wait;
  Transmission &transmission = transmissions_.emplace_back();
  transmission.command = command;
  transmission.life = lives_.size() - 1;
  transmission.previous = is_again ? latest : nullptr;
  transmission.original = is_again ? latest->original : &transmission;
  latest = &transmission;
  return transmission;
}

Transmission *AckTracker::find_latest(Side sender, std::uint8_t channel, std::uint16_t seq, std::int64_t time) const {
  const auto state = channels_.find(channel_key(sender, channel));
  const auto latest = latest_.find(command_key(sender, channel, seq));
  if (latest == latest_.end() || state == channels_.end()) return nullptr;
  // What was not sent yet cannot be answered: an entry that it has is of 65536 commands ago.
  if (ahead_of(seq, state->second.highest_seq) > 0) return nullptr;
  return elapsed(latest->second->command.time, time) <= longest_wait ? latest->second : nullptr;
}

AckMatch AckTracker::on_acknowledge(const Acknowledgement &acknowledgement) {
  Transmission *const latest = find_latest(other_side(acknowledgement.sender), acknowledgement.channel,
                                           acknowledgement.seq, acknowledgement.time);
  if (latest == nullptr) return {};
  Transmission *match = latest;
  for (unsigned i = 0; i < max_transmissions_searched && match != nullptr; ++i) {
    if (match->command.sent_time == acknowledgement.sent_time) {
      return answer(*match, acknowledgement.frame, acknowledgement.time, true);
    }
    match = match->previous;
  }
  return answer(*latest, acknowledgement.frame, acknowledgement.time, false);
}

AckMatch AckTracker::on_verify_connect(Side sender, std::uint32_t frame, std::int64_t time) {
  Transmission *const latest = find_latest(other_side(sender), enet_control_channel, connect_seq, time);
  return latest == nullptr ? AckMatch{} : answer(*latest, frame, time, false);
}

std::uint32_t AckTracker::on_unreliable(Side sender, std::uint8_t channel, std::uint16_t reliable_seq,
                                        std::uint16_t unreliable_seq) {
  Channel &state = channels_[channel_key(sender, channel)];
  // Where the capture began within the connection, so may it have within the run of numbers.
  const bool is_whole_run = state.unreliable.has_begun() || lives_.size() > 1;
  const int ahead = ahead_of(reliable_seq, state.reliable_seq);
  if (state.unreliable.has_begun() && ahead < 0) return 0;  // late, and of a run that is over
  if (is_whole_run && (ahead > 0 || !state.unreliable.has_begun())) state.unreliable.start_behind(0);
  state.reliable_seq = reliable_seq;
  return state.unreliable.add(unreliable_seq);
}

std::uint32_t AckTracker::on_unsequenced(Side sender, std::uint16_t group) {
  return unsequenced_[index(sender)].add(group);
}

bool AckTracker::is_unacknowledged(const Transmission &transmission) const {
  const std::size_t receiver = index(other_side(transmission.command.sender));
  const Life &life = lives_[transmission.life];
  return !transmission.original->is_command_acked && life.is_heard[receiver] &&
         elapsed(transmission.command.time, life.last_heard[receiver]) >= unacknowledged_after;
}

std::uint64_t AckTracker::missing_unreliable(Side sender) const {
  std::uint64_t missing = 0;
  for (const auto &[key, channel] : channels_) {
    if (key >> 8 == index(sender)) missing += channel.unreliable.missing();
  }
  return missing;
}

std::uint64_t AckTracker::missing_unreliable(Side sender, std::uint8_t channel) const {
  const auto state = channels_.find(channel_key(sender, channel));
  return state == channels_.end() ? 0 : state->second.unreliable.missing();
}

std::uint64_t AckTracker::missing_unsequenced(Side sender) const { return unsequenced_[index(sender)].missing(); }

}  // namespace godot_codec
