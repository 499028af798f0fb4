// SPDX-License-Identifier: MIT
/// @file
/// Messages that games send: serialized Variants as an engine of either generation writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "random.h"

namespace recognition {

enum class Engine : std::uint8_t { godot3, godot4 };

/// A Dictionary or an Array of whatever games put into them.
[[nodiscard]] std::string game_container(Random &random, Engine engine);

/// Any value.
[[nodiscard]] std::string game_value(Random &random, Engine engine);

/// An array of bytes or of numbers that holds a value, of either engine.
[[nodiscard]] std::string game_array_of_bytes(Random &random, Engine engine);

/// Bytes from two hex digits each.
[[nodiscard]] std::string bytes_of_hex(std::string_view digits);

}  // namespace recognition
