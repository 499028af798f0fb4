// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "godot-codec/project/limits.h"
#include "godot-codec/project/names.h"
#include "godot-codec/project/property_types.h"
#include "godot-codec/project/script.h"

namespace godot_codec::project {
namespace {

struct Token {
  std::string_view text;  // a word, or one character that is neither white nor in a comment; empty at the end
  bool is_word = false;
  std::uint32_t line = 1;

  [[nodiscard]] bool is(std::string_view wanted) const { return text == wanted; }
};

// Words and symbols; comments, lines of the preprocessor and texts are passed over, these as one `"`.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(without_byte_order_mark(source)) {}

  Token next() {
    skip_blanks();
    Token token{{}, false, line_};
    if (offset_ >= source_.size()) return token;
    is_line_start_ = false;
    const std::size_t start = offset_;
    if (skip_text()) {
      token.text = "\"";
      return token;
    }
    token.is_word = is_word_character(peek());
    do {
      ++offset_;
    } while (token.is_word && offset_ < source_.size() && is_word_character(peek()));
    token.text = source_.substr(start, offset_ - start);
    token.is_word = token.is_word && token.text.size() <= max_word_size;
    return token;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return ahead < source_.size() - offset_ ? source_[offset_ + ahead] : '\0';
  }

  void advance_to(std::size_t end) {
    end = std::min(end, source_.size());
    const std::string_view passed = source_.substr(offset_, end - offset_);
    line_ += static_cast<std::uint32_t>(std::count(passed.begin(), passed.end(), '\n'));
    offset_ = end;
  }

  // npos stays npos.
  [[nodiscard]] std::size_t end_of(std::string_view what, std::size_t from) const {
    const std::size_t found = source_.find(what, std::min(from, source_.size()));
    return found == std::string_view::npos ? found : found + what.size();
  }

  void skip_blanks() {
    for (;;) {
      const char c = peek();
      if (source_.substr(offset_).starts_with("/*")) {
        advance_to(end_of("*/", offset_ + 2));
      } else if (source_.substr(offset_).starts_with("//") || (c == '#' && is_line_start_)) {
        advance_to(source_.find('\n', offset_));
      } else if (offset_ < source_.size() && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) {
        is_line_start_ = is_line_start_ || c == '\n';
        advance_to(offset_ + 1);
      } else {
        return;
      }
    }
  }

  // "…", @"…", $"…", $@"…", """…""", '…'
  bool skip_text() {
    std::size_t prefix = 0;
    while (peek(prefix) == '@' || peek(prefix) == '$') ++prefix;
    const char quote = peek(prefix);
    if (quote != '"' && (quote != '\'' || prefix > 0)) return false;
    const std::string_view marks = source_.substr(offset_, prefix);
    const bool is_verbatim = marks.find('@') != std::string_view::npos;
    std::size_t start = offset_ + prefix;
    std::size_t quotes = 0;
    while (start + quotes < source_.size() && source_[start + quotes] == '"') ++quotes;
    if (quotes >= 3 && !is_verbatim) {
      advance_to(end_of(source_.substr(start, quotes), start + quotes));
    } else {
      skip_plain_text(start + 1, quote, is_verbatim, marks.find('$') != std::string_view::npos);
    }
    return true;
  }

  void skip_plain_text(std::size_t from, char quote, bool is_verbatim, bool has_holes) {
    std::size_t holes = 0;    // of $"…{value}…" that are open
    bool is_in_hole = false;  // in a text in one: $"{names["a"]}"
    for (; from < source_.size(); ++from) {
      const char c = source_[from];
      const bool is_double = from + 1 < source_.size() && source_[from + 1] == c;
      if (c == '\\' && !is_verbatim) {
        ++from;
      } else if (c == '\n' && !is_verbatim) {
        break;  // not closed: what follows is read again as code
      } else if (c == quote && holes > 0) {
        is_in_hole = !is_in_hole;
      } else if (c == quote) {
        if (!is_verbatim || !is_double) break;
        ++from;
      } else if (has_holes && !is_in_hole && c == '{') {
        if (holes == 0 && is_double) {
          ++from;
        } else {
          ++holes;
        }
      } else if (!is_in_hole && c == '}' && holes > 0) {
        --holes;
      }
    }
    advance_to(from < source_.size() ? from + 1 : from);
  }

