// SPDX-License-Identifier: MIT
/// @file
/// Names that packets do not contain, and what identifies them. MpGameNames finds the names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/project/function_signature.h"
#include "godot-codec/variant/variant_types.h"

namespace godot_codec {

class AnnouncedNodeMap;
class MpGameNames;

/// A path from one node to another node: a number of levels up, then a path down.
struct MpRelativePath {
  bool is_known = false;
  std::uint32_t levels = 0;
  std::string_view below;  ///< path from the ancestor down, such as `Players`; empty: the ancestor is the target

  [[nodiscard]] bool operator==(const MpRelativePath &) const = default;
};

/// Returns the path of the ancestor @p levels above a node. The path of the multiplayer's root is empty.
[[nodiscard]] constexpr std::string_view mp_ancestor_path(std::string_view path, std::uint32_t levels) {
  for (; levels > 0 && !path.empty(); --levels) path = parent_path(path);
  return path;
}

/// A name and its source.
struct MpResolvedName {
  std::string_view text;         ///< the name; empty: not known. For a property, its NodePath from the root of the
                                 ///< synchronizer, such as `position` or `Gun:ammo`
  std::string_view source;       ///< token: `project`, `table`, `unverified`, `script`, `paths`, `preload`, `assumed`
  MpRelativePath relative = {};  ///< for a property: path from the synchronizer to the root of the NodePath
};

/// The source of a name that may be wrong, because scripts may change the name at run time, or because other candidates
/// were excluded without proof.
inline constexpr std::string_view mp_assumed = "assumed";

/// The MD5 of an empty list of methods.
inline constexpr std::string_view mp_md5_of_no_methods = "d41d8cd98f00b204e9800998ecf8427e";

/// A method, as identified by a call of Godot 4.
struct MpMethod {
  std::string_view md5;  ///< MD5 of the methods of the node, 32 lower-case digits; empty: not announced in this capture
  std::string_view path;  ///< path of the node from the root, control characters escaped; empty: not known
  std::uint16_t id = 0;   ///< index in the list of the node; with bit 15, in the list of its rpc_config()
};

/// The types of values, by property index in the list. Stores the first max_count types. A delta has no more values.
class MpTypeList {
 public:
  static constexpr std::size_t max_count = 64;

  constexpr MpTypeList() { types_.fill(unknown); }
  /// @param text a result of text()
  explicit constexpr MpTypeList(std::string_view text) : MpTypeList() {
    for (std::size_t i = 0; i < text.size() && i < max_count; ++i) types_[i] = text[i];
  }

  constexpr void set(std::size_t index, Type type) {
    if (index < max_count) types_[index] = static_cast<char>(type);
  }
  /// Returns the type at an index; nullopt if the message has no value at this index, or if the type is not stored.
  [[nodiscard]] constexpr std::optional<Type> at(std::size_t index) const {
    if (index >= max_count || types_[index] == unknown) return std::nullopt;
    return static_cast<Type>(types_[index]);
  }
  /// Returns all types as a text for storage. Messages with the same types have equal texts.
  [[nodiscard]] constexpr std::string_view text() const { return {types_.data(), types_.size()}; }

 private:
  static constexpr char unknown = '?';
  static_assert(type_count < unknown);

  std::array<char, max_count> types_{};
};

/// The node that a spawn command adds.
struct MpSpawnContent {
  /// Index of the scene in the list of the spawner; mp_custom_scene: made by the spawn_function.
  std::uint8_t scene = 0;
  std::uint32_t synchronizers = 0;      ///< number of synchronizers in the command; the scene may have more
  std::uint32_t spawn_value_count = 0;  ///< number of values in the command, if names are known
  std::string_view spawn_types;         ///< types of these values, if names are known: MpTypeList::text()
};

/// A synchronizer; or a spawned node, together with the first values of its synchronizers.
struct MpSynchronizedObject : MpSpawnContent {
  std::string_view synchronizer_path;  ///< path of a MultiplayerSynchronizer that was not spawned; else empty
  std::string_view spawner;            ///< for a spawned node: path of the MultiplayerSpawner; empty: not known
  std::string_view node;               ///< for a spawned node: its name
  /// Index of the synchronizer in the spawn command; 0 for the values of a spawn.
  std::uint32_t synchronizer_index = 0;
  /// The property list of the SceneReplicationConfig that gives the order of the values in the message:
  /// - spawn: properties with `spawn` of all synchronizers of the node, in order,
  /// - sync: properties of mode "always",
  /// - delta: properties of mode "on change"; the index is the bit in the mask.
  MpCommand list = MpCommand::spawn;
  std::uint32_t values = 0;  ///< number of values in the message; for a delta, the minimum length of the list
  MpTypeList types;          ///< types of the values in the message
  bool is_proven = false;    ///< true if the connection announced a list of methods of the project (has_method_list())
  const AnnouncedNodeMap *announced_nodes = nullptr;  ///< announced nodes of this game; null: no other nodes are known
};

/// The result of comparing the values of a message with the properties of a replication config.
enum class MpPropertyMatch : std::uint8_t {
  unknown,      ///< no replication config is known, or several differ
  matching,     ///< number and types fit
  other_count,  ///< the number of properties differs from the number of values
  other_types,  ///< the numbers are equal, but a property cannot have the type of its value
};

/// A line of a script or scene.
struct MpSourceLine {
  std::string_view file;   ///< such as `res://player.gd`
  std::uint32_t line = 0;  ///< line number, from 1; 0: not known

  [[nodiscard]] bool operator==(const MpSourceLine &) const = default;
};

/// All functions, or all variables, with the same name in Godot 3 scripts.
struct MpRemoteMember {
  bool is_known = false;    ///< true if a script has such a function or variable
  bool is_missing = false;  ///< true if no script has a function with this name. Set only if all scripts are GDScript
                            ///< and were read completely
  /// The peers that may call the function or set the variable; `anyone` if the scripts differ.
  project::RemoteCallers callers = project::RemoteCallers::none;
  std::size_t min_arguments = 0;                ///< smallest number of arguments that any of the functions accepts
  std::size_t max_arguments = 0;                ///< largest number of arguments that any of the functions accepts
  const project::Function *function = nullptr;  ///< the function, if only one script has it; else null
  MpSourceLine source = {};                     ///< line of the first function or variable
};

}  // namespace godot_codec
