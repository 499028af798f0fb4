// SPDX-License-Identifier: MIT
/// @file
/// The tokens of the texts that are read: scripts, scenes, files of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace godot_codec {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    word,    ///< an identifier, a keyword, a number
    string,  ///< with whatever its language has around it: "", '', """""", r"",
             ///< $""
    symbol,  ///< any other character, one at a time
  };

  Kind kind = Kind::end;
  std::string_view text;     ///< for a string, the text between the quotes
  bool is_raw = false;       ///< a string with a letter or a sign before its quotes: r"", @""
  bool begins_line = false;  ///< the first token of a line; none inside brackets or after a line that ends in a
                             ///< backslash
  std::size_t indent = 0;    ///< that line's indentation, in columns
  std::size_t depth = 0;     ///< brackets that are open around it
  std::uint32_t line = 1;    ///< counted from 1

  [[nodiscard]] bool is_word() const { return kind == Kind::word; }
  [[nodiscard]] bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
  [[nodiscard]] bool is_symbol(char symbol) const { return kind == Kind::symbol && text.front() == symbol; }
  [[nodiscard]] bool is_one_of(std::string_view symbols) const {
    return kind == Kind::symbol && symbols.find(text.front()) != std::string_view::npos;
  }
};

/// A longer word, in bytes, is no name: its token is a symbol.
constexpr std::size_t max_word_size = 1024;

enum class Language : std::uint8_t {
  gdscript,
  csharp,    ///< brackets are not counted, lines of the preprocessor are left out
  resource,  ///< .tscn, .tres, project.godot: `-1.5` is a word
  formats,   ///< a line's end and `==` and the like are symbols; brackets are not
             ///< counted
};

/// Splits a text into tokens. Comments are left out. No text is refused: a
/// string that is not closed ends where the text does, or in formats and C# the
/// line; in formats it is a symbol.
class Lexer {
 public:
  /// @param source must outlive this and its tokens; a byte order mark is left
  /// out
  Lexer(std::string_view source, Language language);

  /// The next token; from the source's end on always `end`.
  [[nodiscard]] Token next();

  /// Goes on to the first token of a line, and returns that.
  [[nodiscard]] Token next_line();

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool is(char c, unsigned meanings) const;
  void advance_to(std::size_t end);
  void end_line();
  void skip_blanks();
  [[nodiscard]] bool skip_comment();
  void take_bracket(char c);
  [[nodiscard]] std::size_t indent() const;
  [[nodiscard]] std::size_t string_prefix() const;
  void read_word(Token &token);
  void read_symbol(Token &token);
  void read_string(Token &token, std::size_t prefix);
  [[nodiscard]] std::size_t end_of_text(std::size_t at, std::string_view quotes, bool has_escapes) const;
  [[nodiscard]] std::size_t end_in_line(std::size_t at, char quote, std::string_view prefix) const;

  std::string_view source_;
  Language language_;
  const std::uint8_t *meanings_;  // by character
  std::size_t offset_ = 0;
  std::size_t line_start_ = 0;
  std::size_t depth_ = 0;
  std::uint32_t line_ = 1;
  bool begins_line_ = true;
  bool is_continued_ = false;  // by a backslash, which holds up to the next token
};

}  // namespace godot_codec
