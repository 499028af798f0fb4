// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The match page: `-z godot,page,FILE`, and *Statistics → Godot → Match page*. One HTML file that needs nothing else.
#pragma once

namespace godot_plugin {

/// Registers both.
void register_page();

}  // namespace godot_plugin
