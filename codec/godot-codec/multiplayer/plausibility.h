// SPDX-License-Identifier: MIT
/// @file
/// Judges if bytes are a command of the multiplayer, as an engine sends it: evidence for choosing a protocol.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/reading.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// Judges a packet in one of the ways in which it may be read: weak if it is a command to its exact end, all its
/// Variants walked, as an engine sends it; neutral if it is raw bytes of the game, or the capture cuts it.
[[nodiscard]] Confidence judge_mp_packet(MpReader &reader, MpFraming framing, Generation generation);

/// Which prefix a packet of Godot 3 has over ENet, channels from 1: nothing says so but what fits. The first packet
/// that fits to its exact end (Confidence::weak) speaks for all of its connection.
/// @returns enet3 or enet3_flags; `none` where the packet fits neither: then it is not to be read at all
[[nodiscard]] MpFraming choose_enet3_framing(MpReader &reader);

}  // namespace godot_codec
