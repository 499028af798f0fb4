// SPDX-License-Identifier: MIT
/// @file
/// The arguments of a call against what the method takes, by its source. Godot 4 checks this when it calls the method:
/// where it fails, the call is logged ("RPC - 'Node(world.gd)::hit': Method expected 2 argument(s), but called
/// with 1.") and nothing runs. (SceneRPCInterface::_process_rpc, GDScriptFunction::call)
#pragma once

#include <array>
#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/values.h"
#include "godot-codec/project/signature.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

/// The declared type of an Array's elements, or of a Dictionary's keys or values, as the argument has it on the wire.
struct MpElementType {
  ElementKind kind = ElementKind::any;
  Type type = Type::nil;  ///< where it is a built-in one
};

/// Types of an Array's elements, which are the values here, or of a Dictionary's keys and values.
struct MpContainerTypes {
  MpElementType key;
  MpElementType value;
  bool is_object_id = false;  ///< an Object, of which only the id is sent: it arrives as an EncodedObjectAsID
};

/// The arguments of a call.
struct MpArguments {
  std::uint32_t count = 0;
  MpTypes types;                                                     ///< types of the first ones
  std::array<MpContainerTypes, MpTypes::max_count> containers = {};  ///< theirs, where one is a container
};

/// Reads number and types of the arguments of a call.
[[nodiscard]] MpArguments read_mp_arguments(MpValues &values, const MpMessage &message);

/// `take_damage(amount: int, by: String = …)`
void append_mp_signature(const project::Function &function, TextBuffer &text);

/// True if the engine calls the method with these arguments. A typed array takes only an array that is typed as it is,
/// whatever is in it. The names of classes, enums and scripts are not compared.
[[nodiscard]] bool is_mp_call_accepted(const project::Function &function, const MpArguments &arguments);

/// Writes the receiver's error if it does not accept arguments: `Method expected 2 argument(s), but called with 1`,
/// `Cannot convert argument 1 from String to int`; for a method in C# `Method not found`.
void append_mp_refusal(const project::Function &function, const MpArguments &arguments, TextBuffer &text);

}  // namespace godot_codec
