// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/relays.h"

#include "godot-codec/multiplayer/message.h"

namespace godot_codec {

void MpRelays::add(std::string_view command, MpConnection *connection, std::int32_t target) {
  if (command.size() < min_length || command.size() > max_bytes) return;
  if (const auto found = by_command_.find(command); found != by_command_.end()) {
    Relay &known = *found->second;
    if (known.connection != connection) known.is_ambiguous = true;
    if (known.target != target) known.target = mp_everyone;
    return;
  }
  while (newest_.size() >= max_count || bytes_ + command.size() > max_bytes) {
    const Relay &oldest = newest_.back();
    by_command_.erase(oldest.command);
    bytes_ -= oldest.command.size();
    newest_.pop_back();
  }
  newest_.push_front({std::pmr::string(command, newest_.get_allocator()), connection, target, false});
  by_command_.emplace(newest_.front().command, &newest_.front());
  bytes_ += command.size();
}

const MpRelays::Relay *MpRelays::find(std::string_view command) const {
  const auto found = by_command_.find(command);
  return found == by_command_.end() ? nullptr : found->second;
}

void MpRelays::clear() {
  by_command_.clear();
  newest_.clear();
  bytes_ = 0;
}

}  // namespace godot_codec
