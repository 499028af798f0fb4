// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Datagrams that an ICMP error quotes, most of them only in part.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A datagram, as long as it was when it was sent: UDP's header says so, where an ICMP error quotes its beginning. epan
/// takes what is quoted for all there was.
[[nodiscard]] tvbuff_t *with_sent_length(tvbuff_t *datagram, const packet_info *pinfo);

}  // namespace godot_plugin
