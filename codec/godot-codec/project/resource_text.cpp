// SPDX-License-Identifier: MIT
#include "godot-codec/project/resource_text.h"

#include <algorithm>
#include <charconv>

#include "godot-codec/project/names.h"

namespace godot_codec::project {
namespace {

using Kind = ResourceValue::Kind;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool is_value_character(char c) { return is_word_character(c) || c == '.' || c == '+' || c == '-'; }

}  // namespace

std::string ResourceItem::text_of(std::string_view field) const {
  const auto found = fields.find(field);
  if (found == fields.end()) return {};
  return found->second.kind == Kind::integer ? std::to_string(found->second.integer) : found->second.text;
}

ResourceReader::ResourceReader(std::string_view source) : source_(without_byte_order_mark(source)) {}

bool ResourceReader::take(char expected) {
  if (is_end() || peek() != expected) return false;
  ++offset_;
  return true;
}

void ResourceReader::skip_blanks() {
  while (!is_end()) {
    if (peek() == ';') {
      offset_ = std::min(source_.find('\n', offset_), source_.size());
    } else if (is_blank(peek())) {
      ++offset_;
    } else {
      return;
    }
  }
}

bool ResourceReader::next(ResourceItem &item) {
  item = {};
  skip_blanks();
  if (is_end()) return false;
  line_ += static_cast<std::uint32_t>(std::ranges::count(source_.substr(counted_, offset_ - counted_), '\n'));
  counted_ = offset_;
  item.line = line_;
  item.is_tag = take('[');
  if (item.is_tag) {
    read_tag(item);
  } else {
    read_key(item);
  }
  return true;
}

// [autoload], [node name="A" groups=["a]"]]
void ResourceReader::read_tag(ResourceItem &item) {
  while (!is_end()) {
    skip_blanks();
    if (is_end() || take(']')) return;
    const std::string name(read_word());
    skip_blanks();
    if (name.empty()) {
      ++offset_;
    } else if (take('=')) {
      ResourceValue value = read_value();
      item.fields.insert_or_assign(name, std::move(value));
    } else if (item.name.empty()) {
      item.name = name;
    }
  }
}

// A key ends at its =, whatever else is in it.
void ResourceReader::read_key(ResourceItem &item) {
  while (!is_end() && peek() != '=' && peek() != '\n') {
    if (peek() == '"') {
      item.name += read_string();
    } else {
      if (!is_blank(peek())) item.name.push_back(peek());
      ++offset_;
    }
  }
  if (take('=')) item.value = read_value();
}

std::string_view ResourceReader::read_word() {
  const std::size_t start = offset_;
  while (!is_end() && is_value_character(peek())) ++offset_;
  return source_.substr(start, offset_ - start);
}

std::string ResourceReader::read_string() {
  take('"');
  const std::size_t start = offset_;
  bool is_over = false;
  while (!is_over) {
    const std::size_t quote = std::min(source_.find('"', offset_), source_.size());
    const std::size_t backslash = source_.substr(offset_, quote - offset_).find('\\');
    is_over = backslash == std::string_view::npos;
    offset_ = is_over ? quote : std::min(offset_ + backslash + 2, source_.size());
  }
  const std::string_view text = source_.substr(start, offset_ - start);
  take('"');
  return unescape(text);
}

ResourceValue ResourceReader::read_value() {
  ResourceValue value;
  skip_blanks();
  const bool is_path = take('^');
  if (!is_path) take('&');
  if (peek() == '"') {
    value.kind = is_path ? Kind::node_path : Kind::string;
    value.text = read_string();
    return value;
  }
  const std::string_view word = read_word();
  std::string first_word;
  // Array[int]([1, 2]) has brackets twice.
  while (peek() == '(' || peek() == '[' || peek() == '{') {
    value.kind = Kind::other;
    read_brackets(value, first_word);
    if (word.empty()) return value;
  }
  if (word == "null" || word == "nil") value.kind = Kind::null;
  if (word == "true" || word == "false") {
    value.kind = Kind::boolean;
    value.integer = word == "true" ? 1 : 0;
  } else if (const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value.integer);
             error == std::errc() && end == word.data() + word.size()) {
    value.kind = Kind::integer;
  }
  if (word == "NodePath") value.kind = Kind::node_path;
  if (word == "ExtResource") value.kind = Kind::external;
  if (word == "SubResource") value.kind = Kind::internal;
  if (value.kind == Kind::node_path || value.kind == Kind::external || value.kind == Kind::internal) {
    value.text = value.texts.empty() ? first_word : value.texts.front();
  }
  if (word.empty() && !is_end() && peek() != ']') ++offset_;  // nothing that a value begins with
  return value;
}

// From a bracket to the one that closes it.
void ResourceReader::read_brackets(ResourceValue &value, std::string &first_word) {
  std::size_t depth = 0;
  do {
    const char c = peek();
    if (c == '"') {
      value.texts.push_back(read_string());
      continue;
    }
    if (c == ';') {
      skip_blanks();
      continue;
    }
    if (is_value_character(c)) {
      const std::string_view word = read_word();
      if (first_word.empty()) first_word = word;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    ++offset_;
  } while (depth > 0 && !is_end());
}

}  // namespace godot_codec::project
