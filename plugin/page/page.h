// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The match page: `-z godot,page,FILE`, and *Statistics → Godot → Match page*. A single HTML file without external
/// resources.
#pragma once

namespace godot_plugin {

/// Registers the option and the menu item.
void register_page();

}  // namespace godot_plugin
