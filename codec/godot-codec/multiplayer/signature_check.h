// SPDX-License-Identifier: MIT
/// @file
/// Compares the arguments of a call with the parameters of the method in the source code. Godot 4 checks the arguments
/// when it calls the method. If the check fails, Godot does not call the method, and logs an error ("RPC -
/// 'Node(world.gd)::hit': Method expected 2 argument(s), but called with 1."). Sources:
/// SceneRPCInterface::_process_rpc, GDScriptFunction::call.
#pragma once

#include <array>
#include <cstdint>

#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/multiplayer/variant_cache.h"
#include "godot-codec/project/function_signature.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

/// The element type of a typed Array, or the key or value type of a typed Dictionary, as sent.
struct MpElementType {
  ElementTypeKind kind = ElementTypeKind::any;
  Type type = Type::nil;  ///< set if the type is a built-in type
};

/// The element type of an Array (`value`), or the key and value types of a Dictionary.
struct MpContainerTypes {
  MpElementType key;
  MpElementType value;
  bool is_object_id = false;  ///< true for an Object that was sent as its id only; it arrives as an EncodedObjectAsID
};

/// The arguments of a call.
struct MpArgumentTypes {
  std::uint32_t count = 0;
  MpTypeList types;  ///< types of the first MpTypeList::max_count arguments
  std::array<MpContainerTypes, MpTypeList::max_count> containers = {};  ///< element types of the containers among the
                                                                        ///< arguments
};

/// Reads number and types of the arguments of a call.
[[nodiscard]] MpArgumentTypes read_mp_argument_types(MpVariantCache &values, const MpMessage &message);

/// True if the engine calls the method with these arguments. A typed array accepts only an array with the same declared
/// type, whatever its elements are. Names of classes, enums and scripts are not compared.
[[nodiscard]] bool is_mp_call_accepted(const project::Function &function, const MpArgumentTypes &arguments);

/// Appends the error that the receiver logs if it does not accept the arguments, such as `Method expected 2
/// argument(s), but called with 1` or `Cannot convert argument 1 from String to int`. For a method in C#, appends
/// `Method not found`.
void append_mp_call_error(const project::Function &function, const MpArgumentTypes &arguments, TextBuffer &text);

}  // namespace godot_codec
