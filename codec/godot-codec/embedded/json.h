// SPDX-License-Identifier: MIT
/// @file
/// Is a text JSON?
#pragma once

#include <string_view>

namespace godot_codec {

/// True if a text is an object or an array of JSON from its first character to its last (RFC 8259), nested no deeper
/// than 64. Numbers may have a point without digits on one side, as JSON.stringify() of some releases writes them.
[[nodiscard]] bool is_json(std::string_view text);

}  // namespace godot_codec
