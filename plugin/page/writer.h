// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Writes a match as an HTML page.
#pragma once

#include <string>

#include "plugin/page/collector.h"

namespace godot_plugin {

/// Writes a temporary file next to the target, and renames it when it is complete. An existing file stays until then.
/// @param name of the file, as the C library takes it (UTF-8 on Windows)
/// @returns an error message; empty on success
[[nodiscard]] std::string write_page(MatchCollector &match, const std::string &name);

}  // namespace godot_plugin
