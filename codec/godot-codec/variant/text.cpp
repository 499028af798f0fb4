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
  return c < first_printable || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
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

// Whether a character is printable ASCII, which needs no escape; in quotes, quotes and backslashes do.
using SimpleTable = std::array<bool, 256>;
constexpr SimpleTable make_simple_table(bool quote) {
  SimpleTable table{};
  for (std::size_t c = ' '; c < 0x7f; ++c) table[c] = !(quote && (c == '"' || c == '\\'));
  return table;
}
constexpr std::array<SimpleTable, 2> simple_tables = {make_simple_table(false), make_simple_table(true)};

template <typename Value, typename... Format>
std::string_view to_text(std::span<char> memory, Value value, Format... format) {
  const std::to_chars_result end = std::to_chars(memory.data(), memory.data() + memory.size(), value, format...);
  return {memory.data(), static_cast<std::size_t>(end.ptr - memory.data())};
}

// Room for the text of any real below.
using RealText = std::array<char, 48>;

// A decimal as the shortest scientific text gives it: "-1.25e-02" is negative, with the digits 125 and exponent -2.
struct Decimal {
  bool is_negative;
  std::array<char, 20> digits;
  int size;
  int exponent;  // of ten, of the first digit
};

Decimal decimal_of(std::string_view scientific) {
  Decimal decimal;
  decimal.is_negative = scientific[0] == '-';
  decimal.size = 0;
  std::size_t at = decimal.is_negative ? 1 : 0;
  for (; scientific[at] != 'e'; ++at) {
    if (scientific[at] != '.') decimal.digits[static_cast<std::size_t>(decimal.size++)] = scientific[at];
  }
  int exponent = 0;
  for (std::size_t i = at + 2; i < scientific.size(); ++i) exponent = 10 * exponent + (scientific[i] - '0');
  decimal.exponent = scientific[at + 1] == '-' ? -exponent : exponent;
  return decimal;
}

// Without an exponent: "-0.0125", "12.5", "1200".
std::string_view write_plainly(const Decimal &decimal, RealText &out) {
  char *end = out.data();
  if (decimal.is_negative) *end++ = '-';
  for (int place = std::max(decimal.exponent, 0); place >= 0 || place > decimal.exponent - decimal.size; --place) {
    if (place == -1) *end++ = '.';
    const int index = decimal.exponent - place;
    const bool is_there = index >= 0 && index < decimal.size;
    *end++ = is_there ? decimal.digits[static_cast<std::size_t>(index)] : '0';
  }
  return {out.data(), static_cast<std::size_t>(end - out.data())};
}

// What a script's author writes, 0.1 or 12.375: few decimals and few digits. Decimals of so few digits are told apart
// by any real, so that the one that reads back as the value is the shortest.
// @returns nothing where there is none
std::string_view write_short_decimal(double value, bool is_single, RealText &out) {
  constexpr std::int64_t scale = 10000;
  const double limit = is_single ? 1e6 : 1e15;
  const double scaled = std::abs(value) * scale + 0.5;
  if (!(scaled < limit)) return {};
  const auto number = static_cast<std::int64_t>(scaled);
  const double read_back = static_cast<double>(number) / scale;
  const double same = is_single ? static_cast<double>(static_cast<float>(read_back)) : read_back;
  if (same != std::abs(value) || number == 0) return {};
  std::size_t size = 0;
  if (value < 0) out[size++] = '-';
  size += to_text(std::span(out).subspan(size), number / scale).size();
  out[size++] = '.';
  std::int64_t rest = number % scale;
  for (std::int64_t digit = scale / 10; rest > 0; digit /= 10) {
    out[size++] = static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
  return {out.data(), size};
}

// Of a number that is not whole, or too large for its digits to be told apart.
template <typename Real>
std::string_view write_fraction(Real value, RealText &out) {
  constexpr int min_plain = -4;
  constexpr int max_plain = 14;
  const std::string_view scientific = to_text(out, value, std::chars_format::scientific);
  const Decimal decimal = decimal_of(scientific);
  if (decimal.exponent < min_plain || decimal.exponent > max_plain) return scientific;
  // Whole numbers of many digits have others than zeros where the shortest text ends.
  if (decimal.size <= decimal.exponent) return to_text(out, value, std::chars_format::fixed);
  return write_plainly(decimal, out);
}

// Decimal digits and exponent as the shortest scientific text gives them, written as a person would:
// 100000 and 0.0001 plainly, 1e+15 and 1e-05 with an exponent, where Godot's var_to_str() changes over, too.
std::string_view write_real(double value, bool is_single, RealText &out) {
  // Up to here, whole numbers have no shorter text than their digits.
  const double limit = is_single ? 1 << 24 : 1e15;
  if (std::abs(value) < limit) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value && !(whole == 0 && std::signbit(value))) return to_text(out, whole);
  }
  if (const std::string_view text = write_short_decimal(value, is_single, out); !text.empty()) return text;
  return is_single ? write_fraction(static_cast<float>(value), out) : write_fraction(value, out);
}

