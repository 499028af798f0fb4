// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Datagrams that are quoted in an ICMP error, most of them only in part.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the datagram with its original length. An ICMP error may quote only the beginning, and epan takes the quoted
/// part for the whole datagram; the quoted UDP header has the original length.
[[nodiscard]] tvbuff_t *with_sent_length(tvbuff_t *datagram, const packet_info *pinfo);

}  // namespace godot_plugin
