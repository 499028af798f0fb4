// SPDX-License-Identifier: MIT
#include "godot-codec/project/resource_text.h"

#include <optional>
#include <utility>

#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
std::string ResourceItem::field_text(std::string_view field) const {
  const auto found = fields.find(field);
  if (found == fields.end()) return {};
  return found->second.kind == ResourceValueKind::integer ? std::to_string(found->second.integer) : found->second.text;
}

ResourceReader::ResourceReader(std::string_view source) : lexer_(source, Language::resource), token_(lexer_.next()) {}

Token ResourceReader::take() { return std::exchange(token_, lexer_.next()); }

bool ResourceReader::take(char symbol) {
  const bool is_there = token_.is_symbol(symbol);
  if (is_there) take();
  return is_there;
}

bool ResourceReader::next(ResourceItem &item) {
  item = {};
  if (token_.kind == TokenKind::end) return false;
  item.line = token_.line;
  item.is_tag = take('[');
  if (item.is_tag) {
    read_tag(item);
  } else {
    item.name = read_key();
    if (take('=')) item.value = read_value();
  }
  return true;
}

// Reads a tag such as `[autoload]` or `[node name="A" groups=["a"]]`.
void ResourceReader::read_tag(ResourceItem &item) {
  while (token_.kind != TokenKind::end && !take(']')) {
    const Token name = take();
    if (!name.is_word()) continue;
    if (take('=')) {
      item.fields.insert_or_assign(std::string(name.text), read_value());
    } else if (item.name.empty()) {
      item.name = name.text;
    }
  }
}

// Reads a key, which extends up to the `=` and may consist of several tokens.
std::string ResourceReader::read_key() {
  std::string key;
  for (const std::uint32_t line = token_.line; token_.line == line && !token_.is_symbol('=');) {
    if (token_.kind == TokenKind::end) break;
    const Token part = take();
    key += part.kind == TokenKind::string ? unescape(part.text) : std::string(part.text);
  }
  return key;
}

ResourceValue ResourceReader::read_value() {
  ResourceValue value;
  const bool is_path = take('^');
  if (!is_path) static_cast<void>(take('&'));
  if (token_.kind == TokenKind::string) {
    value.kind = is_path ? ResourceValueKind::node_path : ResourceValueKind::string;
    value.text = unescape(take().text);
    return value;
  }
  const std::uint32_t line = token_.line;
  const std::string_view word = token_.is_word() ? take().text : std::string_view();
  std::string_view first_word;
  // A typed array has two pairs of brackets: Array[int]([1, 2])
  while (token_.is_one_of("([{") && token_.line == line) {
    read_brackets(value, first_word);
    if (word.empty()) return value;
  }
  if (word == "null" || word == "nil") value.kind = ResourceValueKind::null;
  if (word == "true" || word == "false") {
    value.kind = ResourceValueKind::boolean;
    value.integer = word == "true" ? 1 : 0;
  } else if (const std::optional<std::int64_t> integer = parse_integer<std::int64_t>(word)) {
    value.kind = ResourceValueKind::integer;
    value.integer = *integer;
  }
  if (word == "NodePath") value.kind = ResourceValueKind::node_path;
  if (word == "ExtResource") value.kind = ResourceValueKind::external;
  if (word == "SubResource") value.kind = ResourceValueKind::internal;
  if (value.kind == ResourceValueKind::node_path || value.kind == ResourceValueKind::external ||
      value.kind == ResourceValueKind::internal) {
    value.text = value.texts.empty() ? first_word : value.texts.front();
  }
  if (word.empty() && !token_.is_symbol(']')) take();  // skips a token that cannot start a value
  return value;
}

// Skips to the bracket that closes the current bracket. Collects the strings and the first word.
void ResourceReader::read_brackets(ResourceValue &value, std::string_view &first_word) {
  const std::size_t depth = token_.depth;
  do {
    const Token token = take();
    if (token.kind == TokenKind::string) value.texts.push_back(unescape(token.text));
    if (token.is_word() && first_word.empty()) first_word = token.text;
  } while (token_.depth > depth && token_.kind != TokenKind::end);
}

}  // namespace godot_codec::project
