// SPDX-License-Identifier: MIT
#include "godot-codec/project/created_scenes.h"

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

const ScriptClass *first_class(const ProjectSources &sources, std::string_view path) {
  const auto found = sources.scripts.find(path);
  return found == sources.scripts.end() || found->second.classes.empty() ? nullptr : &found->second.classes.front();
}

// Returns the spawn statements of the class itself, not those of its base classes.
std::span<const SpawnStatement> statements_of(const CreatedScenes::Chain &chain) {
  return chain.empty() ? std::span<const SpawnStatement>() : chain.front().second->spawn_statements;
}

}  // namespace

CreatedScenes::CreatedScenes(const ProjectContents &contents, const ProjectSources &sources)
    : contents_(contents), sources_(sources) {
  for (const auto &[path, source] : sources.scripts) {
    const ScriptClass *first = first_class(sources, path);
    if (first == nullptr || first->spawn_statements.empty()) continue;
    const auto adds = [](const SpawnStatement &each) { return each.action == SpawnStatement::Action::add_child; };
    const bool is_adder = std::ranges::any_of(first->spawn_statements, adds);
    if (is_adder && adders_.size() < max_adders) adders_.push_back(path);
    const bool is_setter = !std::ranges::all_of(first->spawn_statements, adds);
    if (is_setter && setters_.size() < max_setters) setters_.push_back(path);
  }
  for (const Script &script : contents.scripts) {
    if (!script.scenes.empty() && !script.class_name.empty())
      scene_naming_scripts_.emplace(script.class_name, script.path);
  }
  for (const ProjectSources::AutoloadSource &each : sources.autoloads) {
    const Script *script = contents.find_script(each.path);
    if (script != nullptr && !script->scenes.empty()) scene_naming_scripts_.emplace(each.name, script->path);
  }
  for (const auto &[path, scene] : sources.scenes) {
    for (const NodeSource &node : scene.nodes) {
      if (!node.script) continue;
      const std::string script = sources.locate(*node.script);
      if (!node.scenes.empty()) nodes_by_script_.emplace(script, &node);
      if (std::ranges::binary_search(adders_, script)) nodes_by_adder_.emplace(script, &node);
    }
  }
}

CreatedScenes::Chain CreatedScenes::chain_of(std::string_view script) const {
  Chain chain;
  for (const Script *each = contents_.find_script(script); each != nullptr && chain.size() < max_chain;
       each = each->base) {
    const ScriptClass *source = first_class(sources_, each->path);
    if (source == nullptr) break;
    chain.emplace_back(each->path, source);
  }
  return chain;
}

std::set<std::string> CreatedScenes::exported_by(const TreeNode &node) const {
  std::set<std::string> scenes;
  for (const NodeSource *source : node.exports) {
    for (const auto &[property, references] : source->scenes) {
      for (const ResourceReference &each : references) scenes.insert(sources_.locate(each));
    }
  }
  return scenes;
}

