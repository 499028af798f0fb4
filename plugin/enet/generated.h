// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Generated items, which no bytes of the datagram contain: links, flags, times, and the fragments of a reassembled
/// message.
#pragma once

#include <cstdint>

#include "godot-codec/enet/fragments.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Adds a link to a frame.
void draw_link(proto_tree *tree, tvbuff_t *tvb, int hf, std::uint32_t frame);

/// Adds the flag if it is set; else nothing.
void draw_flag(proto_tree *tree, tvbuff_t *tvb, int hf, bool is_set);

/// Adds the time between two events, in nanoseconds.
void draw_time(proto_tree *tree, tvbuff_t *tvb, int hf, std::int64_t nanoseconds);

/// Adds the fragments of a complete message; if there are very many, only the first ones.
/// @param tvb the reassembled message
void draw_fragments(packet_info *pinfo, const godot_codec::EnetFragmentedMessage &message, tvbuff_t *tvb,
                    proto_tree *tree);

}  // namespace godot_plugin
