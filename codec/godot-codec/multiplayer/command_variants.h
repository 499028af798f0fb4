// SPDX-License-Identifier: MIT
/// @file
/// The Variants of a multiplayer command: arguments of calls, values of synchronizers, state of spawns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "godot-codec/core/bytes.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/multiplayer/variant_cache.h"

namespace godot_codec {

/// Reads Variants and returns the outcome, which is `malformed` if the message has fewer Variants than its count.
/// Ignores bytes after the last Variant.
[[nodiscard]] Outcome check_mp_variants(MpVariantCache &values, const MpVariants &variants, Generation generation);

/// The arguments of a call that the receiver cannot read.
struct MpUnreadableArgument {
  std::uint32_t first = 0;  ///< index of the first unreadable argument; it and all later arguments arrive as null
  std::uint32_t count = 0;  ///< number of arguments of the call
  bool is_readable_with_objects = false;  ///< true if the argument is unreadable only for a receiver that forbids
                                          ///< objects (allow_object_decoding is false)
};

/// Finds the first argument of a call that the receiver cannot read. In Godot 3, such a call does not reach the method,
/// so the result is nullopt. Godot 4 calls the method anyway: SceneRPCInterface::_process_rpc() ignores the result of
/// MultiplayerAPI::decode_and_decompress_variants().
[[nodiscard]] std::optional<MpUnreadableArgument> find_mp_unreadable_argument(MpVariantCache &values,
                                                                              const MpMessage &message);

/// True if a receiver with Godot 4 cannot read a Variant of a call. Examples are invalid UTF-8, a forbidden full
/// Object, and a freed Object, which is sent as a type without content.
/// @param offset first byte of the Variant
[[nodiscard]] bool is_unreadable_variant(Bytes bytes, std::size_t offset, Outcome outcome,
                                         const EncodingNoteSet &notes);
[[nodiscard]] bool is_unreadable_variant(const MpVariantCache &values, const MpVariantWalk &walk);

/// Number and types of the values of a message. They can be read without the names of the properties.
struct MpValueTypes {
  std::uint32_t count = 0;
  MpTypeList types;
};

/// Reads the types of the values of a spawn, sync or delta.
/// @param variants the values
/// @param mask for a delta: bit i is set if the message has the value of property i
[[nodiscard]] MpValueTypes read_mp_value_types(MpVariantCache &values, const MpMessage &message,
                                               const MpVariants &variants, std::uint64_t mask = ~std::uint64_t{0});

/// Returns the range of a custom payload: a raw command, an authentication, or a single PackedByteArray as the only
/// argument of a call. Empty if there is no payload, or if the capture lacks a part of it.
[[nodiscard]] Range find_mp_custom_payload(MpVariantCache &values, const MpMessage &message);

/// An argument of a call.
struct MpArgument {
  std::size_t offset = 0;       ///< offset after the argument; 0: the argument cannot be read
  Range bytes{};                ///< content of a PackedByteArray; empty for other types
  LayoutArgumentValue value{};  ///< a number or a text; empty for other types
};

/// Reads the argument of a call at @p offset. The first argument is at message.variants.range.offset. Each following
/// argument is at MpArgument::offset of the previous argument.
[[nodiscard]] MpArgument read_mp_argument(MpVariantCache &values, const MpMessage &message, std::size_t offset);

/// Returns the encoding of Variants in a custom payload. var_to_bytes() and put_var() do not use the compact form.
[[nodiscard]] Encoding custom_payload_encoding(Generation generation);

/// True if the compact Variant at an offset contains a NaN: as a float, or as a component of a type such as Vector2.
[[nodiscard]] bool has_mp_nan(Bytes bytes, std::size_t offset);
/// True if the compact Variant at an offset is an Object, even a null.
[[nodiscard]] bool is_mp_object(Bytes bytes, std::size_t offset);

/// Returns the instance id of an Object that was sent as its id only; 0 for null and for other values. Godot 4 sends
/// Objects in this form unless objects are allowed (encode_variant(), core/io/marshalls.cpp). For an Array or a
/// Dictionary, returns the id of the first such Object inside.
[[nodiscard]] std::uint64_t find_mp_object_id(Bytes bytes, std::size_t offset, std::size_t end, Generation generation);

}  // namespace godot_codec
