// SPDX-License-Identifier: MIT
#include "godot-codec/variant/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace godot_codec {
namespace {

constexpr std::string_view ellipsis = "\u2026";
constexpr std::size_t max_brief_string = 64;
constexpr std::int64_t max_brief_elements = 16;  // of a packed array, to be worth reading

// What would change how the text around it is shown: control characters, line and paragraph separators, marks and
// overrides of the writing direction, the byte order mark.
constexpr bool needs_escape(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

char32_t decode_utf8(std::string_view sequence) {
  constexpr std::array<unsigned, 5> lead_masks = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t c = static_cast<std::uint8_t>(sequence[0]) & lead_masks[sequence.size()];
  for (const char byte : sequence.substr(1)) c = c << 6 | (static_cast<std::uint8_t>(byte) & 0x3f);
  return c;
}

// The escape sequence of a character or byte. @returns a view into memory
std::string_view escape(char32_t c, char letter, std::size_t digits, std::array<char, 8> &memory) {
  constexpr std::string_view hex = "0123456789abcdef";
  memory[0] = '\\';
  memory[1] = letter;
  for (std::size_t i = 0; i < digits; ++i) memory[2 + i] = hex[c >> (4 * (digits - 1 - i)) & 0xf];
  return {memory.data(), 2 + digits};
}

std::string_view escape_character(char32_t c, std::array<char, 8> &memory) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return escape(c, 'u', 4, memory);
  }
}

// Decimal digits and exponent as the shortest scientific text gives them, written as a person would:
// 100000 and 0.0001 plainly, 1e+15 and 1e-05 with an exponent, where Godot's var_to_str() changes over, too.
std::string_view write_real(double value, bool is_single, std::array<char, 48> &out) {
  constexpr int min_plain = -4;
  constexpr int max_plain = 14;
  std::array<char, 32> scientific{};
  const std::to_chars_result end = is_single ? std::to_chars(scientific.data(), scientific.data() + scientific.size(),
                                                             static_cast<float>(value), std::chars_format::scientific)
                                             : std::to_chars(scientific.data(), scientific.data() + scientific.size(),
                                                             value, std::chars_format::scientific);
  const std::string_view text{scientific.data(), static_cast<std::size_t>(end.ptr - scientific.data())};
  const std::size_t e = text.find('e');
  int exponent = 0;
  const bool has_plus = text[e + 1] == '+';
  std::from_chars(text.data() + e + (has_plus ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < min_plain || exponent > max_plain) {
    std::copy(text.begin(), text.end(), out.begin());
    return {out.data(), text.size()};
  }
  const std::to_chars_result plain =
      is_single
          ? std::to_chars(out.data(), out.data() + out.size(), static_cast<float>(value), std::chars_format::fixed)
          : std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::fixed);
  return {out.data(), static_cast<std::size_t>(plain.ptr - out.data())};
}

// How the components of a type are grouped in a script: Transform2D(Vector2(1, 0), …).
struct Grouping {
  std::size_t size;  // 0: not grouped
  std::string_view name;
};

constexpr Grouping grouping(Type type) {
  switch (type) {
    case Type::transform2d:
      return {2, "Vector2"};
    case Type::aabb:
    case Type::basis:
    case Type::transform3d:
      return {3, "Vector3"};
    case Type::projection:
      return {4, "Vector4"};
    default:
      return {0, {}};
  }
}

// The lowest Field of a type's components: they are declared in a script's order.
Field first_component(Type type) {
  const std::span<const Field> fields = components(type);
  return *std::min_element(fields.begin(), fields.end());
}

// Writes a value's text from its events; stops the walk where the text is full.
class TextSink final : public VariantSink {
 public:
  TextSink(TextBuffer &buffer, const WalkOptions &options, TextStyle style, bool is_summary)
      : buffer_(buffer), dialect_(options.dialect), style_(style), is_summary_(is_summary) {}

  Verdict on_event(const Event &event) override {
    switch (event.kind) {
      case Event::Kind::begin_value:
        begin_value(event);
        break;
      case Event::Kind::end_value:
        end_value(event);
        break;
      case Event::Kind::begin_entry:
        if (event.index > 0) buffer_.append(", ");
        components_.clear();
        break;
      case Event::Kind::end_entry:
        if (event.role == Role::element) write_components(packed_element(event.type));
        break;
      case Event::Kind::field:
        write_field(event);
        break;
      case Event::Kind::note:
        break;
    }
    if (buffer_.is_full() || is_enough_) return Verdict::stop;
    return is_left_out_ && event.kind == Event::Kind::field ? Verdict::skip : Verdict::proceed;
  }

