// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Determines the Godot release of each side of a conversation from its messages, for the field `godot.release`.
#pragma once

#include "godot-codec/detection/release.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Evidence from a sender's packets. Zero-initialised.
struct ReleaseEvidence {
  godot_codec::ReleaseFacts facts;
  std::uint32_t packets;  ///< number of packets counted
};

/// Returns the evidence about the packet's sender, for updating. Null on later passes. Also null for most packets after
/// the sender's first packets, because only a sample is examined.
/// @param conversation of the packet, to save the look-up; or null
[[nodiscard]] ReleaseEvidence *release_evidence_to_update(packet_info *pinfo, conversation_t *conversation);

/// Adds the release of the packet's sender to the tree, with the evidence. Adds nothing if it is unknown.
/// @param conversation of the packet, to save the look-up; or null
void add_release_items(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const conversation_t *conversation);

/// Returns the sender's possible releases so far, for example "4.3 to 4.6"; null if not known. The text is in the
/// packet's memory.
[[nodiscard]] const char *describe_sender_release(packet_info *pinfo);

/// Returns "the sender is Godot 4.3 to 4.6, the receiver 4.0 to 4.2" if sender and receiver have no possible release in
/// common; otherwise null. The text is in the packet's memory.
[[nodiscard]] const char *describe_release_conflict(packet_info *pinfo);

}  // namespace godot_plugin
