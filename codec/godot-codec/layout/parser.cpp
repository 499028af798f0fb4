// SPDX-License-Identifier: MIT
#include "godot-codec/layout/parser.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "godot-codec/core/lexer.h"

namespace godot_codec::layout {
namespace {

using FieldKind = LayoutFieldKind;
using FieldType = LayoutFieldType;

struct TypeKeyword {
  std::string_view word;
  LayoutFieldType type;
  LayoutFieldKind kind;
  std::uint8_t size;
};

constexpr TypeKeyword type_words[] = {
    {"u8", FieldType::unsigned_number, FieldKind::unsigned_number, 1},
    {"u16", FieldType::unsigned_number, FieldKind::unsigned_number, 2},
    {"u32", FieldType::unsigned_number, FieldKind::unsigned_number, 4},
    {"u64", FieldType::unsigned_number, FieldKind::unsigned_number, 8},
    {"8", FieldType::signed_number, FieldKind::signed_number, 1},
    {"16", FieldType::signed_number, FieldKind::signed_number, 2},
    {"32", FieldType::signed_number, FieldKind::signed_number, 4},
    {"64", FieldType::signed_number, FieldKind::signed_number, 8},
    {"varint", FieldType::varint, FieldKind::unsigned_number, 0},
    {"half", FieldType::real, FieldKind::real, 2},
    {"float", FieldType::real, FieldKind::real, 4},
    {"double", FieldType::real, FieldKind::real, 8},
    {"string", FieldType::text, FieldKind::text, 0},
    {"utf8_string", FieldType::text, FieldKind::text, 0},
    {"cstring", FieldType::text_until_zero, FieldKind::text, 0},
    {"data", FieldType::data, FieldKind::opaque_bytes, 0},
    {"bits", FieldType::bits, FieldKind::unsigned_number, 0},
    {"var", FieldType::variant, FieldKind::variant, 0},
};

struct ComparisonOperator {
  std::string_view symbol;
  LayoutCondition condition;
};

constexpr ComparisonOperator comparisons[] = {
    {"==", {.accepts_equal = true}},  {"!=", {.accepts_less = true, .accepts_greater = true}},
    {"<", {.accepts_less = true}},    {"<=", {.accepts_less = true, .accepts_equal = true}},
    {">", {.accepts_greater = true}}, {">=", {.accepts_equal = true, .accepts_greater = true}},
    {"&", {.is_bit_test = true}},
};

// A longer token is invalid. This limits memory, because each use of a part copies its names and texts.
constexpr std::size_t max_token_size = 256;

// Returns the token as written in the file, including quotes.
std::string_view token_source(const Token &token) {
  if (token.kind != TokenKind::string) return token.text;
  return {token.text.data() - 1, token.text.size() + 2};
}

bool is_symbol(const Token &token, std::string_view symbol) {
  return token.kind == TokenKind::symbol && token.text == symbol;
}
bool is_heading(const Token &token) { return token.is_word("call") || token.is_word("raw") || token.is_word("part"); }

bool is_name(const Token &token) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return token.is_word() && token.text.size() <= max_token_size && token.text.front() > '9' &&
         std::ranges::all_of(token.text, is_part);
}

// Parses an integer. An unsigned value above the signed range keeps its 64 bits.
std::optional<std::int64_t> parse_number(const Token &token) {
  std::string_view digits = token.text;
  if (!token.is_word() || digits.size() > max_token_size) return std::nullopt;
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.remove_prefix(1);
  const int base = digits.starts_with("0x") ? 16 : digits.starts_with("0b") ? 2 : 10;
  if (base != 10) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

// Returns the content of a quoted text. Supports the escapes \0 \n \t \\ \" \xNN.
std::optional<std::string> parse_text(const Token &token) {
  if (token.kind != TokenKind::string || token_source(token).size() > max_token_size) return std::nullopt;
  std::string text;
  for (std::string_view rest = token.text; !rest.empty(); rest.remove_prefix(1)) {
    char c = rest.front();
    if (c == '\\') {
      rest.remove_prefix(1);
      c = rest.front();
      constexpr std::string_view letters = "0nt";
      constexpr std::string_view meanings("\0\n\t", 3);
      const std::size_t known = letters.find(c);
      if (known != std::string_view::npos) c = meanings[known];
      const std::string_view digits = rest.substr(1, 2);
      std::uint8_t code = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      if (rest.front() == 'x' && end == digits.data() + 2) {
        c = static_cast<char>(code);
        rest.remove_prefix(2);
      }
    }
    text += c;
  }
  return text;
}

std::string_view trim_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

// Quotes a word for an error message, shortened at a character boundary.
std::string quote(std::string_view word) {
  constexpr std::size_t longest = 60;
  if (word.size() <= longest) return "\"" + std::string(word) + "\"";
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) --end;
  return "\"" + std::string(word.substr(0, end)) + "…\"";
}

class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text) : text_(text), lexer_(text, Language::format_description) { advance(); }

  SyntaxTree parse() {
    while (token_.kind != TokenKind::end) {
      if (token_.is_symbol('\n')) {
        advance();
      } else if (!is_indented_ && accept_byte_order()) {
        is_big_endian_file_ = is_big_endian_;
      } else if (!is_indented_ && is_heading(token_)) {
        parse_block();
      } else {
        fail(is_indented_ ? "No line that begins with call, raw or part precedes this indented line"
                          : "A line without indentation must begin with call, raw or part");
        skip_block();
      }
    }
    return std::move(tree_);
  }

 private:
  void advance() {
    token_ = lexer_.next();
    if (token_.begins_line) is_indented_ = token_.indent > 0;
  }

  bool fail(std::string text) {
    tree_.errors.push_back({token_.line, std::move(text)});
    return false;
  }
  // Reports the expected and the found token.
  bool fail_expecting(std::string_view what) {
    const std::string found = is_at_end_of_line() ? "the end of the line" : quote(token_source(token_));
    return fail("Expected " + std::string(what) + ", found " + found);
  }

  // Skips to the next heading.
  void skip_block() {
    bool is_start = false;
    while (token_.kind != TokenKind::end) {
      if (is_start && !is_indented_ && is_heading(token_)) return;
      is_start = token_.is_symbol('\n');
      advance();
    }
  }

  bool accept(std::string_view symbol) {
    if (!is_symbol(token_, symbol)) return false;
    advance();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!token_.is_word(word)) return false;
    advance();
    return true;
  }
  bool expect(std::string_view symbol) { return accept(symbol) || fail_expecting("\"" + std::string(symbol) + "\""); }

  bool is_at_end_of_line() const { return token_.kind == TokenKind::end || token_.is_symbol('\n'); }

  bool accept_byte_order() {
    if (!token_.is_word("big_endian") && !token_.is_word("little_endian")) return false;
    is_big_endian_ = token_.is_word("big_endian");
    advance();
    return true;
  }

  // ---- Headings

  void parse_block() {
    SyntaxBlock block;
    block.layout.line = token_.line;
    is_big_endian_ = is_big_endian_file_;
    const std::string_view word = token_.text;
    advance();
    bool is_valid = word == "call" ? parse_call(block) : word == "raw" ? parse_port(block) : parse_part(block);
    if (is_valid && !is_at_end_of_line()) is_valid = fail_expecting("the end of the line");
    if (!is_valid) return skip_block();
    block.layout.is_incomplete = !parse_lines(block.fields);
    if (block.layout.is_incomplete) skip_block();
    if (block.fields.empty() && !block.layout.is_incomplete) {
      tree_.errors.push_back({block.layout.line, "No fields follow"});
    }
    tree_.blocks.push_back(std::move(block));
  }

  bool parse_part(SyntaxBlock &block) {
    if (!is_name(token_)) return fail_expecting("a part name");
    block.part = token_.text;
    for (const TypeKeyword &known : type_words) {
      if (known.word == block.part) return fail("\"" + block.part + "\" is the name of a type");
    }
    advance();
    return true;
  }

  bool parse_port(SyntaxBlock &block) {
    const std::int64_t port = parse_number(token_).value_or(0);
    const bool is_port = port > 0 && port <= std::numeric_limits<std::uint16_t>::max();
    if (!is_port) return fail_expecting("the port of the game server");
    block.layout.port = static_cast<std::uint16_t>(port);
    advance();
    return true;
  }

  // Parses "Main/World.blob" or "_submit_unreliable(4, bytes)". The name of a node may contain blanks.
  bool parse_call(SyntaxBlock &block) {
    if (is_at_end_of_line()) return fail_expecting("a method name");
    const std::uint32_t number = token_.line;
    std::string_view line = text_.substr(static_cast<std::size_t>(token_source(token_).data() - text_.data()));
    line = trim_trailing_blanks(line.substr(0, line.find_first_of("#\n")));
    while (!is_at_end_of_line()) advance();
    const std::size_t open = line.find('(');
    const std::string_view name = trim_trailing_blanks(line.substr(0, open));
    const std::size_t point = name.rfind('.');
    if (point != std::string_view::npos) block.layout.node = name.substr(0, point);
    block.layout.method = point == std::string_view::npos ? name : name.substr(point + 1);
    bool is_valid = !block.layout.method.empty() || fail("The method name is missing");
    if (is_valid && open != std::string_view::npos) is_valid = parse_arguments(block.layout, line.substr(open), number);
    return is_valid;
  }

  // Parses "(4, bytes)": values of arguments, _ for any value, and `bytes` for the argument with the custom format.
  bool parse_arguments(Layout &layout, std::string_view text, std::uint32_t line) {
    Lexer lexer(text, Language::format_description);
    static_cast<void>(lexer.next());
    const auto report = [&](const char *what) {
      tree_.errors.push_back({line, what});
      return false;
    };
    for (std::uint32_t index = 0;; ++index) {
      const Token value = lexer.next();
      const std::optional<std::int64_t> number = parse_number(value);
      if (std::optional<std::string> quoted_text = parse_text(value); number || quoted_text) {
        layout.conditions.push_back({index, number, std::move(quoted_text).value_or("")});
      } else if (value.is_word("bytes")) {
        layout.argument = index;
      } else if (!value.is_word("_")) {
        return report("An argument must be a number, a text in quotes, _ (any value) or bytes (the payload)");
      }
      const Token next = lexer.next();
      if (next.is_symbol(')')) return lexer.next().kind == TokenKind::end || report("Unexpected text after )");
      if (!next.is_symbol(',')) return report("A , or ) is missing between arguments");
    }
  }

  // ---- Fields

  // Parses the indented lines below a heading.
  // @returns false at the first error
  bool parse_lines(std::vector<SyntaxField> &fields) {
    for (;;) {
      while (token_.is_symbol('\n')) advance();
      if (token_.kind == TokenKind::end || !is_indented_) return true;
      if (accept_byte_order()) {
        if (!is_at_end_of_line()) return fail_expecting("the end of the line");
        continue;
      }
      if (!parse_field_into(fields, 0)) return false;
      if (!is_at_end_of_line()) return fail_expecting("the end of the line");
    }
  }

  // Parses "(slot: u8, name: string)", on one or several lines.
  bool parse_group(std::vector<SyntaxField> &fields, std::size_t nesting) {
    if (nesting >= LayoutFile::max_nesting) return fail("Parts are nested too deeply");
    if (!expect("(")) return false;
    for (;;) {
      while (token_.is_symbol('\n') || (token_.is_symbol(','))) advance();
      if (accept(")")) return !fields.empty() || fail("No fields between ( and )");
      if (!is_indented_ && is_heading(token_)) return fail("A ) is missing above");
      if (!parse_field_into(fields, nesting)) return false;
      const bool is_next = is_at_end_of_line() || token_.is_one_of(",)");
      if (!is_next || token_.kind == TokenKind::end) return fail_expecting("\",\" or \")\"");
    }
  }

  // Parses a field. If a group has an error, keeps the fields before the error.
  bool parse_field_into(std::vector<SyntaxField> &fields, std::size_t nesting) {
    SyntaxField field;
    const bool is_valid = parse_field(field, nesting);
    if (is_valid || !field.fields.empty()) fields.push_back(std::move(field));
    return is_valid;
  }

  bool parse_field(SyntaxField &field, std::size_t nesting) {
    field.line = token_.line;
    if (!is_name(token_)) return fail_expecting("a field name");
    field.node.name = token_.text;
    advance();
    if (!expect(":")) return false;
    if (!parse_count(field, nesting)) return false;
    field.node.is_big_endian = is_big_endian_;
    return parse_options(field);
  }

  // Parses a count and a type: "count * u8", "3 * u8", "all * u8", or "size bytes (…)".
  bool parse_count(SyntaxField &field, std::size_t nesting) {
    if (accept("*")) {
      field.node.count.emplace().source = LayoutCount::Source::to_end;
      return parse_type(field, nesting);
    }
    if (!is_name(token_) && !parse_number(token_)) return parse_type(field, nesting);
    const Token first = token_;
    advance();
    if (!token_.is_symbol('*')) return parse_type_after(field, first, nesting);
    if (!read_count(first, field.node.count.emplace(), field.count_name)) return false;
    advance();
    return parse_type(field, nesting);
  }

  // Reads a number, or the name of the field that has it.
  bool read_count(const Token &token, LayoutCount &count, std::string &name) {
    if (const std::optional<std::int64_t> number = parse_number(token)) {
      if (*number < 0) return fail("The number of elements must not be negative");
      count.number = static_cast<std::uint64_t>(*number);
    } else if (!is_name(token)) {
      return fail_expecting("a number or a field name");
    } else if (token.is_word("all")) {
      count.source = LayoutCount::Source::to_end;
    } else {
      count.source = LayoutCount::Source::slot;
      name = token.text;
    }
    return true;
  }

  bool parse_type(SyntaxField &field, std::size_t nesting) {
    if (token_.is_symbol('(')) return parse_group(field.fields, nesting + 1);
    if (!is_name(token_) && !parse_number(token_)) return fail_expecting("a type");
    const Token word = token_;
    advance();
    return parse_type_after(field, word, nesting);
  }

  // Parses a type.
  // @param word the type's first word, which was already taken
  bool parse_type_after(SyntaxField &field, const Token &word, std::size_t nesting) {
    if (!token_.is_word("bytes")) return parse_type_word(field, word);
    if (!read_count(word, field.node.length.emplace(), field.length_name)) return false;
    advance();
    return parse_group(field.fields, nesting + 1);
  }

  bool parse_type_word(SyntaxField &field, const Token &word) {
    const auto *const known =
        std::ranges::find_if(type_words, [&](const TypeKeyword &type) { return type.word == word.text; });
    if (known == std::end(type_words)) {
      if (is_name(word)) {
        field.part = word.text;
        return true;
      }
      return fail(quote(word.text) + " is not a type; integers have 8, 16, 32 or 64 bits");
    }
    field.node.type = known->type;
    field.node.size = known->size;
    field.kind = known->kind;
    if (known->word == "string" || known->word == "data" || known->word == "bits") return parse_length(field);
    return true;
  }

  // Parses the length after data, string and bits: "(16)", "(size)". Data without a length continues to the end.
  bool parse_length(SyntaxField &field) {
    LayoutFieldType &type = field.node.type;
    if (!accept("(")) {
      if (type == FieldType::bits) return fail_expecting("\"(\" and a number of bits");
      if (type == FieldType::data) field.node.length.emplace().source = LayoutCount::Source::to_end;
      return true;
    }
    LayoutCount &length = field.node.length.emplace();
    if (!read_count(token_, length, field.length_name)) return false;
    advance();
    if (type == FieldType::text) type = FieldType::text_of_length;
    const bool is_bits = length.source == LayoutCount::Source::number && length.number >= 1 && length.number <= 64;
    if (type == FieldType::bits && !is_bits) return fail("The number of bits must be 1 to 64");
    return expect(")");
  }

  // ---- Options after a type

  bool parse_options(SyntaxField &field) {
    for (;;) {
      if (accept_word("flags")) {
        field.node.is_flags = true;
        if (!parse_names(field)) return false;
      } else if (token_.is_symbol('{')) {
        if (!parse_names(field)) return false;
      } else if (accept("=")) {
        if (!parse_constant(field)) return false;
      } else if (accept_word("if")) {
        if (!parse_condition(field)) return false;
      } else {
        return true;
      }
    }
  }

  // Parses "{1: heal, 2: hit}".
  bool parse_names(SyntaxField &field) {
    if (!field.is_number()) return fail("Only integers can have names for their values");
    if (!expect("{")) return false;
    for (;;) {
      while (token_.is_symbol('\n') || (token_.is_symbol(','))) advance();
      if (accept("}")) return true;
      const std::optional<std::int64_t> number = parse_number(token_);
      if (!number) return fail_expecting("a number");
      if (field.node.is_flags && *number == 0) return fail("The value of a flag must not be 0");
      advance();
      if (!expect(":")) return false;
      const std::optional<std::string> text = parse_text(token_);
      if (!is_name(token_) && !text) return fail_expecting("a name");
      field.names.push_back({*number, text ? *text : std::string(token_.text)});
      if (field.node.is_flags && text) return fail("The name of a flag must be a word without quotes");
      advance();
    }
  }

  bool parse_constant(SyntaxField &field) {
    LayoutNode &node = field.node;
    if (field.is_number()) node.constant = parse_number(token_);
    const bool is_text = field.kind == FieldKind::text || field.kind == FieldKind::opaque_bytes;
    if (is_text) node.constant_text = parse_text(token_);
    if (!node.constant && !node.constant_text)
      return fail_expecting(field.is_number() ? "a number" : "a text in quotes");
    advance();
    return true;
  }

  // Parses "slot != 255", "kind == hit", "state & 2".
  bool parse_condition(SyntaxField &field) {
    if (!is_name(token_)) return fail_expecting("a field name");
    field.condition_name = token_.text;
    advance();
    const auto *const known =
        std::ranges::find_if(comparisons, [&](const auto &comparison) { return is_symbol(token_, comparison.symbol); });
    if (known == std::end(comparisons)) return fail_expecting("==, !=, <, <=, >, >= or &");
    LayoutCondition &condition = field.node.condition.emplace(known->condition);
    advance();
    const std::optional<std::int64_t> number = parse_number(token_);
    if (!number && !is_name(token_)) return fail_expecting("a number or the name of one");
    condition.number = number.value_or(0);
    field.condition_value = number ? "" : token_.text;
    advance();
    return true;
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  bool is_indented_ = false;  // the token's line is indented
  SyntaxTree tree_;
  bool is_big_endian_file_ = false;
  bool is_big_endian_ = false;
};

}  // namespace

SyntaxTree parse_layout_file(std::string_view text) { return LayoutParser(text).parse(); }

}  // namespace godot_codec::layout
