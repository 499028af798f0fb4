// SPDX-License-Identifier: MIT
/// @file
/// Sinks that write a value's text from the events of a walk. Callers use them if they need more than the text from the
/// same walk.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec {

class BytesDecoder {
 public:
  /// Appends text such as `{hp: 87, inv: ["sword"]} in 61 bytes`.
  /// @returns false, and appends nothing, if the bytes contain no known format
  virtual bool append_decoded(TextBuffer &text, Bytes bytes) const = 0;
  /// Returns strong if the bytes contain an unambiguous Variant: alone, after a length or other bytes, in a sequence of
  /// Variants, or compressed. Otherwise returns none.
  [[nodiscard]] virtual Confidence confidence(Bytes bytes) const = 0;

 protected:
  ~BytesDecoder() = default;
};

/// Appends text such as "Raw {hp: 87} in 20 bytes".
/// @param reader null: the bytes are not decoded
/// @returns false, and appends nothing, if the bytes contain no known format or only text. Then use append_raw_bytes()
bool append_raw_decoded(TextBuffer &text, Bytes bytes, const BytesDecoder *reader);

inline constexpr std::size_t max_brief_string = 64;
inline constexpr std::int64_t max_brief_elements = 16;  // a packed array with more elements is shown by its size only

constexpr bool has_count(Type type) { return is_packed(type) || type == Type::array || type == Type::dictionary; }

// Types with a text that already contains the type's name.
constexpr bool has_type_in_text(Type type) {
  return type == Type::callable || type == Type::rid || type == Type::object || type == Type::signal;
}

// Types with values that are written without brackets, quotes or other text around them, unless the value is the root.
inline constexpr std::array<bool, type_count> undelimited_types = [] {
  std::array<bool, type_count> is_undelimited{};
  for (std::size_t i = 0; i < type_count; ++i) {
    const auto type = static_cast<Type>(i);
    is_undelimited[i] =
        !has_count(type) && type != Type::node_path && !has_type_in_text(type) && shape_of(type).script_literal.empty();
  }
  return is_undelimited;
}();
constexpr bool is_undelimited(Type type) { return undelimited_types[static_cast<std::size_t>(type)]; }

class TextSink : public VariantSink {
 public:
  // @param full returned to the walker when the buffer is full
  TextSink(TextBuffer &buffer, Dialect dialect, TextStyle style, VisitAction full, Bytes bytes,
           const ReadOptions &options)
      : buffer_(buffer),
        dialect_(dialect),
        style_(style),
        action_when_full_(full),
        bytes_(bytes),
        decoder_(is_brief() ? options.decoder : nullptr) {}

  // Forced inline, because gcc otherwise inlines these functions into the walk only if the sink has one user.
  [[gnu::always_inline]] VisitAction begin_value(const ValueHeader &value) {
    if (follows_separator(value)) buffer_.append(", ");
    if (value.depth > 0 && is_undelimited(value.type)) return VisitAction::proceed;
    begin_special(value);
    return next_action();
  }

  [[gnu::always_inline]] VisitAction end_value(const ValueHeader &value, Range whole) {
    if (!is_undelimited(value.type)) end_special(value, whole);
    if (value.role == ValueRole::key) buffer_.append(": ");
    return next_action();
  }

  // The walker instantiates this function once per field. Rare fields are handled in write_integer(), which is compiled
  // once.
  [[gnu::always_inline]] VisitAction integer(const ValueHeader &value, const IntegerField &field) {
    if (field.field == VariantField::boolean) {
      buffer_.append(field.value != 0 ? "true" : "false");
    } else if (field.field == VariantField::integer) {
      buffer_.append_integer(field.value);
    } else if (field.field != VariantField::string_length) {
      write_integer(value, field);
      return is_shortened_ ? VisitAction::skip : next_action();
    }
    return VisitAction::proceed;  // the value's end follows
  }
  VisitAction real(const ValueHeader & /*value*/, const RealField &field) {
    buffer_.append_real(field.value, field.is_float32, true);
    return VisitAction::proceed;
  }

  [[gnu::always_inline]] VisitAction text(const ValueHeader &value, const TextField &field) {
    if (field.field != VariantField::string) return write_text(value, field);
    write_string(value, field.text, "");
    return next_action();
  }

  VisitAction components(const ValueHeader &value, const NumberSequence &numbers) {
    append_components(buffer_, dialect_, value.type, numbers, 0, style_);
    return next_action();
  }

