// SPDX-License-Identifier: MIT
/// @file
/// Pseudorandom numbers that are the same on any machine, and helpers that use them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace recognition {

/// xoshiro256**, seeded by splitmix64. The standard library's distributions differ between implementations.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t &word : state_) {
      std::uint64_t mixed = (seed += 0x9e3779b97f4a7c15);
      mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
      mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
      word = mixed ^ mixed >> 31;
    }
  }

  std::uint64_t word() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Returns a number from @p low to @p high, both included. (The bias of the remainder is far below what is measured.)
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>((word() >> 32) % (std::uint64_t{high} - low + 1));
  }
  bool one_in(std::uint32_t count) { return between(1, count) == 1; }

  template <typename Item, std::size_t size>
  const Item &any(const std::array<Item, size> &items) {
    return items[between(0, size - 1)];
  }

 private:
  static std::uint64_t rotate(std::uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

  std::array<std::uint64_t, 4> state_{};
};

inline void put(std::string &bytes, std::uint64_t value, std::size_t size, bool big_endian = false) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(value >> 8 * (big_endian ? size - 1 - i : i));
  }
}

inline void put_float(std::string &bytes, float value) { put(bytes, std::bit_cast<std::uint32_t>(value), 4); }

inline void put_noise(std::string &bytes, Random &random, std::size_t size) {
  for (; size >= 8; size -= 8) put(bytes, random.word(), 8);
  put(bytes, random.word(), size);
}

/// Returns a word of 1 to @p longest lowercase letters.
inline std::string word_of_text(Random &random, std::size_t longest = 12) {
  std::string text;
  for (std::size_t left = random.between(1, static_cast<std::uint32_t>(longest)); left > 0; --left) {
    text += static_cast<char>(random.between('a', 'z'));
  }
  return text;
}

}  // namespace recognition
