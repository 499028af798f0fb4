// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reads the error of ICMP that quotes a datagram. epan hands the quoted datagram to its dissectors without it.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Tells whether a filter on the way has dropped the datagram: ICMP's codes "administratively prohibited".
/// @param payload of the quoted datagram of UDP, in the frame's memory
[[nodiscard]] bool is_prohibited_by_icmp(const packet_info *pinfo, godot_codec::Bytes payload);

}  // namespace godot_plugin
