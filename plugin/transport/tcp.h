// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP as a carrier, on the ports of the debugger and of Variants. The rules are the codec's (godot-codec/stream,
/// godot-codec/detection/stream_chooser.h); here they get bytes and moments.
///
///     tcp_streams.h  where a segment stands in its stream; streams.h says what becomes of it
///     tcp_owner.h    whose a stream is that no port is named for, or the port of another protocol's
///     upgrades.h     from HTTP to a WebSocket
#pragma once

namespace godot_plugin {

/// Registers what is remembered of streams.
void register_tcp();

/// Hooks the protocols that streams carry onto ports and the list of heuristics. To be called once they are registered.
void handoff_tcp();

}  // namespace godot_plugin
