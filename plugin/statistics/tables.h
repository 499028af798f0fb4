// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The tables that count: calls, objects, peers, the debugger's messages, and where all bytes go.
#pragma once

#include <array>

#include "plugin/statistics/frame.h"

namespace godot_plugin {

/// Names for the bytes of frames, by Cost.
extern const std::array<const char *, cost_count> cost_names;

/// False for a frame of which the table of costs takes no notice: a client of DTLS whose datagrams nobody answers.
[[nodiscard]] bool is_in_overhead(const FrameRecord &record);

/// Registers the tap of frames and all tables.
void register_statistics();

}  // namespace godot_plugin