constexpr bool has_count(Type type) { return is_packed(type) || type == Type::array || type == Type::dictionary; }

// Types whose text begins with what they are.
constexpr bool names_itself(Type type) {
  return type == Type::callable || type == Type::rid || type == Type::object || type == Type::signal;
}

// Types whose values begin and end with nothing of their own, unless they are the root.
constexpr std::array<bool, type_count> plain_types = [] {
  std::array<bool, type_count> is_plain{};
  for (std::size_t i = 0; i < type_count; ++i) {
    const auto type = static_cast<Type>(i);
    is_plain[i] = !has_count(type) && type != Type::node_path && !names_itself(type) && shape_of(type).text.empty();
  }
  return is_plain;
}();
constexpr bool is_plain(Type type) { return plain_types[static_cast<std::size_t>(type)]; }

// Writes a value's text from its events.
class TextSink final : public VariantSink {
 public:
  // @param full what to answer when the text is full
  TextSink(TextBuffer &buffer, Dialect dialect, TextStyle style, bool is_summary, Verdict full)
      : buffer_(buffer), dialect_(dialect), style_(style), is_summary_(is_summary), full_(full) {}

  Verdict begin_value(const ValueHeader &value) {
    if (value.role == Role::element && value.index > 0) buffer_.append(", ");
    is_key_ = value.role == Role::key;
    if (value.depth == 0 || !is_plain(value.type)) begin_special(value);
    return verdict();
  }

  Verdict end_value(const ValueHeader &value, Range whole) {
    if (!is_plain(value.type)) end_special(value, whole);
    if (value.role == Role::key) buffer_.append(": ");
    return verdict();
  }

  void begin_entry(const ValueHeader & /*dictionary*/, const Entry &entry) {
    if (entry.index > 0) buffer_.append(", ");
  }

  Verdict integer(const ValueHeader &value, const IntegerField &field) {
    switch (field.field) {
      case Field::boolean:
        buffer_.append(field.value != 0 ? "true" : "false");
        break;
      case Field::integer:
        buffer_.append_integer(field.value);
        break;
      case Field::rid:
        buffer_.append("RID(");
        buffer_.append_unsigned(static_cast<std::uint64_t>(field.value));
        buffer_.append(")");
        break;
      case Field::object_id:
        write_object_id(field.value);
        break;
      case Field::count:
        write_count(value, field.value);
        break;
      case Field::node_path_flags:
        if ((field.value & 1) != 0) buffer_.append("/");
        break;
      case Field::signal_object_id:
        write_signal(field.value);
        break;
      default:
        break;
    }
    return is_left_out_ ? Verdict::skip : verdict();
  }

  Verdict real(const ValueHeader & /*value*/, const RealField &field) {
    buffer_.append_real(field.value, field.is_single, true);
    return verdict();
  }

