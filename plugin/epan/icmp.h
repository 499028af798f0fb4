// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reads the error of ICMP that quotes a datagram. epan hands the quoted datagram to its dissectors without it.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Why a datagram did not get there.
enum class IcmpReason : std::uint8_t {
  other,       ///< nobody listens at the port, or ICMP does not say
  no_route,    ///< "network unreachable", "host unreachable"
  prohibited,  ///< "administratively prohibited": a filter on the way has dropped it
};

/// @param payload of the quoted datagram of UDP, in the frame's memory
[[nodiscard]] IcmpReason icmp_reason(const packet_info *pinfo, godot_codec::Bytes payload);

}  // namespace godot_plugin
