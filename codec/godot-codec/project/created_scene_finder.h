// SPDX-License-Identifier: MIT
/// @file
/// Finds the scenes that scripts create: with a spawn_function, by adding them to a spawner's list, or with
/// add_child(). A scene is found if its path is a literal in the function, or in a constant, variable or function that
/// the function uses. No code is executed, so a path that is computed at run time is not found.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/project/project_contents.h"
#include "godot-codec/project/scene_tree_builder.h"

namespace godot_codec::project {

class CreatedSceneFinder {
 public:
  CreatedSceneFinder(const ProjectContents &contents, const ParsedSources &sources);

  struct SceneSet {
    std::set<std::string> scenes;    ///< paths
    bool may_create_others = false;  ///< true if the scripts also create scenes in a way that cannot be followed
  };

  /// Returns the scenes that a MultiplayerSpawner creates with its spawn_function. Any script may set this function.
  /// @param action set_function; with add_scene, returns the scenes that scripts add to the spawner's list instead
  [[nodiscard]] SceneSet find_created_scenes(const SceneNodeTree &tree, std::size_t spawner,
                                             SpawnStatement::Action action) const;
  /// Like find_created_scenes(), for a spawner that a script creates and stores in a variable. Empty if any of the
  /// scenes is unknown.
  [[nodiscard]] SceneSet find_scenes_of_variable(const SceneNodeTree &tree, std::size_t spawner,
                                                 SpawnStatement::Action action) const;
  /// Returns the paths of the scenes that are assigned to exported variables of the node's script.
  [[nodiscard]] std::set<std::string> find_exported_scenes(const TreeNode &node) const;
  /// Finds the scenes that scripts add with add_child().
  [[nodiscard]] ChildScenes find_child_scenes() const;

  /// A class and its base classes, nearest first.
  using ClassChain = std::vector<std::pair<std::string_view, const ScriptClass *>>;

 private:
  [[nodiscard]] ClassChain find_class_chain(std::string_view script) const;
  [[nodiscard]] bool refers_to_spawner(const SpawnStatement &statement, const ClassChain &chain,
                                       const SceneNodeTree &tree, std::size_t spawner) const;
  [[nodiscard]] static bool is_nearest_spawner(const SceneNodeTree &tree, std::size_t spawner, std::string_view script);
  struct TargetNames {
    std::set<std::string> names;
    bool is_certain = false;  // true if the node certainly has one of these names
  };
  [[nodiscard]] TargetNames find_target_names(const SpawnStatement &statement, const ClassChain &chain) const;
  // A spawn_function that a script assigns to nodes with known names, and the scenes that it creates.
  struct AssignedFunction {
    std::set<std::string> node_names;
    SceneSet created_scenes;
  };

  [[nodiscard]] std::vector<AssignedFunction> find_assigned_functions() const;
  void add_scenes_of_function(SceneSet &added, const SpawnStatement &statement, const ClassChain &chain,
                              const std::vector<AssignedFunction> &assigned) const;
  [[nodiscard]] bool has_name_among(const ClassChain &chain, const std::set<std::string> &names) const;
  void add_created_scenes(SceneSet &made, const SpawnStatement &statement, const ClassChain &chain) const;
  [[nodiscard]] bool creates_unknown_scenes(const MemberUses &uses, const ClassChain &chain) const;
  void add_synchronizer_nodes(std::set<std::string> &made, std::string_view path, std::string_view member,
                              const MemberUses &uses) const;
  void add_exported_scenes(std::set<std::string> &made, const ClassChain &chain, std::string_view property) const;

  const ProjectContents &contents_;
  const ParsedSources &sources_;
  std::map<std::string_view, std::string_view>
      scene_naming_scripts_;  // scripts that contain paths of scenes, by class name or autoload name
  std::vector<std::string_view> spawner_scripts_;    // scripts that set spawn functions or add to a spawner's list
  std::vector<std::string_view> add_child_scripts_;  // scripts that call add_child()
  std::multimap<std::string, const ParsedNode *, std::less<>> exporting_nodes_by_script_;  // nodes with exported scenes
  std::multimap<std::string, const ParsedNode *, std::less<>> nodes_by_add_child_script_;
};

}  // namespace godot_codec::project
