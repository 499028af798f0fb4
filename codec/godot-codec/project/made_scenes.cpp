// SPDX-License-Identifier: MIT
#include "godot-codec/project/made_scenes.h"

#include <algorithm>

#include "godot-codec/core/path.h"

namespace godot_codec::project {
namespace {

constexpr std::size_t max_chain = 32;
constexpr std::size_t max_made = 64;      // scenes of one spawner
constexpr std::size_t max_members = 256;  // members used by one spawn function, directly or indirectly
constexpr std::size_t max_setters = 256;  // scripts that are checked for one spawner
constexpr std::size_t max_adders = 4096;
constexpr std::size_t max_meant = 64;  // names that one expression can have

const ScriptClass *first_class(const ProjectSources &sources, std::string_view path) {
  const auto found = sources.scripts.find(path);
  return found == sources.scripts.end() || found->second.classes.empty() ? nullptr : &found->second.classes.front();
}

// Returns the settings of the class itself, without its base classes.
std::span<const SpawnFunction> settings_of(const MadeScenes::Chain &chain) {
  return chain.empty() ? std::span<const SpawnFunction>() : chain.front().second->spawn_functions;
}

}  // namespace

MadeScenes::MadeScenes(const ProjectContents &contents, const ProjectSources &sources)
    : contents_(contents), sources_(sources) {
  for (const auto &[path, source] : sources.scripts) {
    const ScriptClass *first = first_class(sources, path);
    if (first == nullptr || first->spawn_functions.empty()) continue;
    const auto adds = [](const SpawnFunction &each) { return each.kind == SpawnFunction::Kind::child; };
    const bool is_adder = std::ranges::any_of(first->spawn_functions, adds);
    if (is_adder && adders_.size() < max_adders) adders_.push_back(path);
    const bool is_setter = !std::ranges::all_of(first->spawn_functions, adds);
    if (is_setter && setters_.size() < max_setters) setters_.push_back(path);
  }
  for (const Script &script : contents.scripts) {
    if (!script.scenes.empty() && !script.class_name.empty()) others_.emplace(script.class_name, script.path);
  }
  for (const ProjectSources::AutoloadSource &each : sources.autoloads) {
    const Script *script = contents.find_script(each.path);
    if (script != nullptr && !script->scenes.empty()) others_.emplace(each.name, script->path);
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

MadeScenes::Chain MadeScenes::chain_of(std::string_view script) const {
  Chain chain;
  for (const Script *each = contents_.find_script(script); each != nullptr && chain.size() < max_chain;
       each = each->base) {
    const ScriptClass *source = first_class(sources_, each->path);
    if (source == nullptr) break;
    chain.emplace_back(each->path, source);
  }
  return chain;
}

std::set<std::string> MadeScenes::exported_by(const TreeNode &node) const {
  std::set<std::string> scenes;
  for (const NodeSource *source : node.exports) {
    for (const auto &[property, references] : source->scenes) {
      for (const ResourceReference &each : references) scenes.insert(sources_.locate(each));
    }
  }
  return scenes;
}

// False if `$Spawner` in a script means another spawner with this name. If a scene has several, the expression means
// the spawner below a node with the script, or next to that node.
bool MadeScenes::is_near(const SceneTree &tree, std::size_t spawner, std::string_view script) {
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

// True if a setting concerns a spawner: it uses the node's name, or a variable that contains the name or its path.
bool MadeScenes::is_set_of(const SpawnFunction &setting, const Chain &chain, const SceneTree &tree,
                           std::size_t spawner) const {
  const std::string &name = tree.nodes[spawner].name;
  if (setting.spawner == name) return !setting.is_literal || is_near(tree, spawner, chain.front().first);
  for (const auto &[path, source] : chain) {
    const auto uses = source->uses.find(setting.spawner);
    if (uses != source->uses.end() && uses->second.words.contains(name)) return true;
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (chain.empty() || tree.nodes[i].script != chain.front().first) continue;
    for (const NodeSource *source : tree.nodes[i].exports) {
      const auto path = source->node_paths.find(setting.spawner);
      if (path != source->node_paths.end() && tree.follow(i, path->second) == spawner) return true;
    }
  }
  return false;
}

void MadeScenes::add_exported(std::set<std::string> &made, const Chain &chain, std::string_view property) const {
  for (const auto &[path, source] : chain) {
    auto [node, end] = nodes_by_script_.equal_range(path);
    for (std::size_t i = 0; node != end && i < max_members; ++node, ++i) {
      const auto scenes = node->second->scenes.find(property);
      if (scenes == node->second->scenes.end()) continue;
      for (const ResourceReference &each : scenes->second) made.insert(sources_.locate(each));
    }
  }
}

// Adds the scenes that a function names, and the scenes that the members used by it name, recursively.
void MadeScenes::add_made(Made &result, const SpawnFunction &setting, const Chain &chain) const {
  std::set<std::string> &made = result.scenes;
  if (!setting.scene.empty()) {
    made.insert(sources_.locate_scene(setting.scene, chain.front().first));
    return;
  }
  std::vector<std::string> members{setting.function};
  const auto [first, last] = nodes_by_script_.equal_range(chain.front().first);
  for (auto node = first; setting.function.empty() && node != last && members.size() < max_members; ++node) {
    for (const auto &[property, scenes] : node->second->scenes) members.push_back(property);
  }
  for (std::size_t i = 0; i < members.size() && i < max_members; ++i) {
    const std::string member = members[i];
    const std::string function = function_of(member);
    add_exported(made, chain, member);
    for (const auto &[path, source] : chain) {
      const auto uses = source->uses.find(member);
      if (uses == source->uses.end()) continue;
      for (const std::string &scene : uses->second.scenes) made.insert(sources_.locate_scene(scene, path));
      result.may_be_others = result.may_be_others || makes_unknown(uses->second, chain);
      add_built(made, path, member, uses->second);
      for (const std::string &name : uses->second.words) {
        // Within a part of a function, local variables hide members.
        const std::string part = part_of(function, name);
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

// True if a member loads a scene by a computed path, or uses another script that names scenes.
bool MadeScenes::makes_unknown(const MemberUses &uses, const Chain &chain) const {
  return uses.loads_unknown || std::ranges::any_of(others_, [&](const auto &other) {
           const auto is_it = [&](const auto &each) { return each.first == other.second; };
           return uses.words.contains(other.first) && std::ranges::none_of(chain, is_it);
         });
}

// Adds the synchronizer nodes that a function creates without a scene, itself or with a script that it mentions.
void MadeScenes::add_built(std::set<std::string> &made, std::string_view path, std::string_view member,
                           const MemberUses &uses) const {
  for (const auto &[script, all] : contents_.built) {
    const std::string_view file = last_name(script->path);
    const bool is_named = uses.words.contains(script->class_name) || uses.words.contains(file);
    if (is_named) made.emplace(script->path);
    for (const ProjectContents::Built &each : all) {
      const bool is_own = script->path == path && each.synchronizer.place == BuiltSynchronizer::Place::elsewhere;
      if (is_own && each.synchronizer.function == member) made.insert(each.config);
    }
  }
}

MadeScenes::Made MadeScenes::made_by(const SceneTree &tree, std::size_t spawner, SpawnFunction::Kind kind) const {
  Made made;
  const Chain own = chain_of(tree.nodes[spawner].script);
  for (const auto &[path, source] : own) {
    for (const SpawnFunction &setting : source->spawn_functions) {
      if (setting.kind == kind && setting.spawner.empty()) add_made(made, setting, own);
    }
  }
  // Settings in scripts of the same scene take precedence over settings in other scripts.
  for (const bool is_own_scene : {true, false}) {
    for (const std::string_view setter : setters_) {
      if (!made.scenes.empty() && !is_own_scene) break;
      const auto has_setter = [&](const TreeNode &node) { return node.script == setter; };
      if (std::ranges::any_of(tree.nodes, has_setter) != is_own_scene) continue;
      const Chain chain = chain_of(setter);
      for (const SpawnFunction &setting : settings_of(chain)) {
        if (setting.kind != kind) continue;
        const bool is_any = setting.spawner.empty() && setting.function.empty() && is_own_scene;
        const bool is_set = !setting.spawner.empty() && is_set_of(setting, chain, tree, spawner);
        if (is_any || is_set) add_made(made, setting, chain);
      }
    }
  }
  if (made.scenes.size() > max_made) made.scenes.clear();
  return made;
}

// A variable with the same name in another script may hold the same spawner.
MadeScenes::Made MadeScenes::made_by_variable(const SceneTree &tree, std::size_t spawner,
                                              SpawnFunction::Kind kind) const {
  const TreeNode &node = tree.nodes[spawner];
  Made made;
  for (const std::string_view setter : setters_) {
    const Chain chain = chain_of(setter);
    if (chain.empty()) continue;
    const ScriptClass &source = *chain.front().second;
    const bool may_have = setter == node.maker || !source.spawners.contains(node.variable);
    for (const SpawnFunction &setting : source.spawn_functions) {
      const bool is_meant = (may_have && setting.spawner == node.variable) || setting.spawner == node.name;
      if (setting.kind != kind || !is_meant) continue;
      const std::size_t before = made.scenes.size();
      add_made(made, setting, chain);
      if (made.scenes.size() == before) return {};
    }
  }
  if (made.scenes.size() > max_made) made.scenes.clear();
  return made;
}

// Returns the possible names of the node that a setting refers to: for a variable, the names in its value or in its
// exported value; for other expressions, all names in the function.
MadeScenes::Meant MadeScenes::meant_by(const SpawnFunction &setting, const Chain &chain) const {
  if (setting.spawner.empty()) return {{std::string(chain.front().first)}, true};
  std::set<std::string> names{setting.spawner};
  if (setting.is_literal || setting.spawner == "current_scene" || setting.spawner == "root") return {names, true};
  const auto add = [&](std::string_view member) {
    bool is_member = false;
    for (const auto &[path, source] : chain) {
      const auto uses = source->uses.find(member);
      if (uses == source->uses.end()) continue;
      is_member = true;
      for (auto word = uses->second.words.begin(); word != uses->second.words.end() && names.size() < max_meant; ++word)
        names.insert(*word);
    }
    return is_member;
  };
  const std::string function = function_of(setting.function);
  const bool is_variable = add(part_of(function, setting.spawner)) || add(setting.spawner);
  if (!is_variable) add(function);
  const auto [first, last] = nodes_by_adder_.equal_range(chain.front().first);
  for (auto node = first; node != last && names.size() < max_meant; ++node) {
    const auto path = node->second->node_paths.find(setting.spawner);
    if (path != node->second->node_paths.end()) names.emplace(last_name(path->second));
  }
  return {names, is_variable};
}

std::vector<MadeScenes::Given> MadeScenes::given() const {
  std::vector<Given> all;
  for (const std::string_view setter : setters_) {
    const Chain chain = chain_of(setter);
    for (const SpawnFunction &setting : settings_of(chain)) {
      if (setting.kind != SpawnFunction::Kind::function || setting.spawner.empty()) continue;
      Given &given = all.emplace_back();
      given.to = meant_by(setting, chain).names;
      add_made(given.made, setting, chain);
    }
  }
  return all;
}

MadeScenes::Children MadeScenes::children() const {
  Children children;
  const std::vector<Given> given = this->given();
  for (const std::string_view adder : adders_) {
    const Chain chain = chain_of(adder);
    for (const SpawnFunction &setting : settings_of(chain)) {
      if (setting.kind != SpawnFunction::Kind::child) continue;
      Made made;
      add_made(made, setting, chain);
      const std::set<std::string> &added = made.scenes;
      const bool is_told = !added.empty();
      add_by_function(made, setting, chain, given);
      const Meant meant = meant_by(setting, chain);
      if (made.may_be_others) children.unknown.insert(meant.names.begin(), meant.names.end());
      if (added.empty() || added.size() > max_made) continue;
      for (const std::string &name : meant.names) children.by_name[name].insert(added.begin(), added.end());
      (is_told && meant.is_certain ? children.placed : children.anywhere).insert(added.begin(), added.end());
    }
  }
  for (const std::string &scene : children.anywhere) children.placed.erase(scene);
  return children;
}

bool MadeScenes::has_name_of(const Chain &chain, const std::set<std::string> &names) const {
  const auto &[path, source] = chain.front();
  if (!source->name.empty() && names.contains(source->name)) return true;
  const auto [first, last] = nodes_by_adder_.equal_range(path);
  return std::any_of(first, last, [&](const auto &node) { return names.contains(node.second->name); });
}

// Adds the scenes that the whole function creates if the call and its variables do not name a scene. Also adds the
// scenes of a spawn_function that the function calls and that another script has assigned.
void MadeScenes::add_by_function(Made &made, const SpawnFunction &setting, const Chain &chain,
                                 const std::vector<Given> &given) const {
  SpawnFunction whole = setting;
  whole.function = function_of(setting.function);
  if (made.scenes.empty()) add_made(made, whole, chain);
  const auto uses = chain.front().second->uses.find(whole.function);
  if (uses == chain.front().second->uses.end() || !uses->second.words.contains("spawn_function")) return;
  for (const Given &each : given) {
    if (has_name_of(chain, each.to)) made.scenes.insert(each.made.scenes.begin(), each.made.scenes.end());
  }
}

}  // namespace godot_codec::project
