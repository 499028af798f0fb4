// SPDX-License-Identifier: MIT
/// @file
/// Finds the layout of layouts.txt that describes the custom payload of a message.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/resolved_message.h"

namespace godot_codec {

/// Finds the layout of an argument of a call that is a PackedByteArray. @returns null if no layout describes it
[[nodiscard]] const Layout *find_call_layout(const MpResolvedMessage &call, std::uint32_t argument, Range bytes);

/// Finds the layout of a raw message or an authentication.
[[nodiscard]] const Layout *find_raw_layout(const MpResolvedMessage &message, Range bytes);

/// Finds the layout of a packet that is not a multiplayer message, by the port.
[[nodiscard]] const Layout *find_port_layout(const Layouts &layouts, std::uint16_t port, Bytes bytes,
                                             const Encoding &encoding, const ReadOptions &options);

}  // namespace godot_codec
