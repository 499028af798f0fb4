// SPDX-License-Identifier: MIT
/// @file
/// A Variant as the text that a GDScript author would write for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

enum class TextStyle : std::uint8_t {
  script,  ///< `{"cmd": "move", "pos": Vector2(1, 2)}`
  plain,   ///< like script, but a text alone has no quotes, and an Object in full is its class's name
  brief,   ///< `{cmd: "move", pos: (1, 2)}`: type names and quotes of keys left out, long texts cut, of a long packed
           ///< array only `PackedByteArray[2000 bytes]`
};

/// Appends the text of the Variant at @p offset, as far as it can be read and fits.
/// @returns the walk's result; stopped if the text was full or complete before the value's end
WalkResult append_variant(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options, TextStyle style);

class ValueTexts;

/// How much of a value append_brief() writes.
enum class Brevity : std::uint8_t {
  text,     ///< `{cmd: "move"}`
  summary,  ///< `Dictionary(1) {cmd: "move"}`: behind the type, of containers the count
};

/// Appends the brief text. @param scripts gets the texts for a script, too, of the same walk; null: nobody wants them
/// @returns the walk's result: what no longer fits is read to its end all the same
WalkResult append_brief(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                        const ReadOptions &options, Brevity brevity, ValueTexts *scripts);

/// append_brief() of a summary alone.
WalkResult append_summary(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options);

/// Where a value's text stands in the text of the value that it lies in.
struct TextPlace {
  std::size_t offset;      ///< the value's first byte
  std::size_t end_offset;  ///< behind its last one; 0: its end was not reached
  std::uint32_t begin;     ///< in the text
  std::uint32_t end;
  std::uint32_t outer;  ///< number of the place around it
};

/// The texts of values and of those in them, asked for in the order of their bytes. One walk writes those of a whole
/// Dictionary, as far as there is room for them: a value's text is a part of its container's. append_brief() writes
/// them besides its own, before anybody asks. Plain data, 10 KiB.
class ValueTexts {
 public:
  static constexpr std::size_t max_text = 255;  ///< bytes of one text; a longer one is cut, and ends with an ellipsis

  explicit ValueTexts(const ReadOptions &options) : options_(options), texts_({memory_.data(), memory_.size()}) {}
  ValueTexts(const ValueTexts &) = delete;
  ValueTexts &operator=(const ValueTexts &) = delete;

  /// Where the values are that are asked for from now on.
  void set_bytes(Bytes bytes) { bytes_ = bytes; }

  /// The value at @p offset as append_variant() writes it for a script. Terminated by a zero, good until the next call.
  /// @param encoding of this value
  std::string_view script(std::size_t offset, const Encoding &encoding);

 private:
  template <typename Sink>
  friend WalkResult walk_with_scripts(Bytes bytes, std::size_t offset, const Encoding &encoding,
                                      const ReadOptions &options, Sink &sink, ValueTexts *scripts);

  [[nodiscard]] bool find(std::size_t offset, const Encoding &encoding);
  [[nodiscard]] bool prepare(std::size_t offset, const Encoding &encoding);
  void clear(const Encoding &encoding);
  void read(std::size_t offset, const Encoding &encoding);
  void end_root(std::size_t offset, const WalkResult &result, std::size_t places);
  [[nodiscard]] std::span<TextPlace> free_places() { return std::span(places_).subspan(count_); }
  [[nodiscard]] std::size_t size() const;
  std::string_view show(std::string_view text);

  Bytes bytes_;
  const ReadOptions options_;
  Dialect dialect_ = Dialect::godot4;
  std::size_t count_ = 0;             // places
  std::size_t at_ = 0;                // the place found last
  std::size_t last_root_ = 0;         // its offset
  std::size_t failed_at_ = SIZE_MAX;  // where a walk could not go on
  std::array<TextPlace, 256> places_;
  std::array<char, 2048> memory_;
  TextBuffer texts_;
  std::array<char, max_text + 1> shown_;
};

/// Appends a value of a fixed layout (a vector, a color, a matrix) in the order of a script: `Vector2(1, 2)`, in brief
/// `(1, 2)`. Nothing if components are missing.
/// @param numbers in the order of the wire @param first which of them is the value's first
void append_components(TextBuffer &buffer, Dialect dialect, Type type, const Numbers &numbers, std::size_t first,
                       TextStyle style);

/// Bytes of a game's own, in short: "Raw bytes(5) 01 02 03 04 05", or `Raw bytes(5) "hello"` where they are text.
void append_raw_bytes(TextBuffer &buffer, Bytes bytes);

}  // namespace godot_codec
