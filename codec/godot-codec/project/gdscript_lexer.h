// SPDX-License-Identifier: MIT
/// @file
/// The tokens of a GDScript, as far as it takes to find its members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace godot_codec::project {

struct GdToken {
  enum class Kind : std::uint8_t {
    end,
    word,    ///< an identifier, a keyword, a number
    string,  ///< any kind: "", '', """""", '''''', with r in front
    symbol,  ///< any other character, one at a time
  };

  Kind kind = Kind::end;
  std::string_view text;     ///< for a string, the text between the quotes
  bool is_raw = false;       ///< a string without escapes
  bool begins_line = false;  ///< the first one of a line that is none inside brackets or behind a backslash
  std::size_t indent = 0;    ///< that line's, in columns
  std::size_t depth = 0;     ///< brackets that are open around it
  std::uint32_t line = 1;    ///< counted from 1

  [[nodiscard]] bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
  [[nodiscard]] bool is_symbol(char symbol) const { return kind == Kind::symbol && text.front() == symbol; }
};

class GdLexer {
 public:
  /// @param source must outlive this and its tokens
  explicit GdLexer(std::string_view source);

  /// The next token; from the source's end on always `end`.
  [[nodiscard]] GdToken next();

  /// Goes on to the first token of a line, and returns that.
  [[nodiscard]] GdToken next_line();

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  void skip_blanks();
  void end_line();
  void take_bracket(char c);
  [[nodiscard]] std::size_t indent() const;
  void read_word(GdToken &token);
  void read_string(GdToken &token);

  std::string_view source_;
  std::size_t offset_ = 0;
  std::size_t line_start_ = 0;
  std::size_t depth_ = 0;
  std::uint32_t line_ = 1;
  bool begins_line_ = true;
  bool is_continued_ = false;  // by a backslash, which holds up to the next token
};

}  // namespace godot_codec::project
