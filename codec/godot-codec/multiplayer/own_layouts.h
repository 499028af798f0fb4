// SPDX-License-Identifier: MIT
/// @file
/// Which layout of the game's author says what lies in the bytes of a message.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

/// The method that a call calls, and its node's path; both may be empty.
struct MpCallee {
  std::string_view node;
  std::string_view method;
};
[[nodiscard]] MpCallee mp_callee(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);

/// The layout of an argument that is an array of bytes. @returns null where there is none
[[nodiscard]] const Layout *find_call_layout(const MpPacket &packet, const MpMessage &message, const MpCallee &callee,
                                             std::uint32_t argument, Range bytes);

/// Finds the layout of a raw message or an authentication.
[[nodiscard]] const Layout *find_raw_layout(const MpPacket &packet, const MpMessage &message, Range bytes);

/// Finds the layout of a packet that is no message of the multiplayer.
[[nodiscard]] const Layout *find_port_layout(const Layouts &layouts, std::uint16_t port, Bytes bytes,
                                             const Encoding &encoding, const ReadOptions &options);

}  // namespace godot_codec
