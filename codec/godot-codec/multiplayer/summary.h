// SPDX-License-Identifier: MIT
/// @file
/// Writes the summary of a multiplayer message, such as `RPC Main/World.take_damage(5, "fall")`.
#pragma once

#include "godot-codec/multiplayer/resolved_message.h"

namespace godot_codec {

/// Appends the summary of a message, as far as the buffer has space. For a relay, appends only `To 3: `; the summary of
/// the relayed command follows. Walks each Variant once, for its text and its outcome.
/// @returns the outcome of reading the message and all its Variants, even if the buffer is full
Outcome append_mp_summary(const MpResolvedMessage &resolved, TextBuffer &text);

/// Returns the same outcome as append_mp_summary(), but writes no text.
[[nodiscard]] Outcome check_mp_message(const MpResolvedMessage &resolved);

/// Appends the arguments that the method gets if one argument cannot be read, such as `(42, null, null)`.
/// @param loss the result of find_mp_unreadable_argument()
void append_mp_received_arguments(const MpPacket &packet, const MpMessage &message, const MpUnreadableArgument &loss,
                                  TextBuffer &text);

}  // namespace godot_codec
