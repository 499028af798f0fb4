// SPDX-License-Identifier: MIT
/// @file
/// Recent commands that clients sent to be relayed. They show the ids of sender and receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>

namespace godot_codec {

class MpConnection;

/// Stores commands that clients sent to be relayed, as long as a client of their server has no known id. When the
/// server relays a command, its source and its receiver reveal the ids of these clients. Stores the newest 1,024
/// commands, at most 1 MiB: a server relays at once.
class MpRelays {
 public:
  static constexpr std::size_t max_count = 1024;
  static constexpr std::size_t max_bytes = 1U << 20;
  /// Minimum size of a stored command, in bytes. Two clients are likely to send the same shorter command.
  static constexpr std::size_t min_length = 8;

  explicit MpRelays(std::pmr::memory_resource *memory = std::pmr::get_default_resource())
      : newest_(memory), by_command_(memory) {}

  struct Relay {
    std::pmr::string command;
    MpConnection *connection = nullptr;
    std::int32_t target = 0;
    bool is_ambiguous = false;  ///< true if several clients have sent the command
  };

  void add(std::string_view command, MpConnection *connection, std::int32_t target);
  /// @returns null if the command is not stored
  [[nodiscard]] const Relay *find(std::string_view command) const;
  void clear();
  [[nodiscard]] std::size_t count() const { return newest_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::pmr::list<Relay> newest_;
  std::pmr::map<std::string_view, Relay *> by_command_;
  std::size_t bytes_ = 0;
};

}  // namespace godot_codec
