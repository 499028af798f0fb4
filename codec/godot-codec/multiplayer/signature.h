// SPDX-License-Identifier: MIT
/// @file
/// The arguments of a call against what the method takes, by its source. Godot 4 checks this when it calls the method:
/// where it fails, the call is logged ("RPC - 'Node(world.gd)::hit': Method expected 2 argument(s), but called
/// with 1.") and nothing runs. (SceneRPCInterface::_process_rpc, GDScriptFunction::call)
#pragma once

#include <cstdint>

#include "godot-codec/multiplayer/names.h"
#include "godot-codec/project/signature.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

/// The arguments of a call.
struct MpArguments {
  std::uint32_t count = 0;
  MpTypes types;  ///< types of the first ones
};

/// `take_damage(amount: int, by: String = …)`
void append_mp_signature(const project::Function &function, TextBuffer &text);

/// True if the engine calls the method with these arguments. The elements of typed arrays are not compared.
[[nodiscard]] bool is_mp_call_accepted(const project::Function &function, const MpArguments &arguments);

/// Writes the receiver's error if it does not accept arguments: `Method expected 2 argument(s), but called with 1`,
/// `Cannot convert argument 1 from String to int`.
void append_mp_refusal(const project::Function &function, const MpArguments &arguments, TextBuffer &text);

}  // namespace godot_codec
