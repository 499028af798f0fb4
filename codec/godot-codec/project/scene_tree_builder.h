// SPDX-License-Identifier: MIT
/// @file
/// Builds the trees of scenes, including all instanced and inherited scenes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/project/project_contents.h"

namespace godot_codec::project {

struct TreeNode {
  std::string name;
  std::string path;  ///< from the scene's root, which is `.`
  std::string type;
  std::string script;
  std::string instance;  ///< path of the instanced scene, or empty
  std::string config;    ///< of a synchronizer: path of its replication config; empty if it has none
  std::string root_path = "..";
  Certainty certainty = Certainty::known;  ///< of config and root_path
  bool is_changed = false;                 ///< true if a script changes config or root_path
  std::string spawn_path;
  std::string creating_script;   ///< path of the script that creates this spawner; empty if no script does
  std::string spawner_variable;  ///< name of the variable that holds the spawner in that script
  const std::vector<std::string> *spawnable_scenes = nullptr;  ///< points into the ParsedNode; null if the node
                                                               ///< has no list
  std::vector<const ParsedNode *> parsed_exports;  ///< sources that set scenes or node paths; later sources override
                                                   ///< earlier sources
  std::vector<std::string> groups;
  std::string_view file;   ///< the scene file that adds the node; `line` is a line of this file
  std::uint32_t line = 0;  ///< counted from 1; 0 if unknown
  std::size_t parent = 0;
  std::size_t owner = 0;  ///< index of the root of the scene with the file that contains the node; `%Name` is searched
                          ///< for in this scene
  bool is_unique_name = false;
  std::vector<std::size_t> children;
};

struct SceneNodeTree {
  std::vector<TreeNode> nodes;  ///< the first node is the root; empty if the scene could not be built
  std::map<std::string, std::size_t, std::less<>> by_path;
  std::map<std::pair<std::size_t, std::string>, std::size_t> by_unique_name;  ///< by owner and name

  /// Finds a child by its name.
  /// @returns SIZE_MAX if there is none
  [[nodiscard]] std::size_t find_child(std::size_t parent, const std::string &name) const;
  /// Follows a NodePath from a node.
  /// @returns SIZE_MAX if the path does not lead to a node of this scene
  [[nodiscard]] std::size_t follow_path(std::size_t from, std::string_view path) const;
  /// Returns the indices of all nodes in tree order: a node, then its children, then its next sibling.
  [[nodiscard]] std::vector<std::size_t> in_tree_order() const;
};

class SceneTreeBuilder {
 public:
  explicit SceneTreeBuilder(ParsedSources &sources) : sources_(sources) {}

  /// Returns the tree of a scene; empty if there is no such scene. Builds the tree on first use.
  const SceneNodeTree &get_tree(const std::string &path);

  /// Adds a node as the last child of a parent.
  /// @returns false if the name is empty or taken, or if the path is too long
  bool add_child(SceneNodeTree &tree, TreeNode node, std::size_t parent);

  /// Returns the number of nodes processed so far, including nodes that were skipped.
  [[nodiscard]] std::size_t node_count() const { return node_count_; }

 private:
  SceneNodeTree build_tree(const std::string &path, const ParsedScene &source);
  void add_node(SceneNodeTree &tree, const ParsedNode &node, std::string_view file);
  std::size_t add_new_node(SceneNodeTree &tree, const ParsedNode &node, std::size_t parent);
  void add_instance(SceneNodeTree &tree, std::size_t at, const std::string &scene);
  void apply_properties(TreeNode &node, const ParsedNode &source) const;
  [[nodiscard]] bool is_full(const SceneNodeTree &tree) const;

  ParsedSources &sources_;
  std::map<std::string, SceneNodeTree, std::less<>> trees_;
  std::size_t depth_ = 0;       // nesting of instances
  std::size_t node_count_ = 0;  // nodes of the completed trees, and skipped nodes
  std::size_t total_node_bytes_ = 0;
};

}  // namespace godot_codec::project
