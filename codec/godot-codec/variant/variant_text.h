// SPDX-License-Identifier: MIT
/// @file
/// Formats a Variant as the text that a GDScript author would write for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

enum class TextStyle : std::uint8_t {
  script,  ///< `{"cmd": "move", "pos": Vector2(1, 2)}`
  plain,   ///< like script, but a text at the root has no quotes, and a full Object is shown by its class name
  /// brief, `{cmd: "move", pos: (1, 2)}`: without type names, and without quotes around keys. Long texts are shortened.
  /// A long packed array is shown by its size: `PackedByteArray[2000 bytes]`
  brief,
  summary,  ///< like brief, after the type and, for containers, the count: `Dictionary(1) {cmd: "move"}`
};

/// Appends the text of the Variant at @p offset, as far as the Variant is readable and the text fits.
/// @returns the walk's result; `is_stopped` is true if the buffer was full, or the text was complete before the value's
/// end
WalkResult append_variant(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options, TextStyle style);

class ScriptTextCache;

/// Appends the text, and reads the value to its end even if the text does not fit.
/// @param style brief or summary
/// @param scripts also receives the texts in script style; null if not needed
WalkResult append_brief(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                        const ReadOptions &options, TextStyle style, ScriptTextCache *scripts = nullptr);

/// The position of a value's text in the text of the container.
struct TextSpan {
  std::size_t offset;            ///< of the value's first byte
  std::uint32_t begin;           ///< index of the text's first byte
  std::uint32_t end;             ///< 0 if the text is incomplete
  std::uint32_t enclosing_span;  ///< index of the TextSpan of the enclosing value
};

/// The script texts of values and of the values inside them. append_brief() writes the text of a whole Dictionary, as
/// far as it fits, in the same walk as its own text; the text of a contained value is a substring. Callers must request
/// the texts in wire order. Trivially destructible, 10 KiB.
class ScriptTextCache {
 public:
  static constexpr std::size_t max_text_size = 255;  ///< in bytes; a longer text is shortened and ends with an ellipsis

  explicit ScriptTextCache(const ReadOptions &options) : options_(options), texts_({memory_.data(), memory_.size()}) {}
  ScriptTextCache(const ScriptTextCache &) = delete;
  ScriptTextCache &operator=(const ScriptTextCache &) = delete;

  /// Sets the bytes that contain all values requested from now on.
  void set_bytes(Bytes bytes) { bytes_ = bytes; }

  /// Returns the text of the value at @p offset, as append_variant() writes it in script style. Zero-terminated, valid
  /// until the next call.
  /// @param encoding of this value
  std::string_view script_text(std::size_t offset, const Encoding &encoding);

 private:
  template <typename Sink>
  friend WalkResult walk_with_scripts(Bytes bytes, std::size_t offset, const Encoding &encoding,
                                      const ReadOptions &options, Sink &sink, ScriptTextCache *scripts);

  [[nodiscard]] bool prepare_for_root(std::size_t offset, const Encoding &encoding);
  [[nodiscard]] std::string_view find_text(std::size_t offset);

  Bytes bytes_;
  const ReadOptions options_;
  Dialect dialect_ = Dialect::godot4;
  std::size_t span_count_ = 0;    // number of used elements of spans_
  std::size_t current_span_ = 0;  // index of the span found last
  std::array<TextSpan, 256> spans_;
  std::array<char, 2048> memory_;
  TextBuffer texts_;
  std::array<char, max_text_size + 1> returned_text_;
};

/// Appends a number. @param as_float appends ".0" to a whole real, as GDScript does for a float
void append_number(TextBuffer &buffer, const NumberSequence &numbers, std::size_t index, bool as_float);

/// Appends a value with a fixed layout (a vector, color or matrix) in script order: `Vector2(1, 2)`, or in brief style
/// `(1, 2)`. Appends nothing if components are missing.
/// @param numbers in wire order
/// @param first index of the value's first number
void append_components(TextBuffer &buffer, Dialect dialect, Type type, const NumberSequence &numbers, std::size_t first,
                       TextStyle style);

/// Appends a short form of custom payload bytes: "Raw bytes(5) 01 02 03 04 05", or `Raw bytes(5) "hello"` if the bytes
/// are text.
void append_raw_bytes(TextBuffer &buffer, Bytes bytes);

}  // namespace godot_codec
