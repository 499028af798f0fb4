// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The page without data, which page/assemble.cmake builds from the files in page/ and the plot library.
#pragma once

#include <string_view>

namespace godot_plugin {

/// Returns the HTML, with `@CSP@` and `@DATA@` as placeholders for the content security policy and the data.
[[nodiscard]] std::string_view page_template();

/// False if the plugin was built without the plot library. The page then shows a note in place of plots.
[[nodiscard]] bool has_page_library();

}  // namespace godot_plugin
