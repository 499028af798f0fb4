// SPDX-License-Identifier: MIT
/// @file
/// Names the kind of a message that is a Variant, so that messages can be counted by kind.
#pragma once

#include "godot-codec/variant/text_buffer.h"
#include "godot-codec/variant/variant_value.h"

namespace godot_codec {

/// Appends the kind of a Variant. Messages that differ only in their values have the same kind:
/// - `{cmd: "move"}`: a Dictionary with a message name, that is, a key such as cmd or type with a short text or an int,
/// - `{id, pos}`: any other Dictionary, by its keys,
/// - `["move", …]`: an Array that begins with a short text,
/// - `[int, Vector2]`: any other Array, by its elements' types,
/// - `Vector2`: any other value, by its type; `(unreadable)` if the Variant cannot be read.
/// @param root null: the Variant cannot be read
void append_message_kind(TextBuffer &buffer, Dialect dialect, const VariantValue *root);

}  // namespace godot_codec
