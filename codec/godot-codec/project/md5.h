// SPDX-License-Identifier: MIT
/// @file
/// MD5 (RFC 1321). Godot compares lists of method names by their MD5. Must not be used for security purposes.
#pragma once

#include <string>
#include <string_view>

namespace godot_codec::project {

/// Returns the MD5 of a text as peers send it: 32 lower-case hexadecimal digits.
[[nodiscard]] std::string md5_of(std::string_view text);

}  // namespace godot_codec::project
