// SPDX-License-Identifier: MIT
#include "godot-codec/project/md5.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace godot_codec::project {
namespace {

constexpr std::size_t step_count = 64;
constexpr std::array<std::array<int, 4>, 4> rotations = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

// Computes the table T of RFC 1321: the integer part of 2^32 * |sin(i)|, for i = 1 to 64, in radians.
std::array<std::uint32_t, step_count> make_sines() {
  std::array<std::uint32_t, step_count> sines{};
  for (std::size_t i = 0; i < step_count; ++i) {
    sines[i] = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
  }
  return sines;
}

std::uint32_t read_word(const char *bytes) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 8 * i;
  return word;
}

std::uint32_t apply_round_function(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  switch (round) {
    case 0:
      return (b & c) | (~b & d);
    case 1:
      return (b & d) | (c & ~d);
    case 2:
      return b ^ c ^ d;
    default:
      return c ^ (b | ~d);
  }
}

// Returns the index of the word in the block that a step uses.
std::size_t word_index_of_step(std::size_t step) {
  constexpr std::array<std::size_t, 4> factors = {1, 5, 3, 7};
  constexpr std::array<std::size_t, 4> starts = {0, 1, 5, 0};
  return (factors[step / 16] * step + starts[step / 16]) % 16;
}

}  // namespace

void Md5::process_block(const char *block) {
  static const std::array<std::uint32_t, step_count> sines = make_sines();
  auto [a, b, c, d] = state_;
  for (std::size_t step = 0; step < step_count; ++step) {
    const std::uint32_t sum =
        a + apply_round_function(step / 16, b, c, d) + read_word(block + 4 * word_index_of_step(step)) + sines[step];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, rotations[step / 16][step % 4]);
  }
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
}

void Md5::update(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t used = hashed_size_ % block_size;
    const std::size_t taken = std::min(bytes.size(), block_size - used);
    std::copy_n(bytes.data(), taken, block_.data() + used);
    hashed_size_ += taken;
    bytes.remove_prefix(taken);
    if (used + taken == block_size) process_block(block_.data());
  }
}

Md5Text Md5::finish() {
  const std::uint64_t bits = hashed_size_ * 8;
  update("\x80");
  while (hashed_size_ % block_size != block_size - sizeof bits) update(std::string_view("\0", 1));
  std::array<char, sizeof bits> length{};
  for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(bits >> 8 * i & 0xff);
  update({length.data(), length.size()});
  Md5Text text{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t byte = state_[i / 8] >> 8 * (i / 2 % 4);
    text[i] = "0123456789abcdef"[(i % 2 == 0 ? byte >> 4 : byte) & 0xf];
  }
  return text;
}

}  // namespace godot_codec::project
