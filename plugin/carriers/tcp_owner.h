// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Finds out whose a TCP stream is that nobody has named a port for. The rules are the codec's
/// (godot-codec/recognise/stream_chooser.h); here they get segments, and epan gets the answer.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/recognise/stream_chooser.h"
#include "plugin/carriers/streams.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The dissector that epan calls with a stream's segments.
[[nodiscard]] dissector_handle_t tcp_handle_of(godot_codec::StreamOwner owner);

/// Those that the user lets streams be recognised as.
[[nodiscard]] godot_codec::StreamOwners tcp_candidates();

/// True if a segment may begin a message of one of them. Takes no time.
[[nodiscard]] bool may_begin_tcp(godot_codec::Bytes payload);

/// The owner that a segment leaves no doubt about.
[[nodiscard]] std::optional<godot_codec::StreamOwner> tcp_owner_alone(godot_codec::Bytes payload);

/// From the first segment that was kept on, the stream is the owner's; from there on it gets the stream's segments
/// without the heuristics being asked, whatever the ports are. Those before are shown on later passes.
/// @param seq of the segment that has shown it
void pin_tcp(Stream &stream, packet_info *pinfo, godot_codec::StreamOwner owner, std::uint32_t seq);

/// Another dissector may take the last small Variant for the beginning of a long message: TCP then asks nobody until it
/// has all of it. Remembers that of the packet's stream, behind TCP, on the first pass.
void follow_interruption(packet_info *pinfo);

/// True if there is such a stream. Takes no time.
[[nodiscard]] bool is_any_interrupted();

/// Asks about the next segment of such a stream, before TCP gets it. Where it tells, the message was none. On the first
/// pass; the packet's ports are set.
/// @param seq of the payload's first byte, as it is on the wire
void claim_interrupted(tvbuff_t *payload, packet_info *pinfo, std::uint32_t seq);

/// Registers what is remembered of such streams.
void register_tcp_owner();

/// Adds what recognises streams to TCP's heuristics.
void handoff_tcp_owner();

}  // namespace godot_plugin
