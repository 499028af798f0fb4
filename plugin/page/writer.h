// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Writes a match as a page.
#pragma once

#include <string>

#include "plugin/page/collector.h"

namespace godot_plugin {

/// Writes the file beside its place, and puts it there when it is whole: what was there before stays until then.
/// @param name of the file, as the C library takes it (UTF-8 on Windows)
/// @returns empty; what went wrong
[[nodiscard]] std::string write_page(MatchCollector &match, const std::string &name);

}  // namespace godot_plugin
