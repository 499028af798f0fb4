// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Texts for commands and their times.
#pragma once

#include <cstdint>

#include "godot-codec/enet/session.h"
#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Converts nanoseconds to milliseconds.
[[nodiscard]] constexpr double milliseconds(std::int64_t time) { return static_cast<double>(time) / 1e6; }

/// True if a command carries user data.
[[nodiscard]] bool has_data(const godot_codec::EnetCommand &command);

/// Appends "Reliable ch 0 #3" or "Fragment 2/7 of ch 0 #12".
void append_message(godot_codec::TextBuffer &text, const godot_codec::EnetCommand &command);

/// Appends "Reliable ch 0 #3 again (20 bytes)" or "Ack #4 (0.3 ms)".
void append_command(godot_codec::TextBuffer &text, const godot_codec::EnetCommand &command,
                    const godot_codec::EnetCommandFindings &known, bool is_repeated);

}  // namespace godot_plugin
