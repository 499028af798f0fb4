// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot`: one packet of a PacketPeer, a Variant or bytes of the game's own.
#pragma once

#include <cstdint>

#include "godot-codec/core/confidence.h"
#include "godot-codec/detection/dialect_history.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Shows a packet, and learns its dialect. @param header bytes of the length prefix in front of it; 0: none
/// @returns how well it fits: weak if it is just one Variant, as an engine sends it, and none if it cannot be one
godot_codec::Confidence dissect_variant_packet(const MessageContext &context, int header);

/// Hands a message that is nobody's to the dissector that the user has registered for bytes of the game's own.
/// @param port the server's @returns whether there is one, and it has taken them
bool dissect_own_message(const MessageContext &context, std::uint32_t port);

/// Which dialects the packet's conversation has shown so far; lives as long as the capture.
[[nodiscard]] godot_codec::DialectHistory &dialects_of(conversation_t *conversation);

/// Registers protocol, fields and preferences. @param apply called when a preference has changed
void register_godot(void (*apply)());

}  // namespace godot_plugin
