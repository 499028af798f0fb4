// SPDX-License-Identifier: MIT
/// @file
/// Counts how often the codec reads messages and values. The counters exist only in builds that define
/// GODOT_CODEC_COUNTS, which are the builds with tests. A test compares the counts with the content of a capture, so it
/// detects code that reads the same bytes twice.
#pragma once

#include <cstddef>
#include <cstdint>
#ifdef GODOT_CODEC_COUNTS
#include <atomic>
#include <cstdlib>
#include <fstream>
#endif

namespace godot_codec {

#ifdef GODOT_CODEC_COUNTS

/// When the process ends, the counts are written to the file that the environment variable GODOT_CODEC_COUNTS names.
/// Each line has a name and a count, such as `messages 12`.
struct TestCounters {
  std::atomic<std::uint64_t> mp_commands = 0;   ///< number of commands of the high-level multiplayer that were read
  std::atomic<std::uint64_t> walked_bytes = 0;  ///< number of bytes of Variants that were walked
  std::atomic<std::uint64_t> conversation_lookups = 0;  ///< number of conversations that the plugin has looked up

  TestCounters() = default;
  TestCounters(const TestCounters &) = delete;
  TestCounters &operator=(const TestCounters &) = delete;
  ~TestCounters() {
    if (const char *path = std::getenv("GODOT_CODEC_COUNTS"); path != nullptr) {
      std::ofstream(path) << "messages " << mp_commands << "\nbytes " << walked_bytes << "\nlookups "
                          << conversation_lookups << "\n";
    }
  }
};

inline TestCounters &test_counters() {
  static TestCounters counts;
  return counts;
}

inline void count_mp_command() { test_counters().mp_commands.fetch_add(1, std::memory_order_relaxed); }
inline void count_walked_bytes(std::size_t bytes) {
  test_counters().walked_bytes.fetch_add(bytes, std::memory_order_relaxed);
}
inline void count_conversation_lookup() {
  test_counters().conversation_lookups.fetch_add(1, std::memory_order_relaxed);
}

#else

inline void count_mp_command() {}
inline void count_walked_bytes(std::size_t /*bytes*/) {}
inline void count_conversation_lookup() {}

#endif

}  // namespace godot_codec
