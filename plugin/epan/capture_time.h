// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The time at which a packet was captured.
#pragma once

#include "godot-codec/core/packet_position.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Returns the capture time in nanoseconds since 1970; the nearest possible value if the time does not fit.
[[nodiscard]] inline std::int64_t time_of(const packet_info *pinfo) {
  return godot_codec::time_from(static_cast<std::int64_t>(pinfo->abs_ts.secs), pinfo->abs_ts.nsecs);
}

}  // namespace godot_plugin
