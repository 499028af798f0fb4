// SPDX-License-Identifier: MIT
/// @file
/// Names the kind of message that a Variant is, in a few words: for whoever counts a game's messages.
#pragma once

#include <cstddef>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/value.h"

namespace godot_codec {

/// Appends the kind of the Variant at @p offset. Messages that differ in their values alone have the same one:
/// - `{cmd: "move"}` of a Dictionary with a key that games name their messages by (cmd, type, …), and a short text or
/// an
///   int there,
/// - `{id, pos}` of any other Dictionary: its keys,
/// - `["move", …]` of an Array that begins with a short text,
/// - `[int, Vector2]` of any other Array: its types,
/// - `Vector2` of all else: the type. A Variant that cannot be read is `(unreadable)`.
/// @param arena working memory, whose contents are overwritten. Throws what its upstream throws
void append_kind(TextBuffer &buffer, Bytes bytes, std::size_t offset, const Encoding &encoding,
                 const ReadOptions &options, ValueArena &arena);

}  // namespace godot_codec
