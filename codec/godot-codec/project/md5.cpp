// SPDX-License-Identifier: MIT
#include "godot-codec/project/md5.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/project/text_utils.h"

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

using State = std::array<std::uint32_t, 4>;
constexpr std::size_t block_size = 64;

void process_block(State &state, const std::uint8_t *block) {
  static const std::array<std::uint32_t, step_count> sines = make_sines();
  auto [a, b, c, d] = state;
  for (std::size_t step = 0; step < step_count; ++step) {
    const auto word = Cursor::load_le<std::uint32_t>(block + 4 * word_index_of_step(step));
    const std::uint32_t sum = a + apply_round_function(step / 16, b, c, d) + word + sines[step];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, rotations[step / 16][step % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5_of(std::string_view text) {
  State state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U};
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (; text.size() >= block_size; text.remove_prefix(block_size)) process_block(state, bytes_of_text(text).data);
  // The rest of the text, the bit 1, zeros, and the size of the text in bits. They fill one or two blocks.
  std::array<std::uint8_t, 2 * block_size> end{};
  std::ranges::copy(text, end.begin());
  end[text.size()] = 0x80;
  const std::size_t end_size = text.size() + 1 + sizeof bits > block_size ? 2 * block_size : block_size;
  for (std::size_t i = 0; i < sizeof bits; ++i)
    end[end_size - sizeof bits + i] = static_cast<std::uint8_t>(bits >> 8 * i);
  for (std::size_t at = 0; at < end_size; at += block_size) process_block(state, end.data() + at);
  std::string digits;
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint32_t byte = state[i / 8] >> 8 * (i / 2 % 4);
    digits += "0123456789abcdef"[(i % 2 == 0 ? byte >> 4 : byte) & 0xf];
  }
  return digits;
}

}  // namespace godot_codec::project
