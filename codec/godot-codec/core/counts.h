// SPDX-License-Identifier: MIT
/// @file
/// Counts how often the codec reads messages and values, in builds that define GODOT_CODEC_COUNTS (those with tests).
/// Other builds do not compile the counters. A test compares the counts with the content of a capture, so that code
/// which reads a message or a value more often than before is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#ifdef GODOT_CODEC_COUNTS
#include <atomic>
#endif

namespace godot_codec {

#ifdef GODOT_CODEC_COUNTS

/// When the process ends, written as "messages N
/// bytes N
/// lookups N
/// " to the file that the environment variable GODOT_CODEC_COUNTS names, if it is set.
struct Counts {
  std::atomic<std::uint64_t> messages = 0;  ///< number of commands of the high-level multiplayer that were read
  std::atomic<std::uint64_t> bytes = 0;     ///< number of bytes of Variants that were walked
  std::atomic<std::uint64_t> lookups = 0;   ///< number of conversations that the plugin has looked up in Wireshark

  Counts() = default;
  Counts(const Counts &) = delete;
  Counts &operator=(const Counts &) = delete;
  ~Counts();
};

Counts &counts();

inline void count_message() { counts().messages.fetch_add(1, std::memory_order_relaxed); }
inline void count_walk(std::size_t bytes) { counts().bytes.fetch_add(bytes, std::memory_order_relaxed); }
inline void count_lookup() { counts().lookups.fetch_add(1, std::memory_order_relaxed); }

#else

inline void count_message() {}
inline void count_walk(std::size_t /*bytes*/) {}
inline void count_lookup() {}

#endif

}  // namespace godot_codec
