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

/// Returns a Dictionary or an Array of values that games typically send.
[[nodiscard]] std::string game_container(Random &random, Engine engine);

/// Returns any value.
[[nodiscard]] std::string game_value(Random &random, Engine engine);

/// Returns an array of bytes or of numbers that contains a value, of either engine.
[[nodiscard]] std::string game_array_of_bytes(Random &random, Engine engine);

/// Converts hex digits to bytes.
[[nodiscard]] std::string bytes_of_hex(std::string_view digits);

}  // namespace recognition
