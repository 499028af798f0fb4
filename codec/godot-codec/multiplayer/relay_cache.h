// SPDX-License-Identifier: MIT
/// @file
/// Recent commands that clients asked the server to relay. They show the ids of sender and receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>

#include "godot-codec/multiplayer/message.h"

namespace godot_codec {

class MpConnection;

/// Stores commands that clients asked the server to relay, while at least one client of this server has no known id.
/// When the server relays such a command, the source and the receiver reveal the ids of two clients. Stores only the
/// newest 1,024 commands, at most 1 MiB, because a server relays at once.
class MpRelayCache {
 public:
  static constexpr std::size_t max_count = 1024;
  static constexpr std::size_t max_bytes = 1U << 20;
  /// Minimum size of a stored command, in bytes. Different clients often send the same command if it is shorter.
  static constexpr std::size_t min_length = 8;

  explicit MpRelayCache(std::pmr::memory_resource *memory = std::pmr::get_default_resource())
      : relays_(memory), relays_by_command_(memory) {}

  struct Relay {
    std::pmr::string command;
    MpConnection *connection = nullptr;
    std::int32_t target = 0;
    bool is_ambiguous = false;  ///< true if several clients have sent the command
  };

  void add(std::string_view command, MpConnection *connection, std::int32_t target) {
    if (command.size() < min_length || command.size() > max_bytes) return;
    if (const auto found = relays_by_command_.find(command); found != relays_by_command_.end()) {
      Relay &known = *found->second;
      if (known.connection != connection) known.is_ambiguous = true;
      if (known.target != target) known.target = mp_everyone;
      return;
    }
    while (relays_.size() >= max_count || bytes_ + command.size() > max_bytes) {
      const Relay &oldest = relays_.back();
      relays_by_command_.erase(oldest.command);
      bytes_ -= oldest.command.size();
      relays_.pop_back();
    }
    relays_.push_front({std::pmr::string(command, relays_.get_allocator()), connection, target, false});
    relays_by_command_.emplace(relays_.front().command, &relays_.front());
    bytes_ += command.size();
  }
  /// @returns null if the command is not stored
  [[nodiscard]] const Relay *find(std::string_view command) const {
    const auto found = relays_by_command_.find(command);
    return found == relays_by_command_.end() ? nullptr : found->second;
  }
  void clear() {
    relays_by_command_.clear();
    relays_.clear();
    bytes_ = 0;
  }
  [[nodiscard]] std::size_t count() const { return relays_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::pmr::list<Relay> relays_;
  std::pmr::map<std::string_view, Relay *> relays_by_command_;
  std::size_t bytes_ = 0;
};

}  // namespace godot_codec
