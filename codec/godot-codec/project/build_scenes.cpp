// SPDX-License-Identifier: MIT
// Builds the Scenes of a Project from scene trees.
#include <algorithm>
#include <set>
#include <utility>

#include "godot-codec/core/path.h"
#include "godot-codec/project/created_scene_finder.h"
#include "godot-codec/project/project_contents.h"
#include "godot-codec/project/property_types.h"
#include "godot-codec/project/scene_tree_builder.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::string_view synchronizer_type = "MultiplayerSynchronizer";
constexpr std::string_view spawner_type = "MultiplayerSpawner";
// The engine appends a number to these names to make them unique.
constexpr std::string_view generated_synchronizer_name = "@MultiplayerSynchronizer@";
constexpr std::string_view generated_spawner_name = "@MultiplayerSpawner@";
using TreePosition = ScriptSynchronizer::TreePosition;

}  // namespace

class SceneBuilder {
 public:
  SceneBuilder(ProjectContents &contents, ParsedSources &sources)
      : contents_(contents), sources_(sources), tree_builder_(sources), created_scene_finder_(contents, sources) {}

  void build() {
    for (const auto &[path, source] : sources_.scenes) {
      for (const auto &[config_path, config] : source.configs) make_property_lists(config_path, config);
    }
    for (const auto &[script, all] : contents_.script_synchronizers) {
      for (const ScriptSynchronizer &each : all) make_property_lists(each.config_path, each.config);
    }
    find_changed_configs();
    for (const auto &[path, source] : sources_.scenes) {
      const SceneNodeTree &tree = tree_builder_.get_tree(path);
      if (!tree.nodes.empty()) add_scene(path, add_script_synchronizers(tree));
    }
    for (const auto &[script, all] : contents_.script_synchronizers) add_scenes_for_synchronizers(*script, all);
    for (const auto &[path, source] : sources_.scripts) add_created_spawners(path, source);
    std::ranges::stable_sort(contents_.scenes, {}, &Scene::path);
    find_unreferenced_scenes();
    index_replicated_nodes();
    ChildScenes &children = contents_.child_scenes;
    children = created_scene_finder_.find_child_scenes();
    for (const Scene &scene : contents_.scenes) {
      for (const Spawner &spawner : scene.spawners) add_spawned_scenes(children, scene, spawner);
    }
    for (const auto &[name, scenes] : children.by_parent) contents_.scenes_by_parent.emplace(name, store_paths(scenes));
    contents_.processed_nodes = tree_builder_.node_count();
    if (has_untyped_properties_)
      sources_.notes.emplace_back("there are too many synchronized properties, some are without types");
  }

 private:
  // Finds scene files that the settings, scenes and scripts do not refer to. All other scenes may be in use.
  void find_unreferenced_scenes() {
    std::set<std::string, std::less<>> used{sources_.main_scene};
    if (sources_.main_scene.empty()) contents_.loads_unknown_scenes = true;
    for (const ParsedSources::ParsedAutoload &each : sources_.autoloads) used.insert(each.path);
    for (const auto &[path, source] : sources_.scenes) {
      for (const ResourceReference &each : source.references) used.insert(sources_.find_path(each));
    }
    for (const auto &[path, source] : sources_.scripts) {
      for (const ScriptClass &each : source.classes) {
        for (const std::string &scene : each.scenes) used.insert(sources_.resolve_scene_path(scene, path));
        if (each.scenes.size() >= max_named_scenes) contents_.loads_unknown_scenes = true;
      }
    }
    for (const Scene &scene : contents_.scenes) {
      if (sources_.scenes.contains(scene.path) && !used.contains(scene.path))
        contents_.unreferenced_scenes.insert(&scene);
    }
  }

  // The properties of a config, split into the engine's three lists.
  struct PropertyLists {
    std::span<const Property> spawn, always, on_change;
  };

