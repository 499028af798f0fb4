// SPDX-License-Identifier: MIT
/// @file
/// The Variants of a command of the multiplayer: arguments, values, states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// How reading Variants ends: `malformed` where there are fewer than counted. What is behind them is not looked at.
[[nodiscard]] Outcome check_mp_variants(Bytes bytes, const MpVariants &variants, Generation generation,
                                        const ReadOptions &options);

/// How many Variants there are until their end, or one that cannot be read. At most @p variants.count.
/// @param types where to write those of the first ones
[[nodiscard]] std::uint32_t count_mp_variants(Bytes bytes, const MpVariants &variants, Generation generation,
                                              const ReadOptions &options, std::span<Type> types = {});

/// The bytes of the game's own that a message carries: a raw command's, an authentication's, a call's only argument if
/// that is one array of bytes. Empty where there are none, or not all were captured.
[[nodiscard]] Range mp_own_bytes(Bytes bytes, const MpMessage &message, const ReadOptions &options);

/// An argument of a call.
struct MpArgument {
  std::size_t offset = 0;  ///< where it ends; 0: it cannot be read
  Range bytes;             ///< of a PackedByteArray its bytes; empty of all others
};

/// Reads the argument of a call at @p offset: first message.variants.range.offset, then the end of the one before.
[[nodiscard]] MpArgument read_mp_argument(Bytes bytes, const MpMessage &message, std::size_t offset,
                                          const ReadOptions &options);

/// How a generation's Variants are to be understood: its dialect, and Godot 4's compact form.
[[nodiscard]] Encoding mp_encoding(Generation generation);

}  // namespace godot_codec
