// SPDX-License-Identifier: MIT
/// @file
/// Names that are not on the wire, asked of somebody who has them: a game's project folder, a table of the user's.
#pragma once

#include <cstdint>
#include <string_view>

namespace godot_codec {

/// A name, and who says so.
struct MpGivenName {
  std::string_view text;    ///< empty: not known. Of a property its NodePath below the root: `position`, `Gun:ammo`
  std::string_view source;  ///< a word: `project`, `table`, `unverified`
};

/// A method as a call of Godot 4 names it.
struct MpMethod {
  std::string_view md5;   ///< of the node's methods, 32 lower-case digits; empty: nobody has said in this capture
  std::string_view path;  ///< of the node, from the multiplayer's root, control characters escaped; empty: not known
  std::uint16_t id = 0;   ///< index in the node's list; with mp_method_of_node in the list of its rpc_config()
};

/// A synchronizer, or a spawned node whose synchronizers' first values come with it.
struct MpSynchronized {
  std::string_view path;     ///< of a MultiplayerSynchronizer that was not spawned; else empty
  std::string_view spawner;  ///< else: path of the MultiplayerSpawner; empty: not known
  std::string_view node;     ///< and the spawned node's name
  std::uint8_t scene = 0;    ///< and its scene's index among the spawner's; mp_custom_scene: made by a function
  std::uint32_t place = 0;   ///< which of the spawned node's synchronizers, from 0; of spawn values: 0
};

/// Which list of a SceneReplicationConfig the values of a message follow.
enum class MpPropertyList : std::uint8_t {
  spawn,  ///< properties with `spawn`, of all the node's synchronizers, one after another
  sync,   ///< mode "always"
  delta,  ///< mode "on change": the index is the bit in the mask
};

/// Whoever has names. The texts that it answers with live as long as it does; they need not be printable.
///
/// A founder of the project room derives from this and hands it on in MpPacket::names. It is asked while a packet is
/// read, once for each name that is shown: it must answer from memory, and allocate nothing.
class MpNames {
 public:
  [[nodiscard]] virtual MpGivenName method(const MpMethod &method) const = 0;
  /// @param index in the list, from 0
  [[nodiscard]] virtual MpGivenName property(const MpSynchronized &synchronized, MpPropertyList list,
                                             std::uint32_t index) const = 0;

 protected:
  ~MpNames() = default;
};

/// The word for a list: "sync" in "sync#2", which stands for the property at index 2 where nobody has its name.
[[nodiscard]] constexpr std::string_view mp_list_name(MpPropertyList list) {
  switch (list) {
    case MpPropertyList::spawn:
      return "spawn";
    case MpPropertyList::sync:
      return "sync";
    default:
      return "delta";
  }
}

}  // namespace godot_codec
