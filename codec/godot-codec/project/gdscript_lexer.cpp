// SPDX-License-Identifier: MIT
#include "godot-codec/project/gdscript_lexer.h"

#include <array>

#include "godot-codec/project/limits.h"
#include "godot-codec/project/names.h"

namespace godot_codec::project {
namespace {

bool is_quote(char c) { return c == '"' || c == '\''; }

// Characters that tell where a line ends.
constexpr auto ends_or_joins_lines = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("\n#\\\"'()[]{}")) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

}  // namespace

GdLexer::GdLexer(std::string_view source) : source_(without_byte_order_mark(source)) {}

char GdLexer::peek(std::size_t ahead) const {
  return ahead < source_.size() - offset_ ? source_[offset_ + ahead] : '\0';
}

void GdLexer::end_line() {
  ++offset_;
  ++line_;
  line_start_ = offset_;
  if (depth_ == 0 && !is_continued_) begins_line_ = true;
}

void GdLexer::skip_blanks() {
  while (offset_ < source_.size()) {
    const char c = peek();
    if (c == '\n') {
      end_line();
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      is_continued_ = true;
      ++offset_;
    } else if (c == '#') {
      const std::size_t end = source_.find('\n', offset_);
      offset_ = end == std::string_view::npos ? source_.size() : end;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++offset_;
    } else {
      return;
    }
  }
}

// The engine takes a tab for four columns, and no file that has both.
std::size_t GdLexer::indent() const {
  std::size_t columns = 0;
  for (const char c : source_.substr(line_start_, offset_ - line_start_)) {
    if (c == ' ') ++columns;
    if (c == '\t') columns += 4;
  }
  return columns;
}

void GdLexer::read_word(GdToken &token) {
  const std::size_t start = offset_;
  while (offset_ < source_.size() && is_word_character(source_[offset_])) ++offset_;
  token.text = source_.substr(start, offset_ - start);
  token.kind = token.text.size() <= max_word_size ? GdToken::Kind::word : GdToken::Kind::symbol;
}

// A string may go over lines whatever its quotes are, and a backslash keeps a quote from ending a raw one too.
void GdLexer::read_string(GdToken &token) {
  const char quote = peek();
  const std::size_t quotes = peek(1) == quote && peek(2) == quote ? 3 : 1;
  offset_ += quotes;
  const std::size_t start = offset_;
  token.kind = GdToken::Kind::string;
  for (; offset_ < source_.size(); ++offset_) {
    const char c = source_[offset_];
    if (c == '\n') ++line_;
    if (c == quote && (quotes == 1 || (peek(1) == quote && peek(2) == quote))) break;
    if (c != '\\') continue;
    ++offset_;
    if (peek() == '\n') ++line_;
  }
  if (offset_ >= source_.size()) offset_ = source_.size();
  token.text = source_.substr(start, offset_ - start);
  if (offset_ < source_.size()) offset_ += quotes;
}

void GdLexer::take_bracket(char c) {
  if (c == '(' || c == '[' || c == '{') ++depth_;
  if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
}

GdToken GdLexer::next_line() {
  while (!begins_line_ && offset_ < source_.size()) {
    const char c = source_[offset_];
    const std::size_t start = offset_;
    GdToken token;
    if (!ends_or_joins_lines[static_cast<unsigned char>(c)]) {
      ++offset_;
    } else if (is_quote(c)) {
      read_string(token);
    } else {
      skip_blanks();
      is_continued_ = false;
      if (offset_ == start) take_bracket(source_[offset_++]);
    }
  }
  return next();
}

GdToken GdLexer::next() {
  skip_blanks();
  GdToken token;
  token.line = line_;
  token.depth = depth_;
  if (offset_ >= source_.size()) {
    token.begins_line = true;
    return token;
  }
  token.begins_line = begins_line_;
  if (begins_line_) token.indent = indent();
  begins_line_ = is_continued_ = false;
  const char c = peek();
  token.is_raw = c == 'r' && is_quote(peek(1));
  if (token.is_raw) ++offset_;
  if (is_quote(peek())) {
    read_string(token);
  } else if (is_word_character(c)) {
    read_word(token);
  } else {
    token.kind = GdToken::Kind::symbol;
    token.text = source_.substr(offset_++, 1);
    take_bracket(c);
  }
  return token;
}

}  // namespace godot_codec::project
