// SPDX-License-Identifier: MIT
/// @file
/// UTF-8 as the engines check it.
#pragma once

#include <cstddef>
#include <string_view>

namespace godot_codec {

/// Bytes of the well-formed UTF-8 sequence (Unicode, table 3-7) that @p text begins with; 0 where there is none.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text);

/// Whether text is well-formed UTF-8 throughout: no surrogates, nothing over-long.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

}  // namespace godot_codec
