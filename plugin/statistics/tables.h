// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The tables that count: calls, objects, peers, messages of the debugger, and the costs of all bytes.
#pragma once

#include <array>

#include "plugin/statistics/frame.h"

namespace godot_plugin {

/// The names of the table's rows, indexed by Cost.
extern const std::array<const char *, cost_count> cost_names;

/// False for a frame that the table of costs ignores: one of a DTLS client without an answer.
[[nodiscard]] bool is_in_overhead(const FrameRecord &record);

void register_statistics();

}  // namespace godot_plugin