 private:
  [[nodiscard]] bool is_brief() const { return style_ == TextStyle::brief; }
  [[nodiscard]] bool is_summary_root(const Event &event) const { return is_summary_ && event.depth == 0; }
  [[nodiscard]] bool is_bare(const Event &event) const {
    return style_ == TextStyle::plain && event.depth == 0 && !is_packed(event.type);
  }

  void begin_value(const Event &event) {
    if (event.role == Role::element && event.index > 0) buffer_.append(", ");
    components_.clear();
    is_key_ = event.role == Role::key;
    is_typed_ = false;
    awaits_count_ = has_count(event.type);
    if (is_summary_root(event)) {
      if (!names_itself(event.type)) buffer_.append(event.text);
      if (!names_itself(event.type) && !has_count(event.type) && event.type != Type::nil) buffer_.append(" ");
    } else if (is_packed(event.type)) {
      if (!is_brief()) buffer_.append(event.text);
    } else if (event.type == Type::nil) {
      buffer_.append("null");
    }
    if (event.type == Type::callable) buffer_.append("Callable()");
    if (event.type == Type::rid && !dialect_table(dialect_).rid_has_id) buffer_.append("RID()");
    if (event.type == Type::node_path && !is_bare(event)) {
      buffer_.append(dialect_table(dialect_).node_path_sigil);
      buffer_.append("\"");
    }
  }

  static constexpr bool has_count(Type type) {
    return is_packed(type) || type == Type::array || type == Type::dictionary;
  }

  // Types whose text begins with what they are.
  static constexpr bool names_itself(Type type) {
    return type == Type::callable || type == Type::rid || type == Type::object || type == Type::signal;
  }

  void end_value(const Event &event) {
    if (has_count(event.type) && awaits_count_) {
      // Cut before the count, which opens the brackets. Of the containers around it all counts were read.
      if (is_typed_ && (!is_brief() || is_summary_root(event))) buffer_.append("]");
      awaits_count_ = false;
    } else if (is_left_out_) {
      is_left_out_ = false;
    } else if (event.type == Type::dictionary || event.type == Type::array) {
      buffer_.append(event.type == Type::dictionary ? "}" : "]");
      if (is_typed_container(event) && !is_brief()) buffer_.append(")");
    } else if (is_packed(event.type)) {
      buffer_.append(is_brief() ? "]" : "])");
    } else if (event.type == Type::node_path) {
      if (!is_bare(event)) buffer_.append("\"");
    } else if (event.type == Type::object) {
      // Nothing but a header and the length of an empty class name: a null object.
      constexpr std::size_t null_object_size = 8;
      const bool is_full = (event.header & header_flag_object_id) == 0 && event.range.length > null_object_size;
      if (is_full) buffer_.append(")");
    } else if (!components(event.type).empty()) {
      write_components(event.type);
    }
    if (event.role == Role::key) buffer_.append(": ");
  }

  [[nodiscard]] bool is_typed_container(const Event &event) const {
    return (event.header & header_mask_types & known_header_flags(event.type, dialect_)) != 0;
  }

  void write_components(Type type) {
    components_.append_to(buffer_, dialect_, type, style_);
    components_.clear();
  }

  void write_field(const Event &event) {
    if (components_.add(event)) return;
    switch (event.field) {
      case Field::boolean:
        buffer_.append(event.integer != 0 ? "true" : "false");
        break;
      case Field::integer:
        separate_packed(event);
        buffer_.append_integer(event.integer);
        break;
      case Field::real:
        separate_packed(event);
        buffer_.append_real(event.real, event.is_single, !is_packed(event.type));
        break;
      case Field::rid:
        buffer_.append("RID(");
        buffer_.append_unsigned(static_cast<std::uint64_t>(event.integer));
        buffer_.append(")");
        break;
      case Field::object_id:
        write_object_id(event.integer);
        break;
      case Field::count:
        write_count(event);
        break;
      case Field::bytes:
        write_bytes(event.text);
        break;
      default:
        write_text_field(event);
        break;
    }
  }

  void write_object_id(std::int64_t id) {
    if (id == 0) {
      buffer_.append("null");
      return;
    }
    buffer_.append("<Object#");
    buffer_.append_integer(id);
    buffer_.append(">");
  }