  VisitAction packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    if (array.element == Type::string) {
      write_strings(array);
    } else if (array.numbers_per_element > 1) {
      for (std::size_t i = 0; i < array.size() && append_separator(i); ++i) {
        append_components(buffer_, dialect_, array.element, array.numbers, i * array.numbers_per_element, style_);
      }
    } else {
      for (std::size_t i = 0; i < array.size() && append_separator(i); ++i) {
        append_number(buffer_, array.numbers, i, false);
      }
    }
    return next_action();
  }

 protected:
  // True for an element or an entry that is not the first of its container.
  static bool follows_separator(const ValueHeader &value) {
    return (value.role == ValueRole::element || value.role == ValueRole::key) && value.index > 0;
  }

 private:
  [[nodiscard]] VisitAction next_action() const { return buffer_.is_full() ? action_when_full_ : VisitAction::proceed; }
  [[nodiscard]] bool is_brief() const { return style_ >= TextStyle::brief; }
  [[nodiscard]] bool is_summary_root(const ValueHeader &value) const {
    return style_ == TextStyle::summary && value.depth == 0;
  }
  [[nodiscard]] bool is_unquoted_root(const ValueHeader &value) const {
    return style_ == TextStyle::plain && value.depth == 0 && !is_packed(value.type);
  }

  [[gnu::noinline]] void write_integer(const ValueHeader &value, const IntegerField &field) {
    switch (field.field) {
      case VariantField::rid:
        buffer_.append("RID(");
        buffer_.append_unsigned(static_cast<std::uint64_t>(field.value));
        buffer_.append(")");
        break;
      case VariantField::object_id:
        return write_object_id(field.value);
      case VariantField::count:
        if (!write_decoded(value, field)) write_count(value, field.value);
        break;
      case VariantField::node_path_flags:
        if ((field.value & 1) != 0) buffer_.append("/");
        break;
      case VariantField::signal_object_id:
        return write_signal(field.value);
      default:
        break;
    }
  }

  [[gnu::noinline]] VisitAction write_text(const ValueHeader &value, const TextField &field) {
    switch (field.field) {
      case VariantField::string_name:
        write_string(value, field.text, is_brief() ? "" : "&");
        break;
      case VariantField::node_path:
        buffer_.append_escaped(field.text, !is_unquoted_root(value));
        break;
      case VariantField::node_path_name:
        if (field.index > 0) buffer_.append("/");
        buffer_.append_escaped(field.text, !is_unquoted_root(value));
        break;
      case VariantField::node_path_subname:
        buffer_.append(":");
        buffer_.append_escaped(field.text, !is_unquoted_root(value));
        break;
      case VariantField::object_class:
        if (is_unquoted_root(value) && !field.text.empty()) {
          buffer_.append_escaped(field.text, false);
          return VisitAction::stop;
        }
        write_object_class(field.text);
        break;
      case VariantField::object_property:
        write_object_property(field.text);
        break;
      case VariantField::signal_name:
        signal_name_ = field.text;
        break;
      default:
        write_container_type(value, field);
        break;
    }
    return next_action();
  }

  [[gnu::noinline]] void begin_special(const ValueHeader &value) {
    const TypeShape &shape = shape_of(value.type);
    is_typed_ = false;
    awaits_count_ = has_count(value.type);
    if (is_summary_root(value)) {
      if (!has_type_in_text(value.type)) buffer_.append(value.name);
      if (!has_type_in_text(value.type) && !has_count(value.type) && value.type != Type::nil) buffer_.append(" ");
    } else if (is_packed(value.type)) {
      if (!is_brief()) buffer_.append(value.name);
    }
    if (!is_summary_root(value) || value.type != Type::nil) buffer_.append(shape.script_literal);
    if (value.type == Type::rid && !dialect_table(dialect_).rid_has_id) buffer_.append("RID()");
    if (value.type == Type::node_path && !is_unquoted_root(value)) {
      buffer_.append(dialect_table(dialect_).node_path_sigil);
      buffer_.append("\"");
    }
  }

  [[gnu::noinline]] void end_special(const ValueHeader &value, Range whole) {
    if (has_count(value.type) && awaits_count_) {
      // The value is truncated before its count, so only the bracket of its type is open. The enclosing containers have
      // their counts already.
      if (is_typed_ && (!is_brief() || is_summary_root(value))) buffer_.append("]");
      awaits_count_ = false;
    } else if (is_shortened_) {
      is_shortened_ = false;
    } else if (value.type == Type::dictionary || value.type == Type::array) {
      buffer_.append(value.type == Type::dictionary ? "}" : "]");
      if (is_typed_container(value) && !is_brief()) buffer_.append(")");
    } else if (is_packed(value.type)) {
      buffer_.append(is_brief() ? "]" : "])");
    } else if (value.type == Type::node_path) {
      if (!is_unquoted_root(value)) buffer_.append("\"");
    } else if (value.type == Type::object) {
      // A null object consists of a header and a length of zero for its class name.
      constexpr std::size_t null_object_size = 8;
      const bool is_full = (value.header & header_flag_object_id) == 0 && whole.length > null_object_size;
      if (is_full) buffer_.append(")");
    }
  }

  [[nodiscard]] bool is_typed_container(const ValueHeader &value) const {
    return (value.header & header_mask_types & known_header_flags(value.type, dialect_)) != 0;
  }

  // Appends the separator before an element of a packed array.
  // @returns false if the buffer is full
  bool append_separator(std::size_t index) {
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
    buffer_.append(">, ");
    buffer_.append_quoted(signal_name_);
    buffer_.append(")");
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

  // Appends "[int"; for the value type of a Dictionary with typed keys, ", int".
  void write_container_type(const ValueHeader &value, const TextField &field) {
    const bool is_lone_value = field.field == VariantField::value_type && !is_typed_;
    const bool is_second = field.field == VariantField::value_type && is_typed_;
    has_value_type_ = field.field != VariantField::key_type;
    const bool is_first = !is_typed_;
    is_typed_ = true;
    if (is_brief() && !is_summary_root(value)) return;
    if (is_first && !is_summary_root(value)) buffer_.append(value.name);
    // A Dictionary may have typed values but untyped keys; its keys are Variants then.
    buffer_.append(is_lone_value ? "[Variant, " : is_second ? ", " : "[");
    buffer_.append_escaped(field.text, false);
  }

  void write_count(const ValueHeader &value, std::int64_t count) {
    awaits_count_ = false;
    is_shortened_ = is_brief() && !is_summary_root(value) && is_packed(value.type) && count > max_brief_elements;
    if (is_shortened_) {
      buffer_.append(value.name);
      buffer_.append("[");
      buffer_.append_integer(count);
      buffer_.append(value.type == Type::packed_byte_array ? " bytes]" : " elements]");
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

  // Appends the decoded content of a PackedByteArray instead of its bytes.
  bool write_decoded(const ValueHeader &value, const IntegerField &count) {
    const bool is_bytes = decoder_ != nullptr && value.type == Type::packed_byte_array && count.value > 0;
    if (!is_bytes || count.range.end() >= bytes_.reported) return false;
    const Range content{count.range.end(), static_cast<std::size_t>(count.value)};
    if (content.length > bytes_.reported - content.offset) return false;
    constexpr std::size_t longest = 240;
    std::array<char, longest> memory;
    TextBuffer text(memory);
    if (!decoder_->append_decoded(text, bytes_.slice(content))) return false;
    if (is_summary_root(value)) buffer_.append(" ");
    buffer_.append(text.view());
    awaits_count_ = false;
    is_shortened_ = true;
    return true;
  }

  [[gnu::noinline]] void write_strings(const PackedArray &array) {
    for (const PackedString &element : array.strings) {
      if (!append_separator(element.index)) return;
      write_quoted(element.text);
    }
    if (array.truncated_string.has_text() && append_separator(array.truncated_string.index))
      write_quoted(array.truncated_string.text);
  }

  [[gnu::always_inline]] void write_string(const ValueHeader &value, std::string_view text, std::string_view sigil) {
    const bool is_bare_key = is_brief() && value.role == ValueRole::key;
    if (is_bare_key || is_unquoted_root(value)) {
      buffer_.append_escaped(text, false, max_string_size());
      return;
    }
    buffer_.append(sigil);
    write_quoted(text);
  }

  void write_quoted(std::string_view text) { buffer_.append_quoted(text, max_string_size()); }

  [[nodiscard]] std::size_t max_string_size() const { return is_brief() ? max_brief_string : SIZE_MAX; }

  TextBuffer &buffer_;
  Dialect dialect_;
  TextStyle style_;
  VisitAction action_when_full_;
  Bytes bytes_;
  const BytesDecoder *decoder_;
  bool awaits_count_ = false;    // true while the count of the current value has not been read
  bool is_shortened_ = false;    // true if only the size of a packed array is shown
  bool is_typed_ = false;        // true while the type of a container is written
  bool has_value_type_ = false;  // true if the type written last was that of a Dictionary's values
  std::string_view signal_name_;
};
static_assert(std::is_trivially_destructible_v<TextSink>);

// Writes a value's text, and records the positions of the contained values' texts.
class SpanRecordingSink final : public TextSink {
 public:
  SpanRecordingSink(TextBuffer &buffer, const Encoding &encoding, Bytes bytes, const ReadOptions &options,
                    std::span<TextSpan> spans)
      : TextSink(buffer, encoding.dialect, TextStyle::script, VisitAction::stop, bytes, options),
        buffer_(buffer),
        spans_(spans) {}

  [[nodiscard]] std::size_t span_count() const { return span_count_; }

  VisitAction begin_value(const ValueHeader &value) {
    const std::size_t begin = buffer_.view().size() + (follows_separator(value) ? separator_size : 0);
    if (span_count_ < spans_.size()) {
      spans_[span_count_] = {value.range.offset, static_cast<std::uint32_t>(begin), 0, innermost_};
      innermost_ = static_cast<std::uint32_t>(span_count_++);
    }
    return TextSink::begin_value(value);
  }

  VisitAction end_value(const ValueHeader &value, Range whole) {
    const VisitAction action = TextSink::end_value(value, whole);
    TextSpan &span = spans_[innermost_];
    if (span.offset != value.range.offset) return action;  // spans_ was full when the value began
    innermost_ = span.enclosing_span;
    if (buffer_.is_full()) return action;
    const std::size_t behind = value.role == ValueRole::key ? separator_size : 0;
    span.end = static_cast<std::uint32_t>(buffer_.view().size() - behind);
    return action;
  }

 private:
  static constexpr std::size_t separator_size = 2;  // ", " before an element or a key, ": " after a key

  TextBuffer &buffer_;
  std::span<TextSpan> spans_;
  std::size_t span_count_ = 0;
  std::uint32_t innermost_ = 0;  // index of the span of the innermost open value that has a span
};
static_assert(std::is_trivially_destructible_v<SpanRecordingSink> && std::is_trivially_destructible_v<ScriptTextCache>);

// Forwards each event to another sink, and also writes the script texts.
template <typename First>
class ScriptTeeSink final : public VariantSink {
 public:
  ScriptTeeSink(const First &first, const SpanRecordingSink &script) : first_sink_(first), script_sink_(script) {}

  [[nodiscard]] std::size_t span_count() const { return script_sink_.span_count(); }

  VisitAction begin_value(const ValueHeader &value) {
    return forward(value, [&](auto &sink) { return sink.begin_value(value); });
  }
  VisitAction end_value(const ValueHeader &value, Range whole) {
    if (skipped_depth_ == value.depth) skipped_depth_ = none_skipped;
    return forward(value, [&](auto &sink) { return sink.end_value(value, whole); });
  }
  VisitAction integer(const ValueHeader &value, const IntegerField &field) {
    return forward(value, [&](auto &sink) { return sink.integer(value, field); });
  }
  VisitAction real(const ValueHeader &value, const RealField &field) {
    return forward(value, [&](auto &sink) { return sink.real(value, field); });
  }
  VisitAction text(const ValueHeader &value, const TextField &field) {
    return forward(value, [&](auto &sink) { return sink.text(value, field); });
  }
  VisitAction components(const ValueHeader &value, const NumberSequence &numbers) {
    return forward(value, [&](auto &sink) { return sink.components(value, numbers); });
  }
  VisitAction packed_array(const ValueHeader &value, const PackedArray &array) {
    return forward(value, [&](auto &sink) { return sink.packed_array(value, array); });
  }

 private:
  static constexpr std::uint32_t none_skipped = UINT32_MAX;

  template <typename Event>
  VisitAction forward(const ValueHeader &value, Event event) {
    if (!is_first_full_ && skipped_depth_ == none_skipped) {
      const VisitAction action = call_sink([&] { return event(first_sink_); });
      if (action == VisitAction::skip) skipped_depth_ = value.depth;
      is_first_full_ = action == VisitAction::check_only;
    }
    if (!is_script_full_) is_script_full_ = call_sink([&] { return event(script_sink_); }) == VisitAction::stop;
    return is_first_full_ && is_script_full_ ? VisitAction::check_only : VisitAction::proceed;
  }

  First first_sink_;
  SpanRecordingSink script_sink_;
  std::uint32_t skipped_depth_ = none_skipped;  // depth of the value that the first sink skips
  bool is_first_full_ = false;
  bool is_script_full_ = false;
};

// Walks a value with a sink that never stops the walk.
// @param scripts also receives the script texts, as far as they fit; null if not needed
template <typename Sink>
WalkResult walk_with_scripts(Bytes bytes, std::size_t offset, const Encoding &encoding, const ReadOptions &options,
                             Sink &sink, ScriptTextCache *scripts) {
  if (scripts == nullptr || !scripts->prepare_for_root(offset, encoding)) {
    return walk_variant(bytes, offset, encoding, options, sink);
  }
  ScriptTeeSink<Sink> twin(sink, SpanRecordingSink(scripts->texts_, encoding, bytes, options,
                                                   std::span(scripts->spans_).subspan(scripts->span_count_)));
  static_assert(std::is_trivially_destructible_v<ScriptTeeSink<Sink>>);
  const WalkResult result = walk_variant(bytes, offset, encoding, options, twin);
  // In an unreadable root, the text of a truncated value may differ from the text of this value alone.
  if (result.outcome == Outcome::ok) scripts->span_count_ += twin.span_count();
  return result;
}

}  // namespace godot_codec
