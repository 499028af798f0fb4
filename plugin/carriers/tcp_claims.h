// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// TCP's segments on ports that other protocols own: they are looked at before TCP gets them, as the owner of the port
/// is asked first from then on.
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
/// ports are set. @param is_owned by another protocol: else HTTP knows it for itself
/// @returns false where it begins none
bool claim_upgrade(tvbuff_t *payload, packet_info *pinfo, bool is_owned);

/// True once claim_upgrade() has: HTTP hands each frame to Wireshark's own WebSocket, and may be in the middle of one.
[[nodiscard]] bool is_upgraded(packet_info *pinfo);
/// True if the capture lacks the request or its answer: then HTTP hands on nothing.
[[nodiscard]] bool is_half_upgraded(packet_info *pinfo);
/// True if a segment may be an upgrade, or behind one.
[[nodiscard]] bool may_be_upgraded(godot_codec::Bytes payload);

/// Registers what is remembered of claims.
void register_tcp_claims();

}  // namespace godot_plugin
