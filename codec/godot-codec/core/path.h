// SPDX-License-Identifier: MIT
/// @file
/// The parts of a path: names with slashes between them, of nodes or of files.
#pragma once

#include <string_view>

namespace godot_codec {

/// The name behind the last slash; all of a path without one.
[[nodiscard]] constexpr std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The path in front of its last slash; empty for a path without one.
[[nodiscard]] constexpr std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

}  // namespace godot_codec
