// SPDX-License-Identifier: MIT
/// @file
/// Checks whether a text is JSON.
#pragma once

#include <string_view>

namespace godot_codec {

/// True if the whole text is a JSON object or array (RFC 8259), nested at most 64 levels deep. Also accepts numbers
/// without digits before or after the point, because JSON.stringify() of some releases writes them.
[[nodiscard]] bool is_json(std::string_view text);

}  // namespace godot_codec