  std::string_view source_;
  std::size_t offset_ = 0;
  std::uint32_t line_ = 1;
  bool is_line_start_ = true;
};

// Words that are no type in front of a member's name.
constexpr std::array<std::string_view, 13> modifiers = {"public",   "private", "protected", "internal", "async",
                                                        "override", "virtual", "partial",   "sealed",   "unsafe",
                                                        "static",   "new",     "abstract"};

class Reader {
 public:
  Reader(std::string_view source, std::string_view file_name)
      : lexer_(source), token_(lexer_.next()), file_name_(file_name) {
    result_.classes.emplace_back();
  }

  ScriptSource read() {
    while (!is_end()) read_next();
    return std::move(result_);
  }

 private:
  // What a brace has opened.
  struct Block {
    bool is_class = false;
    std::size_t index = 0;
  };

  [[nodiscard]] bool is_end() const { return token_.text.empty(); }

  Token take() {
    last_ = std::exchange(token_, lexer_.next());
    return last_;
  }

  [[nodiscard]] bool is_in_class() const { return !blocks_.empty() && blocks_.back().is_class; }

  void read_next() {
    if (token_.is("}")) {
      take();
      if (!blocks_.empty()) blocks_.pop_back();
      start_member();
    } else if (token_.is("{")) {
      add_variable();
      take();
      blocks_.push_back({});
      start_member();
    } else if (token_.is(";")) {
      add_variable();
      take();
      start_member();
    } else if (token_.is("[") && is_member_start_) {
      read_attributes();
    } else if (token_.is("class") && !last_.is(":") && !last_.is(",")) {
      read_class();
    } else if (is_in_class() && !is_declared_) {
      read_declaration();
    } else {
      take();
      is_member_start_ = false;
    }
  }

  // A token of a member's declaration, up to its parameters or its value.
  void read_declaration() {
    is_member_start_ = false;
    if (token_.is("<") || (token_.is("(") && name_.text.empty())) {
      // Types of a generic, or the type of a method that returns several: (int, int) Both()
      skip_brackets();
    } else if (token_.is("(")) {
      add_method();
      skip_brackets();
      is_declared_ = true;
    } else {
      if (token_.is("=")) add_variable();
      const Token before = last_;
      const Token token = take();
      if (token.is_word) read_type(before);
      is_static_ = is_static_ || token.is("static");
      is_declared_ = token.is("=");
      const bool is_modifier = std::find(modifiers.begin(), modifiers.end(), token.text) != modifiers.end();
      if (token.is_word) name_ = is_modifier ? Token{} : token;
    }
  }

  // Of a word that may be a member's name. @param before the token in front of it
  void read_type(const Token &before) {
    type_ = before.is_word && !is_type_qualified_ ? before.text : "";
    is_type_qualified_ = before.is(".");
  }

  // A field or a property, where what has been read so far ends with its type and name.
  void add_variable() {
    const bool is_named = is_in_class() && !is_declared_ && !name_.text.empty() && last_.text == name_.text;
    if (!is_named || is_static_) return;
    const ValueTypes types = types_of_csharp(type_);
    if (types.is_any()) return;
    result_.classes[blocks_.back().index].variables.insert_or_assign(std::string(name_.text), types);
  }

  void add_method() {
    ScriptClass &owner = result_.classes[blocks_.back().index];
    owner.functions.emplace_back(name_.text);
    if (mark_ && !is_static_) owner.methods.push_back({std::string(name_.text), *mark_, name_.line});
  }

  void skip_brackets() {
    std::size_t depth = 0;
    do {
      const Token token = take();
      if (token.is("<") || token.is("(")) ++depth;
      if (token.is(">") || token.is(")")) --depth;
    } while (depth > 0 && !is_end());
  }

  void start_member() {
    is_member_start_ = true;
    is_static_ = is_declared_ = false;
    name_ = {};
    type_ = {};
    is_type_qualified_ = false;
    mark_.reset();
  }

