// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The bytes of ENet's datagrams, for the table of costs.
#pragma once

#include <cstddef>

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A datagram of ENet, before its messages are dissected. @param whole its bytes, the header included
void count_enet_datagram(packet_info *pinfo, std::size_t whole, const godot_codec::EnetDatagram &read,
                         const godot_codec::EnetFindings &known);

}  // namespace godot_plugin
