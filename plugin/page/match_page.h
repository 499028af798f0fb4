// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The match page: `-z godot,page,FILE`, and *Statistics → Godot → Match page*. A single HTML file without external
/// resources.
#pragma once

#include <string>
#include <string_view>

namespace godot_plugin {

/// Registers the option and the menu item.
void register_match_page();

// ---- functions that only this folder uses

/// Returns the page's HTML. `@CSP@` and `@DATA@` are placeholders for the content security policy and the data.
/// page/assemble.cmake builds the HTML from the files in page/ and the plot library.
[[nodiscard]] std::string_view page_template();

/// False if the plugin was built without the plot library. The page then shows a note in place of plots.
[[nodiscard]] bool has_page_library();

class MatchCollector;

/// Writes a match as an HTML page. An error does not destroy an existing file.
/// @param name file name, in the encoding for fopen() (UTF-8 on Windows)
/// @returns an error message; empty on success
[[nodiscard]] std::string write_page(MatchCollector &match, const std::string &name);

}  // namespace godot_plugin
