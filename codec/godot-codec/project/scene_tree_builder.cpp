// SPDX-License-Identifier: MIT
#include "godot-codec/project/scene_tree_builder.h"

#include <algorithm>

#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::size_t no_node = SIZE_MAX;
constexpr std::size_t max_instance_depth = 64;

std::string child_path(const TreeNode &parent, const std::string &name) {
  if (parent.path == ".") return name;
  std::string path = parent.path;
  path.push_back('/');
  return path.append(name);
}

std::size_t memory_size_of(const TreeNode &node) {
  std::size_t size = node.name.size() + node.path.size() + node.type.size() + node.script.size() +
                     node.instance.size() + node.config.size() + node.root_path.size() + node.spawn_path.size() +
                     node.parsed_exports.size() * sizeof(void *);
  for (const std::string &group : node.groups) size += sizeof(std::string) + group.size();
  return size;
}

}  // namespace

std::size_t SceneNodeTree::find_child(std::size_t parent, const std::string &name) const {
  const auto found = by_path.find(child_path(nodes[parent], name));
  return found == by_path.end() ? no_node : found->second;
}

std::size_t SceneNodeTree::follow_path(std::size_t from, std::string_view path) const {
  path = path.substr(0, path.find(':'));
  if (path.empty() || path.starts_with('/')) return no_node;
  std::size_t node = from;
  for_each_part(path, '/', [&](std::string_view name) {
    if (node == no_node || name.empty() || name == ".") return;
    if (name == "..") {
      node = node == 0 ? no_node : nodes[node].parent;
    } else if (name.starts_with('%')) {
      // The root of an instanced scene finds the unique names of its own scene and of the enclosing scene.
      const std::string unique_name(name.substr(1));
      auto found = by_unique_name.find({node, unique_name});
      if (found == by_unique_name.end()) found = by_unique_name.find({nodes[node].owner, unique_name});
      node = found == by_unique_name.end() ? no_node : found->second;
    } else {
      node = find_child(node, std::string(name));
    }
  });
  return node;
}

std::vector<std::size_t> SceneNodeTree::in_tree_order() const {
  std::vector<std::size_t> order;
  std::vector<std::size_t> waiting;
  if (!nodes.empty()) waiting.push_back(0);
  while (!waiting.empty()) {
    const std::size_t node = waiting.back();
    waiting.pop_back();
    order.push_back(node);
    waiting.insert(waiting.end(), nodes[node].children.rbegin(), nodes[node].children.rend());
  }
  return order;
}

bool SceneTreeBuilder::is_full(const SceneNodeTree &tree) const {
  return node_count_ + tree.nodes.size() > sources_.limits.max_nodes ||
         total_node_bytes_ > sources_.limits.max_node_bytes;
}

const SceneNodeTree &SceneTreeBuilder::get_tree(const std::string &path) {
  static const SceneNodeTree too_deep;
  if (depth_ >= max_instance_depth) return too_deep;
  // While a tree is being built, the scenes in this tree see it as empty. This ends cycles of scenes.
  const auto [tree, is_new] = trees_.try_emplace(path);
  const auto source = sources_.scenes.find(path);
  if (is_new && source != sources_.scenes.end()) {
    ++depth_;
    tree->second = build_tree(source->first, source->second);
    --depth_;
  }
  return tree->second;
}

SceneNodeTree SceneTreeBuilder::build_tree(const std::string &path, const ParsedScene &source) {
  SceneNodeTree tree;
  for (const ParsedNode &node : source.nodes) {
    if (is_full(tree)) {
      add_note_once(sources_.notes, path + ": not whole, there are too many nodes");
      break;
    }
    add_node(tree, node, path);
  }
  node_count_ += tree.nodes.size();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode &node = tree.nodes[i];
    if (node.is_unique_name) tree.by_unique_name.emplace(std::pair(node.owner, node.name), i);
  }
  return tree;
}

