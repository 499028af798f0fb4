// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What a message of the high-level multiplayer says, as a sentence for the Info column.
#pragma once

#include "godot-codec/variant/text.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// Appends "RPC Main/World.take_damage(5, "fall")", or of a relay "To 3: ", which the command inside completes.
/// @returns how reading the message ended, as far as the text has got
godot_codec::Outcome append_mp_summary(const MpPacket &packet, const godot_codec::MpMessage &message,
                                       const MpRoute &route, godot_codec::TextBuffer &text);

/// What is put behind a summary of what could not be read.
[[nodiscard]] const char *mp_outcome_mark(godot_codec::Outcome outcome);

}  // namespace godot_plugin
