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

/// Judges bytes as one command of a generation, without a prefix: weak if they are one to their exact end, all its
/// Variants walked, as an engine sends it; neutral if they are raw bytes of the game, or the capture cuts them.
/// @param options limits, and how reals are read; the dialect is the generation's
[[nodiscard]] Confidence looks_like_mp_message(Bytes bytes, Generation generation, const ReadOptions &options);

/// Judges a packet in one of the ways in which it may be read.
[[nodiscard]] Confidence judge_mp_packet(MpReader &reader, MpFraming framing, Generation generation);

/// Judges a packet that begins with its framing.
[[nodiscard]] Confidence looks_like_mp_packet(Bytes packet, MpFraming framing, const ReadOptions &options);

/// Which prefix a packet of Godot 3 has over ENet, channels from 1: nothing says so but what fits. The first packet
/// that fits to its exact end (Confidence::weak) speaks for all of its connection.
/// @returns enet3 or enet3_flags; `none` where the packet fits neither: then it is not to be read at all
[[nodiscard]] MpFraming choose_enet3_framing(MpReader &reader);

}  // namespace godot_codec