  void write_text_field(const Event &event) {
    switch (event.field) {
      case Field::string:
        separate_packed(event);
        write_string(event, "");
        break;
      case Field::string_name:
        write_string(event, is_brief() ? "" : "&");
        break;
      case Field::node_path:
        buffer_.append_escaped(event.text, !is_bare(event));
        break;
      case Field::node_path_flags:
        if ((event.integer & 1) != 0) buffer_.append("/");
        break;
      case Field::node_path_name:
        if (event.index > 0) buffer_.append("/");
        buffer_.append_escaped(event.text, !is_bare(event));
        break;
      case Field::node_path_subname:
        buffer_.append(":");
        buffer_.append_escaped(event.text, !is_bare(event));
        break;
      case Field::object_class:
        write_object_class(event);
        break;
      case Field::object_property:
        buffer_.append(", ");
        if (!is_brief()) buffer_.append("\"");
        buffer_.append_escaped(event.text, !is_brief());
        buffer_.append(is_brief() ? ": " : "\": ");
        break;
      case Field::signal_name:
        signal_name_ = event.text;
        break;
      case Field::signal_object_id:
        buffer_.append("Signal(<Object#");
        buffer_.append_integer(event.integer);
        buffer_.append(">, \"");
        buffer_.append_escaped(signal_name_, true);
        buffer_.append("\")");
        break;
      case Field::element_type:
      case Field::key_type:
      case Field::value_type:
        write_container_type(event);
        break;
      default:
        break;
    }
  }

  void write_object_class(const Event &event) {
    if (event.text.empty()) {
      buffer_.append("null");
      return;
    }
    is_enough_ = is_bare(event);
    if (!is_enough_) buffer_.append("Object(");
    buffer_.append_escaped(event.text, false);
  }

  // "[int", and for a Dictionary's value ", int".
  void write_container_type(const Event &event) {
    const bool is_lone_value = event.field == Field::value_type && !is_typed_;
    const bool is_second = event.field == Field::value_type && is_typed_;
    has_value_type_ = event.field != Field::key_type;
    const bool is_first = !is_typed_;
    is_typed_ = true;
    if (is_brief() && !is_summary_root(event)) return;
    if (is_first && !is_summary_root(event)) buffer_.append(event.type == Type::array ? "Array" : "Dictionary");
    // A Dictionary may be typed by its values alone: a key is any Variant then.
    buffer_.append(is_lone_value ? "[Variant, " : is_second ? ", " : "[");
    buffer_.append_escaped(event.text, false);
  }

  void write_count(const Event &event) {
    awaits_count_ = false;
    is_left_out_ = is_brief() && !is_summary_root(event) && is_packed(event.type) && event.integer > max_brief_elements;
    if (is_left_out_) {
      buffer_.append(type_name(dialect_, event.type));
      buffer_.append("(");
      buffer_.append_unsigned(static_cast<std::uint64_t>(event.integer));
      buffer_.append(")");
      return;
    }
    if (is_typed_ && (!is_brief() || is_summary_root(event))) {
      if (!has_value_type_) buffer_.append(", Variant");
      buffer_.append(is_summary_root(event) ? "]" : "](");
    }
    if (is_summary_root(event)) {
      buffer_.append("(");
      buffer_.append_unsigned(static_cast<std::uint64_t>(event.integer));
      buffer_.append(") ");
    }
    const bool has_parenthesis = is_packed(event.type) && !is_brief();
    buffer_.append(event.type == Type::dictionary ? "{" : has_parenthesis ? "([" : "[");
  }

  void separate_packed(const Event &event) {
    if (is_packed(event.type) && event.index > 0) buffer_.append(", ");
  }

  void write_string(const Event &event, std::string_view sigil) {
    const bool is_bare_key = is_brief() && is_key_;
    const std::size_t limit = is_brief() ? max_brief_string : SIZE_MAX;
    if (is_bare_key || is_bare(event)) {
      buffer_.append_escaped(event.text, false, limit);
      return;
    }
    buffer_.append(sigil);
    buffer_.append("\"");
    buffer_.append_escaped(event.text, true, limit);
    buffer_.append("\"");
  }

  void write_bytes(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size() && !buffer_.is_full(); ++i) {
      if (i > 0) buffer_.append(", ");
      buffer_.append_unsigned(static_cast<std::uint8_t>(bytes[i]));
    }
  }

  TextBuffer &buffer_;
  Dialect dialect_;
  TextStyle style_;
  bool is_summary_;
  bool is_key_ = false;          // the value being written is a dictionary's key
  bool awaits_count_ = false;    // the value begun last has a count, not met yet
  bool is_left_out_ = false;     // only the count is told of a packed array
  bool is_enough_ = false;       // no more of the value is asked for
  bool is_typed_ = false;        // a container's type is being written
  bool has_value_type_ = false;  // likewise: its last part was
  std::string_view signal_name_;
  ComponentText components_;
};
static_assert(std::is_trivially_destructible_v<TextSink>);

WalkResult append(TextBuffer &buffer, Bytes bytes, std::size_t offset, const WalkOptions &options, TextStyle style,
                  bool is_summary) {
  TextSink sink(buffer, options, style, is_summary);
  return walk_variant(bytes, offset, options, sink);
}

}  // namespace

TextBuffer::TextBuffer(std::span<char> memory) : memory_(memory) { clear(); }

void TextBuffer::clear() {
  size_ = 0;
  is_full_ = false;
  memory_[0] = '\0';
}

