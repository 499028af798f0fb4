// SPDX-License-Identifier: MIT
/// @file
/// The RPC settings of a method.
#pragma once

#include <cstdint>

namespace godot_codec::project {

/// Which peers may call a method.
enum class RpcMode : std::uint8_t {
  unknown,   ///< the source does not show the mode, for example because the mode is in a variable
  disabled,  ///< no peer may call it, but the method is in the list
  any_peer,
  authority,  ///< only the node's multiplayer authority may call it: the server, unless a script changes the authority
              ///< at run time
};

enum class TransferMode : std::uint8_t { unreliable, unreliable_ordered, reliable };

/// The settings of `@rpc`, and its default values. C#'s `[Rpc]` is reliable by default.
struct RpcConfig {
  RpcMode mode = RpcMode::authority;
  TransferMode transfer = TransferMode::unreliable;
  bool is_call_local = false;
  std::int32_t channel = 0;
};

/// Godot 3: the peers that may call a function or set a variable, according to the keyword before it.
enum class RemoteCallers : std::uint8_t {
  none,    ///< no keyword
  anyone,  ///< `remote`, `remotesync`, and also `master`, because the engine sends nothing if the master itself calls
  master,  ///< only the node's network master: `puppet`, `slave`, `puppetsync`
};

}  // namespace godot_codec::project