  Verdict text(const ValueHeader &value, const TextField &field) {
    switch (field.field) {
      case Field::string:
        write_string(value, field.text, "");
        break;
      case Field::string_name:
        write_string(value, field.text, is_brief() ? "" : "&");
        break;
      case Field::node_path:
        buffer_.append_escaped(field.text, !is_bare(value));
        break;
      case Field::node_path_name:
        if (field.index > 0) buffer_.append("/");
        buffer_.append_escaped(field.text, !is_bare(value));
        break;
      case Field::node_path_subname:
        buffer_.append(":");
        buffer_.append_escaped(field.text, !is_bare(value));
        break;
      case Field::object_class:
        if (is_bare(value) && !field.text.empty()) {
          buffer_.append_escaped(field.text, false);
          return Verdict::stop;
        }
        write_object_class(field.text);
        break;
      case Field::object_property:
        write_object_property(field.text);
        break;
      case Field::signal_name:
        signal_name_ = field.text;
        break;
      default:
        write_container_type(value, field);
        break;
    }
    return verdict();
  }

  Verdict components(const ValueHeader &value, const Components &components) {
    append_components(buffer_, dialect_, value.type, components.numbers, 0, style_);
    return verdict();
  }

  Verdict packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    if (array.element == Type::string) {
      write_strings(array);
    } else if (array.width > 1) {
      for (std::size_t i = 0; i < array.size() && separate(i); ++i) {
        append_components(buffer_, dialect_, array.element, array.numbers, i * array.width, style_);
      }
    } else if (array.numbers.is_real()) {
      for (std::size_t i = 0; i < array.size() && separate(i); ++i) {
        buffer_.append_real(array.numbers.real(i), array.numbers.is_single(), false);
      }
    } else {
      for (std::size_t i = 0; i < array.size() && separate(i); ++i) buffer_.append_integer(array.numbers.integer(i));
    }
    return verdict();
  }

 private:
  [[nodiscard]] Verdict verdict() const { return buffer_.is_full() ? full_ : Verdict::proceed; }
  [[nodiscard]] bool is_brief() const { return style_ == TextStyle::brief; }
  [[nodiscard]] bool is_summary_root(const ValueHeader &value) const { return is_summary_ && value.depth == 0; }
  [[nodiscard]] bool is_bare(const ValueHeader &value) const {
    return style_ == TextStyle::plain && value.depth == 0 && !is_packed(value.type);
  }

  void begin_special(const ValueHeader &value) {
    const TypeShape &shape = shape_of(value.type);
    is_typed_ = false;
    awaits_count_ = has_count(value.type);
    if (is_summary_root(value)) {
      if (!names_itself(value.type)) buffer_.append(value.name);
      if (!names_itself(value.type) && !has_count(value.type) && value.type != Type::nil) buffer_.append(" ");
    } else if (is_packed(value.type)) {
      if (!is_brief()) buffer_.append(value.name);
    }
    if (!is_summary_root(value) || value.type != Type::nil) buffer_.append(shape.text);
    if (value.type == Type::rid && !dialect_table(dialect_).rid_has_id) buffer_.append("RID()");
    if (value.type == Type::node_path && !is_bare(value)) {
      buffer_.append(dialect_table(dialect_).node_path_sigil);
      buffer_.append("\"");
    }
  }

  void end_special(const ValueHeader &value, Range whole) {
    if (has_count(value.type) && awaits_count_) {
      // Cut before the count, which opens the brackets. Of the containers around it all counts were read.
      if (is_typed_ && (!is_brief() || is_summary_root(value))) buffer_.append("]");
      awaits_count_ = false;
    } else if (is_left_out_) {
      is_left_out_ = false;
    } else if (value.type == Type::dictionary || value.type == Type::array) {
      buffer_.append(value.type == Type::dictionary ? "}" : "]");
      if (is_typed_container(value) && !is_brief()) buffer_.append(")");
    } else if (is_packed(value.type)) {
      buffer_.append(is_brief() ? "]" : "])");
    } else if (value.type == Type::node_path) {
      if (!is_bare(value)) buffer_.append("\"");
    } else if (value.type == Type::object) {
      // Nothing but a header and the length of an empty class name: a null object.
      constexpr std::size_t null_object_size = 8;
      const bool is_full = (value.header & header_flag_object_id) == 0 && whole.length > null_object_size;
      if (is_full) buffer_.append(")");
    }
  }

  [[nodiscard]] bool is_typed_container(const ValueHeader &value) const {
    return (value.header & header_mask_types & known_header_flags(value.type, dialect_)) != 0;
  }

  // Goes on to an element of a packed array. @returns false if there is no room for it
  bool separate(std::size_t index) {
    if (index > 0) buffer_.append(", ");
    return !buffer_.is_full();
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

  void write_signal(std::int64_t id) {
    buffer_.append("Signal(<Object#");
    buffer_.append_integer(id);
    buffer_.append(">, \"");
    buffer_.append_escaped(signal_name_, true);
    buffer_.append("\")");
  }

  void write_object_class(std::string_view name) {
    if (name.empty()) {
      buffer_.append("null");
      return;
    }
    buffer_.append("Object(");
    buffer_.append_escaped(name, false);
  }

  void write_object_property(std::string_view name) {
    buffer_.append(", ");
    if (!is_brief()) buffer_.append("\"");
    buffer_.append_escaped(name, !is_brief());
    buffer_.append(is_brief() ? ": " : "\": ");
  }

  // "[int", and for a Dictionary's value ", int".
  void write_container_type(const ValueHeader &value, const TextField &field) {
    const bool is_lone_value = field.field == Field::value_type && !is_typed_;
    const bool is_second = field.field == Field::value_type && is_typed_;
    has_value_type_ = field.field != Field::key_type;
    const bool is_first = !is_typed_;
    is_typed_ = true;
    if (is_brief() && !is_summary_root(value)) return;
    if (is_first && !is_summary_root(value)) buffer_.append(value.name);
    // A Dictionary may be typed by its values alone: a key is any Variant then.
    buffer_.append(is_lone_value ? "[Variant, " : is_second ? ", " : "[");
    buffer_.append_escaped(field.text, false);
  }

  void write_count(const ValueHeader &value, std::int64_t count) {
    awaits_count_ = false;
    is_left_out_ = is_brief() && !is_summary_root(value) && is_packed(value.type) && count > max_brief_elements;
    if (is_left_out_) {
      buffer_.append(value.name);
      buffer_.append("(");
      buffer_.append_integer(count);
      buffer_.append(")");
      return;
    }
    if (is_typed_ && (!is_brief() || is_summary_root(value))) {
      if (!has_value_type_) buffer_.append(", Variant");
      buffer_.append(is_summary_root(value) ? "]" : "](");
    }
    if (is_summary_root(value)) {
      buffer_.append("(");
      buffer_.append_integer(count);
      buffer_.append(") ");
    }
    const bool has_parenthesis = is_packed(value.type) && !is_brief();
    buffer_.append(value.type == Type::dictionary ? "{" : has_parenthesis ? "([" : "[");
  }

  void write_strings(const PackedArray &array) {
    for (const PackedString &element : array.strings) {
      if (!separate(element.index)) return;
      write_quoted(element.text);
    }
    if (array.has_cut && array.cut.has_text && separate(array.cut.index)) write_quoted(array.cut.text);
  }

  void write_string(const ValueHeader &value, std::string_view text, std::string_view sigil) {
    const bool is_bare_key = is_brief() && is_key_;
    if (is_bare_key || is_bare(value)) {
      buffer_.append_escaped(text, false, max_string());
      return;
    }
    buffer_.append(sigil);
    write_quoted(text);
  }

  void write_quoted(std::string_view text) {
    buffer_.append("\"");
    buffer_.append_escaped(text, true, max_string());
    buffer_.append("\"");
  }

  [[nodiscard]] std::size_t max_string() const { return is_brief() ? max_brief_string : SIZE_MAX; }

  TextBuffer &buffer_;
  Dialect dialect_;
  TextStyle style_;
  bool is_summary_;
  Verdict full_;
  bool is_key_ = false;          // the value being written is a dictionary's key
  bool awaits_count_ = false;    // the value begun last has a count, not met yet
  bool is_left_out_ = false;     // only the count is told of a packed array
  bool is_typed_ = false;        // a container's type is being written
  bool has_value_type_ = false;  // likewise: its last part was
  std::string_view signal_name_;
};
static_assert(std::is_trivially_destructible_v<TextSink>);

}  // namespace

