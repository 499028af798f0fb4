// SPDX-License-Identifier: MIT
/// @file
/// How a method may be called remotely.
#pragma once

#include <cstdint>

namespace godot_codec::project {

/// Who may call a method.
enum class RpcMode : std::uint8_t {
  unknown,    ///< the source does not say it in a way that can be read (a variable, …)
  disabled,   ///< nobody, but the method is in the list
  any_peer,   ///< every peer
  authority,  ///< only the node's multiplayer authority: the server, unless a script says otherwise at run time
};

enum class TransferMode : std::uint8_t { unreliable, unreliable_ordered, reliable };

/// Settings of `@rpc`; these are its defaults. (C#'s `[Rpc]` without arguments is reliable.)
struct RpcConfig {
  RpcMode mode = RpcMode::authority;
  TransferMode transfer = TransferMode::unreliable;
  bool is_call_local = false;
  std::int32_t channel = 0;
};

/// Who may call a function of Godot 3, or set a variable, by the word in front of it.
enum class RemoteCallers : std::uint8_t {
  nobody,  ///< there is no such word
  anyone,  ///< `remote`, `remotesync`; `master`, too: where the master itself calls, the engine sends nothing
  master,  ///< the node's network master alone: `puppet`, `slave`, `puppetsync`
};

}  // namespace godot_codec::project
