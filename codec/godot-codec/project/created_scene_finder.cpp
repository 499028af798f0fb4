// SPDX-License-Identifier: MIT
#include "godot-codec/project/created_scene_finder.h"

#include <algorithm>

#include "godot-codec/core/path.h"

namespace godot_codec::project {
namespace {

constexpr std::size_t max_chain = 32;
constexpr std::size_t max_scenes = 64;    // maximum number of scenes of one spawner
constexpr std::size_t max_members = 256;  // maximum number of members that one spawn function uses, directly or
                                          // indirectly
constexpr std::size_t max_setters = 256;  // maximum number of scripts that are checked for one spawner
constexpr std::size_t max_adders = 4096;
constexpr std::size_t max_target_names = 64;  // maximum number of names that one expression can have

const ScriptClass *find_script_class(const ParsedSources &sources, std::string_view path) {
  const auto found = sources.scripts.find(path);
  return found == sources.scripts.end() || found->second.classes.empty() ? nullptr : &found->second.classes.front();
}

// Returns the spawn statements of the class itself, not those of its base classes.
std::span<const SpawnStatement> spawn_statements_of(const CreatedSceneFinder::ClassChain &chain) {
  return chain.empty() ? std::span<const SpawnStatement>() : chain.front().second->spawn_statements;
}

}  // namespace

CreatedSceneFinder::CreatedSceneFinder(const ProjectContents &contents, const ParsedSources &sources)
    : contents_(contents), sources_(sources) {
  for (const auto &[path, source] : sources.scripts) {
    const ScriptClass *first = find_script_class(sources, path);
    if (first == nullptr || first->spawn_statements.empty()) continue;
    const auto adds = [](const SpawnStatement &each) { return each.action == SpawnStatement::Action::add_child; };
    const bool is_adder = std::ranges::any_of(first->spawn_statements, adds);
    if (is_adder && add_child_scripts_.size() < max_adders) add_child_scripts_.push_back(path);
    const bool is_setter = !std::ranges::all_of(first->spawn_statements, adds);
    if (is_setter && spawner_scripts_.size() < max_setters) spawner_scripts_.push_back(path);
  }
  for (const Script &script : contents.scripts) {
    if (!script.scenes.empty() && !script.class_name.empty())
      scene_naming_scripts_.emplace(script.class_name, script.path);
  }
  for (const ParsedSources::ParsedAutoload &each : sources.autoloads) {
    const Script *script = contents.find_script(each.path);
    if (script != nullptr && !script->scenes.empty()) scene_naming_scripts_.emplace(each.name, script->path);
  }
  for (const auto &[path, scene] : sources.scenes) {
    for (const ParsedNode &node : scene.nodes) {
      if (!node.script) continue;
      const std::string script = sources.find_path(*node.script);
      if (!node.scenes.empty()) exporting_nodes_by_script_.emplace(script, &node);
      if (std::ranges::binary_search(add_child_scripts_, script)) nodes_by_add_child_script_.emplace(script, &node);
    }
  }
}

CreatedSceneFinder::ClassChain CreatedSceneFinder::find_class_chain(std::string_view script) const {
  ClassChain chain;
  for (const Script *each = contents_.find_script(script); each != nullptr && chain.size() < max_chain;
       each = each->base) {
    const ScriptClass *source = find_script_class(sources_, each->path);
    if (source == nullptr) break;
    chain.emplace_back(each->path, source);
  }
  return chain;
}

std::set<std::string> CreatedSceneFinder::find_exported_scenes(const TreeNode &node) const {
  std::set<std::string> scenes;
  for (const ParsedNode *source : node.parsed_exports) {
    for (const auto &[property, references] : source->scenes) {
      for (const ResourceReference &each : references) scenes.insert(sources_.find_path(each));
    }
  }
  return scenes;
}

// True if `$Spawner` in a script can mean this spawner. If several spawners of the scene have the name, only those
// below a node with the script, or next to such a node, are meant.
bool CreatedSceneFinder::is_nearest_spawner(const SceneNodeTree &tree, std::size_t spawner, std::string_view script) {
  const auto is_same = [&](const TreeNode &node) {
    return node.name == tree.nodes[spawner].name && node.type == tree.nodes[spawner].type;
  };
  if (std::ranges::count_if(tree.nodes, is_same) < 2) return true;
  const auto has_script = [&](std::size_t node) { return tree.nodes[node].script == script; };
  std::size_t above = tree.nodes[spawner].parent;
  bool is_found = has_script(above) || std::ranges::any_of(tree.nodes[above].children, has_script);
  for (; !is_found && above != 0; is_found = has_script(above)) above = tree.nodes[above].parent;
  return is_found;
}

// True if a statement refers to a spawner: by the node's name, or by a variable with the node's name or path.
bool CreatedSceneFinder::refers_to_spawner(const SpawnStatement &statement, const ClassChain &chain,
                                           const SceneNodeTree &tree, std::size_t spawner) const {
  const std::string &name = tree.nodes[spawner].name;
  if (statement.target == name) return !statement.is_literal || is_nearest_spawner(tree, spawner, chain.front().first);
  for (const auto &[path, source] : chain) {
    const auto uses = source->uses.find(statement.target);
    if (uses != source->uses.end() && uses->second.words.contains(name)) return true;
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (chain.empty() || tree.nodes[i].script != chain.front().first) continue;
    for (const ParsedNode *source : tree.nodes[i].parsed_exports) {
      const auto path = source->node_paths.find(statement.target);
      if (path != source->node_paths.end() && tree.follow_path(i, path->second) == spawner) return true;
    }
  }
  return false;
}

void CreatedSceneFinder::add_exported_scenes(std::set<std::string> &made, const ClassChain &chain,
                                             std::string_view property) const {
  for (const auto &[path, source] : chain) {
    auto [node, end] = exporting_nodes_by_script_.equal_range(path);
    for (std::size_t i = 0; node != end && i < max_members; ++node, ++i) {
      const auto scenes = node->second->scenes.find(property);
      if (scenes == node->second->scenes.end()) continue;
      for (const ResourceReference &each : scenes->second) made.insert(sources_.find_path(each));
    }
  }
}

// Adds the scenes with paths in a function, then the scenes of the members that the function uses, recursively.
void CreatedSceneFinder::add_created_scenes(SceneSet &result, const SpawnStatement &statement,
                                            const ClassChain &chain) const {
  std::set<std::string> &made = result.scenes;
  if (!statement.scene.empty()) {
    made.insert(sources_.resolve_scene_path(statement.scene, chain.front().first));
    return;
  }
  std::vector<std::string> members{statement.function};
  const auto [first, last] = exporting_nodes_by_script_.equal_range(chain.front().first);
  for (auto node = first; statement.function.empty() && node != last && members.size() < max_members; ++node) {
    for (const auto &[property, scenes] : node->second->scenes) members.push_back(property);
  }
  for (std::size_t i = 0; i < members.size() && i < max_members; ++i) {
    const std::string member = members[i];
    const std::string function = function_of_part_key(member);
    add_exported_scenes(made, chain, member);
    for (const auto &[path, source] : chain) {
      const auto uses = source->uses.find(member);
      if (uses == source->uses.end()) continue;
      for (const std::string &scene : uses->second.scenes) made.insert(sources_.resolve_scene_path(scene, path));
      result.may_create_others = result.may_create_others || creates_unknown_scenes(uses->second, chain);
      add_synchronizer_nodes(made, path, member, uses->second);
      for (const std::string &name : uses->second.words) {
        // A local variable hides a member with the same name.
        const std::string part = function_part_key(function, name);
        const bool is_variable = member != function && part != member && source->uses.contains(part);
        const std::string &word = is_variable ? part : name;
        const bool is_member = std::ranges::any_of(chain, [&](const auto &each) {
          return each.second->uses.contains(word) || exporting_nodes_by_script_.contains(each.first);
        });
        const bool is_new = std::ranges::find(members, word) == members.end();
        if (is_member && is_new && members.size() < max_members) members.push_back(word);
      }
    }
  }
}

// True if a member loads a scene by a computed path, or uses another script that contains paths of scenes.
bool CreatedSceneFinder::creates_unknown_scenes(const MemberUses &uses, const ClassChain &chain) const {
  return uses.loads_unknown_scenes || std::ranges::any_of(scene_naming_scripts_, [&](const auto &other) {
           const auto is_it = [&](const auto &each) { return each.first == other.second; };
           return uses.words.contains(other.first) && std::ranges::none_of(chain, is_it);
         });
}

// Adds the nodes with synchronizers that a function creates without a scene. Includes nodes of scripts that the
// function mentions.
void CreatedSceneFinder::add_synchronizer_nodes(std::set<std::string> &made, std::string_view path,
                                                std::string_view member, const MemberUses &uses) const {
  for (const auto &[script, all] : contents_.script_synchronizers) {
    const std::string_view file = base_name(script->path);
    const bool is_named = uses.words.contains(script->class_name) || uses.words.contains(file);
    if (is_named) made.emplace(script->path);
    for (const ScriptSynchronizer &each : all) {
      const bool is_own = script->path == path && each.position == ScriptSynchronizer::TreePosition::elsewhere;
      if (is_own && each.function == member) made.insert(each.config_path);
    }
  }
}

CreatedSceneFinder::SceneSet CreatedSceneFinder::find_created_scenes(const SceneNodeTree &tree, std::size_t spawner,
                                                                     SpawnStatement::Action action) const {
  SceneSet made;
  const ClassChain own = find_class_chain(tree.nodes[spawner].script);
  for (const auto &[path, source] : own) {
    for (const SpawnStatement &statement : source->spawn_statements) {
      if (statement.action == action && statement.target.empty()) add_created_scenes(made, statement, own);
    }
  }
  // Statements in scripts of the same scene have priority over statements in other scripts.
  for (const bool is_own_scene : {true, false}) {
    for (const std::string_view setter : spawner_scripts_) {
      if (!made.scenes.empty() && !is_own_scene) break;
      const auto has_setter = [&](const TreeNode &node) { return node.script == setter; };
      if (std::ranges::any_of(tree.nodes, has_setter) != is_own_scene) continue;
      const ClassChain chain = find_class_chain(setter);
      for (const SpawnStatement &statement : spawn_statements_of(chain)) {
        if (statement.action != action) continue;
        const bool is_any = statement.target.empty() && statement.function.empty() && is_own_scene;
        const bool is_set = !statement.target.empty() && refers_to_spawner(statement, chain, tree, spawner);
        if (is_any || is_set) add_created_scenes(made, statement, chain);
      }
    }
  }
  if (made.scenes.size() > max_scenes) made.scenes.clear();
  return made;
}

// Considers all scripts, because a variable with the same name in another script may hold the same spawner.
CreatedSceneFinder::SceneSet CreatedSceneFinder::find_scenes_of_variable(const SceneNodeTree &tree, std::size_t spawner,
                                                                         SpawnStatement::Action action) const {
  const TreeNode &node = tree.nodes[spawner];
  SceneSet made;
  for (const std::string_view setter : spawner_scripts_) {
    const ClassChain chain = find_class_chain(setter);
    if (chain.empty()) continue;
    const ScriptClass &source = *chain.front().second;
    const bool may_have = setter == node.creating_script || !source.spawners.contains(node.spawner_variable);
    for (const SpawnStatement &statement : source.spawn_statements) {
      const bool concerns_spawner =
          (may_have && statement.target == node.spawner_variable) || statement.target == node.name;
      if (statement.action != action || !concerns_spawner) continue;
      const std::size_t before = made.scenes.size();
      add_created_scenes(made, statement, chain);
      if (made.scenes.size() == before) return {};
    }
  }
  if (made.scenes.size() > max_scenes) made.scenes.clear();
  return made;
}

// Returns the possible names of the node that a statement refers to. For a variable, these are the names in its value
// or in its exported value. For other expressions, these are all names in the function.
CreatedSceneFinder::TargetNames CreatedSceneFinder::find_target_names(const SpawnStatement &statement,
                                                                      const ClassChain &chain) const {
  if (statement.target.empty()) return {{std::string(chain.front().first)}, true};
  std::set<std::string> names{statement.target};
  if (statement.is_literal || statement.target == "current_scene" || statement.target == "root") return {names, true};
  const auto add = [&](std::string_view member) {
    bool is_member = false;
    for (const auto &[path, source] : chain) {
      const auto uses = source->uses.find(member);
      if (uses == source->uses.end()) continue;
      is_member = true;
      for (auto word = uses->second.words.begin(); word != uses->second.words.end() && names.size() < max_target_names;
           ++word)
        names.insert(*word);
    }
    return is_member;
  };
  const std::string function = function_of_part_key(statement.function);
  const bool is_variable = add(function_part_key(function, statement.target)) || add(statement.target);
  if (!is_variable) add(function);
  const auto [first, last] = nodes_by_add_child_script_.equal_range(chain.front().first);
  for (auto node = first; node != last && names.size() < max_target_names; ++node) {
    const auto path = node->second->node_paths.find(statement.target);
    if (path != node->second->node_paths.end()) names.emplace(base_name(path->second));
  }
  return {names, is_variable};
}

std::vector<CreatedSceneFinder::AssignedFunction> CreatedSceneFinder::find_assigned_functions() const {
  std::vector<AssignedFunction> all;
  for (const std::string_view setter : spawner_scripts_) {
    const ClassChain chain = find_class_chain(setter);
    for (const SpawnStatement &statement : spawn_statements_of(chain)) {
      if (statement.action != SpawnStatement::Action::set_function || statement.target.empty()) continue;
      AssignedFunction &assigned = all.emplace_back();
      assigned.node_names = find_target_names(statement, chain).names;
      add_created_scenes(assigned.created_scenes, statement, chain);
    }
  }
  return all;
}

ChildScenes CreatedSceneFinder::find_child_scenes() const {
  ChildScenes children;
  const std::vector<AssignedFunction> assigned = find_assigned_functions();
  for (const std::string_view adder : add_child_scripts_) {
    const ClassChain chain = find_class_chain(adder);
    for (const SpawnStatement &statement : spawn_statements_of(chain)) {
      if (statement.action != SpawnStatement::Action::add_child) continue;
      SceneSet made;
      add_created_scenes(made, statement, chain);
      const std::set<std::string> &added = made.scenes;
      const bool is_named_by_call = !added.empty();
      add_scenes_of_function(made, statement, chain, assigned);
      const TargetNames target = find_target_names(statement, chain);
      if (made.may_create_others) children.parents_of_unknown_scenes.insert(target.names.begin(), target.names.end());
      if (added.empty() || added.size() > max_scenes) continue;
      for (const std::string &name : target.names) children.by_parent[name].insert(added.begin(), added.end());
      (is_named_by_call && target.is_certain ? children.with_known_parents : children.with_unknown_parents)
          .insert(added.begin(), added.end());
    }
  }
  return children;
}

bool CreatedSceneFinder::has_name_among(const ClassChain &chain, const std::set<std::string> &names) const {
  const auto &[path, source] = chain.front();
  if (!source->name.empty() && names.contains(source->name)) return true;
  const auto [first, last] = nodes_by_add_child_script_.equal_range(path);
  return std::any_of(first, last, [&](const auto &node) { return names.contains(node.second->name); });
}

// If the call and its variables contain no scene, adds the scenes that the whole function creates. If the function
// calls a spawn_function that another script has assigned, adds the scenes of that spawn_function, too.
void CreatedSceneFinder::add_scenes_of_function(SceneSet &made, const SpawnStatement &statement,
                                                const ClassChain &chain,
                                                const std::vector<AssignedFunction> &assigned) const {
  SpawnStatement whole = statement;
  whole.function = function_of_part_key(statement.function);
  if (made.scenes.empty()) add_created_scenes(made, whole, chain);
  const auto uses = chain.front().second->uses.find(whole.function);
  if (uses == chain.front().second->uses.end() || !uses->second.words.contains("spawn_function")) return;
  for (const AssignedFunction &each : assigned) {
    if (has_name_among(chain, each.node_names))
      made.scenes.insert(each.created_scenes.scenes.begin(), each.created_scenes.scenes.end());
  }
}

}  // namespace godot_codec::project
