// SPDX-License-Identifier: MIT
#include "godot-codec/variant/message_kind_text.h"

#include <algorithm>
#include <string_view>

#include "godot-codec/variant/dialect.h"

namespace godot_codec {
namespace {

// Keys that games use for the name of a message, most likely first.
constexpr std::string_view message_name_keys[] = {
    "cmd",    "command", "msg_type", "message_type", "type",   "action", "event", "op", "opcode",
    "packet", "kind",    "msg",      "rpc",          "method", "topic",  "a",     "t"};
// In bytes. A longer text is probably chat or other input, not the name of a message.
constexpr std::size_t max_word = 32;
constexpr std::size_t max_shown_items = 12;  // maximum number of keys, or of element types

bool is_short_text(const VariantValue &value) {
  const bool is_text = value.type() == Type::string || value.type() == Type::string_name;
  return is_text && !value.text().empty() && value.text().size() <= max_word && is_plain_text(value.text());
}

bool is_message_name(const VariantValue &value) { return is_short_text(value) || value.type() == Type::integer; }

class MessageKindWriter {
 public:
  MessageKindWriter(TextBuffer &text, Dialect dialect) : text_(text), dialect_(dialect) {}

  void write(const VariantValue &root) {
    if (root.type() == Type::dictionary) return write_dictionary(root);
    if (root.type() == Type::array) return write_array(root);
    text_.append(type_name(dialect_, root.type()));
  }

 private:
  void write_message_name(const VariantValue &value) {
    if (value.type() == Type::integer) return text_.append_integer(value.integer());
    text_.append_quoted(value.text());
  }

  void write_dictionary(const VariantValue &root) {
    for (const std::string_view key : message_name_keys) {
      const VariantValue *value = root.find(key);
      if (value == nullptr || !is_message_name(*value)) continue;
      text_.append("{");
      text_.append(key);
      text_.append(": ");
      write_message_name(*value);
      return text_.append("}");
    }
    write_list("{", "}", root.entries(), [&](const ValueEntry &entry) {
      if (is_message_name(entry.key) && entry.key.type() != Type::integer) {
        text_.append_escaped(entry.key.text(), false);
      } else {
        text_.append(type_name(dialect_, entry.key.type()));
      }
    });
  }

  void write_array(const VariantValue &root) {
    if (!root.elements().empty() && is_short_text(root.elements().front())) {
      text_.append("[");
      write_message_name(root.elements().front());
      return text_.append(root.elements().size() > 1 ? ", …]" : "]");
    }
    write_list("[", "]", root.elements(),
               [&](const VariantValue &each) { text_.append(type_name(dialect_, each.type())); });
  }

  template <typename Part, typename Write>
  void write_list(std::string_view begin, std::string_view end, std::span<const Part> parts, const Write &write) {
    text_.append(begin);
    for (std::size_t i = 0; i < std::min(parts.size(), max_shown_items); ++i) {
      if (i > 0) text_.append(", ");
      write(parts[i]);
    }
    if (parts.size() > max_shown_items) text_.append(", …");
    text_.append(end);
  }

  TextBuffer &text_;
  Dialect dialect_;
};

}  // namespace

void append_message_kind(TextBuffer &buffer, Dialect dialect, const VariantValue *root) {
  if (root == nullptr) return buffer.append("(unreadable)");
  MessageKindWriter(buffer, dialect).write(*root);
}

}  // namespace godot_codec
