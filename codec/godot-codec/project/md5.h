// SPDX-License-Identifier: MIT
/// @file
/// MD5 as RFC 1321 has it: Godot tells lists of methods apart by it. Not for anything that is secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace godot_codec::project {

/// An MD5 as it is sent: 32 lower-case hex digits.
using Md5Text = std::array<char, 32>;

class Md5 {
 public:
  /// Adds bytes to what is hashed.
  void update(std::string_view bytes);
  /// Ends the hashing. The object is used up by it.
  [[nodiscard]] Md5Text finish();

 private:
  static constexpr std::size_t block_size = 64;

  void mix(const char *block);

  std::array<std::uint32_t, 4> state_ = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U};
  std::array<char, block_size> block_ = {};
  std::uint64_t size_ = 0;  // bytes so far
};

}  // namespace godot_codec::project
