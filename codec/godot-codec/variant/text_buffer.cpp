// SPDX-License-Identifier: MIT
#include "godot-codec/variant/text_buffer.h"

#include <algorithm>
#include <array>

#include "godot-codec/core/utf8.h"

namespace godot_codec {
namespace {

constexpr std::string_view ellipsis = "\u2026";
constexpr std::string_view hex_digits = "0123456789abcdef";

// True for characters that change how the surrounding text is displayed: control characters, line and paragraph
// separators, marks and overrides of the writing direction, the byte order mark.
constexpr bool needs_escape(char32_t c) {
  return c < first_printable || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

char32_t decode_utf8(std::string_view sequence) {
  constexpr std::array<unsigned, 5> lead_masks = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t c = static_cast<std::uint8_t>(sequence[0]) & lead_masks[sequence.size()];
  for (const char byte : sequence.substr(1)) c = c << 6 | (static_cast<std::uint8_t>(byte) & 0x3f);
  return c;
}

// Writes the escape sequence of a character or byte.
// @returns a view into memory
std::string_view write_escape(char32_t c, char letter, std::size_t digits, std::array<char, 8> &memory) {
  memory[0] = '\\';
  memory[1] = letter;
  for (std::size_t i = 0; i < digits; ++i) memory[2 + i] = hex_digits[c >> (4 * (digits - 1 - i)) & 0xf];
  return {memory.data(), 2 + digits};
}

std::string_view escape_character(char32_t c, std::array<char, 8> &memory) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return write_escape(c, 'u', 4, memory);
  }
}

// By byte: true if the character needs no escape. True for printable ASCII, except quotes and backslashes inside
// quotes.
using CharacterTable = std::array<bool, 256>;
constexpr CharacterTable make_simple_table(bool quote) {
  CharacterTable table{};
  for (std::size_t c = ' '; c < 0x7f; ++c) table[c] = !(quote && (c == '"' || c == '\\'));
  return table;
}
constexpr std::array<CharacterTable, 2> simple_tables = {make_simple_table(false), make_simple_table(true)};

}  // namespace

TextBuffer::TextBuffer(std::span<char> memory) : memory_(memory) { clear(); }

void TextBuffer::clear() {
  size_ = 0;
  capacity_end_ = memory_.size();
  is_full_ = false;
  memory_[0] = '\0';
}

// Ends the text with an ellipsis, at a character boundary.
void TextBuffer::cut_with_ellipsis() {
  const std::size_t limit = memory_.size() - 1;
  is_full_ = true;
  while (size_ > limit - ellipsis.size() || (static_cast<std::uint8_t>(memory_[size_]) & 0xc0) == 0x80) --size_;
  append_fitting(ellipsis);
  capacity_end_ = size_;
}

// Appends a whole character or escape sequence, or cuts the text if it does not fit.
void TextBuffer::append_character(std::string_view character) {
  if (has_space_for(character)) {
    append_fitting(character);
  } else if (!is_full_) {
    cut_with_ellipsis();
  }
}

void TextBuffer::append_truncated(std::string_view text) {
  if (is_full_) return;
  append_fitting(text.substr(0, memory_.size() - 1 - size_));
  cut_with_ellipsis();
}

// Appends the longest fitting prefix of a text that needs no escapes.
// @returns the length of the prefix in bytes
std::size_t TextBuffer::append_unescaped_prefix(std::string_view text, bool quote) {
  const CharacterTable &is_simple = simple_tables[quote ? 1 : 0];
  const std::size_t limit = std::min(text.size(), memory_.size() - 1 - size_);
  char *out = memory_.data() + size_;
  std::size_t length = 0;
  for (; length < limit && is_simple[static_cast<std::uint8_t>(text[length])]; ++length) out[length] = text[length];
  out[length] = '\0';
  size_ += length;
  return length;
}

void TextBuffer::append_escaped(std::string_view text, bool quote, std::size_t max_bytes) {
  std::array<char, 8> memory;
  while (!is_full_) {
    const std::size_t run = append_unescaped_prefix(text.substr(0, max_bytes), quote);
    if (run == text.size()) return;
    max_bytes -= run;
    text.remove_prefix(run);

    const std::size_t length = utf8_sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (sequence.size() > max_bytes) {
      append_character(ellipsis);
      return;
    }
    max_bytes -= sequence.size();
    const char32_t c = length == 0 ? static_cast<std::uint8_t>(text[0]) : decode_utf8(sequence);
    if (length == 0) {
      append_character(write_escape(c, 'x', 2, memory));
    } else if (needs_escape(c)) {
      append_character(escape_character(c, memory));
    } else if (quote && (c == '"' || c == '\\')) {
      append_character(c == '"' ? "\\\"" : "\\\\");
    } else {
      append_character(sequence);
    }
    text.remove_prefix(sequence.size());
  }
}

void TextBuffer::append_hex(std::uint8_t byte) {
  const char digits[] = {hex_digits[byte >> 4], hex_digits[byte & 0xf]};
  append({digits, sizeof digits});
}

bool is_plain_text(std::string_view text) {
  const auto is_control = [](char c) {
    constexpr char rubout = 0x7f;
    const bool is_space = c == '\t' || c == '\r' || c == '\n';
    return (static_cast<unsigned char>(c) < first_printable && !is_space) || c == rubout;
  };
  return !text.empty() && std::none_of(text.begin(), text.end(), is_control) && is_valid_utf8(text);
}

}  // namespace godot_codec