  void make_property_lists(const std::string &path, const ParsedReplicationConfig &config) {
    std::vector<Property> spawn;
    std::vector<Property> always;
    std::vector<Property> on_change;
    for (const ParsedReplicationConfig::Property &each : config.properties) {
      Property property;
      property.path = contents_.store(each.path);
      property.is_spawned = each.is_spawned;
      property.mode = each.mode;
      const std::string path_of_node = remove_parent_steps(each.path);
      property.label = contents_.store(path_of_node.starts_with(".:") ? path_of_node.substr(2) : path_of_node);
      if (property.is_spawned) spawn.push_back(property);
      if (property.mode == ReplicationMode::always) always.push_back(property);
      if (property.mode == ReplicationMode::on_change) on_change.push_back(property);
    }
    property_lists_[path] = {contents_.store(std::move(spawn)), contents_.store(std::move(always)),
                             contents_.store(std::move(on_change))};
  }

  void add_scene(const std::string &path, const SceneNodeTree &tree) {
    std::vector<Node> nodes;
    std::vector<Synchronizer> synchronizers;
    std::vector<Spawner> spawners;
    for (const std::size_t index : tree.in_tree_order()) {
      const TreeNode &node = tree.nodes[index];
      nodes.push_back(make_node(node));
      if (node.type == synchronizer_type) synchronizers.push_back(make_synchronizer(tree, index));
      if (node.type == spawner_type) spawners.push_back(make_spawner(tree, index));
    }
    Scene &scene = contents_.scenes.emplace_back();
    scene.path = contents_.store(path);
    scene.root_name = contents_.store(tree.nodes.front().name);
    scene.synchronizers = contents_.store(std::move(synchronizers));
    scene.spawners = contents_.store(std::move(spawners));
    link_nodes(nodes, scene);
    const std::span<Node> kept = contents_.store(std::move(nodes));
    scene.nodes = kept;
    std::vector<const Node *> by_path;
    for (const Node &node : kept) by_path.push_back(&node);
    std::ranges::sort(by_path, {}, &Node::path);
    scene.by_path_ = contents_.store(std::move(by_path));
  }

  // Records a scene that a spawner adds to a node. It is treated like a scene that a script adds with add_child().
  static void add_spawned_scenes(ChildScenes &children, const Scene &scene, const Spawner &spawner) {
    if (spawner.root.empty()) {
      for (const auto &scenes : {spawner.function_scenes, spawner.listed_by_scripts})
        children.with_unknown_parents.insert(scenes.begin(), scenes.end());
      return;
    }
    const std::string_view name = base_name(spawner.root);
    for (const auto &scenes : {spawner.scenes, spawner.function_scenes, spawner.listed_by_scripts}) {
      children.by_parent[std::string(name == "." ? scene.root_name : name)].insert(scenes.begin(), scenes.end());
      children.with_known_parents.insert(scenes.begin(), scenes.end());
    }
  }

