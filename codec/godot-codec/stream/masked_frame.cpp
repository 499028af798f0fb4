// SPDX-License-Identifier: MIT
#include "godot-codec/stream/masked_frame.h"

#include <algorithm>

namespace godot_codec {
namespace {

constexpr std::size_t short_header = 2;
constexpr std::size_t key_size = 4;
constexpr std::uint8_t mask_bit = 0x80;
constexpr std::uint8_t length_of_16_bits = 126;
constexpr std::uint8_t length_of_64_bits = 127;

// Where the mask's key is, behind a length of so many bytes; 0 where the header says another one.
std::size_t key_offset(const std::uint8_t *header, std::size_t available, std::size_t length) {
  const std::uint8_t said = header[1] & ~mask_bit;
  if (length < length_of_16_bits) return said == length ? short_header : 0;
  const bool is_16 = length <= UINT16_MAX;
  const std::size_t size = is_16 ? sizeof(std::uint16_t) : sizeof(std::uint64_t);
  if (said != (is_16 ? length_of_16_bits : length_of_64_bits) || available < short_header + size) return 0;
  const std::uint64_t value = is_16 ? Cursor::load_be<std::uint16_t>(header + short_header)
                                    : Cursor::load_be<std::uint64_t>(header + short_header);
  return value == length ? short_header + size : 0;
}

bool is_unmasked(const std::uint8_t *key, Bytes content) {
  const std::uint8_t *masked = key + key_size;
  for (std::size_t i = 0; i < content.captured; ++i) {
    if ((masked[i] ^ key[i % key_size]) != content.data[i]) return false;
  }
  return true;
}

}  // namespace

MaskedFrame find_masked_frame(Bytes bytes, std::size_t from, Bytes content) {
  constexpr std::uint8_t opcodes = 0x0f;
  constexpr std::uint8_t final_bit = 0x80;
  constexpr std::uint8_t compressed_bit = 0x40;
  constexpr std::uint8_t unused_bits = 0x30;
  constexpr std::uint8_t highest_opcode = 2;
  for (std::size_t at = from; at + short_header < bytes.captured; ++at) {
    const std::uint8_t *header = bytes.data + at;
    const bool is_header =
        (header[1] & mask_bit) != 0 && (header[0] & unused_bits) == 0 && (header[0] & opcodes) <= highest_opcode;
    if (!is_header) continue;
    const std::size_t available = bytes.captured - at;
    const std::size_t key = key_offset(header, available, content.reported);
    if (key == 0 || available < key + key_size + content.captured || !is_unmasked(header + key, content)) continue;
    return {true, static_cast<std::uint8_t>(header[0] & opcodes), (header[0] & final_bit) != 0,
            (header[0] & compressed_bit) != 0, at + key + key_size + content.reported};
  }
  return {};
}

}  // namespace godot_codec
