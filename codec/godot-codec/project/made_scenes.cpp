// SPDX-License-Identifier: MIT
#include "godot-codec/project/made_scenes.h"

#include <algorithm>

namespace godot_codec::project {
namespace {

constexpr std::size_t max_chain = 32;
constexpr std::size_t max_made = 64;      // scenes of one spawner
constexpr std::size_t max_members = 256;  // that one spawn function uses, those that these use included
constexpr std::size_t max_setters = 256;  // scripts that are looked at for one spawner

const ScriptClass *first_class(const ProjectSources &sources, std::string_view path) {
  const auto found = sources.scripts.find(path);
  return found == sources.scripts.end() || found->second.classes.empty() ? nullptr : &found->second.classes.front();
}

}  // namespace

MadeScenes::MadeScenes(const ProjectContents &contents, const ProjectSources &sources)
    : contents_(contents), sources_(sources) {
  for (const auto &[path, source] : sources.scripts) {
    const ScriptClass *first = first_class(sources, path);
    if (first != nullptr && !first->spawn_functions.empty() && setters_.size() < max_setters) setters_.push_back(path);
  }
  for (const auto &[path, scene] : sources.scenes) {
    for (const NodeSource &node : scene.nodes) {
      if (node.script && !node.scenes.empty()) nodes_by_script_.emplace(sources.locate(*node.script), &node);
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

// True if a script's setting is meant for a spawner: it has the node's name, or a variable that names it or has its
// path.
bool MadeScenes::is_set_of(const SpawnFunction &setting, const Chain &chain, const SceneTree &tree,
                           std::size_t spawner) const {
  const std::string &name = tree.nodes[spawner].name;
  if (setting.spawner == name) return true;
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

// Adds the scenes that the function names, that the members name which it uses, and so on.
void MadeScenes::add_made(std::set<std::string> &made, const SpawnFunction &setting, const Chain &chain) const {
  if (!setting.scene.empty()) {
    made.insert(sources_.locate_scene(setting.scene, chain.front().first));
    return;
  }
  std::vector<std::string_view> members{setting.function};
  const auto [first, last] = nodes_by_script_.equal_range(chain.front().first);
  for (auto node = first; setting.function.empty() && node != last && members.size() < max_members; ++node) {
    for (const auto &[property, scenes] : node->second->scenes) members.push_back(property);
  }
  for (std::size_t i = 0; i < members.size() && i < max_members; ++i) {
    const std::string_view member = members[i];
    add_exported(made, chain, member);
    for (const auto &[path, source] : chain) {
      const auto uses = source->uses.find(member);
      if (uses == source->uses.end()) continue;
      for (const std::string &scene : uses->second.scenes) made.insert(sources_.locate_scene(scene, path));
      for (const std::string &word : uses->second.words) {
        const bool is_member = std::any_of(chain.begin(), chain.end(), [&](const auto &each) {
          return each.second->uses.contains(word) || nodes_by_script_.contains(each.first);
        });
        const bool is_new = std::find(members.begin(), members.end(), word) == members.end();
        if (is_member && is_new && members.size() < max_members) members.push_back(word);
      }
    }
  }
}

std::set<std::string> MadeScenes::made_by(const SceneTree &tree, std::size_t spawner, bool adds) const {
  std::set<std::string> made;
  const Chain own = chain_of(tree.nodes[spawner].script);
  for (const auto &[path, source] : own) {
    for (const SpawnFunction &setting : source->spawn_functions) {
      if (setting.adds == adds && setting.spawner.empty()) add_made(made, setting, own);
    }
  }
  // Scripts of the same scene go before those of others.
  for (const bool is_own_scene : {true, false}) {
    for (const std::string_view setter : setters_) {
      if (!made.empty() && !is_own_scene) break;
      const auto has_setter = [&](const TreeNode &node) { return node.script == setter; };
      if (std::any_of(tree.nodes.begin(), tree.nodes.end(), has_setter) != is_own_scene) continue;
      const Chain chain = chain_of(setter);
      for (const SpawnFunction &setting :
           chain.empty() ? std::vector<SpawnFunction>{} : chain.front().second->spawn_functions) {
        if (setting.adds != adds) continue;
        const bool is_any = setting.spawner.empty() && setting.function.empty() && is_own_scene;
        const bool is_set = !setting.spawner.empty() && is_set_of(setting, chain, tree, spawner);
        if (is_any || is_set) add_made(made, setting, chain);
      }
    }
  }
  if (made.size() > max_made) made.clear();
  return made;
}

}  // namespace godot_codec::project