void SceneTreeBuilder::add_node(SceneNodeTree &tree, const ParsedNode &node, std::string_view file) {
  std::size_t at = no_node;
  const std::size_t before = tree.nodes.size();
  if (!node.parent) {
    if (!tree.nodes.empty()) return;
    TreeNode &root = tree.nodes.emplace_back();
    root.name = node.name;
    root.path.push_back('.');
    root.type = node.type;
    tree.by_path.emplace(root.path, 0);
    at = 0;
    if (node.instance) add_instance(tree, at, sources_.find_path(*node.instance));
  } else {
    const auto parent = tree.by_path.find(*node.parent);
    if (parent == tree.by_path.end()) return;
    at = tree.find_child(parent->second, node.name);
    if (at == no_node) at = add_new_node(tree, node, parent->second);
  }
  if (at == no_node) return;
  if (at >= before) {
    tree.nodes[at].file = file;
    tree.nodes[at].line = node.line;
  }
  apply_properties(tree.nodes[at], node);
  total_node_bytes_ += memory_size_of(tree.nodes[at]);
}

// @returns the index of the node; no_node if it cannot be added
std::size_t SceneTreeBuilder::add_new_node(SceneNodeTree &tree, const ParsedNode &node, std::size_t parent) {
  if (node.type.empty() && !node.instance) return no_node;
  const std::size_t at = tree.nodes.size();
  TreeNode added;
  added.name = node.name;
  added.type = node.type;
  if (!add_child(tree, std::move(added), parent)) return no_node;
  if (node.instance) add_instance(tree, at, sources_.find_path(*node.instance));
  std::vector<std::size_t> &siblings = tree.nodes[parent].children;
  if (node.index && *node.index < siblings.size()) {
    const auto place = siblings.begin() + static_cast<std::ptrdiff_t>(*node.index);
    std::rotate(place, siblings.end() - 1, siblings.end());
  }
  return at;
}

// Adds the nodes of an instanced scene. The existing node becomes the root of this instance.
void SceneTreeBuilder::add_instance(SceneNodeTree &tree, std::size_t at, const std::string &scene) {
  tree.nodes[at].instance = scene;
  if (is_full(tree)) return add_note_once(sources_.notes, scene + ": not put in, there are too many nodes");
  const SceneNodeTree &instance = get_tree(scene);
  std::vector<std::size_t> places(instance.nodes.size(), no_node);
  for (const std::size_t index : instance.in_tree_order()) {
    TreeNode copy = instance.nodes[index];
    copy.children.clear();
    copy.owner = at;
    if (index == 0) {
      copy.name = tree.nodes[at].name.empty() ? copy.name : tree.nodes[at].name;
      copy.path = tree.nodes[at].path;
      copy.parent = tree.nodes[at].parent;
      copy.owner = tree.nodes[at].owner;
      copy.instance = scene;
      tree.nodes[at] = std::move(copy);
      places[0] = at;
      continue;
    }
    if (is_full(tree)) return add_note_once(sources_.notes, scene + ": not put in, there are too many nodes");
    const std::size_t parent = places[instance.nodes[index].parent];
    const std::size_t owner = places[instance.nodes[index].owner];
    if (owner != no_node) copy.owner = owner;
    places[index] = tree.nodes.size();
    const bool is_added = parent != no_node && add_child(tree, std::move(copy), parent);
    if (is_added) continue;
    places[index] = no_node;
    ++node_count_;
  }
}

bool SceneTreeBuilder::add_child(SceneNodeTree &tree, TreeNode node, std::size_t parent) {
  node.parent = parent;
  node.path = child_path(tree.nodes[parent], node.name);
  if (node.name.empty() || node.path.size() > max_node_path_size) return false;
  if (!tree.by_path.emplace(node.path, tree.nodes.size()).second) return false;
  tree.nodes[parent].children.push_back(tree.nodes.size());
  total_node_bytes_ += memory_size_of(node);
  tree.nodes.push_back(std::move(node));
  return true;
}

void SceneTreeBuilder::apply_properties(TreeNode &node, const ParsedNode &source) const {
  if (source.script) node.script = sources_.find_path(*source.script);
  if (source.config) node.config = sources_.find_path(*source.config);
  if (source.root_path) node.root_path = *source.root_path;
  if (source.spawn_path) node.spawn_path = *source.spawn_path;
  if (source.spawnable_scenes) node.spawnable_scenes = &*source.spawnable_scenes;
  if (source.is_unique_name) node.is_unique_name = true;
  node.groups.insert(node.groups.end(), source.groups.begin(), source.groups.end());
  if (!source.scenes.empty() || !source.node_paths.empty()) node.parsed_exports.push_back(&source);
}

}  // namespace godot_codec::project
