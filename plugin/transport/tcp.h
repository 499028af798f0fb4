// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP as a carrier, on the ports of the debugger and of Variants. The rules are the codec's (godot-codec/stream,
/// godot-codec/detection/stream_chooser.h); here they get bytes and moments.
///
///     tcp_streams.h          where a segment stands in its stream; streams.h says what becomes of it
///     tcp_detection.h        which protocol a stream carries, if no preference names the port
///     websocket_detection.h  WebSockets that Wireshark would not read as such
#pragma once

namespace godot_plugin {

/// Registers what is remembered of streams.
void register_tcp();

/// Hooks the protocols that streams carry onto ports and the list of heuristics. To be called once they are registered.
void handoff_tcp();

}  // namespace godot_plugin
