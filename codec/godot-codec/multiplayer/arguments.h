// SPDX-License-Identifier: MIT
/// @file
/// The Variants of a multiplayer command: arguments of calls, values of synchronizers, state of spawns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/values.h"

namespace godot_codec {

/// Reads Variants and returns the outcome: `malformed` if there are fewer Variants than the message counts. Ignores
/// bytes after the last Variant.
/// @param has_unreadable set to true if Godot 4 cannot read one of the Variants: see is_unreadable()
[[nodiscard]] Outcome check_mp_variants(MpValues &values, const MpVariants &variants, Generation generation,
                                        bool *has_unreadable = nullptr);

/// The arguments of a call that the receiver cannot read.
struct MpUnreadableArgument {
  std::uint32_t first = 0;  ///< index of the first unreadable argument; it and all later ones arrive as null
  std::uint32_t count = 0;  ///< number of arguments of the call
  bool is_only_without_objects = false;  ///< true if the argument is unreadable only for a receiver that does not allow
                                         ///< objects (allow_object_decoding)
};

/// Finds the first argument of a call that the receiver cannot read. Returns nullopt for Godot 3, which does not call
/// the method then. Godot 4 calls the method: SceneRPCInterface::_process_rpc() ignores the result of
/// MultiplayerAPI::decode_and_decompress_variants().
[[nodiscard]] std::optional<MpUnreadableArgument> find_mp_unreadable_argument(MpValues &values,
                                                                              const MpMessage &message);

/// True if a receiver with Godot 4 cannot read a Variant of a call. Examples: invalid UTF-8, a full Object where
/// objects are not allowed, a freed Object (sent as a type without content).
/// @param offset first byte of the Variant
[[nodiscard]] bool is_unreadable(Bytes bytes, std::size_t offset, Outcome outcome, const NoteSet &notes);

/// Number and types of the values of a message. Reading them does not need the names of the properties.
struct MpValueTypes {
  std::uint32_t count = 0;
  MpTypes types;
};

/// Reads the types of the values of a spawn, sync or delta.
/// @param variants the values
/// @param mask for a delta: bit i is set if the message has the value of property i
[[nodiscard]] MpValueTypes read_mp_types(MpValues &values, const MpMessage &message, const MpVariants &variants,
                                         std::uint64_t mask = ~std::uint64_t{0});

/// Returns the range of a custom payload: the bytes of a raw command, of an authentication, or of a PackedByteArray
/// that is the only argument of a call. Empty if there is no payload, or if the capture has only a part.
[[nodiscard]] Range mp_custom_payload(MpValues &values, const MpMessage &message);

/// An argument of a call.
struct MpArgument {
  std::size_t offset = 0;  ///< end of the argument; 0: the argument cannot be read
  Range bytes;             ///< content of a PackedByteArray; empty for other types
};

/// Reads the argument of a call at @p offset: message.variants.range.offset for the first argument, then the end of the
/// previous argument.
[[nodiscard]] MpArgument read_mp_argument(MpValues &values, const MpMessage &message, std::size_t offset);

/// Returns the encoding of Variants in a custom payload. var_to_bytes() and put_var() do not use the compact form.
[[nodiscard]] Encoding custom_payload_encoding(Generation generation);

/// True if the compact Variant at an offset contains a NaN: as a float, or as a component of a type such as Vector2.
[[nodiscard]] bool mp_has_nan(Bytes bytes, std::size_t offset);
/// True if the compact Variant at an offset is an Object, even a null.
[[nodiscard]] bool mp_is_object(Bytes bytes, std::size_t offset);

/// Returns the instance id of an Object that was sent without content; 0 for null and for other values. Godot 4 sends
/// Objects in this form unless objects are allowed (encode_variant(), core/io/marshalls.cpp). For an Array or a
/// Dictionary, returns the id of the first such Object in it.
[[nodiscard]] std::uint64_t mp_object_id(Bytes bytes, std::size_t offset, std::size_t end, Generation generation);

}  // namespace godot_codec
