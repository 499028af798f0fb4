// SPDX-License-Identifier: MIT
/// @file
/// Splits paths of nodes or files at slashes.
#pragma once

#include <string_view>

namespace godot_codec {

/// Returns the name after the last slash; the whole path if it has no slash.
[[nodiscard]] constexpr std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Returns the path before the last slash; empty if there is no slash.
[[nodiscard]] constexpr std::string_view parent_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

}  // namespace godot_codec