TextBuffer::TextBuffer(std::span<char> memory) : memory_(memory) { clear(); }

void TextBuffer::clear() {
  size_ = 0;
  end_ = memory_.size();
  is_full_ = false;
  memory_[0] = '\0';
}

void TextBuffer::append_character(std::string_view character) {
  if (is_full_) return;
  const std::size_t limit = memory_.size() - 1;
  if (character.size() <= limit - size_) {
    append_fitting(character);
    return;
  }
  // Room for the ellipsis, at a character's boundary.
  is_full_ = true;
  while (size_ > limit - ellipsis.size() || (static_cast<std::uint8_t>(memory_[size_]) & 0xc0) == 0x80) --size_;
  append_fitting(ellipsis);
  end_ = size_;
}

void TextBuffer::append_in_part(std::string_view text) {
  while (!is_full_) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(text), 1);
    append_character(text.substr(0, length));
    text.remove_prefix(length);
  }
}

// Appends what a text begins with that needs no escape, as far as there is room. @returns how much
std::size_t TextBuffer::append_simple(std::string_view text, bool quote) {
  const SimpleTable &is_simple = simple_tables[quote ? 1 : 0];
  const std::size_t limit = std::min(text.size(), memory_.size() - 1 - size_);
  char *out = memory_.data() + size_;
  std::size_t length = 0;
  for (; length < limit && is_simple[static_cast<std::uint8_t>(text[length])]; ++length) out[length] = text[length];
  out[length] = '\0';
  size_ += length;
  return length;
}

