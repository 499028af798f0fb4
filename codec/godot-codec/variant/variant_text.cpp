// SPDX-License-Identifier: MIT
#include "godot-codec/variant/variant_text.h"

#include "godot-codec/variant/text_sink.h"

namespace godot_codec {
namespace {

constexpr std::string_view cut_mark = "\u2026";

}  // namespace

WalkResult append_variant(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options, TextStyle style) {
  TextSink sink(buffer, encoding.dialect, style, VisitAction::stop, bytes, options);
  return walk_variant(bytes, offset, encoding, options, sink);
}

WalkResult append_brief(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                        const ReadOptions &options, TextStyle style, ScriptTextCache *scripts) {
  TextSink brief(buffer, encoding.dialect, style, VisitAction::check_only, bytes, options);
  return walk_with_scripts(bytes, offset, encoding, options, brief, scripts);
}

std::string_view ScriptTextCache::script_text(std::size_t offset, const Encoding &encoding) {
  std::string_view text = dialect_ == encoding.dialect ? find_text(offset) : std::string_view();
  if (text.empty()) {
    // Store the texts of this value and of the values in it, which are probably requested next.
    texts_.clear();
    dialect_ = encoding.dialect;
    SpanRecordingSink sink(texts_, encoding, bytes_, options_, spans_);
    const WalkResult result = walk_variant(bytes_, offset, encoding, options_, sink);
    span_count_ = result.outcome == Outcome::ok ? sink.span_count() : 0;
    current_span_ = 0;
    text = find_text(offset);
  }
  // A cut must not split an escape sequence, and the finished text does not show where an escape begins. So if there
  // may be an escape at the cut, write the text again.
  constexpr std::size_t cut = max_text_size - cut_mark.size();
  const bool has_safe_cut =
      text.size() <= max_text_size || text.substr(cut - 2, 2).find('\\') == std::string_view::npos;
  TextBuffer buffer(returned_text_);
  if (!text.empty() && has_safe_cut) {
    buffer.append(text);
  } else {
    append_variant(buffer, bytes_, offset, encoding, options_, TextStyle::script);
  }
  return buffer.view();
}

// Returns the text of a value, or a beginning of the text that is longer than max_text_size; empty if it is not stored.
std::string_view ScriptTextCache::find_text(std::size_t offset) {
  while (current_span_ < span_count_ && spans_[current_span_].offset < offset) ++current_span_;
  if (current_span_ == span_count_ || spans_[current_span_].offset != offset) return {};
  const TextSpan &span = spans_[current_span_];
  const std::size_t written_size = texts_.view().size() - (texts_.is_full() ? cut_mark.size() : 0);
  const bool is_whole = span.end != 0 && span.end <= written_size;
  if (!is_whole && span.begin + max_text_size >= written_size) return {};
  return texts_.view().substr(span.begin, (is_whole ? span.end : written_size) - span.begin);
}

// Clears the texts if the new root cannot be appended, because the texts must be in wire order and of one dialect.
// @returns true if one more text can be appended
bool ScriptTextCache::prepare_for_root(std::size_t offset, const Encoding &encoding) {
  const bool is_next = span_count_ == 0 || offset > spans_[span_count_ - 1].offset;
  if (!is_next || dialect_ != encoding.dialect) {
    texts_.clear();
    span_count_ = current_span_ = 0;
  }
  dialect_ = encoding.dialect;
  return span_count_ < spans_.size() && !texts_.is_full();
}

void append_number(TextBuffer &buffer, const NumberSequence &numbers, std::size_t index, bool as_float) {
  if (numbers.is_real()) {
    buffer.append_real(numbers.real(index), numbers.is_float32(), as_float);
  } else {
    buffer.append_integer(numbers.integer(index));
  }
}

void append_components(TextBuffer &buffer, Dialect dialect, Type type, const NumberSequence &numbers, std::size_t first,
                       TextStyle style) {
  const TypeShape &shape = shape_of(type);
  if (numbers.size() - first < shape.component_count) return;
  const bool is_brief = style >= TextStyle::brief;
  if (!is_brief) buffer.append(type_name(dialect, type));
  buffer.append("(");
  for (std::size_t i = 0; i < shape.component_count; ++i) {
    if (i > 0) buffer.append(", ");
    if (shape.group_size > 0 && i % shape.group_size == 0) {
      if (!is_brief) buffer.append(shape.group_name);
      buffer.append("(");
    }
    append_number(buffer, numbers, first + script_index(shape, i), false);
    if (shape.group_size > 0 && i % shape.group_size == shape.group_size - 1U) buffer.append(")");
  }
  buffer.append(")");
}

bool append_raw_decoded(TextBuffer &text, Bytes bytes, const BytesDecoder *reader) {
  if (reader == nullptr) return false;
  constexpr std::size_t longest = 240;
  std::array<char, longest> memory;
  TextBuffer inside(memory);
  if (!reader->append_decoded(inside, bytes)) return false;
  if (inside.view().starts_with('"') && is_plain_text(bytes.text())) return false;
  text.append("Raw ");
  text.append(inside.view());
  return true;
}

void append_raw_bytes(TextBuffer &buffer, Bytes bytes) {
  constexpr std::size_t max_shown = 32;
  buffer.append("Raw bytes(");
  buffer.append_unsigned(bytes.reported);
  buffer.append(")");
  if (is_plain_text(bytes.text())) {
    buffer.append(" ");
    return buffer.append_quoted(bytes.text(), max_shown);
  }
  for (std::size_t i = 0; i < std::min(bytes.captured, max_shown); ++i) {
    buffer.append(" ");
    buffer.append_hex(bytes.data[i]);
  }
  if (bytes.captured > max_shown) buffer.append("\u2026");
}

}  // namespace godot_codec
