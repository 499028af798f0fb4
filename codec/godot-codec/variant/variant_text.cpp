// SPDX-License-Identifier: MIT
#include "godot-codec/variant/variant_text.h"

#include "godot-codec/variant/text_sink.h"

namespace godot_codec {
namespace {

constexpr std::string_view cut_mark = "\u2026";

}  // namespace

WalkResult append_variant(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options, TextStyle style) {
  TextSink sink(buffer, encoding.dialect, style, false, VisitAction::stop, bytes, options);
  return walk_variant(bytes, offset, encoding, options, sink);
}

WalkResult append_brief(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                        const ReadOptions &options, BriefForm brevity, ScriptTextCache *scripts) {
  const bool is_summary = brevity == BriefForm::summary;
  TextSink brief(buffer, encoding.dialect, TextStyle::brief, is_summary, VisitAction::check_only, bytes, options);
  return walk_with_scripts(bytes, offset, encoding, options, brief, scripts);
}

std::string_view ScriptTextCache::script_text(std::size_t offset, const Encoding &encoding) {
  if (!find_span(offset, encoding)) write_texts(offset, encoding);
  const TextSpan &span = spans_[current_span_];
  const std::size_t end = span.end_offset == 0 ? written_size() : span.end;
  const std::string_view text = texts_.view().substr(span.begin, end - span.begin);
  // A cut must not split an escape sequence, and the finished text does not show where an escape begins. So if there
  // may be an escape at the cut, write the text again.
  constexpr std::size_t cut = max_text_size - cut_mark.size();
  constexpr std::size_t doubtful = 2;
  if (text.size() <= max_text_size) return copy_shortened(text);
  if (text.substr(cut - doubtful, doubtful).find('\\') == std::string_view::npos) return copy_shortened(text);
  TextBuffer buffer(returned_text_);
  append_variant(buffer, bytes_, offset, encoding, options_, TextStyle::script);
  return buffer.view();
}

// Number of bytes written, without the ellipsis.
std::size_t ScriptTextCache::written_size() const {
  return texts_.view().size() - (texts_.is_full() ? cut_mark.size() : 0);
}

// Sets current_span_ to the index of the value's span.
// @returns false if the value's text has to be written first
bool ScriptTextCache::find_span(std::size_t offset, const Encoding &encoding) {
  while (current_span_ < span_count_ && spans_[current_span_].offset < offset) ++current_span_;
  if (current_span_ == span_count_ || spans_[current_span_].offset != offset || dialect_ != encoding.dialect)
    return false;
  const TextSpan &span = spans_[current_span_];
  // A truncated value: its own text ends differently from its text in the container.
  if (span.end_offset >= failed_at_) return false;
  const bool is_whole = span.end_offset != 0 && span.end <= written_size();
  return is_whole || (span.begin < written_size() && written_size() - span.begin > max_text_size);
}

// Clears the texts if the new root cannot be appended, because the texts must be in wire order and of one dialect.
// @returns true if one more text can be appended
bool ScriptTextCache::prepare_for_root(std::size_t offset, const Encoding &encoding) {
  if (span_count_ == 0 || dialect_ != encoding.dialect || offset <= last_root_offset_) clear(encoding);
  return span_count_ < spans_.size() && !texts_.is_full();
}

void ScriptTextCache::clear(const Encoding &encoding) {
  texts_.clear();
  dialect_ = encoding.dialect;
  failed_at_ = SIZE_MAX;
  span_count_ = 0;
  current_span_ = 0;
}

void ScriptTextCache::write_texts(std::size_t offset, const Encoding &encoding) {
  clear(encoding);
  SpanRecordingSink sink(texts_, encoding, bytes_, options_, free_spans());
  const WalkResult result = walk_variant(bytes_, offset, encoding, options_, sink);
  finish_root(offset, result, sink.span_count());
}

// @param spans number of spans that the walk used
void ScriptTextCache::finish_root(std::size_t offset, const WalkResult &result, std::size_t spans) {
  if (spans == 0) spans_[span_count_++] = {offset, 0, 0, 0, 0};  // the root's header could not be read
  span_count_ += spans;
  last_root_offset_ = offset;
  if (result.outcome != Outcome::ok) failed_at_ = std::min(failed_at_, result.offset);
}

// @returns a copy of the text, shortened as TextBuffer shortens texts
std::string_view ScriptTextCache::copy_shortened(std::string_view text) {
  TextBuffer buffer(returned_text_);
  buffer.append(text);
  return buffer.view();
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
  const bool is_brief = style == TextStyle::brief;
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
