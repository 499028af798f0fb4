// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot`: one Variant in a packet of a PacketPeer.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"

namespace godot_plugin {

/// Registers protocol, fields and preferences. @param apply called when a preference has changed
void register_godot(void (*apply)());

/// Hooks the protocol onto its ports.
void handoff_godot();

}  // namespace godot_plugin
