// SPDX-License-Identifier: MIT
/// @file
/// The names of one game, from its project folder and from the user's table of names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/multiplayer/scene_lookup.h"
#include "godot-codec/project/project.h"

namespace godot_codec {

/// A row of the table of names.
struct MpNameTableRow {
  std::string_view list;  ///< MD5 of the list of methods (32 hex digits), or path of the node, such as `Main/World`
  std::uint16_t id = 0;   ///< method id: index in the list of methods
  std::string_view name;
};

/// Finds names of methods by the MD5 of their list, and names of properties by their index in the scenes. Never
/// guesses: if several lists, scenes or synchronizers match, a name is returned only if all of them have this name.
///
/// Caches results for paths and MD5s, up to a limit. No function throws. Returned texts stay valid as long as the
/// object exists, and may be unprintable.
class MpGameNames {
 public:
  /// Reads a project folder or an exported game, and replaces the previous project. Parameters are the same as in
  /// Project::read().
  bool read(std::string_view path, const project::Decompressor *decompressor = nullptr) noexcept;
  /// Removes the project, but not the table.
  void clear() noexcept;
  [[nodiscard]] const project::Project &project() const { return project_; }

  /// Replaces the table. A name in the table takes precedence over a name from the project.
  void set_name_table(std::span<const MpNameTableRow> table) noexcept;
  [[nodiscard]] bool has_name_table() const { return !name_table_.empty(); }

  [[nodiscard]] MpResolvedName method(const MpMethod &method) const;
  /// Finds the name of a property.
  /// @param index in the list, from 0
  [[nodiscard]] MpResolvedName property(const MpSynchronizedObject &synchronized, std::uint32_t index) const;
  /// Compares the values with the properties of the replication config.
  [[nodiscard]] MpPropertyMatch match_properties(const MpSynchronizedObject &synchronized) const;
  /// Finds the path of the scene that contains a spawned node or a synchronizer; empty: not known.
  [[nodiscard]] std::string_view scene(const MpSynchronizedObject &synchronized) const;
  /// True if a method certainly has this mode, according to the source code.
  [[nodiscard]] bool has_mode(const MpMethod &method, project::RpcMode mode) const;
  /// Finds the parameters of a method in the source code; null: not known.
  [[nodiscard]] const project::Function *find_function(const MpMethod &method) const;
  /// Finds the line of a method in the source code.
  [[nodiscard]] MpSourceLine find_method_line(const MpMethod &method) const;
  /// Finds the line of a node in its scene.
  [[nodiscard]] MpSourceLine find_node_line(std::string_view path) const;
  /// Godot 3: finds the functions that a message may call by a name, or the variables that it may set by a name.
  [[nodiscard]] MpRemoteMember find_remote_member(std::string_view name, bool is_variable) const;
  /// Finds the peer that has authority over the node of a method, if the scripts prove it; 0: not known. Unlike
  /// Project::find_authority(), uses the method, which shows which script the node has.
  [[nodiscard]] std::int32_t authority_of_method(const MpMethod &method) const;
  /// True if the project has this list of methods, and the list is not empty.
  [[nodiscard]] bool has_method_list(std::string_view md5) const;
  /// True if a non-empty list of methods comes from another game, or from another version of this game.
  [[nodiscard]] bool is_foreign_method_list(std::string_view md5) const;
  /// Returns the source of a list of methods: path of the script, or `the table of names`; empty: not known.
  [[nodiscard]] std::string_view source_of_method_list(std::string_view md5) const;
  /// Finds the relative path from a MultiplayerSynchronizer to its root. If the synchronizer sends only its own
  /// properties, the path leads to the synchronizer itself. For a MultiplayerSpawner, the path leads to the node that
  /// gets the spawned nodes as children.
  [[nodiscard]] MpRelativePath find_relative_root(std::string_view path) const;
  /// Finds the node path of the game that is most similar to an unknown path. Empty if a scene has the path, or if no
  /// path is similar.
  [[nodiscard]] std::string_view find_similar_path(std::string_view path) const;
  /// Returns the number of scenes in the list of a MultiplayerSpawner; nullopt if this number is not known, or if
  /// several spawners match.
  [[nodiscard]] std::optional<std::size_t> count_spawnable_scenes(std::string_view spawner) const;
  /// True if a scene in the list of a spawner has a synchronizer with properties of mode "always". If several spawners
  /// match the path, this must hold for all of them.
  [[nodiscard]] bool is_always_synchronized(std::string_view spawner, std::uint8_t scene) const;
  /// Describes the known lists that are most similar to an unknown list of methods. Empty if the list is known, or if
  /// no known list can be compared.
  /// @param path of the node
  [[nodiscard]] std::string_view describe_method_mismatch(std::string_view md5, std::string_view path) const;

 private:
  [[nodiscard]] std::span<const project::RpcList *const> find_method_lists(std::string_view md5) const;
  [[nodiscard]] std::string describe_nearest_lists(std::string_view md5, std::string_view path) const;

  project::Project project_;
  bool are_remote_functions_complete_ = false;  // true if all scripts are GDScript for Godot 3
  std::map<std::pair<std::string, std::uint16_t>, std::string> name_table_;
  mutable MpSceneLookup scene_lookup_{project_};
  mutable std::map<std::string, std::string, std::less<>> mismatches_;
  mutable std::map<std::string, std::string, std::less<>> similar_paths_;
  // Results by MD5. `list` is null if no list was found.
  struct ConfiguredResult {
    project::ConfiguredList found;
    const project::RpcList *list = nullptr;
  };
  mutable std::map<std::string, ConfiguredResult, std::less<>> configured_lists_;
};

}  // namespace godot_codec
