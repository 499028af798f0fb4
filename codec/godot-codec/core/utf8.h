// SPDX-License-Identifier: MIT
/// @file
/// UTF-8 as the engines check it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace godot_codec {

/// Where ASCII's control characters end.
inline constexpr std::uint8_t first_printable = 0x20;

/// Bytes of the well-formed UTF-8 sequence (Unicode, table 3-7) that @p text begins with; 0 where there is none.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text);

/// True if the text is ASCII throughout. Most texts of games are, and need no closer look.
[[nodiscard]] inline bool is_ascii(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  const auto word_at = [text]<typename Word>(std::size_t offset, Word word) {
    std::memcpy(&word, text.data() + offset, sizeof word);
    return std::uint64_t{word};
  };
  // The last word overlaps the one before; in the shortest texts a byte may be looked at twice.
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

/// True if the text is well-formed UTF-8 throughout: no surrogates, no over-long forms.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

}  // namespace godot_codec
