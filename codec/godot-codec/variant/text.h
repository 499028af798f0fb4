// SPDX-License-Identifier: MIT
/// @file
/// A Variant as the text that a GDScript author would write for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

enum class TextStyle : std::uint8_t {
  script,  ///< `{"cmd": "move", "pos": Vector2(1, 2)}`
  plain,   ///< like script, but a text alone has no quotes, and an Object in full is its class's name
  brief,   ///< `{cmd: "move", pos: (1, 2)}`: type names and quotes of keys left out, long texts cut, of a long packed
           ///< array only `PackedByteArray(2000)`
};

/// Appends the text of the Variant at @p offset, as far as it can be read and fits.
/// @returns the walk's result; stopped if the text was full or complete before the value's end
WalkResult append_variant(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options, TextStyle style);

/// Appends `Dictionary(3) {cmd: "move"}`: the type, of containers the count, and the brief text.
/// @returns the walk's result: what no longer fits is read to its end all the same
WalkResult append_summary(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                          const ReadOptions &options);

/// Appends a value of a fixed layout (a vector, a color, a matrix) in the order of a script: `Vector2(1, 2)`, in brief
/// `(1, 2)`. Nothing if components are missing.
/// @param numbers in the order of the wire @param first which of them is the value's first
void append_components(TextBuffer &buffer, Dialect dialect, Type type, const Numbers &numbers, std::size_t first,
                       TextStyle style);

/// Bytes of a game's own, in short: "Raw bytes(5) 01 02 03 04 05", or `Raw bytes(5) "hello"` where they are text.
void append_raw_bytes(TextBuffer &buffer, Bytes bytes);

}  // namespace godot_codec
