// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Which release of Godot each end of a conversation is, by what it has sent: `godot.release`.
#pragma once

#include "godot-codec/detection/release.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The facts that the sender of a packet has shown. Plain data, in file scope.
struct SenderReleases {
  godot_codec::ReleaseFacts facts;
  std::uint32_t packets;  ///< that were looked at
};

/// On the first pass, where the packet is one to look at: the first ones of a sender are, later ones now and then. Null
/// otherwise.
/// @param conversation the packet's, if it was looked up
[[nodiscard]] SenderReleases *learning_releases(packet_info *pinfo, conversation_t *conversation);

/// Says which release the packet's sender is, and why. Nothing where nothing is known.
/// @param conversation the packet's, if it was looked up
void draw_release(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const conversation_t *conversation);

/// "4.3 to 4.6": the sender's, as far as it is known by now; else null. In the packet's pool.
[[nodiscard]] const char *sender_release(packet_info *pinfo);

/// "the sender is Godot 4.3 to 4.6, the receiver 4.0 to 4.2": where both are known and no release could be both's; else
/// null. In the packet's pool.
[[nodiscard]] const char *describe_two_releases(packet_info *pinfo);

void register_releases();

}  // namespace godot_plugin
