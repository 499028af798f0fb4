// SPDX-License-Identifier: MIT
/// @file
/// How long a reliable message had to wait for an earlier one of its channel: a receiver hands them on in their order
/// (ENet's enet_peer_dispatch_incoming_reliable_commands).
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>

namespace godot_codec {

struct Transmission;

/// The part of a message that a reliable command brings.
enum class MessagePart : std::uint8_t {
  whole,
  first,   ///< fragment
  middle,  ///< one of its other fragments
  last,
};

/// The waits of a side's messages, of all its channels.
struct EnetWaits {
  std::uint32_t messages = 0;  ///< all that came
  std::uint32_t late = 0;      ///< those that waited for one before them
  std::uint32_t waited = 0;    ///< those of them that waited for longer than a player notices
  std::int64_t longest = 0;    ///< in nanoseconds
};

/// A message in fragments of which some never come, so that all later messages of the channel wait.
struct EnetStuck {
  const Transmission *early = nullptr;  ///< the fragment that waits; nullptr: there is none
  std::int64_t time = 0;                ///< how long it has waited for those before it
};

/// A player notices a delay that is longer than this, in nanoseconds.
inline constexpr std::int64_t noticeable_wait = 50'000'000;

/// Follows the reliable commands of each channel in the order in which their receiver got them. The first
/// acknowledgement of a command shows when that was.
///
/// A command that was captured and never acknowledged may not have arrived, as a capture at the sender shows also those
/// that are lost later. Each command takes time logarithmic in the number of those that came too early; memory is taken
/// only for these, and for those that have waited.
class HeadOfLine {
 public:
  explicit HeadOfLine(std::pmr::memory_resource *memory)
      : lines_(memory), early_(memory), waits_(memory), sides_(memory) {}

  /// A command came to its receiver; once for each.
  /// @param line one direction of a channel of a connection
  /// @param is_whole the connection's beginning was captured: the first number is 1
  /// @param transmission that came; its address stays
  /// @param now when that is known, in nanoseconds
  void on_arrival(std::uint64_t line, bool is_whole, const Transmission &transmission, std::int64_t now);

  /// A command came that was not captured, as its acknowledgement shows. It is ignored if nothing of the line was
  /// captured before.
  void on_uncaptured_arrival(std::uint64_t line, std::uint16_t seq, std::int64_t now);

  /// The missing number that commands wait for that have come already; nullopt if there are none.
  [[nodiscard]] std::optional<std::uint16_t> awaited(std::uint64_t line) const;

  /// How long a message waited for those before it, from the transmission that completed it, in nanoseconds. 0: it did
  /// not wait, or that is not known.
  [[nodiscard]] std::int64_t waited(const Transmission &transmission) const;
  /// Certain when everything has been fed. @param side a line without its channel
  [[nodiscard]] EnetWaits waits(std::uint64_t side) const;
  /// The fragment that waits longest for others, of a side's channels.
  [[nodiscard]] EnetStuck stuck(std::uint64_t side) const;

 private:
  struct Line {
    std::uint64_t next = 0;     ///< number that is waited for; its low 16 bits are ENet's
    std::int64_t complete = 0;  ///< when all numbers before it had come
    bool is_complete_known = false;
    std::int64_t message_from = 0;  ///< the value of `complete` when the message began that `next` belongs to
    bool is_message_from_known = false;
    const Transmission *newest = nullptr;  ///< newest fragment of that message; nullptr: begun before the capture
    std::int64_t early_since = 0;          ///< when the oldest waiting command was known to have come
  };
  using Early = std::pmr::map<std::pair<std::uint64_t, std::uint64_t>, const Transmission *>;

  void pass(std::uint64_t key, Line &line, const Transmission &transmission);
  static void pass_uncaptured(Line &line);
  void pass_early(std::uint64_t key, Line &line, std::int64_t now);
  [[nodiscard]] Early::iterator first_early(std::uint64_t key);

  std::pmr::map<std::uint64_t, Line> lines_;
  Early early_;  ///< by line and number; null: not captured
  std::pmr::unordered_map<const Transmission *, std::int64_t> waits_;
  std::pmr::map<std::uint64_t, EnetWaits> sides_;
};

}  // namespace godot_codec
