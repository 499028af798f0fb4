// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The capture's name, of which epan tells its dissectors nothing.
#pragma once

#include <string>

namespace godot_plugin {

/// The name of the capture file that the program has open, without its folder, printable; empty where the system does
/// not say which files are open (it is asked on Linux only), or there are several.
[[nodiscard]] std::string capture_name();

}  // namespace godot_plugin
