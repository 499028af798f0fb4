// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reads an ICMP error that quotes a datagram, because epan does not pass the error to the dissector of the datagram.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/enet/connection_facts.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns why the quoted datagram was not delivered: `unreachable` also if ICMP does not give a reason.
/// @param payload the payload of the quoted UDP datagram, a pointer into the frame's memory
[[nodiscard]] godot_codec::EnetIcmpErrorReason icmp_error_reason(const packet_info *pinfo, godot_codec::Bytes payload);

/// Returns a quoted datagram with its original length, from the quoted UDP header. An ICMP error may quote only the
/// beginning of a datagram, and epan would take this part for the whole datagram.
[[nodiscard]] tvbuff_t *with_original_length(tvbuff_t *datagram, const packet_info *pinfo);

}  // namespace godot_plugin
