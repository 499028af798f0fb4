// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The preferences of `godot`, which apply to Variants in all protocols.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/embedded/embedded.h"
#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

[[nodiscard]] godot_codec::ReadOptions preferred_read_options();
/// Returns the options for detecting embedded data.
[[nodiscard]] godot_codec::EmbeddedOptions preferred_embedded_options();
/// Returns the dialect set in the preferences; nullopt: automatic.
[[nodiscard]] std::optional<godot_codec::Dialect> preferred_dialect();
/// True if byte arrays and custom payloads are searched for embedded data (preference godot.open_bytes).
[[nodiscard]] bool decodes_embedded_data();
/// Returns the maximum number of shown elements of a packed array; 0: all.
[[nodiscard]] std::uint32_t preferred_max_elements();
/// Returns the maximum plausible size of a packet in a stream, in bytes.
[[nodiscard]] std::uint32_t preferred_max_length();

/// Registers the protocol's preference module, for the port preferences that follow. @param apply is called when a
/// preference has changed
void register_godot_preferences(int proto, void (*apply)());
/// Registers the other preferences, after the port preferences.
void register_advanced_godot_preferences();

}  // namespace godot_plugin
