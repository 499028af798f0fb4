// SPDX-License-Identifier: MIT
/// @file
/// Commands on their way through the server, which show who sent them and who gets them.
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

/// Commands that clients have sent to be relayed, as long as a client of their server has no known id: who gets one
/// relayed, and from whom, shows who they are. The newest 1,024 of them, 1 MiB at most: a server relays at once.
class MpRelays {
 public:
  static constexpr std::size_t max_count = 1024;
  static constexpr std::size_t max_bytes = 1U << 20;
  /// Shorter ones are too likely to be sent by two clients.
  static constexpr std::size_t min_length = 8;

  explicit MpRelays(std::pmr::memory_resource *memory = std::pmr::get_default_resource())
      : newest_(memory), by_command_(memory) {}

  struct Relay {
    std::pmr::string command;
    MpConnection *connection = nullptr;
    std::int32_t target = 0;
    bool is_ambiguous = false;  ///< several clients have sent it
  };

  void add(std::string_view command, MpConnection *connection, std::int32_t target);
  /// @returns null if none is known
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
