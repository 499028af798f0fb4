// SPDX-License-Identifier: MIT
#include "godot-codec/core/lexer.h"

#include <algorithm>
#include <array>

namespace godot_codec {
namespace {

enum CharacterClass : unsigned {
  word_part = 1,
  blank = 2,
  line_end = 4,       // outside a token
  comment_start = 8,  // begins a comment, depending on the characters around it
  quote = 16,
  quote_prefix = 32,  // belongs to a string if a quote follows
  bracket = 64,       // a bracket that Token::depth counts
  line_joiner = 128,  // joins a line with the next one
};

// By character: its meanings in a language, as bits of CharacterClass.
struct CharacterClassTable {
  std::array<std::uint8_t, 256> classes{};

  constexpr CharacterClassTable &add(std::string_view characters, CharacterClass meaning) {
    for (const char c : characters) classes[static_cast<unsigned char>(c)] |= static_cast<std::uint8_t>(meaning);
    return *this;
  }
};

// Words consist of ASCII letters and digits, `_`, and all non-ASCII characters.
constexpr CharacterClassTable common_characters() {
  CharacterClassTable characters;
  for (std::size_t c = 0x80; c < characters.classes.size(); ++c) characters.classes[c] = word_part;
  return characters.add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", word_part)
      .add(" \t\r", blank)
      .add("\"", quote);
}

// By Language.
constexpr std::array<CharacterClassTable, 4> characters_of = {
    common_characters()
        .add("\n", line_end)
        .add("#", comment_start)
        .add("'", quote)
        .add("r", quote_prefix)
        .add("()[]{}", bracket)
        .add("\\", line_joiner),
    common_characters().add("\n", line_end).add("/#", comment_start).add("'", quote).add("@$", quote_prefix),
    common_characters().add("\n", line_end).add(";", comment_start).add(".+-", word_part).add("()[]{}", bracket),
    common_characters().add("#", comment_start).add("-", word_part)};

std::string_view skip_byte_order_mark(std::string_view source) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return source.starts_with(mark) ? source.substr(mark.size()) : source;
}

}  // namespace

Lexer::Lexer(std::string_view source, Language language)
    : source_(skip_byte_order_mark(source)),
      language_(language),
      character_classes_(characters_of[static_cast<std::size_t>(language)].classes.data()) {}

char Lexer::peek(std::size_t ahead) const { return ahead < source_.size() - offset_ ? source_[offset_ + ahead] : '\0'; }

bool Lexer::has_class(char c, unsigned classes) const {
  return (character_classes_[static_cast<unsigned char>(c)] & classes) != 0;
}

void Lexer::advance_to(std::size_t end) {
  end = std::min(end, source_.size());
  const std::string_view passed = source_.substr(offset_, end - offset_);
  line_ += static_cast<std::uint32_t>(std::count(passed.begin(), passed.end(), '\n'));
  offset_ = end;
}

void Lexer::take_line_end() {
  ++offset_;
  ++line_;
  line_start_ = offset_;
  if (bracket_depth_ == 0 && !is_line_continued_) begins_line_ = true;
}

void Lexer::skip_blanks() {
  while (offset_ < source_.size()) {
    const char c = source_[offset_];
    if (has_class(c, line_end)) {
      take_line_end();
    } else if (has_class(c, blank)) {
      ++offset_;
    } else if (has_class(c, line_joiner) && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      is_line_continued_ = true;
      ++offset_;
    } else if (!has_class(c, comment_start) || !skip_comment()) {
      return;
    }
  }
}

bool Lexer::skip_comment() {
  if (language_ == Language::csharp && source_.substr(offset_).starts_with("/*")) {
    const std::size_t end = source_.find("*/", offset_ + 2);
    advance_to(end == std::string_view::npos ? end : end + 2);
    return true;
  }
  // In C#, `#` at the start of a line begins a preprocessor directive.
  if (language_ == Language::csharp && !(peek() == '#' ? begins_line_ : peek(1) == '/')) return false;
  offset_ = std::min(source_.find('\n', offset_), source_.size());
  return true;
}

// A tab counts as four columns, as in the engine. The engine rejects files that mix tabs and spaces.
std::size_t Lexer::measure_indent() const {
  std::size_t columns = 0;
  for (const char c : source_.substr(line_start_, offset_ - line_start_)) {
    if (c == ' ') ++columns;
    if (c == '\t') columns += 4;
  }
  return columns;
}

void Lexer::read_word(Token &token) {
  const std::size_t start = offset_;
  while (offset_ < source_.size() && has_class(source_[offset_], word_part)) ++offset_;
  token.text = source_.substr(start, offset_ - start);
  token.kind = token.text.size() <= max_word_size ? TokenKind::word : TokenKind::symbol;
}

void Lexer::read_symbol(Token &token) {
  const char c = peek();
  const bool is_pair =
      language_ == Language::format_description && peek(1) == '=' && (c == '=' || c == '!' || c == '<' || c == '>');
  token.kind = TokenKind::symbol;
  token.text = source_.substr(offset_, is_pair ? 2 : 1);
  if (c == '\n') return take_line_end();
  offset_ += token.text.size();
  count_bracket(c);
}

