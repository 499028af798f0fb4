// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot`: one Variant in a packet of a PacketPeer.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"

namespace godot_plugin {

/// How the user wants Variants to be read, in any protocol: the preferences of `godot`.
[[nodiscard]] godot_codec::ReadOptions preferred_read_options();
/// How many elements of a packed array are to be drawn; 0: all.
[[nodiscard]] std::uint32_t preferred_max_elements();

/// Registers protocol, fields and preferences.
void register_godot();

/// Hooks the protocol onto its ports.
void handoff_godot();

}  // namespace godot_plugin
