// SPDX-License-Identifier: MIT
/// @file
/// Counts how often the codec reads, in builds that define GODOT_CODEC_COUNTS: those with tests. In all others nothing
/// is counted, and nothing of it is compiled. A test holds the counts against what a capture has, so that whoever reads
/// a message or a value once more than before is told.
#pragma once

#include <cstddef>
#include <cstdint>
#ifdef GODOT_CODEC_COUNTS
#include <atomic>
#endif

namespace godot_codec {

#ifdef GODOT_CODEC_COUNTS

/// Written when the process ends, as "messages N\nbytes N\nlookups N\n", to the file that the environment variable
/// GODOT_CODEC_COUNTS names, if it names one.
struct Counts {
  std::atomic<std::uint64_t> messages = 0;  ///< commands of the high-level multiplayer that were read
  std::atomic<std::uint64_t> bytes = 0;     ///< bytes of Variants that were walked
  std::atomic<std::uint64_t> lookups = 0;   ///< conversations that the plugin has asked Wireshark for

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
