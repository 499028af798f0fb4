// SPDX-License-Identifier: MIT
/// @file
/// The Variants of a command of the multiplayer: arguments, values, states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/values.h"

namespace godot_codec {

/// Reads Variants and returns how that ended: `malformed` if there are fewer than counted. Bytes after them are not
/// looked at.
/// @param has_unreadable set where Godot 4 cannot read one: see is_unreadable()
[[nodiscard]] Outcome check_mp_variants(MpValues &values, const MpVariants &variants, Generation generation,
                                        bool *has_unreadable = nullptr);

/// The arguments of a call that its receiver cannot read.
struct MpLoss {
  std::uint32_t first = 0;     ///< index of the first argument that it cannot read; the method gets null for it and for
                               ///< all after it
  std::uint32_t count = 0;     ///< arguments of the call
  bool is_if_refused = false;  ///< only where the receiver does not allow objects (allow_object_decoding)
};

/// The argument of a call that its receiver cannot read, if there is one. Godot 4 calls the method all the same; Godot
/// 3 does not, and so has none. Sources: SceneRPCInterface::_process_rpc(), which does not look at what
/// MultiplayerAPI::decode_and_decompress_variants() answers.
[[nodiscard]] std::optional<MpLoss> find_mp_loss(MpValues &values, const MpMessage &message);

/// True if a receiver with Godot 4 cannot read a value of a call: invalid UTF-8, an Object sent in full where those are
/// not allowed, a freed one, of which only the type is sent …
/// @param offset of its first byte
[[nodiscard]] bool is_unreadable(Bytes bytes, std::size_t offset, Outcome outcome, const NoteSet &notes);

/// Number and types of a message's values, which can be read without knowing the properties' names.
struct MpValueTypes {
  std::uint32_t count = 0;
  MpTypes types;
};

/// @param variants of a spawn, a sync or a delta
/// @param mask of a delta: which properties the values are of
[[nodiscard]] MpValueTypes read_mp_types(MpValues &values, const MpMessage &message, const MpVariants &variants,
                                         std::uint64_t mask = ~std::uint64_t{0});

/// The bytes of the game's own that a message carries: a raw command's, an authentication's, a call's only argument if
/// that is one array of bytes. Empty where there are none, or not all were captured.
[[nodiscard]] Range mp_own_bytes(MpValues &values, const MpMessage &message);

/// An argument of a call.
struct MpArgument {
  std::size_t offset = 0;  ///< where it ends; 0: it cannot be read
  Range bytes;             ///< the bytes in a PackedByteArray; empty for other types
};

/// Reads the argument of a call at @p offset: first message.variants.range.offset, then the end of the one before.
[[nodiscard]] MpArgument read_mp_argument(MpValues &values, const MpMessage &message, std::size_t offset);

/// How Variants in bytes of a game's own are to be understood: var_to_bytes() and put_var() know no compact form.
[[nodiscard]] Encoding own_bytes_encoding(Generation generation);

/// True if the compact Variant at an offset is a float, or has some, and one of them is NaN.
[[nodiscard]] bool mp_has_nan(Bytes bytes, std::size_t offset);
/// True if the compact Variant at an offset is an Object, null or not.
[[nodiscard]] bool mp_is_object(Bytes bytes, std::size_t offset);

/// The instance id of an Object that was sent without its content, as Godot 4 does unless objects are allowed
/// (encode_variant(), core/io/marshalls.cpp). For an Array or Dictionary, the id of the first such Object in it. 0 for
/// a null, and for other values.
[[nodiscard]] std::uint64_t mp_object_id(Bytes bytes, std::size_t offset, std::size_t end, Generation generation);

}  // namespace godot_codec
