// SPDX-License-Identifier: MIT
/// @file
/// Which scenes a spawn_function makes, or scripts add to a spawner's list: those that the function names, by itself
/// or by the constants, variables and functions that it uses. And which scenes scripts add to other nodes. Nothing is
/// run; where the script does not spell it out, there is none.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/project/contents.h"
#include "godot-codec/project/scene_tree.h"

namespace godot_codec::project {

class MadeScenes {
 public:
  MadeScenes(const ProjectContents &contents, const ProjectSources &sources);

  struct Made {
    std::set<std::string> scenes;  ///< paths
    bool may_be_others = false;    ///< others are made in a way that is not followed
  };

  /// The scenes that a MultiplayerSpawner of a tree makes by its spawn_function, whichever script has set it.
  /// @param kind list: those that scripts add to its list, instead
  [[nodiscard]] Made made_by(const SceneTree &tree, std::size_t spawner, SpawnFunction::Kind kind) const;
  /// The scenes of a spawner that a script makes and keeps in a variable. None where one of them is not known.
  [[nodiscard]] Made made_by_variable(const SceneTree &tree, std::size_t spawner, SpawnFunction::Kind kind) const;
  /// Paths of the scenes that a node's script may have exported.
  [[nodiscard]] std::set<std::string> exported_by(const TreeNode &node) const;
  /// Paths of the scenes that scripts add by add_child().
  struct Children {
    /// By what they call the node that they add to: its name, the path of its script where it adds to itself, a group,
    /// a property of the tree. Each may mean several nodes.
    std::map<std::string, std::set<std::string>> by_name;
    std::set<std::string> placed;    ///< those that are added nowhere but to nodes that are called so
    std::set<std::string> anywhere;  ///< those that are added to a node that may have any name
    std::set<std::string> unknown;   ///< what they call nodes to which they add scenes that are not known
  };
  [[nodiscard]] Children children() const;

  /// A class, and those that it extends.
  using Chain = std::vector<std::pair<std::string_view, const ScriptClass *>>;

 private:
  [[nodiscard]] Chain chain_of(std::string_view script) const;
  [[nodiscard]] bool is_set_of(const SpawnFunction &setting, const Chain &chain, const SceneTree &tree,
                               std::size_t spawner) const;
  [[nodiscard]] static bool is_near(const SceneTree &tree, std::size_t spawner, std::string_view script);
  struct Meant {
    std::set<std::string> names;
    bool is_certain = false;  // it is one of these
  };
  [[nodiscard]] Meant meant_by(const SpawnFunction &setting, const Chain &chain) const;
  // A spawn_function that a script gives to nodes by name.
  struct Given {
    std::set<std::string> to;
    Made made;
  };

  [[nodiscard]] std::vector<Given> given() const;
  void add_by_function(Made &added, const SpawnFunction &setting, const Chain &chain,
                       const std::vector<Given> &given) const;
  [[nodiscard]] bool has_name_of(const Chain &chain, const std::set<std::string> &names) const;
  void add_made(Made &made, const SpawnFunction &setting, const Chain &chain) const;
  [[nodiscard]] bool makes_unknown(const MemberUses &uses, const Chain &chain) const;
  void add_built(std::set<std::string> &made, std::string_view path, std::string_view member,
                 const MemberUses &uses) const;
  void add_exported(std::set<std::string> &made, const Chain &chain, std::string_view property) const;

  const ProjectContents &contents_;
  const ProjectSources &sources_;
  std::map<std::string_view, std::string_view> others_;  // scripts that name scenes, by how scripts call them
  std::vector<std::string_view> setters_;                // scripts that set spawn functions
  std::vector<std::string_view> adders_;                 // scripts that add nodes to others
  std::multimap<std::string, const NodeSource *, std::less<>> nodes_by_script_;  // that have exported scenes
  std::multimap<std::string, const NodeSource *, std::less<>> nodes_by_adder_;
};

}  // namespace godot_codec::project
