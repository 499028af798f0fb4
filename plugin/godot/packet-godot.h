// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot`: a packet of a PacketPeer with a Variant or a custom payload.
#pragma once

#include <cstdint>

#include "godot-codec/core/confidence.h"
#include "godot-codec/detection/dialect_history.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Dissects a packet, and records its dialect on the first pass.
/// @param header length of the length prefix before the packet, in bytes; 0: none
/// @returns how well the packet fits: weak if it is exactly one Variant as an engine sends it, none if it cannot be one
godot_codec::Confidence dissect_variant_packet(const MessageContext &context, int header);

/// Passes a custom payload to the dissector that is registered for the game's custom payloads.
/// @param port of the server
/// @returns false if there is no dissector or it rejects the payload
bool dissect_custom_message(const MessageContext &context, std::uint32_t port);

/// Returns the dialects that packets of the conversation have shown so far. The history lives as long as the capture.
[[nodiscard]] godot_codec::DialectHistory &dialects_of(conversation_t *conversation);

/// @param apply is called when a preference has changed
void register_godot(void (*apply)());

}  // namespace godot_plugin
