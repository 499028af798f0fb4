// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Finds the name of the capture file, which epan does not pass to dissectors.
#pragma once

#include <string>

namespace godot_plugin {

/// Returns the name of the only open capture file, without its folder, printable. Empty if several are open, or if the
/// system cannot list open files (supported on Linux only).
[[nodiscard]] std::string capture_name();

}  // namespace godot_plugin