void TextBuffer::append_escaped(std::string_view text, bool quote, std::size_t max_bytes) {
  std::array<char, 8> memory;
  while (!is_full_) {
    const std::size_t run = append_simple(text.substr(0, max_bytes), quote);
    if (run == text.size()) return;
    max_bytes -= run;
    text.remove_prefix(run);

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
  std::array<char, 24> text;
  append(to_text(text, value));
}

void TextBuffer::append_unsigned(std::uint64_t value) {
  std::array<char, 24> text;
  append(to_text(text, value));
}

void TextBuffer::append_real(double value, bool is_single, bool as_float) {
  if (std::isnan(value)) {
    append("nan");
  } else if (std::isinf(value)) {
    append(value < 0 ? "-inf" : "inf");
  } else {
    RealText memory;
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

WalkResult append_variant(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options, TextStyle style) {
  TextSink sink(buffer, encoding.dialect, style, false, Verdict::stop);
  return walk_variant(bytes, offset, encoding, options, sink);
}

WalkResult append_summary(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options) {
  TextSink sink(buffer, encoding.dialect, TextStyle::brief, true, Verdict::mute);
  return walk_variant(bytes, offset, encoding, options, sink);
}

void append_components(TextBuffer &buffer, Dialect dialect, Type type, const Numbers &numbers, std::size_t first,
                       TextStyle style) {
  const TypeShape &shape = shape_of(type);
  if (numbers.size() - first < shape.component_count) return;
  const bool is_brief = style == TextStyle::brief;
  if (!is_brief) buffer.append(type_name(dialect, type));
  buffer.append("(");
  for (std::size_t i = 0; i < shape.component_count; ++i) {
    if (i > 0) buffer.append(", ");
    if (shape.group_size > 0 && i % shape.group_size == 0) {
      if (!is_brief) buffer.append(shape.group_name);
      buffer.append("(");
    }
    const std::size_t place = first + script_place(shape, i);
    if (numbers.is_real()) {
      buffer.append_real(numbers.real(place), numbers.is_single(), false);
    } else {
      buffer.append_integer(numbers.integer(place));
    }
    if (shape.group_size > 0 && i % shape.group_size == shape.group_size - 1U) buffer.append(")");
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
