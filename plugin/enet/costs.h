// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Counts the bytes of ENet datagrams for the table of costs.
#pragma once

#include <cstddef>

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Counts a datagram. Call before the datagram's messages are dissected.
/// @param whole size of the datagram with its header, in bytes
void count_enet_datagram(packet_info *pinfo, std::size_t whole, const godot_codec::EnetDatagram &read,
                         const godot_codec::EnetFindings &known);

}  // namespace godot_plugin