void TextBuffer::append_character(std::string_view character) {
  if (is_full_) return;
  const std::size_t limit = memory_.size() - 1;
  if (character.size() <= limit - size_) {
    std::copy(character.begin(), character.end(), memory_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += character.size();
    memory_[size_] = '\0';
    return;
  }
  // Room for the ellipsis, at a character's boundary.
  is_full_ = true;
  while (size_ > limit - ellipsis.size() || (static_cast<std::uint8_t>(memory_[size_]) & 0xc0) == 0x80) --size_;
  std::copy(ellipsis.begin(), ellipsis.end(), memory_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += ellipsis.size();
  memory_[size_] = '\0';
}

void TextBuffer::append(std::string_view text) {
  while (!text.empty() && !is_full_) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(text), 1);
    append_character(text.substr(0, length));
    text.remove_prefix(length);
  }
}

void TextBuffer::append_escaped(std::string_view text, bool quote, std::size_t max_bytes) {
  std::array<char, 8> memory{};
  while (!text.empty() && !is_full_) {
    const std::size_t length = utf8_sequence_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (sequence.size() > max_bytes) {
      append_character(ellipsis);
      return;
    }
    max_bytes -= sequence.size();
    const char32_t c = length == 0 ? static_cast<std::uint8_t>(text[0]) : decode_utf8(sequence);
    if (length == 0) {
      append_character(escape(c, 'x', 2, memory));
    } else if (needs_escape(c)) {
      append_character(escape_character(c, memory));
    } else if (quote && (c == '"' || c == '\\')) {
      append_character(c == '"' ? "\\\"" : "\\\\");
    } else {
      append_character(sequence);
    }
    text.remove_prefix(sequence.size());
  }
}

void TextBuffer::append_integer(std::int64_t value) {
  std::array<char, 24> text{};
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  append({text.data(), static_cast<std::size_t>(end.ptr - text.data())});
}

void TextBuffer::append_unsigned(std::uint64_t value) {
  std::array<char, 24> text{};
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  append({text.data(), static_cast<std::size_t>(end.ptr - text.data())});
}

void TextBuffer::append_real(double value, bool is_single, bool as_float) {
  if (std::isnan(value)) {
    append("nan");
  } else if (std::isinf(value)) {
    append(value < 0 ? "-inf" : "inf");
  } else {
    std::array<char, 48> memory{};
    const std::string_view text = write_real(value, is_single, memory);
    append(text);
    if (as_float && text.find_first_of(".e") == std::string_view::npos) append(".0");
  }
}

double shortest_double(float value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> text{};
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  double result = value;
  std::from_chars(text.data(), end.ptr, result);
  return result;
}

WalkResult append_variant(TextBuffer &buffer, Bytes bytes, std::size_t offset, const WalkOptions &options,
                          TextStyle style) {
  return append(buffer, bytes, offset, options, style, false);
}

WalkResult append_summary(TextBuffer &buffer, Bytes bytes, std::size_t offset, const WalkOptions &options) {
  return append(buffer, bytes, offset, options, TextStyle::brief, true);
}

bool ComponentText::add(const Event &event) {
  if (event.field < Field::vector2_x || event.field > Field::color_a) return false;
  const Field first = first_component(packed_element(event.type));
  const auto slot = static_cast<std::size_t>(event.field) - static_cast<std::size_t>(first);
  const bool is_integer = field_info(event.field).kind == FieldKind::int32;
  values_[slot] = is_integer ? static_cast<double>(event.integer) : event.real;
  is_single_ = event.is_single;
  ++count_;
  return true;
}

void ComponentText::append_to(TextBuffer &buffer, Dialect dialect, Type type, TextStyle style) const {
  if (count_ != components(type).size()) return;
  const Grouping group = grouping(type);
  const bool is_brief = style == TextStyle::brief;
  if (!is_brief) buffer.append(type_name(dialect, type));
  buffer.append("(");
  for (std::size_t i = 0; i < count_; ++i) {
    if (i > 0) buffer.append(", ");
    if (group.size > 0 && i % group.size == 0) {
      if (!is_brief) buffer.append(group.name);
      buffer.append("(");
    }
    buffer.append_real(values_[i], is_single_, false);
    if (group.size > 0 && i % group.size == group.size - 1) buffer.append(")");
  }
  buffer.append(")");
}

bool is_plain_text(std::string_view text) {
  const auto is_control = [](char c) {
    constexpr unsigned char first_printable = ' ';
    constexpr char rubout = 0x7f;
    const bool is_space = c == '\t' || c == '\r' || c == '\n';
    return (static_cast<unsigned char>(c) < first_printable && !is_space) || c == rubout;
  };
  return !text.empty() && std::none_of(text.begin(), text.end(), is_control) && is_valid_utf8(text);
}

}  // namespace godot_codec
