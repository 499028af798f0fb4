// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot`: one Variant in a packet of a PacketPeer.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// How the user wants Variants to be read, in any protocol: the preferences of `godot`.
[[nodiscard]] godot_codec::WalkOptions preferred_walk_options(godot_codec::Dialect dialect);
/// How many elements of a packed array are to be drawn; 0: all.
[[nodiscard]] std::uint32_t preferred_max_elements();

/// The longest packet of a stream.
[[nodiscard]] std::uint32_t preferred_max_length();

/// Draws a packet and tells the columns of it.
/// @param tvb the packet with its length prefix, if it has one; @param header the size of that
/// @param number of the packet, among those of the same frame
void dissect_variant_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, int header, std::uint32_t number);

/// Registers protocol, fields and preferences.
void register_godot();

/// Hooks the protocol onto its ports.
void handoff_godot();

}  // namespace godot_plugin
