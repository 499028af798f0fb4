// SPDX-License-Identifier: MIT
/// @file
/// Checks whether bytes are a multiplayer command as an engine sends it. The result is evidence for protocol detection.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/confidence.h"
#include "godot-codec/multiplayer/framing.h"
#include "godot-codec/multiplayer/reading.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// Checks a packet with one framing and generation. Reads all Variants.
/// @returns weak if the packet is exactly one command as an engine sends it; neutral if it is a custom payload, or
/// incomplete in the capture; none otherwise
[[nodiscard]] Confidence evaluate_mp_packet(MpReader &reader, MpFraming framing, Generation generation);

/// Chooses the prefix of packets of Godot 3 over ENet, channels from 1, by trying both. The first packet that is read
/// exactly to its end (Confidence::weak) decides for the connection.
/// @returns enet3 or enet3_flags; `none` if neither prefix fits, so that the packet must not be read
[[nodiscard]] MpFraming choose_enet3_framing(MpReader &reader);

}  // namespace godot_codec
