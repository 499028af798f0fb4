// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The page without its data, which CMake puts together of the files in page/ and the library for plots.
#pragma once

#include <string_view>

namespace godot_plugin {

/// HTML, with `@CSP@` and `@DATA@` where the policy and the data go.
[[nodiscard]] std::string_view page_template();

/// False where the plugin was built without the library: the page has no plots then, and says why.
[[nodiscard]] bool has_page_library();

}  // namespace godot_plugin
