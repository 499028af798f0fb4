// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Finds out whose a TCP stream is that nobody has named a port for. The rules are the codec's
/// (godot-codec/detection/stream_chooser.h); here they get segments, and epan gets the answer. On ports that other
/// protocols own, segments are looked at before TCP gets them, as the owner of the port is asked first from then on.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/detection/stream_chooser.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The dissector that epan calls with a stream's segments.
[[nodiscard]] dissector_handle_t tcp_handle_of(godot_codec::StreamOwner owner);

/// The owner of a stream if this one segment leaves no doubt about it.
[[nodiscard]] std::optional<godot_codec::StreamOwner> tcp_owner_alone(godot_codec::Bytes payload);

/// False if the user has disabled TCP's heuristic.
[[nodiscard]] bool is_tcp_detected();

/// True if a segment's payload is worth a claim_segment(). Takes no time.
[[nodiscard]] bool may_claim_segment(godot_codec::Bytes payload);

/// Pins the conversation of a segment that can only be the debugger's or Variants, before TCP gets it. That is judged
/// by the segment alone, or together with what came before it. On the first pass; the packet's ports are set.
/// @param seq of the payload's first byte, as it is on the wire
void claim_segment(godot_codec::Bytes payload, packet_info *pinfo, std::uint32_t seq);

/// Registers what is remembered in a capture.
void register_tcp_owner();

/// Adds what recognises streams to TCP's heuristics.
void handoff_tcp_owner();

}  // namespace godot_plugin
