// SPDX-License-Identifier: MIT
/// @file
/// The interface to names that are not in the packets. They come from the project folder or from the user's table of
/// names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "godot-codec/core/path.h"
#include "godot-codec/project/signature.h"
#include "godot-codec/variant/types.h"

namespace godot_codec {

class AnnouncedNodes;

/// A path from one node to another: a number of levels up, then down a path.
struct MpRelativePath {
  bool is_known = false;
  std::uint32_t levels = 0;
  std::string_view below;  ///< path from the node above, such as `Players`; empty: the node above is the target
};

/// Returns the path of the node that is @p levels above a node; empty for the root of the multiplayer.
[[nodiscard]] constexpr std::string_view mp_above(std::string_view path, std::uint32_t levels) {
  for (; levels > 0 && !path.empty(); --levels) path = parent_path(path);
  return path;
}

/// A name and its source.
struct MpGivenName {
  std::string_view text;         ///< the name; empty: not known. For a property, its NodePath from the root of the
                                 ///< synchronizer: `position`, `Gun:ammo`
  std::string_view source;       ///< token: `project`, `table`, `unverified`, `script`, `paths`, `preload`, `assumed`
  MpRelativePath relative = {};  ///< for a property: from the synchronizer to the root of its NodePath
};

/// The source of a name that may be wrong. Scripts may change it at run time, or other candidates were excluded without
/// proof.
inline constexpr std::string_view mp_assumed = "assumed";

/// The MD5 of a list without methods.
inline constexpr std::string_view mp_md5_of_no_methods = "d41d8cd98f00b204e9800998ecf8427e";

/// A method, as a call of Godot 4 identifies it.
struct MpMethod {
  std::string_view md5;  ///< MD5 of the methods of the node, 32 lower-case digits; empty: not announced in this capture
  std::string_view path;  ///< path of the node from the root, control characters escaped; empty: not known
  std::uint16_t id = 0;   ///< index in the list of the node; with mp_method_of_node, in the list of its rpc_config()
};

/// The types of values, by the index of their property in the list. Stores the first max_count types, which is enough
/// for a delta.
class MpTypes {
 public:
  static constexpr std::size_t max_count = 64;

  constexpr MpTypes() { types_.fill(unknown); }
  /// @param text a result of text()
  explicit constexpr MpTypes(std::string_view text) : MpTypes() {
    for (std::size_t i = 0; i < text.size() && i < max_count; ++i) types_[i] = text[i];
  }

  constexpr void set(std::size_t index, Type type) {
    if (index < max_count) types_[index] = static_cast<char>(type);
  }
  /// Returns the type at an index; nullopt if there is no value at this index, or if its type is not stored.
  [[nodiscard]] constexpr std::optional<Type> at(std::size_t index) const {
    if (index >= max_count || types_[index] == unknown) return std::nullopt;
    return static_cast<Type>(types_[index]);
  }
  /// Returns all types as a text, for storage. Equal for messages with the same types.
  [[nodiscard]] constexpr std::string_view text() const { return {types_.data(), types_.size()}; }

 private:
  static constexpr char unknown = '?';
  static_assert(type_count < unknown);

  std::array<char, max_count> types_{};
};

/// A synchronizer, or a spawned node with the first values of its synchronizers.
struct MpSynchronized {
  std::string_view path;     ///< path of a MultiplayerSynchronizer that was not spawned; else empty
  std::string_view spawner;  ///< for a spawned node: path of the MultiplayerSpawner; empty: not known
  std::string_view node;     ///< for a spawned node: its name
  std::uint8_t scene = 0;  ///< for a spawned node: index of its scene in the list of the spawner; mp_custom_scene: made
                           ///< by the spawn_function
  std::uint32_t synchronizer_index =
      0;                            ///< index of the synchronizer in the spawn command; 0 for the values of a spawn
  std::uint32_t synchronizers = 0;  ///< number of synchronizers in the spawn command; the scene may have more
  std::uint32_t spawn_values = 0;   ///< number of values in the spawn command
  MpTypes spawn_types;              ///< types of the values in the spawn command
  std::uint32_t values = 0;         ///< number of values in the message; for a delta, the minimum length of the list
  MpTypes types;                    ///< types of the values in the message
  bool is_proven = false;           ///< true if the connection announced a list of the project (has_list())
  const AnnouncedNodes *announced = nullptr;  ///< announced nodes of this game; null: other nodes are not known
};

/// The list of a SceneReplicationConfig that the values of a message follow.
enum class MpPropertyList : std::uint8_t {
  spawn,  ///< properties with `spawn` of all synchronizers of the node, in order
  sync,   ///< properties of mode "always"
  delta,  ///< properties of mode "on change": the index is the bit in the mask
};

/// The result of comparing the values of a message with the properties of a replication config.
enum class MpPropertyMatch : std::uint8_t {
  unknown,      ///< no replication config is known, or several that do not agree
  matching,     ///< number and types fit
  other_count,  ///< the number of properties differs from the number of values
  other_types,  ///< the number is the same, but a property cannot have the type of its value
};

/// A line of a script or scene.
struct MpSourceLine {
  std::string_view file;   ///< such as `res://player.gd`
  std::uint32_t line = 0;  ///< line number, from 1; 0: not known

