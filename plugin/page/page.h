// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The match page: `-z godot,page,FILE`, and *Statistics → Godot → Match page*. A single HTML file without external
/// resources.
#pragma once

#include <string>
#include <string_view>

namespace godot_plugin {

/// Registers the option and the menu item.
void register_page();

// ---- between the files of this folder

/// Returns the name of the only open capture file, without its folder, printable. Empty if several are open, or if the
/// system cannot list open files (supported on Linux only).
[[nodiscard]] std::string capture_name();

/// Returns the HTML without data, with `@CSP@` and `@DATA@` as placeholders for the content security policy and the
/// data. page/assemble.cmake builds it from the files in page/ and the plot library.
[[nodiscard]] std::string_view page_template();

/// False if the plugin was built without the plot library. The page then shows a note in place of plots.
[[nodiscard]] bool has_page_library();

class MatchCollector;

/// Writes a match as an HTML page. Writes a temporary file next to the target, and renames it when it is complete. An
/// existing file stays until then.
/// @param name of the file, as the C library takes it (UTF-8 on Windows)
/// @returns an error message; empty on success
[[nodiscard]] std::string write_page(MatchCollector &match, const std::string &name);

}  // namespace godot_plugin
