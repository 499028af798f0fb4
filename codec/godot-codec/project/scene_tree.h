// SPDX-License-Identifier: MIT
/// @file
/// Scenes with everything that they instance and inherit put in.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/project/contents.h"

namespace godot_codec::project {

struct TreeNode {
  std::string name;
  std::string path;  ///< from the scene's root, which is `.`
  std::string type;
  std::string script;    ///< path, or empty
  std::string instance;  ///< path of the scene that is put in here, or empty
  std::string config;    ///< for a synchronizer, path of its configuration, or empty
  std::string root_path = "..";
  Certainty certainty = Certainty::known;  ///< of the two
  bool is_changed = false;                 ///< a script changes one of them
  std::string spawn_path;
  std::string maker;                                           ///< path of the script that makes this spawner, or empty
  std::string variable;                                        ///< the name of its variable there
  const std::vector<std::string> *spawnable_scenes = nullptr;  ///< the source's, or null
  std::vector<const NodeSource *> exports;  ///< sources that tell scenes or paths, those that go before at the end
  std::vector<std::string> groups;
  std::string_view file;   ///< the scene that puts it there, and the line there
  std::uint32_t line = 0;  ///< counted from 1; 0: none
  std::size_t parent = 0;
  std::size_t owner = 0;  ///< the root of the scene whose file has it; in it `%Name` is looked for
  bool is_unique_name = false;
  std::vector<std::size_t> children;
};

struct SceneTree {
  std::vector<TreeNode> nodes;  ///< the first is the root; empty if the scene cannot be put together
  std::map<std::string, std::size_t, std::less<>> by_path;
  std::map<std::pair<std::size_t, std::string>, std::size_t> by_unique_name;  ///< with the owner

  /// @returns SIZE_MAX if there is none
  [[nodiscard]] std::size_t child(std::size_t parent, const std::string &name) const;
  /// The node that a NodePath of a node leads to. @returns SIZE_MAX if that is none of the scene's
  [[nodiscard]] std::size_t follow(std::size_t from, std::string_view path) const;
  /// Indices of all nodes: a node, its children, then its next sibling.
  [[nodiscard]] std::vector<std::size_t> in_tree_order() const;
};

class SceneTrees {
 public:
  SceneTrees(ProjectSources &sources, const Limits &limits) : sources_(sources), limits_(limits) {}

  /// The tree of a scene; an empty one if there is no such scene.
  const SceneTree &of(const std::string &path);

  /// Adds a node behind its siblings. @returns whether there is none of its name, and room
  bool add_child(SceneTree &tree, TreeNode node, std::size_t parent);

  /// Nodes that were looked at, those that were left out included.
  [[nodiscard]] std::size_t node_count() const { return node_count_; }

 private:
  SceneTree put_together(const std::string &path, const SceneSource &source);
  void add_node(SceneTree &tree, const NodeSource &node, std::string_view file);
  std::size_t add_new(SceneTree &tree, const NodeSource &node, std::size_t parent);
  void add_instance(SceneTree &tree, std::size_t at, const std::string &scene);
  void apply(TreeNode &node, const NodeSource &source) const;
  void note(const std::string &note);
  [[nodiscard]] bool is_full(const SceneTree &tree) const;

  ProjectSources &sources_;
  const Limits &limits_;
  std::map<std::string, SceneTree, std::less<>> trees_;
  std::size_t depth_ = 0;       // instances in instances
  std::size_t node_count_ = 0;  // nodes of the trees that are put together, and nodes that were left out
  std::size_t node_bytes_ = 0;
};

}  // namespace godot_codec::project
