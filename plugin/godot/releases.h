// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Determines the Godot release of each end of a conversation from its messages, for the field `godot.release`.
#pragma once

#include "godot-codec/detection/release.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// What the packets of a sender have shown. Zeros are the initial state.
struct SenderReleases {
  godot_codec::ReleaseFacts facts;
  std::uint32_t packets;  ///< number of packets counted
};

/// Returns the sender's facts for updating, on the first pass, if the packet is to be examined: the first packets of a
/// sender, and later a sample. Null otherwise.
/// @param conversation of the packet, to save the look-up; or null
[[nodiscard]] SenderReleases *releases_to_update(packet_info *pinfo, conversation_t *conversation);

/// Adds the release of the packet's sender to the tree, with the evidence. Adds nothing if it is unknown.
/// @param conversation of the packet, to save the look-up; or null
void add_release_items(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const conversation_t *conversation);

/// Returns "4.3 to 4.6", the sender's possible releases as known so far; null if unknown. In the packet's memory pool.
[[nodiscard]] const char *sender_release(packet_info *pinfo);

/// Returns "the sender is Godot 4.3 to 4.6, the receiver 4.0 to 4.2" if both are known and have no release in common;
/// else null. In the packet's memory pool.
[[nodiscard]] const char *describe_release_conflict(packet_info *pinfo);

}  // namespace godot_plugin
