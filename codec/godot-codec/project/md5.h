// SPDX-License-Identifier: MIT
/// @file
/// MD5 (RFC 1321). Godot compares lists of method names by their MD5. Must not be used for security purposes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace godot_codec::project {

/// An MD5 as peers send it: 32 lower-case hexadecimal digits.
using Md5Text = std::array<char, 32>;

class Md5 {
 public:
  void update(std::string_view bytes);
  /// Completes the hash. The object must not be used afterwards.
  [[nodiscard]] Md5Text finish();

 private:
  static constexpr std::size_t block_size = 64;

  void process_block(const char *block);

  std::array<std::uint32_t, 4> state_ = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U};
  std::array<char, block_size> block_ = {};
  std::uint64_t hashed_size_ = 0;  // bytes so far
};

}  // namespace godot_codec::project
