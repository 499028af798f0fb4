// SPDX-License-Identifier: MIT
/// @file
/// Counts how often the codec reads messages and values. The counters exist only in builds that define
/// GODOT_CODEC_COUNTS, which are the builds with tests. A test compares the counts with the content of a capture, so it
/// detects code that reads something twice.
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
struct Counts {
  std::atomic<std::uint64_t> messages = 0;  ///< number of commands of the high-level multiplayer that were read
  std::atomic<std::uint64_t> bytes = 0;     ///< number of bytes of Variants that were walked
  std::atomic<std::uint64_t> lookups = 0;   ///< number of conversations that the plugin has looked up in Wireshark

  Counts() = default;
  Counts(const Counts &) = delete;
  Counts &operator=(const Counts &) = delete;
  ~Counts() {
    if (const char *path = std::getenv("GODOT_CODEC_COUNTS"); path != nullptr) {
      std::ofstream(path) << "messages " << messages << "\nbytes " << bytes << "\nlookups " << lookups << "\n";
    }
  }
};

inline Counts &counts() {
  static Counts counts;
  return counts;
}

inline void count_message() { counts().messages.fetch_add(1, std::memory_order_relaxed); }
inline void count_walk(std::size_t bytes) { counts().bytes.fetch_add(bytes, std::memory_order_relaxed); }
inline void count_lookup() { counts().lookups.fetch_add(1, std::memory_order_relaxed); }

#else

inline void count_message() {}
inline void count_walk(std::size_t /*bytes*/) {}
inline void count_lookup() {}

#endif

}  // namespace godot_codec