  // Adds the synchronizers that the scripts of the tree's nodes create.
  SceneNodeTree add_script_synchronizers(SceneNodeTree tree) {
    const std::size_t count = contents_.script_synchronizers.empty() ? 0 : tree.nodes.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = contents_.script_synchronizers.find(contents_.find_script(tree.nodes[i].script));
      if (found == contents_.script_synchronizers.end()) continue;
      attached_scripts_.insert(found->first);
      for (const ScriptSynchronizer &each : found->second) {
        if (each.position != TreePosition::elsewhere) add_script_synchronizer(tree, i, each);
      }
    }
    return tree;
  }

  void add_script_synchronizer(SceneNodeTree &tree, std::size_t parent, const ScriptSynchronizer &source) {
    if (source.is_in_scene()) return change_existing_synchronizer(tree, tree.follow_path(parent, source.name), source);
    TreeNode node;
    node.name = source.name.empty() ? generated_synchronizer_name : source.name;
    node.type = synchronizer_type;
    node.config = source.config_path;
    node.certainty = source.certainty;
    if (!source.root_path.empty()) node.root_path = source.root_path;
    // If scripts create two synchronizers with the same name, only one of them exists at run time, and nothing shows
    // which.
    const std::size_t same = tree.find_child(parent, node.name);
    if (same < tree.nodes.size() && tree.nodes[same].file.empty()) tree.nodes[same].certainty = Certainty::unknown;
    if (!tree_builder_.add_child(tree, std::move(node), parent) || source.position != TreePosition::first) return;
    std::vector<std::size_t> &siblings = tree.nodes[parent].children;
    std::rotate(siblings.begin(), siblings.end() - 1, siblings.end());
  }

  // Applies a script's change to a synchronizer of the scene. If two scripts change it, nothing shows which of them
  // runs last.
  void change_existing_synchronizer(SceneNodeTree &tree, std::size_t at, const ScriptSynchronizer &source) {
    if (at >= tree.nodes.size()) return;
    TreeNode &node = tree.nodes[at];
    if (source.changes_scene_config && !node.config.empty()) changed_configs_.insert(node.config);
    node.certainty = node.is_changed ? Certainty::unknown : source.certainty;
    node.is_changed = true;
    if (source.has_config) node.config = source.config_path;
    if (!source.root_path.empty()) node.root_path = source.root_path;
  }

  // Finds the configs of scenes that scripts change. A change affects all synchronizers that share the config.
  void find_changed_configs() {
    const auto changes = [](const ScriptSynchronizer &each) { return each.changes_scene_config; };
    if (std::ranges::none_of(contents_.script_synchronizers,
                             [&](const auto &of) { return std::ranges::any_of(of.second, changes); }))
      return;
    for (const auto &[path, source] : sources_.scenes) add_script_synchronizers(tree_builder_.get_tree(path));
  }

  // Adds a scene for the node of a script, if no scene contains such a node. Also adds a scene for each synchronizer
  // that the script adds to another node.
  void add_scenes_for_synchronizers(const Script &script, const std::vector<ScriptSynchronizer> &all) {
    const auto is_elsewhere = [](const ScriptSynchronizer &each) { return each.position == TreePosition::elsewhere; };
    SceneNodeTree tree;
    TreeNode &root = tree.nodes.emplace_back();
    root.path = ".";
    if (!attached_scripts_.contains(&script) && !std::ranges::all_of(all, is_elsewhere)) {
      SceneNodeTree own = tree;
      own.nodes[0].name = script.class_name;
      own.nodes[0].script = script.path;
      add_scene(std::string(script.path), add_script_synchronizers(std::move(own)));
    }
    for (const ScriptSynchronizer &each : all) {
      if (!is_elsewhere(each)) continue;
      SceneNodeTree other = tree;
      add_script_synchronizer(other, 0, each);
      add_scene(each.config_path, other);
    }
  }

  // Adds a scene with the spawners that a script creates, because their parent may be any node.
  void add_created_spawners(const std::string &path, const ParsedScript &source) {
    if (source.classes.empty() || source.classes.front().spawners.empty()) return;
    SceneNodeTree tree;
    tree.nodes.emplace_back().path = ".";
    for (const auto &[variable, names] : source.classes.front().spawners) {
      const std::set<std::string> unnamed = {std::string(generated_spawner_name)};
      for (const std::string &name : names.empty() ? unnamed : names) {
        TreeNode node;
        node.name = name;
        node.type = spawner_type;
        node.creating_script = path;
        node.spawner_variable = variable;
        if (!name.empty()) tree_builder_.add_child(tree, std::move(node), 0);
      }
    }
    add_scene(path + "::" + std::string(spawner_type), tree);
  }

  Node make_node(const TreeNode &tree_node) {
    Node node;
    node.path = contents_.store(tree_node.path);
    node.type = contents_.store(tree_node.type);
    node.script_path = contents_.store(tree_node.script);
    node.script = contents_.find_script(node.script_path);
    contents_.attached_scripts.insert(node.script);
    node.instance = contents_.store(tree_node.instance);
    node.file = contents_.store(std::string(tree_node.file));
    node.line = tree_node.line;
    if (!tree_node.parsed_exports.empty())
      node.scenes = store_paths(created_scene_finder_.find_exported_scenes(tree_node));
    if (!tree_node.groups.empty()) node.groups = store_paths({tree_node.groups.begin(), tree_node.groups.end()});
    return node;
  }

  std::span<const std::string_view> store_paths(const std::set<std::string> &paths) {
    if (paths.empty()) return {};
    std::vector<std::string_view> kept;
    kept.reserve(paths.size());
    for (const std::string &path : paths) kept.push_back(contents_.store(path));
    return contents_.store(std::move(kept));
  }

  std::string_view store_node_path(const SceneNodeTree &tree, std::size_t node) {
    return node < tree.nodes.size() ? contents_.store(tree.nodes[node].path) : std::string_view();
  }

  Synchronizer make_synchronizer(const SceneNodeTree &tree, std::size_t index) {
    const TreeNode &node = tree.nodes[index];
    const std::size_t root = tree.follow_path(index, node.root_path);
    Synchronizer synchronizer;
    synchronizer.node = contents_.store(node.path);
    synchronizer.root = store_node_path(tree, root);
    synchronizer.certainty = changed_configs_.contains(node.config) ? Certainty::unknown : node.certainty;
    if (const auto config = property_lists_.find(node.config); config != property_lists_.end()) {
      synchronizer.spawn = derive_types(config->second.spawn, tree, root);
      synchronizer.always = derive_types(config->second.always, tree, root);
      synchronizer.on_change = derive_types(config->second.on_change, tree, root);
    }
    return synchronizer;
  }

  // Returns the properties with their types. If no types are known, synchronizers with the same config share the
  // result.
  std::span<const Property> derive_types(std::span<const Property> properties, const SceneNodeTree &tree,
                                         std::size_t root) {
    if (root >= tree.nodes.size()) return properties;
    if (properties.size() > sources_.limits.max_properties - property_count_) {
      has_untyped_properties_ = true;
      return properties;
    }
    property_count_ += properties.size();
    std::vector<Property> typed(properties.begin(), properties.end());
    bool is_any = true;
    for (Property &property : typed) {
      property.types = find_property_types(contents_, tree, root, property.path);
      is_any = is_any && property.types.is_any();
    }
    return is_any ? properties : contents_.store(std::move(typed));
  }

  // @param path path of a property, such as `Gun:ammo`. The types of a component (`.:position:x`) are unknown
  static ValueTypes find_property_types(const ProjectContents &contents, const SceneNodeTree &tree, std::size_t root,
                                        std::string_view path) {
    const std::size_t colon = path.find(':');
    const std::size_t index = tree.follow_path(root, path);
    const std::string_view name = path.substr(std::min(colon + 1, path.size()));
    if (index >= tree.nodes.size() || colon == std::string_view::npos || name.find(':') != std::string_view::npos) {
      return {};
    }
    const TreeNode &node = tree.nodes[index];
    return types_of_property(node.type, !node.script.empty(), contents.find_script(node.script), name);
  }

  Spawner make_spawner(const SceneNodeTree &tree, std::size_t index) {
    const TreeNode &node = tree.nodes[index];
    Spawner spawner;
    spawner.node = contents_.store(node.path);
    spawner.root = store_node_path(tree, tree.follow_path(index, node.spawn_path));
    spawner.scenes = resolve_spawnable_scenes(node.spawnable_scenes);
    const auto made = [&](SpawnStatement::Action action) {
      return node.creating_script.empty() ? created_scene_finder_.find_created_scenes(tree, index, action)
                                          : created_scene_finder_.find_scenes_of_variable(tree, index, action);
    };
    const CreatedSceneFinder::SceneSet by_function = made(SpawnStatement::Action::set_function);
    const CreatedSceneFinder::SceneSet by_list = made(SpawnStatement::Action::add_scene);
    spawner.function_scenes = store_paths(by_function.scenes);
    spawner.listed_by_scripts = store_paths(by_list.scenes);
    spawner.may_create_others = by_function.may_create_others || by_list.may_create_others;
    return spawner;
  }

  // Returns the scenes in a spawner's list. Instances of one scene share the result.
  std::span<const std::string_view> resolve_spawnable_scenes(const std::vector<std::string> *source) {
    if (source == nullptr) return {};
    const auto [found, is_new] = spawnable_scenes_.try_emplace(source);
    if (is_new) {
      std::vector<std::string_view> scenes;
      for (const std::string &scene : *source) scenes.push_back(contents_.store(sources_.find_path({{}, scene})));
      found->second = contents_.store(std::move(scenes));
    }
    return found->second;
  }

  // Connects the nodes to their synchronizers and spawners, because all three lists are in tree order.
  void link_nodes(std::vector<Node> &nodes, Scene &scene) {
    auto synchronizer = scene.synchronizers.begin();
    auto spawner = scene.spawners.begin();
    std::vector<const Synchronizer *> spawned;
    for (Node &node : nodes) {
      if (node.type == synchronizer_type) {
        if (synchronizer->root == ".") spawned.push_back(&*synchronizer);
        node.synchronizer = &*synchronizer++;
      }
      if (node.type == spawner_type) node.spawner = &*spawner++;
    }
    scene.root_synchronizers = contents_.store(std::move(spawned));
  }

  [[nodiscard]] bool may_be_unused(const Scene &scene) const {
    return !contents_.loads_unknown_scenes && contents_.unreferenced_scenes.contains(&scene);
  }

  // Lists the synchronizers and spawners. Pointers to the elements stay valid, because no scene is added afterwards.
  void index_replicated_nodes() {
    for (const Scene &scene : contents_.scenes) {
      for (const Node &node : scene.nodes) {
        const bool is_replicated = node.synchronizer != nullptr || node.spawner != nullptr;
        if (is_replicated && node.path != ".")
          contents_.replicated_nodes.push_back({&node, &scene, 0, may_be_unused(scene)});
      }
    }
    std::ranges::stable_sort(contents_.replicated_nodes, {}, [](const AddedNode &each) { return each.node->path; });
    for (const Scene &scene : contents_.scenes) index_movable_nodes(scene);
    std::ranges::stable_sort(contents_.movable_nodes, {},
                             [](const AddedNode &each) { return base_name(each.node->path); });
  }

  // Lists the nodes that scripts may move. Skips the roots of scenes, because they may have any name anyway.
  void index_movable_nodes(const Scene &scene) {
    std::string_view moved;
    for (const Node &node : scene.nodes) {
      if (node.path == ".") continue;
      const bool is_below = !moved.empty() && node.path.starts_with(moved) && node.path.substr(moved.size(), 1) == "/";
      if (!is_below) moved = contents_.moves_nodes || renames_itself(node.script) ? node.path : std::string_view();
      const bool is_replicated = node.synchronizer != nullptr || node.spawner != nullptr;
      if (is_replicated && !moved.empty())
        contents_.movable_nodes.push_back({&node, &scene, 0, may_be_unused(scene), true});
    }
  }

  [[nodiscard]] bool renames_itself(const Script *script) const {
    constexpr std::size_t max_depth = 32;
    for (std::size_t depth = 0; script != nullptr && depth < max_depth; ++depth, script = script->base) {
      if (contents_.self_renaming_scripts.contains(script)) return true;
    }
    return false;
  }

  ProjectContents &contents_;
  ParsedSources &sources_;
  SceneTreeBuilder tree_builder_;
  CreatedSceneFinder created_scene_finder_;
  std::size_t property_count_ = 0;       // of all synchronizers
  bool has_untyped_properties_ = false;  // true if some properties have no types, because of the limit
  std::map<std::string, PropertyLists, std::less<>> property_lists_;
  std::set<std::string, std::less<>> changed_configs_;  // configs of scenes that scripts change
  std::set<const Script *>
      attached_scripts_;  // scripts that create synchronizers, and are attached to a node of a scene
  std::map<const std::vector<std::string> *, std::span<const std::string_view>> spawnable_scenes_;
};

void build_scenes(ProjectContents &contents, ParsedSources &sources) { SceneBuilder(contents, sources).build(); }

}  // namespace godot_codec::project
