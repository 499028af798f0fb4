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

enum class TestCounter : std::uint8_t {
  mp_commands,           ///< number of commands of the high-level multiplayer that were read
  walked_bytes,          ///< number of bytes of Variants that were walked
  conversation_lookups,  ///< number of conversations that the plugin has looked up
};

#ifdef GODOT_CODEC_COUNTS

/// When the process ends, the counts are written to the file that the environment variable GODOT_CODEC_COUNTS names.
/// Each line has a name and a count, such as `messages 12`.
struct TestCounters {
  std::atomic<std::uint64_t> counts[3]{};  ///< by TestCounter

  TestCounters() = default;
  TestCounters(const TestCounters &) = delete;
  TestCounters &operator=(const TestCounters &) = delete;
  ~TestCounters() {
    if (const char *path = std::getenv("GODOT_CODEC_COUNTS"); path != nullptr) {
      std::ofstream(path) << "messages " << counts[0] << "\nbytes " << counts[1] << "\nlookups " << counts[2] << "\n";
    }
  }
};

inline std::atomic<std::uint64_t> &test_count(TestCounter counter) {
  static TestCounters counters;
  return counters.counts[static_cast<std::size_t>(counter)];
}

inline void count_for_test(TestCounter counter, std::size_t number = 1) {
  test_count(counter).fetch_add(number, std::memory_order_relaxed);
}

#else

inline void count_for_test(TestCounter /*counter*/, std::size_t /*number*/ = 1) {}

#endif

}  // namespace godot_codec
