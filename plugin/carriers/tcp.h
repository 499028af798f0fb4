// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP and TLS as carriers: a stream cut into messages, and whose it is. What the rules are the codec knows
/// (godot-codec/stream, godot-codec/recognise/stream_chooser.h); here it gets bytes and moments, and epan is asked for
/// the rest of a message that is not whole.
#pragma once

namespace godot_plugin {

/// Registers what is remembered of streams.
void register_tcp();

/// Hooks the protocols that streams carry onto ports and the list of heuristics. To be called once they are registered.
void handoff_tcp();

}  // namespace godot_plugin
