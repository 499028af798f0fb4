// SPDX-License-Identifier: MIT
/// @file
/// The RPC settings of a method.
#pragma once

#include <cstdint>

namespace godot_codec::project {

/// Which peers may call a method.
enum class RpcMode : std::uint8_t {
  unknown,   ///< not readable from the source, for example if the mode is in a variable
  disabled,  ///< no peer, but the method is in the list
  any_peer,
  authority,  ///< only the node's multiplayer authority: the server, unless a script changes it at run time
};

enum class TransferMode : std::uint8_t { unreliable, unreliable_ordered, reliable };

/// Settings of `@rpc`, with its default values. The default of C#'s `[Rpc]` is reliable.
struct RpcConfig {
  RpcMode mode = RpcMode::authority;
  TransferMode transfer = TransferMode::unreliable;
  bool is_call_local = false;
  std::int32_t channel = 0;
};

/// Godot 3: which peers may call a function or set a variable, according to the keyword before it.
enum class RemoteCallers : std::uint8_t {
  none,    ///< no keyword
  anyone,  ///< `remote`, `remotesync`, and also `master`: the engine sends nothing if the master itself calls
  master,  ///< only the node's network master: `puppet`, `slave`, `puppetsync`
};

}  // namespace godot_codec::project
