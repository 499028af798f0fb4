// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// How the user wants Variants to be read, in any protocol: the preferences of `godot`.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/embedded/embedded.h"
#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

[[nodiscard]] godot_codec::ReadOptions preferred_read_options();
/// The options for looking inside a game's own bytes.
[[nodiscard]] godot_codec::InsideOptions preferred_inside_options();
/// The dialect that the user insists on.
[[nodiscard]] std::optional<godot_codec::Dialect> preferred_dialect();
/// True if the contents of bytes are to be shown.
[[nodiscard]] bool are_bytes_opened();
/// How many elements of a packed array are to be drawn; 0: all.
[[nodiscard]] std::uint32_t preferred_max_elements();
/// The longest packet in a stream to believe in, in bytes.
[[nodiscard]] std::uint32_t preferred_max_length();

/// Registers the preferences but for ports, which come before them. @param apply called when any was changed
void register_godot_preferences(int proto, void (*apply)());
void register_advanced_godot_preferences();

}  // namespace godot_plugin
