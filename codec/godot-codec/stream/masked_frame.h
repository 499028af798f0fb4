// SPDX-License-Identifier: MIT
/// @file
/// WebSocket frames as a client sends them: masked. Who gets only the unmasked content finds out here what stood in
/// front of it. After RFC 6455, section 5.2, and RFC 7692 (the bit of a compressed message).
#pragma once

#include <cstddef>
#include <cstdint>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// A frame's header.
struct MaskedFrame {
  bool is_found = false;    ///< the rest is set only where one is
  std::uint8_t opcode = 0;  ///< 1 text, 2 binary, 0 what continues a message
  bool is_final = false;
  bool is_compressed = false;
  std::size_t end = 0;  ///< where the next frame begins
};

/// Finds the frame whose content, unmasked, is @p content.
/// @param bytes a stream's @param from where to begin: frames follow each other without gaps
[[nodiscard]] MaskedFrame find_masked_frame(Bytes bytes, std::size_t from, Bytes content);

}  // namespace godot_codec
