// SPDX-License-Identifier: MIT
/// @file
/// What a project declares about methods and properties: RPC settings, replication modes, types.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "godot-codec/variant/variant_types.h"

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

/// Values of SceneReplicationConfig::ReplicationMode.
enum class ReplicationMode : std::uint8_t {
  never = 0,
  always = 1,     ///< sent in every sync
  on_change = 2,  ///< sent in deltas
};

/// The certainty of a fact that scripts can change at run time.
enum class Certainty : std::uint8_t {
  known,    ///< no script changes it, or the change could be followed
  assumed,  ///< a script may change it
  unknown,  ///< a script changes it in a way that cannot be followed
};

/// A set of Variant types. Contains all types if nothing is known.
class ValueTypes {
 public:
  constexpr ValueTypes() = default;
  constexpr ValueTypes(std::initializer_list<Type> types) : bits_(0) {
    for (const Type type : types) bits_ |= bit(type);
  }

  [[nodiscard]] constexpr bool is_any() const { return bits_ == any; }
  /// True if a value of this type can be on the wire when the property is sent.
  [[nodiscard]] constexpr bool allow(Type type) const { return (bits_ & bit(type)) != 0; }
  [[nodiscard]] constexpr ValueTypes operator|(const ValueTypes &other) const {
    ValueTypes both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }
  [[nodiscard]] constexpr bool operator==(const ValueTypes &) const = default;

 private:
  static_assert(type_count <= 64);
  static constexpr std::uint64_t any = ~std::uint64_t{0};
  static constexpr std::uint64_t bit(Type type) { return std::uint64_t{1} << static_cast<unsigned>(type); }

  std::uint64_t bits_ = any;
};

}  // namespace godot_codec::project