// False if `$Spawner` in a script means another spawner with this name. If a scene contains several of them, the
// expression means a spawner below a node with the script, or next to such a node.
bool CreatedScenes::is_nearest_spawner(const SceneTree &tree, std::size_t spawner, std::string_view script) {
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

// True if a statement concerns a spawner. It may use the node's name, or a variable with the node's name or path.
bool CreatedScenes::concerns(const SpawnStatement &statement, const Chain &chain, const SceneTree &tree,
                             std::size_t spawner) const {
  const std::string &name = tree.nodes[spawner].name;
  if (statement.spawner == name) return !statement.is_literal || is_nearest_spawner(tree, spawner, chain.front().first);
  for (const auto &[path, source] : chain) {
    const auto uses = source->uses.find(statement.spawner);
    if (uses != source->uses.end() && uses->second.words.contains(name)) return true;
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (chain.empty() || tree.nodes[i].script != chain.front().first) continue;
    for (const NodeSource *source : tree.nodes[i].exports) {
      const auto path = source->node_paths.find(statement.spawner);
      if (path != source->node_paths.end() && tree.follow(i, path->second) == spawner) return true;
    }
  }
  return false;
}

void CreatedScenes::add_exported(std::set<std::string> &made, const Chain &chain, std::string_view property) const {
  for (const auto &[path, source] : chain) {
    auto [node, end] = nodes_by_script_.equal_range(path);
    for (std::size_t i = 0; node != end && i < max_members; ++node, ++i) {
      const auto scenes = node->second->scenes.find(property);
      if (scenes == node->second->scenes.end()) continue;
      for (const ResourceReference &each : scenes->second) made.insert(sources_.locate(each));
    }
  }
}

// Adds the scenes whose paths a function contains, then those of the members that the function uses, recursively.
void CreatedScenes::add_created(SceneSet &result, const SpawnStatement &statement, const Chain &chain) const {
  std::set<std::string> &made = result.scenes;
  if (!statement.scene.empty()) {
    made.insert(sources_.locate_scene(statement.scene, chain.front().first));
    return;
  }
  std::vector<std::string> members{statement.function};
  const auto [first, last] = nodes_by_script_.equal_range(chain.front().first);
  for (auto node = first; statement.function.empty() && node != last && members.size() < max_members; ++node) {
    for (const auto &[property, scenes] : node->second->scenes) members.push_back(property);
  }
  for (std::size_t i = 0; i < members.size() && i < max_members; ++i) {
    const std::string member = members[i];
    const std::string function = function_of_part(member);
    add_exported(made, chain, member);
    for (const auto &[path, source] : chain) {
      const auto uses = source->uses.find(member);
      if (uses == source->uses.end()) continue;
      for (const std::string &scene : uses->second.scenes) made.insert(sources_.locate_scene(scene, path));
      result.may_be_others = result.may_be_others || creates_unknown(uses->second, chain);
      add_synchronizer_nodes(made, path, member, uses->second);
      for (const std::string &name : uses->second.words) {
        // A local variable hides a member with the same name.
        const std::string part = part_key(function, name);
        const bool is_variable = member != function && part != member && source->uses.contains(part);
        const std::string &word = is_variable ? part : name;
        const bool is_member = std::ranges::any_of(chain, [&](const auto &each) {
          return each.second->uses.contains(word) || nodes_by_script_.contains(each.first);
        });
        const bool is_new = std::ranges::find(members, word) == members.end();
        if (is_member && is_new && members.size() < max_members) members.push_back(word);
      }
    }
  }
}

// True if a member loads a scene by a computed path, or uses another script that contains paths of scenes.
bool CreatedScenes::creates_unknown(const MemberUses &uses, const Chain &chain) const {
  return uses.loads_unknown || std::ranges::any_of(scene_naming_scripts_, [&](const auto &other) {
           const auto is_it = [&](const auto &each) { return each.first == other.second; };
           return uses.words.contains(other.first) && std::ranges::none_of(chain, is_it);
         });
}

// Adds the nodes with synchronizers that a function creates without a scene. Includes nodes of scripts that the
// function mentions.
void CreatedScenes::add_synchronizer_nodes(std::set<std::string> &made, std::string_view path, std::string_view member,
                                           const MemberUses &uses) const {
  for (const auto &[script, all] : contents_.script_synchronizers) {
    const std::string_view file = last_name(script->path);
    const bool is_named = uses.words.contains(script->class_name) || uses.words.contains(file);
    if (is_named) made.emplace(script->path);
    for (const ProjectContents::AttachedSynchronizer &each : all) {
      const bool is_own =
          script->path == path && each.synchronizer.position == ScriptSynchronizer::TreePosition::elsewhere;
      if (is_own && each.synchronizer.function == member) made.insert(each.config);
    }
  }
}

CreatedScenes::SceneSet CreatedScenes::created_by(const SceneTree &tree, std::size_t spawner,
                                                  SpawnStatement::Action action) const {
  SceneSet made;
  const Chain own = chain_of(tree.nodes[spawner].script);
  for (const auto &[path, source] : own) {
    for (const SpawnStatement &statement : source->spawn_statements) {
      if (statement.action == action && statement.spawner.empty()) add_created(made, statement, own);
    }
  }
  // Statements in scripts of the same scene have priority over statements in other scripts.
  for (const bool is_own_scene : {true, false}) {
    for (const std::string_view setter : setters_) {
      if (!made.scenes.empty() && !is_own_scene) break;
      const auto has_setter = [&](const TreeNode &node) { return node.script == setter; };
      if (std::ranges::any_of(tree.nodes, has_setter) != is_own_scene) continue;
      const Chain chain = chain_of(setter);
      for (const SpawnStatement &statement : statements_of(chain)) {
        if (statement.action != action) continue;
        const bool is_any = statement.spawner.empty() && statement.function.empty() && is_own_scene;
        const bool is_set = !statement.spawner.empty() && concerns(statement, chain, tree, spawner);
        if (is_any || is_set) add_created(made, statement, chain);
      }
    }
  }
  if (made.scenes.size() > max_scenes) made.scenes.clear();
  return made;
}

// Considers all scripts, because a variable with the same name in another script may hold the same spawner.
CreatedScenes::SceneSet CreatedScenes::created_by_variable(const SceneTree &tree, std::size_t spawner,
                                                           SpawnStatement::Action action) const {
  const TreeNode &node = tree.nodes[spawner];
  SceneSet made;
  for (const std::string_view setter : setters_) {
    const Chain chain = chain_of(setter);
    if (chain.empty()) continue;
    const ScriptClass &source = *chain.front().second;
    const bool may_have = setter == node.maker || !source.spawners.contains(node.variable);
    for (const SpawnStatement &statement : source.spawn_statements) {
      const bool concerns_spawner = (may_have && statement.spawner == node.variable) || statement.spawner == node.name;
      if (statement.action != action || !concerns_spawner) continue;
      const std::size_t before = made.scenes.size();
      add_created(made, statement, chain);
      if (made.scenes.size() == before) return {};
    }
  }
  if (made.scenes.size() > max_scenes) made.scenes.clear();
  return made;
}

// Returns the possible names of the node that a statement refers to. For a variable, these are the names in its value
// or in its exported value. For other expressions, these are all names in the function.
CreatedScenes::TargetNames CreatedScenes::target_names(const SpawnStatement &statement, const Chain &chain) const {
  if (statement.spawner.empty()) return {{std::string(chain.front().first)}, true};
  std::set<std::string> names{statement.spawner};
  if (statement.is_literal || statement.spawner == "current_scene" || statement.spawner == "root") return {names, true};
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
  const std::string function = function_of_part(statement.function);
  const bool is_variable = add(part_key(function, statement.spawner)) || add(statement.spawner);
  if (!is_variable) add(function);
  const auto [first, last] = nodes_by_adder_.equal_range(chain.front().first);
  for (auto node = first; node != last && names.size() < max_target_names; ++node) {
    const auto path = node->second->node_paths.find(statement.spawner);
    if (path != node->second->node_paths.end()) names.emplace(last_name(path->second));
  }
  return {names, is_variable};
}

std::vector<CreatedScenes::AssignedFunction> CreatedScenes::assigned_functions() const {
  std::vector<AssignedFunction> all;
  for (const std::string_view setter : setters_) {
    const Chain chain = chain_of(setter);
    for (const SpawnStatement &statement : statements_of(chain)) {
      if (statement.action != SpawnStatement::Action::set_function || statement.spawner.empty()) continue;
      AssignedFunction &assigned = all.emplace_back();
      assigned.to = target_names(statement, chain).names;
      add_created(assigned.made, statement, chain);
    }
  }
  return all;
}

CreatedScenes::Children CreatedScenes::children() const {
  Children children;
  const std::vector<AssignedFunction> assigned = assigned_functions();
  for (const std::string_view adder : adders_) {
    const Chain chain = chain_of(adder);
    for (const SpawnStatement &statement : statements_of(chain)) {
      if (statement.action != SpawnStatement::Action::add_child) continue;
      SceneSet made;
      add_created(made, statement, chain);
      const std::set<std::string> &added = made.scenes;
      const bool is_named_by_call = !added.empty();
      add_by_function(made, statement, chain, assigned);
      const TargetNames target = target_names(statement, chain);
      if (made.may_be_others) children.unknown.insert(target.names.begin(), target.names.end());
      if (added.empty() || added.size() > max_scenes) continue;
      for (const std::string &name : target.names) children.by_name[name].insert(added.begin(), added.end());
      (is_named_by_call && target.is_certain ? children.only_by_name : children.anywhere)
          .insert(added.begin(), added.end());
    }
  }
  for (const std::string &scene : children.anywhere) children.only_by_name.erase(scene);
  return children;
}

bool CreatedScenes::has_name_among(const Chain &chain, const std::set<std::string> &names) const {
  const auto &[path, source] = chain.front();
  if (!source->name.empty() && names.contains(source->name)) return true;
  const auto [first, last] = nodes_by_adder_.equal_range(path);
  return std::any_of(first, last, [&](const auto &node) { return names.contains(node.second->name); });
}

// If the call and its variables contain no scene, adds the scenes that the whole function creates. If the function
// calls a spawn_function that another script has assigned, adds its scenes, too.
void CreatedScenes::add_by_function(SceneSet &made, const SpawnStatement &statement, const Chain &chain,
                                    const std::vector<AssignedFunction> &assigned) const {
  SpawnStatement whole = statement;
  whole.function = function_of_part(statement.function);
  if (made.scenes.empty()) add_created(made, whole, chain);
  const auto uses = chain.front().second->uses.find(whole.function);
  if (uses == chain.front().second->uses.end() || !uses->second.words.contains("spawn_function")) return;
  for (const AssignedFunction &each : assigned) {
    if (has_name_among(chain, each.to)) made.scenes.insert(each.made.scenes.begin(), each.made.scenes.end());
  }
}

}  // namespace godot_codec::project