void Lexer::count_bracket(char c) {
  if (!has_class(c, bracket)) return;
  const bool opens = c == '(' || c == '[' || c == '{';
  if (opens) ++bracket_depth_;
  if (!opens && bracket_depth_ > 0) --bracket_depth_;
}

// Number of prefix characters before a string's opening quote; npos if no string begins at the current offset.
std::size_t Lexer::string_prefix_length() const {
  constexpr std::size_t longest = 8;
  std::size_t size = 0;
  while (size < longest && has_class(peek(size), quote_prefix)) ++size;
  return has_class(peek(size), quote) ? size : std::string_view::npos;
}

void Lexer::read_string(Token &token, std::size_t prefix) {
  const std::string_view marks = source_.substr(offset_, prefix);
  const std::size_t open = offset_ + prefix;
  const char mark = source_[open];
  const bool is_gdscript = language_ == Language::gdscript;
  const bool is_csharp = language_ == Language::csharp;
  const bool is_verbatim = marks.find('@') != std::string_view::npos;
  std::size_t quotes = 1;
  // GDScript strings have one or three quotes, C#'s raw strings three or more.
  while ((is_gdscript ? quotes < 3 : is_csharp && !is_verbatim) && peek(prefix + quotes) == mark) ++quotes;
  if (quotes < 3) quotes = 1;
  const std::size_t start = open + quotes;
  const bool ends_with_line = language_ == Language::format_description || (is_csharp && quotes == 1);
  const std::size_t end = ends_with_line ? find_string_end_in_line(start, mark, marks)
                                         : find_string_end(start, source_.substr(open, quotes), !is_csharp);
  const bool is_closed = end < source_.size() && source_[end] == mark;
  token.kind = TokenKind::string;
  token.text = source_.substr(start, end - start);
  token.is_raw = prefix > 0;
  if (!is_closed && language_ == Language::format_description) {
    token.kind = TokenKind::symbol;
    token.text = source_.substr(offset_, end - offset_);
  }
  advance_to(is_closed ? end + quotes : end);
}

// Finds the end of a string that may span lines. A backslash keeps the next quote from ending the string, even in a raw
// string.
std::size_t Lexer::find_string_end(std::size_t at, std::string_view quotes, bool has_escapes) const {
  std::size_t end = std::min(source_.find(quotes, at), source_.size());
  while (has_escapes && at < end) {
    const std::size_t backslash = source_.substr(at, end - at).find('\\');
    if (backslash == std::string_view::npos) break;
    at += backslash + 2;
    // The backslash escapes the quotes at `end`, so search again. Otherwise `end` stays valid, so no quote is searched
    // for twice.
    if (at > end) end = std::min(source_.find(quotes, std::min(at, source_.size())), source_.size());
  }
  return end;
}

// Finds the end of a string that cannot span lines: a string of formats, or C#'s "…", '…', $"…". C#'s strings with @
// are also handled here, and may span lines: @"…", $@"…".
std::size_t Lexer::find_string_end_in_line(std::size_t at, char quote, std::string_view prefix) const {
  const bool is_verbatim = prefix.find('@') != std::string_view::npos;
  const bool has_holes = prefix.find('$') != std::string_view::npos;
  std::size_t holes = 0;    // open interpolation holes of $"…{value}…" strings
  bool is_in_hole = false;  // inside a string within a hole: $"{names["a"]}"
  for (; at < source_.size(); ++at) {
    const char c = source_[at];
    const bool is_double = at + 1 < source_.size() && source_[at + 1] == c;
    if (c == '\n' && !is_verbatim) break;  // not closed: the string ends with its line
    if (c == '\\' && !is_verbatim) {
      if (at + 1 < source_.size() && source_[at + 1] != '\n') ++at;
    } else if (c == quote && holes > 0) {
      is_in_hole = !is_in_hole;
    } else if (c == quote) {
      if (!is_verbatim || !is_double) break;
      ++at;
    } else if (has_holes && !is_in_hole && c == '{') {
      if (holes == 0 && is_double) {
        ++at;
      } else {
        ++holes;
      }
    } else if (!is_in_hole && c == '}' && holes > 0) {
      --holes;
    }
  }
  return std::min(at, source_.size());
}

Token Lexer::next() {
  skip_blanks();
  Token token;
  token.line = line_;
  token.depth = bracket_depth_;
  if (offset_ >= source_.size()) {
    token.begins_line = true;
    return token;
  }
  token.begins_line = begins_line_;
  if (begins_line_) token.indent = measure_indent();
  begins_line_ = is_line_continued_ = false;
  const char c = source_[offset_];
  const std::size_t prefix = has_class(c, quote | quote_prefix) ? string_prefix_length() : std::string_view::npos;
  if (prefix != std::string_view::npos) {
    read_string(token, prefix);
  } else if (has_class(c, word_part)) {
    read_word(token);
  } else {
    read_symbol(token);
  }
  return token;
}

}  // namespace godot_codec
