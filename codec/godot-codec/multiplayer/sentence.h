// SPDX-License-Identifier: MIT
/// @file
/// What a message of the high-level multiplayer says, as a sentence: `RPC Main/World.take_damage(5, "fall")`.
#pragma once

#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/variant/text.h"

namespace godot_codec {

/// Appends what a message says, as far as the buffer has room; of a relay `To 3: `, which the command inside completes.
/// The message is not read again: its Variants are walked once, for their text and for how they end.
/// @returns how reading the message ended, its Variants to their end, whatever the text has room for
Outcome append_mp_sentence(const MpPacket &packet, const MpMessage &message, const MpRoute &route, TextBuffer &text);

/// What is put behind a sentence of what could not be read. Empty of ok.
[[nodiscard]] const char *mp_outcome_mark(Outcome outcome);

}  // namespace godot_codec
