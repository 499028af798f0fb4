// SPDX-License-Identifier: MIT
/// @file
/// Conversations of packets that are not Godot's, as many as asked for. The same on any machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace recognition {

/// Goes on through a conversation, for the packet that is to be made.
struct Talk {
  Random &random;
  std::uint32_t number = 0;   ///< index of the packet in its conversation
  std::uint32_t flavour = 0;  ///< the conversation's: its packets have one format
  std::uint32_t counter = 0;  ///< where the conversation's counters begin
};

/// Makes the payload of a packet.
using Class = std::function<std::string(const Talk &)>;

/// @returns the names of all classes
[[nodiscard]] std::vector<std::string> class_names();

/// @param pcap_files what the class "cut" cuts
/// @throws std::runtime_error where there is no such class
[[nodiscard]] Class class_of(const std::string &name, const std::vector<std::string> &pcap_files);

/// Clients of a server, in the order of their conversations.
inline constexpr std::uint32_t clients_of_a_server = 30;

/// Takes conversations, one after another.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;
  virtual ~Listener() = default;
  /// @param random for what the listener needs to begin with
  virtual void begin_conversation(Random &random) = 0;
  virtual void shake_hands() = 0;
  virtual void packet(bool from_client, const std::string &payload) = 0;
};

/// @param alone a packet for each conversation; else 2 to 20
void generate(const Class &make, bool alone, bool tcp, std::uint64_t packets, std::uint64_t seed, Listener &listener);

/// @throws std::runtime_error where it is none
[[nodiscard]] std::uint64_t number_of(const std::string &text);

}  // namespace recognition
