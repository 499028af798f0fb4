// SPDX-License-Identifier: MIT
/// @file
/// Generates any number of conversations of packets that are not Godot's. The same on any machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace recognition {

/// The state of a conversation, from which the next packet is made.
struct ConversationState {
  Random &random;
  std::uint32_t number = 0;         ///< index of the packet in its conversation
  std::uint32_t format_number = 0;  ///< selects the format, which is the same for all packets of the conversation
  std::uint32_t counter = 0;        ///< first value of the conversation's counters
};

/// Makes the payload of a packet.
using Class = std::function<std::string(const ConversationState &)>;

/// @returns the names of all classes
[[nodiscard]] std::vector<std::string> class_names();

/// @param pcap_files the packets that the class "cut" modifies
/// @throws std::runtime_error if there is no such class
[[nodiscard]] Class class_of(const std::string &name, const std::vector<std::string> &pcap_files);

/// Number of consecutive conversations that share a server. Each has a different client.
inline constexpr std::uint32_t clients_of_a_server = 30;

/// Receives conversations, one after another.
class ConversationSink {
 public:
  ConversationSink() = default;
  ConversationSink(const ConversationSink &) = delete;
  ConversationSink &operator=(const ConversationSink &) = delete;
  virtual ~ConversationSink() = default;
  /// @param random for the numbers that the receiver needs per conversation
  virtual void begin_conversation(Random &random) = 0;
  virtual void shake_hands() = 0;
  virtual void packet(bool from_client, const std::string &payload) = 0;
};

/// @param alone one packet per conversation; otherwise 2 to 20
void generate(const Class &make, bool alone, bool tcp, std::uint64_t packets, std::uint64_t seed,
              ConversationSink &receiver);

/// @throws std::runtime_error if the text is not a number
[[nodiscard]] std::uint64_t number_of(const std::string &text);

}  // namespace recognition
