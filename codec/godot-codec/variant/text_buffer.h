// SPDX-License-Identifier: MIT
/// @file
/// Text of packets and numbers: escaped, bounded, always valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace godot_codec {

/// Text that grows into memory of the caller's and never past it. What does not fit is cut at a character's
/// boundary, and an ellipsis stands for it. Always terminated by a zero.
class TextBuffer {
 public:
  /// @param memory at least 4 bytes: an ellipsis and the zero
  explicit TextBuffer(std::span<char> memory);

  [[nodiscard]] std::string_view view() const { return {memory_.data(), size_}; }
  [[nodiscard]] bool is_full() const { return is_full_; }
  void clear();
  /// True if append() would append the whole of a text.
  [[nodiscard]] bool has_room_for(std::string_view text) const { return text.size() < end_ - size_; }

  /// Appends text that is known to be valid UTF-8 and free of control characters.
  void append(std::string_view text) {
    if (has_room_for(text)) [[likely]] {
      append_fitting(text);
    } else {
      append_in_part(text);
    }
  }
  /// Appends text from a packet: control and bidirectional characters, line ends and (with @p quote) quotes and
  /// backslashes are escaped as in GDScript; a byte that is not UTF-8 becomes \xNN. At most @p max_bytes of the
  /// text are taken; an ellipsis stands for the rest.
  void append_escaped(std::string_view text, bool quote, std::size_t max_bytes = SIZE_MAX);
  void append_integer(std::int64_t value);
  void append_unsigned(std::uint64_t value);
  /// Appends the shortest decimal text that reads back as the same real (of 32 bits if @p is_single).
  /// @param as_float adds ".0" to a whole number, as a script's float has it
  void append_real(double value, bool is_single, bool as_float);

 private:
  void append_fitting(std::string_view text) {
    if (!text.empty()) std::memcpy(memory_.data() + size_, text.data(), text.size());
    size_ += text.size();
    memory_[size_] = '\0';
  }
  template <typename Write>
  void append_number(Write write);
  std::size_t append_simple(std::string_view text, bool quote);
  void append_in_part(std::string_view text);
  void cut();
  void append_character(std::string_view character);

  std::span<char> memory_;
  std::size_t size_ = 0;
  std::size_t end_ = 0;  // where the text and its zero have to end: once it is full, where it does
  bool is_full_ = false;
};

/// The double whose decimal text is the shortest one of a 32-bit real: 0.1f gives 0.1, not 0.100000001490116.
[[nodiscard]] double shortest_double(float value);

/// Text that a person could have typed: not empty, valid UTF-8 without control characters but white space.
[[nodiscard]] bool is_plain_text(std::string_view text);

}  // namespace godot_codec
