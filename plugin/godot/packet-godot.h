// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot`: a packet of a PacketPeer with a Variant or a custom payload. Its preferences apply to Variants
/// in all protocols.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/core/confidence.h"
#include "godot-codec/embedded/embedded_format.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/variant_walker.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Dissects a packet, and records its dialect on the first pass.
/// @param header size of the length prefix before the packet, in bytes; 0: no prefix
/// @returns weak if the packet is exactly one Variant in an engine's encoding; none if it cannot be a Variant
godot_codec::Confidence dissect_variant_packet(const MessageContext &context, int header);

/// Passes a custom payload to the dissector that is registered for the game's custom payloads.
/// @param port the server's port
/// @returns false if there is no dissector or it rejects the payload
bool dissect_custom_message(const MessageContext &context, std::uint32_t port);

/// Returns the history of the conversation's dialects. The history lives as long as the capture.
[[nodiscard]] godot_codec::DialectHistory &dialects_of(conversation_t *conversation);

/// @param apply called when a preference has changed
void register_godot(void (*apply)());

// ---- preferences.cpp

[[nodiscard]] godot_codec::ReadOptions preferred_read_options();
/// Returns the options for detecting embedded data.
[[nodiscard]] godot_codec::EmbeddedOptions preferred_embedded_options();
/// Returns the dialect that the preferences set; nullopt if they set "automatic".
[[nodiscard]] std::optional<godot_codec::Dialect> preferred_dialect();
/// True if the preference godot.open_bytes is set: search byte arrays and custom payloads for embedded data.
[[nodiscard]] bool decodes_embedded_data();
/// Returns the maximum number of shown elements of a packed array; 0: all.
[[nodiscard]] std::uint32_t preferred_max_elements();
/// Returns the maximum plausible size of a packet in a stream, in bytes.
[[nodiscard]] std::uint32_t preferred_max_length();

/// Registers the protocol's preference module. Call before registering port preferences. @param apply called when a
/// preference has changed
void register_godot_preferences(int proto, void (*apply)());
/// Registers the other preferences, after the port preferences.
void register_advanced_godot_preferences();

}  // namespace godot_plugin
