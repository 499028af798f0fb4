// SPDX-License-Identifier: MIT
/// @file
/// A bounded buffer for text: escapes text from packets, formats numbers, and always holds valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace godot_codec {

/// A text in the caller's memory. If a text does not fit, it is cut at a character boundary and ends with an ellipsis.
/// Always zero-terminated.
class TextBuffer {
 public:
  /// @param memory at least 4 bytes, for an ellipsis and the terminating zero
  explicit TextBuffer(std::span<char> memory);

  [[nodiscard]] std::string_view view() const { return {memory_.data(), size_}; }
  [[nodiscard]] bool is_full() const { return is_full_; }
  void clear();
  /// True if append() would append the whole text, without cutting.
  [[nodiscard]] bool has_space_for(std::string_view text) const { return text.size() < capacity_end_ - size_; }

  /// Appends text that must be valid UTF-8 without control characters.
  void append(std::string_view text) {
    if (has_space_for(text)) [[likely]] {
      append_fitting(text);
    } else {
      append_truncated(text);
    }
  }
  /// Appends text from a packet. Escapes control and bidirectional characters, line ends and (with @p quote) quotes and
  /// backslashes as GDScript does. A byte that is not UTF-8 becomes \xNN. Appends at most @p max_bytes of the text,
  /// then an ellipsis.
  void append_escaped(std::string_view text, bool quote, std::size_t max_bytes = SIZE_MAX);
  /// Appends text from a packet in quotes.
  void append_quoted(std::string_view text, std::size_t max_bytes = SIZE_MAX) {
    append("\"");
    append_escaped(text, true, max_bytes);
    append("\"");
  }
  /// Appends the two hexadecimal digits of a byte.
  void append_hex(std::uint8_t byte);
  void append_integer(std::int64_t value);
  void append_unsigned(std::uint64_t value);
  /// Appends the shortest decimal text that reads back as the same real (a 32-bit real if @p is_single).
  /// @param as_float appends ".0" to a whole number, as GDScript does for a float
  void append_real(double value, bool is_single, bool as_float);

 private:
  void append_fitting(std::string_view text) {
    if (!text.empty()) std::memcpy(memory_.data() + size_, text.data(), text.size());
    size_ += text.size();
    memory_[size_] = '\0';
  }
  template <typename Write>
  void append_number(Write write);
  std::size_t append_unescaped_prefix(std::string_view text, bool quote);
  void append_truncated(std::string_view text);
  void cut_with_ellipsis();
  void append_character(std::string_view character);

  std::span<char> memory_;
  std::size_t size_ = 0;
  std::size_t capacity_end_ = 0;  // maximum size of text and terminating zero, in bytes; equal to size_ after the
                                  // buffer became full
  bool is_full_ = false;
};

/// Returns the double with the shortest decimal text that reads back as the given 32-bit real. For 0.1f it returns 0.1,
/// not 0.100000001490116.
[[nodiscard]] double shortest_double(float value);

/// True if a person could have typed the text: not empty, valid UTF-8, no control characters except white space.
[[nodiscard]] bool is_plain_text(std::string_view text);

}  // namespace godot_codec
