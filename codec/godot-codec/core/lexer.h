// SPDX-License-Identifier: MIT
/// @file
/// A lexer for scripts, scene files and format descriptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace godot_codec {

enum class TokenKind : std::uint8_t {
  end,
  word,    ///< an identifier, keyword or number
  string,  ///< a string in any of the language's quotes: "", '', """""", r"", $""
  symbol,  ///< any other character, one at a time
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< for a string, the text between the quotes
  bool is_raw = false;    ///< true for a string with a prefix: r"", @""
  /// True for the first token of a line. False inside brackets, and on a line that continues the previous line
  /// (backslash).
  bool begins_line = false;
  std::size_t indent = 0;  ///< indentation of the token's line, in columns
  std::size_t depth = 0;   ///< number of open brackets around the token
  std::uint32_t line = 1;  ///< line number, from 1

  [[nodiscard]] bool is_word() const { return kind == TokenKind::word; }
  [[nodiscard]] bool is_word(std::string_view word) const { return kind == TokenKind::word && text == word; }
  [[nodiscard]] bool is_symbol(char symbol) const { return kind == TokenKind::symbol && text.front() == symbol; }
  [[nodiscard]] bool is_one_of(std::string_view symbols) const {
    return kind == TokenKind::symbol && symbols.find(text.front()) != std::string_view::npos;
  }
};

/// In bytes. A longer word cannot be a name, so its token is a symbol.
constexpr std::size_t max_word_size = 1024;

enum class Language : std::uint8_t {
  gdscript,
  csharp,              ///< brackets are not counted, preprocessor lines are skipped
  resource,            ///< .tscn, .tres, project.godot; `-1.5` is one word
  format_description,  ///< format descriptions; line ends and operators such as `==` are symbols, brackets are not
                       ///< counted
};

/// Splits a text into tokens and skips comments. Accepts any text. An unclosed string ends at the end of the text; in
/// formats and C#, it ends with its line. In formats, an unclosed string is a symbol.
class Lexer {
 public:
  /// @param source must outlive the lexer and its tokens; a byte order mark is skipped
  Lexer(std::string_view source, Language language);

  /// Returns the next token; at the end of the source, always a token of the kind `end`.
  [[nodiscard]] Token next();

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool has_class(char c, unsigned classes) const;
  void advance_to(std::size_t end);
  void take_line_end();
  void skip_blanks();
  [[nodiscard]] bool skip_comment();
  void count_bracket(char c);
  [[nodiscard]] std::size_t measure_indent() const;
  [[nodiscard]] std::size_t string_prefix_length() const;
  void read_word(Token &token);
  void read_symbol(Token &token);
  void read_string(Token &token, std::size_t prefix);
  [[nodiscard]] std::size_t find_string_end(std::size_t at, std::string_view quotes, bool has_escapes) const;
  [[nodiscard]] std::size_t find_string_end_in_line(std::size_t at, char quote, std::string_view prefix) const;

  std::string_view source_;
  Language language_;
  const std::uint8_t *character_classes_;  // by character
  std::size_t offset_ = 0;
  std::size_t line_start_ = 0;
  std::size_t bracket_depth_ = 0;
  std::uint32_t line_ = 1;
  bool begins_line_ = true;
  bool is_line_continued_ = false;  // true after a backslash at the end of a line, until the next token
};

}  // namespace godot_codec