  // [Export, Rpc(MultiplayerApi.RpcMode.AnyPeer, CallLocal = true)]
  void read_attributes() {
    std::size_t depth = 0;
    bool is_name = true;  // rather than an argument
    do {
      const Token token = take();
      if (token.is("[") || token.is("(")) ++depth;
      if (token.is("]") || token.is(")")) --depth;
      if (depth == 1 && (token.is("Rpc") || token.is("RpcAttribute")) && is_name && !token_.is(".")) {
        mark_.emplace().transfer = TransferMode::reliable;  // unlike GDScript's, without arguments
        if (token_.is("(")) read_arguments(*mark_);
      }
      is_name = depth == 1 && !token.is_word;
    } while (depth > 0 && !is_end());
  }

  void read_arguments(RpcConfig &config) {
    std::size_t depth = 0;
    std::string_view name;
    do {
      const Token token = take();
      if (token.is("(")) ++depth;
      if (token.is(")")) --depth;
      if (token.is("=")) continue;
      if (token_.is("=")) name = token.text;
      if (token.is("AnyPeer")) config.mode = RpcMode::any_peer;
      if (token.is("Authority")) config.mode = RpcMode::authority;
      if (token.is("Disabled")) config.mode = RpcMode::disabled;
      if (token.is("Reliable")) config.transfer = TransferMode::reliable;
      if (token.is("Unreliable")) config.transfer = TransferMode::unreliable;
      if (token.is("UnreliableOrdered")) config.transfer = TransferMode::unreliable_ordered;
      if (name == "CallLocal" && (token.is("true") || token.is("false"))) config.is_call_local = token.is("true");
      if (name == "TransferChannel") {
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), config.channel);
      }
    } while (depth > 0 && !is_end());
  }

  // partial class Player<T> : Base<T>, IThing where T : class {
  void read_class() {
    take();
    const std::string name(token_.text);
    take();
    ClassReference base;
    bool is_base = false;
    std::size_t depth = 0;
    while (!is_end() && !token_.is("{") && !token_.is(";")) {
      const Token token = take();
      if (token.is("<") || token.is("(")) ++depth;
      if ((token.is(">") || token.is(")")) && depth > 0) --depth;
      if (depth > 0) continue;
      if (token.is("where") || token.is(",")) is_base = false;
      // Of a name with dots the last one.
      if (is_base && token.is_word) base.names = {std::string(token.text)};
      if (token.is(":") && base.empty() && !token_.is("class")) is_base = true;
    }
    const std::size_t index = add_class(name, std::move(base));
    if (token_.is("{")) {
      take();
      blocks_.push_back({true, index});
    }
    start_member();
  }

  // A partial class may come several times, and only one of them tells the base.
  std::size_t add_class(const std::string &name, ClassReference base) {
    const std::size_t outer = is_in_class() ? blocks_.back().index : 0;
    std::size_t index = 0;
    if (const auto found = result_.classes[outer].inner.find(name); found != result_.classes[outer].inner.end()) {
      index = found->second;
    } else if (name != file_name_ || is_in_class()) {
      index = result_.classes.size();
      result_.classes[outer].inner.emplace(name, index);
      result_.classes.emplace_back();
    }
    ScriptClass &added = result_.classes[index];
    added.name = name;
    added.outer = outer;
    if (added.base.empty()) added.base = std::move(base);
    return index;
  }

  Lexer lexer_;
  Token token_, last_, name_;
  std::string_view file_name_;
  std::string_view type_;           // the word in front of name_, if that may be its type
  bool is_type_qualified_ = false;  // the last word has a namespace or a class in front of it
  ScriptSource result_;
  std::vector<Block> blocks_;
  std::optional<RpcConfig> mark_;
  bool is_member_start_ = true;
  bool is_static_ = false;
  bool is_declared_ = false;  // the member's name is known; what follows is its body or value
};

}  // namespace

ScriptSource read_csharp(std::string_view source, std::string_view file_name) {
  return Reader(source, file_name).read();
}

}  // namespace godot_codec::project
