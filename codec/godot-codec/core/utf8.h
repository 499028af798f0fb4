// SPDX-License-Identifier: MIT
/// @file
/// Validates UTF-8 as the engines do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace godot_codec {

/// First byte value after ASCII's control characters.
inline constexpr std::uint8_t first_printable = 0x20;

/// Returns the length in bytes of the well-formed UTF-8 sequence (Unicode, table 3-7) at the start of @p text; 0 if
/// there is none.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text);

/// True if the text is ASCII. Most texts of games are ASCII and need no further checks.
[[nodiscard]] inline bool is_ascii(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  const auto word_at = [text]<typename Word>(std::size_t offset, Word word) {
    std::memcpy(&word, text.data() + offset, sizeof word);
    return std::uint64_t{word};
  };
  // The last u64 overlaps the previous u64; in short texts a byte may be read twice.
  std::uint64_t seen = 0;
  if (text.size() >= sizeof(std::uint64_t)) {
    const std::size_t last = text.size() - sizeof(std::uint64_t);
    for (std::size_t i = 0; i < last; i += sizeof(std::uint64_t)) seen |= word_at(i, std::uint64_t{});
    seen |= word_at(last, std::uint64_t{});
  } else if (text.size() >= sizeof(std::uint32_t)) {
    seen = word_at(0, std::uint32_t{}) | word_at(text.size() - sizeof(std::uint32_t), std::uint32_t{});
  } else if (!text.empty()) {
    const std::size_t last = text.size() - 1;
    seen = word_at(0, std::uint8_t{}) | word_at(last / 2, std::uint8_t{}) | word_at(last, std::uint8_t{});
  }
  return (seen & high_bits) == 0;
}

/// True if the text is well-formed UTF-8: no surrogates, no overlong forms.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

}  // namespace godot_codec
