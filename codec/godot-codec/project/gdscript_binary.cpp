// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/project/exported_game.h"
#include "godot-codec/project/text_utils.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec::project {
namespace {

constexpr std::string_view tokens_magic = "GDSC";
constexpr std::uint32_t first_version = 100;      // Godot 4.3
constexpr std::uint32_t version_with_dots = 101;  // 4.5: adds the token `...`, and removes an unused header field
constexpr std::size_t tokens_header_size = 12;
constexpr std::uint8_t mask_of_names = 0xb6;
constexpr std::uint32_t long_token = 0x80;  // flag in the first byte
constexpr std::uint32_t token_mask = 0x7f;
constexpr std::size_t max_token_lines = 1'000'000;
constexpr std::size_t max_token_column = 1024;

// Tokens in the order of GDScriptTokenizer::Token::Type of Godot 4.5. Tokens with a name or a literal are empty here.
constexpr std::string_view tokens[] = {
    "",     "",     "",       "",          "<",          "<=",    ">",          ">=",     "==",     "!=",
    "and",  "or",   "not",    "&&",        "||",         "!",     "&",          "|",      "~",      "^",
    "<<",   ">>",   "+",      "-",         "*",          "**",    "/",          "%",      "=",      "+=",
    "-=",   "*=",   "**=",    "/=",        "%=",         "<<=",   ">>=",        "&=",     "|=",     "^=",
    "if",   "elif", "else",   "for",       "while",      "break", "continue",   "pass",   "return", "match",
    "when", "as",   "assert", "await",     "breakpoint", "class", "class_name", "const",  "enum",   "extends",
    "func", "in",   "is",     "namespace", "preload",    "self",  "signal",     "static", "super",  "trait",
    "var",  "void", "yield",  "[",         "]",          "{",     "}",          "(",      ")",      ",",
    ";",    ".",    "..",     "...",       ":",          "$",     "->",         "_",      "",       "",
    "",     "PI",   "TAU",    "INF",       "NAN"};
constexpr std::uint32_t dots = 83;
static_assert(tokens[dots] == "..." && tokens[dots - 2] == "." && std::size(tokens) == 95);
constexpr std::uint32_t annotation = 1;
constexpr std::uint32_t identifier = 2;
constexpr std::uint32_t literal = 3;

bool is_word_like(char c) {
  return c == '"' || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c & 0x80) != 0;
}

class BinaryScriptReader {
 public:
  BinaryScriptReader(std::string_view contents, std::uint32_t version, std::size_t max_size)
      : bytes_(bytes_of_text(contents)), cursor_(bytes_), version_(version), max_size_(max_size) {}

  // @returns false if the tokens are malformed or the text is too long
  bool read() {
    const auto names = cursor_.read<std::uint32_t>();
    const auto constants = cursor_.read<std::uint32_t>();
    const auto lines = cursor_.read<std::uint32_t>();
    if (version_ < version_with_dots) cursor_.read<std::uint32_t>();
    const auto count = cursor_.read<std::uint32_t>();
    for (std::uint32_t i = 0; i < names && cursor_.ok(); ++i) read_name();
    for (std::uint32_t i = 0; i < constants && cursor_.ok(); ++i) read_constant();
    for (std::uint32_t i = 0; i < lines && cursor_.ok(); ++i) read_position(&TokenPosition::line);
    for (std::uint32_t i = 0; i < lines && cursor_.ok(); ++i) read_position(&TokenPosition::column);
    for (std::uint32_t i = 0; i < count && cursor_.ok() && text_.size() <= max_size_; ++i) read_token(i);
    return cursor_.ok() && text_.size() <= max_size_;
  }

  std::string take_text() { return std::move(text_); }

