// SPDX-License-Identifier: MIT
#include "godot-codec/layout/lexer.h"

#include <algorithm>
#include <charconv>

#include "godot-codec/core/utf8.h"

namespace godot_codec::layout {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (is_blank(text_[at_])) {
      is_indented_ = is_indented_ || is_line_start_;
      ++at_;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  Token token;
  token.line = line_;
  token.is_indented = is_indented_;
  if (at_ >= text_.size()) return token;
  const std::size_t start = at_;
  const char first = text_[at_];
  is_line_start_ = false;
  if (first == '\n') {
    ++at_;
    ++line_;
    is_indented_ = false;
    is_line_start_ = true;
    token.kind = TokenKind::line_end;
  } else if (is_name_start(first)) {
    token.kind = TokenKind::name;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
  } else if (is_digit(first) || (first == '-' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
    read_number(token);
  } else if (first == '"') {
    read_text(token);
  } else {
    constexpr std::string_view pairs[] = {"==", "!=", "<=", ">="};
    const std::string_view two = text_.substr(at_, 2);
    const bool is_pair = std::find(std::begin(pairs), std::end(pairs), two) != std::end(pairs);
    at_ += is_pair ? 2 : std::max(utf8_sequence_length(text_.substr(at_)), std::size_t{1});
    const bool is_symbol = is_pair || std::string_view("(){},:*=<>&.").find(first) != std::string_view::npos;
    token.kind = is_symbol ? TokenKind::symbol : TokenKind::unknown;
  }
  token.word = text_.substr(start, at_ - start);
  if (token.word.size() > max_word) token.kind = TokenKind::unknown;
  return token;
}

void Lexer::read_number(Token &token) {
  const std::size_t start = at_;
  const bool is_negative = text_[at_] == '-';
  if (is_negative) ++at_;
  while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
  std::string_view digits = text_.substr(start, at_ - start).substr(is_negative ? 1 : 0);
  int base = 10;
  if (digits.starts_with("0x")) base = 16;
  if (digits.starts_with("0b")) base = 2;
  if (base != 10) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  token.kind = is_whole ? TokenKind::number : TokenKind::unknown;
  token.number = static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

// Escapes are those of a script, as far as bytes need them: \0 \n \t \\ \" \xNN.
void Lexer::read_text(Token &token) {
  token.kind = TokenKind::unknown;
  for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
    char c = text_[at_];
    if (c == '"') {
      ++at_;
      token.kind = TokenKind::text;
      return;
    }
    if (c == '\\' && at_ + 1 < text_.size()) {
      c = text_[++at_];
      if (c == '\n') return;
      constexpr std::string_view letters = "0nt";
      constexpr std::string_view meanings("\0\n\t", 3);
      const std::size_t known = letters.find(c);
      if (c == 'x' && at_ + 2 < text_.size() && hex_digit(text_[at_ + 1]) >= 0 && hex_digit(text_[at_ + 2]) >= 0) {
        c = static_cast<char>(hex_digit(text_[at_ + 1]) << 4 | hex_digit(text_[at_ + 2]));
        at_ += 2;
      } else if (known != std::string_view::npos) {
        c = meanings[known];
      }
    }
    token.text += c;
  }
}

std::string_view Lexer::rest_of_line(const Token &from) {
  const auto start = static_cast<std::size_t>(from.word.data() - text_.data());
  const std::size_t end = std::min(text_.find_first_of("#\n", start), text_.size());
  at_ = end;
  std::string_view line = text_.substr(start, end - start);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace godot_codec::layout