  [[nodiscard]] bool operator==(const MpSourceLine &) const = default;
};

/// What Godot 3 scripts contain about all functions, or all variables, of one name.
struct MpRemoteMember {
  bool is_known = false;    ///< true if a script has such a function or variable
  bool is_missing = false;  ///< true if no script has a function of that name. Set only if all scripts are GDScript and
                            ///< were read completely
  /// The peers that may call or set it; `anyone` if the scripts differ.
  project::RemoteCallers callers = project::RemoteCallers::none;
  std::size_t least = 0;                        ///< smallest number of arguments that one of the functions accepts
  std::size_t most = 0;                         ///< largest number of arguments that one of the functions accepts
  const project::Function *function = nullptr;  ///< the function, if only one script has it; else null
  MpSourceLine source = {};                     ///< line of the first function or variable
};

/// A provider of names. Returned texts are valid as long as the provider; they may be unprintable.
///
/// An implementation derives from this class and is passed in MpPacket::names. Dissection queries it once for each name
/// that is shown. It must answer from memory and must not allocate.
class MpNames {
 public:
  [[nodiscard]] virtual MpGivenName method(const MpMethod &method) const = 0;
  /// Finds the name of a property.
  /// @param index in the list, from 0
  [[nodiscard]] virtual MpGivenName property(const MpSynchronized &synchronized, MpPropertyList list,
                                             std::uint32_t index) const = 0;

  /// Compares the values with the properties of the replication config.
  [[nodiscard]] virtual MpPropertyMatch fit(const MpSynchronized & /*synchronized*/, MpPropertyList /*list*/) const {
    return MpPropertyMatch::unknown;
  }
  /// Finds the path of the scene of a spawned node or a synchronizer; empty: not known.
  [[nodiscard]] virtual std::string_view scene(const MpSynchronized & /*synchronized*/, MpPropertyList /*list*/) const {
    return {};
  }
  /// True if only the authority of the node may call a method, according to the source code.
  [[nodiscard]] virtual bool is_for_authority(const MpMethod & /*method*/) const { return false; }
  /// True if no peer may call a method, according to the source code.
  [[nodiscard]] virtual bool is_disabled(const MpMethod & /*method*/) const { return false; }
  /// Finds the parameters of a method in the source code; null: not known.
  [[nodiscard]] virtual const project::Function *function(const MpMethod & /*method*/) const { return nullptr; }
  /// Finds the line of a node in its scene.
  [[nodiscard]] virtual MpSourceLine node_line(std::string_view /*path*/) const { return {}; }
  /// Finds the line of a method in the source code.
  [[nodiscard]] virtual MpSourceLine source_line(const MpMethod & /*method*/) const { return {}; }
  /// Godot 3: finds the functions (or variables) that messages may call (or set) by a name.
  [[nodiscard]] virtual MpRemoteMember remote_member(std::string_view /*name*/, bool /*is_variable*/) const {
    return {};
  }
  /// True if scripts may give the authority over a node to a peer other than the server.
  [[nodiscard]] virtual bool may_move_authority() const { return false; }
  /// Finds the peer that has authority over a node, if the scripts prove it; 0: not known. @param path as on the wire
  [[nodiscard]] virtual std::int32_t authority_of(std::string_view /*path*/) const { return 0; }
  /// Like authority_of(), for the node of a method. The method shows which script the node has.
  [[nodiscard]] virtual std::int32_t authority_of_method(const MpMethod &method) const {
    return authority_of(method.path);
  }
  /// True if the game of the project has a list of methods that is not empty.
  [[nodiscard]] virtual bool has_list(std::string_view /*md5*/) const { return false; }
  /// True if a list of methods that is not empty comes from another game, or from another version of the game.
  [[nodiscard]] virtual bool is_foreign_list(std::string_view /*md5*/) const { return false; }
  /// Returns where a list of methods comes from: path of the script, or `the table of names`; empty: not known.
  [[nodiscard]] virtual std::string_view source_of_list(std::string_view /*md5*/) const { return {}; }
  /// Finds the relative path from a MultiplayerSynchronizer to its root; to itself if it sends only its own properties.
  /// For a MultiplayerSpawner: the path to the node that it adds nodes to.
  [[nodiscard]] virtual MpRelativePath relative_root(std::string_view /*path*/) const { return {}; }
  /// Finds the path of a node of the game that is most similar to a path that no scene has. Empty if a scene has the
  /// path, or if no path is similar.
  [[nodiscard]] virtual std::string_view similar_path(std::string_view /*path*/) const { return {}; }
  /// Returns the number of scenes in the list of a MultiplayerSpawner; nullopt if the number is not known, or if
  /// several spawners match.
  [[nodiscard]] virtual std::optional<std::size_t> spawnable_scenes(std::string_view /*spawner*/) const {
    return std::nullopt;
  }
  /// True if the scene of a spawner (by its index) has a synchronizer with properties of mode "always". True only if
  /// this holds for all spawners that match the path.
  [[nodiscard]] virtual bool is_always_synchronized(std::string_view /*spawner*/, std::uint8_t /*scene*/) const {
    return false;
  }
  /// Returns the path of a script that may change the properties of any synchronizer; empty if there is none.
  [[nodiscard]] virtual std::string_view config_script() const { return {}; }
  /// Describes the lists that are most similar to an unknown list of methods; empty if the list is known or there is
  /// nothing to compare it with.
  /// @param path of the node
  [[nodiscard]] virtual std::string_view mismatch(std::string_view /*md5*/, std::string_view /*path*/) const {
    return {};
  }

 protected:
  ~MpNames() = default;
};

/// Returns the name of a list: "sync" in "sync#2", which stands for the property at index 2 if its name is not known.
[[nodiscard]] constexpr std::string_view mp_list_name(MpPropertyList list) {
  switch (list) {
    case MpPropertyList::spawn:
      return "spawn";
    case MpPropertyList::sync:
      return "sync";
    case MpPropertyList::delta:
      break;
  }
  return "delta";
}

}  // namespace godot_codec