 private:
  struct TokenPosition {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  void read_name() {
    const auto length = cursor_.read<std::uint32_t>();
    if (length > cursor_.available() / 4) return cursor_.fail(Outcome::malformed);
    std::string name;
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint32_t masked = cursor_.read<std::uint32_t>();
      const std::uint32_t c = masked ^ (mask_of_names * 0x01010101U);
      if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c < ' ') return cursor_.fail(Outcome::malformed);
      append_utf8(name, c);
    }
    names_.push_back(std::move(name));
  }

  void read_constant() {
    const std::size_t start = cursor_.offset();
    const WalkResult value = check_variant(bytes_, start, {}, {});
    if (value.outcome != Outcome::ok) return cursor_.fail(Outcome::malformed);
    cursor_.take(value.offset - start);
    constant_offsets_.push_back(start);
  }

  void read_position(std::uint32_t TokenPosition::*what) {
    const auto token = cursor_.read<std::uint32_t>();
    const auto number = cursor_.read<std::uint32_t>();
    if (cursor_.ok()) positions_by_token_[token].*what = number;
  }

  void read_token(std::uint32_t index) {
    const std::uint32_t first = cursor_.available() > 0 ? bytes_.data[cursor_.offset()] : 0;
    const std::uint32_t token =
        (first & long_token) != 0 ? cursor_.read<std::uint32_t>() : cursor_.read<std::uint8_t>();
    cursor_.read<std::uint32_t>();  // the line of the token; not needed, because positions_by_token_ has the line of
                                    // each line's first token
    if (!cursor_.ok()) return;
    begin_line(index);
    std::uint32_t type = token & token_mask;
    if (version_ < version_with_dots && type >= dots) ++type;
    const std::uint32_t number = token >> 8;
    if (type == annotation || type == identifier) {
      if (number >= names_.size()) return cursor_.fail(Outcome::malformed);
      append_token(names_[number]);
    } else if (type == literal) {
      if (number >= constant_offsets_.size()) return cursor_.fail(Outcome::malformed);
      append_token(format_literal(number));
    } else if (type < std::size(tokens)) {
      append_token(tokens[type]);
    }
  }

  void begin_line(std::uint32_t index) {
    const auto position = positions_by_token_.find(index);
    if (position == positions_by_token_.end()) return;
    if (position->second.line > line_ && position->second.line <= max_token_lines) {
      text_.append(position->second.line - line_, '\n');
      line_ = position->second.line;
    } else {
      text_ += '\n';
    }
    text_.append(std::min<std::size_t>(position->second.column > 0 ? position->second.column - 1 : 0, max_token_column),
                 ' ');
  }

  void append_token(std::string_view token) {
    if (token.empty()) return;
    if (!text_.empty() && is_word_like(text_.back()) && is_word_like(token.front())) text_ += ' ';
    text_ += token;
  }

  // Formats a literal as source code. The result is cached, because many tokens may use the same literal.
  std::string_view format_literal(std::uint32_t number) {
    const auto known = literals_.find(number);
    if (known != literals_.end()) return known->second;
    constexpr std::size_t longest = 4096;  // a longer string cannot be the name of anything
    std::string memory(longest, '\0');
    TextBuffer text(memory);
    append_variant(text, bytes_, constant_offsets_[number], {}, {}, TextStyle::script);
    return literals_.emplace(number, text.is_full() ? "\"\"" : std::string(text.view())).first->second;
  }

  Bytes bytes_;
  Cursor cursor_;
  std::uint32_t version_;
  std::size_t max_size_;
  std::vector<std::string> names_;
  std::vector<std::size_t> constant_offsets_;  // offsets
  std::map<std::uint32_t, std::string> literals_;
  std::map<std::uint32_t, TokenPosition> positions_by_token_;
  std::string text_;
  std::uint32_t line_ = 1;
};

}  // namespace

bool is_binary_script(std::string_view file) { return file.starts_with(tokens_magic); }

ConvertedText convert_binary_script(std::string_view file, const Decompressor *decompressor, std::size_t max_size) {
  Cursor cursor(bytes_of_text(file));
  cursor.take(tokens_magic.size());
  const auto version = cursor.read<std::uint32_t>();
  const auto unpacked_size = cursor.read<std::uint32_t>();
  if (!cursor.ok()) return {{}, "it is cut off"};
  if (version < first_version) return {{}, "its tokens are of an engine before Godot 4.3"};
  if (version > version_with_dots) return {{}, "its tokens are of a newer engine"};
  std::string_view contents = file.substr(tokens_header_size);
  std::string unpacked;
  if (unpacked_size != 0) {
    std::string problem =
        decompress_content(decompressor, &Decompressor::zstd, contents, unpacked_size, max_size, unpacked);
    if (!problem.empty()) return {{}, std::move(problem)};
    contents = unpacked;
  }
  BinaryScriptReader reader(contents, version, max_size);
  if (!reader.read()) return {{}, "its tokens cannot be read"};
  return {reader.take_text(), {}};
}

}  // namespace godot_codec::project
