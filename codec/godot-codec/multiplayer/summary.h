// SPDX-License-Identifier: MIT
/// @file
/// Writes the summary of a multiplayer message: `RPC Main/World.take_damage(5, "fall")`.
#pragma once

#include "godot-codec/multiplayer/resolved_message.h"

namespace godot_codec {

/// Appends the summary of a message, as far as the buffer has space; for a relay `To 3: `, which the summary of the
/// relayed command completes. Walks each Variant once, for its text and for its outcome.
/// @returns how reading the message ended, with all its Variants, even if the buffer is full
Outcome append_mp_summary(const MpResolvedMessage &resolved, TextBuffer &text);

/// Returns what append_mp_summary() returns, if no output needs the text.
[[nodiscard]] Outcome check_mp_message(const MpResolvedMessage &resolved);

/// Appends the arguments that reach the method of a call with an argument that cannot be read: `(42, null, null)`.
/// @param loss from find_mp_loss()
void append_mp_received(const MpPacket &packet, const MpMessage &message, const MpLoss &loss, TextBuffer &text);

}  // namespace godot_codec
