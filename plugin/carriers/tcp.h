// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP as a carrier: where a segment stands in its stream, and whose that is. What the rules are the codec knows
/// (godot-codec/stream, godot-codec/recognise/stream_chooser.h); here it gets bytes and moments. See streams.h for what
/// becomes of them.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if a segment's payload is worth a claim_segment(). Takes no time.
[[nodiscard]] bool may_claim_segment(godot_codec::Bytes payload);

/// Pins the conversation of a segment that can be nothing but the debugger's or Variants, before TCP gets it: by the
/// segment, or with it, and what came before it. On the first pass; the packet's ports are set.
/// @param raw_seq of the payload's first byte, as it is on the wire
void claim_segment(tvbuff_t *payload, packet_info *pinfo, std::uint32_t raw_seq);

/// Gives a conversation to HTTP that begins a WebSocket, before TCP gets the segment. On the first pass; the packet's
/// ports are set. @returns false where it begins none
bool claim_upgrade(tvbuff_t *payload, packet_info *pinfo);

/// Registers what is remembered of streams.
void register_tcp();

/// Hooks the protocols that streams carry onto ports and the list of heuristics. To be called once they are registered.
void handoff_tcp();

}  // namespace godot_plugin
