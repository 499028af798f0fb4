// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Items that no bytes of the datagram hold: links, flags, and where the bytes of a reassembled message come from.
#pragma once

#include <cstdint>

#include "godot-codec/enet/fragments.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A link to a frame.
void draw_link(proto_tree *tree, tvbuff_t *tvb, int hf, std::uint32_t frame);

/// An item that is there only where something is so.
void draw_flag(proto_tree *tree, tvbuff_t *tvb, int hf, bool is_set);

/// A time between two events.
void draw_time(proto_tree *tree, tvbuff_t *tvb, int hf, std::int64_t nanoseconds);

/// The fragments of a message that has all of them; the first ones, if there are very many.
/// @param tvb the message
void draw_fragments(packet_info *pinfo, const godot_codec::EnetFragmentedMessage &message, tvbuff_t *tvb,
                    proto_tree *tree);

}  // namespace godot_plugin
