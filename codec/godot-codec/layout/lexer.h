// SPDX-License-Identifier: MIT
/// @file
/// Words of a file of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace godot_codec::layout {

enum class TokenKind : std::uint8_t { name, number, text, symbol, line_end, file_end, unknown };

struct Token {
  TokenKind kind = TokenKind::file_end;
  std::string_view word;    ///< the token in the source
  std::int64_t number = 0;  ///< its lower 64 bits
  std::string text;         ///< for a text, the part between the quotes, without escapes
  std::uint32_t line = 1;
  bool is_indented = false;  ///< its line is
};

/// Splits a text into words, one after another. What is behind a # is left out.
class Lexer {
 public:
  /// Bytes of a word. A longer one is unknown, since each place that uses a part has copies of its words.
  static constexpr std::size_t max_word = 256;

  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();
  /// The rest of the line from the last word on, without comments and blanks around it. The line's end comes next.
  std::string_view rest_of_line(const Token &from);

 private:
  void skip_blanks();
  void read_number(Token &token);
  void read_text(Token &token);

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool is_indented_ = false;
  bool is_line_start_ = true;
};

}  // namespace godot_codec::layout
