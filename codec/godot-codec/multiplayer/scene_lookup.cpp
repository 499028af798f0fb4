// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/scene_lookup.h"

#include <algorithm>
#include <array>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/path_tracker.h"

namespace godot_codec {
namespace {

using project::Node;
using project::NodeMatch;
using project::NodePlacement;
using project::Project;
using project::Property;
using project::RpcList;
using project::Scene;
using project::Script;
using project::Spawner;
using project::Synchronizer;

constexpr std::size_t max_added = 64;            // maximum number of nodes that scripts may have added at a path
constexpr std::size_t max_announced_below = 16;  // maximum number of announced nodes below a node that are compared
constexpr std::size_t max_levels = 32;           // maximum number of levels above a node that are searched
// Maximum number of scenes that are tried for a node if only messages give evidence about the node.
constexpr std::ptrdiff_t max_replicated = 1000;

template <typename T>
void add_once(std::vector<const T *> &list, const T *item) {
  if (item != nullptr && std::ranges::find(list, item) == list.end()) list.push_back(item);
}

// True if Godot may have named a node after the root of a scene. Godot makes the names of siblings unique, such as
// `Enemy`, `Enemy2` and `@Enemy@3`.
bool is_named_after(std::string_view name, std::string_view root) {
  if (name.starts_with('@')) name.remove_prefix(1);
  if (root.empty() || !name.starts_with(root)) return false;
  name.remove_prefix(root.size());
  if (name.starts_with('@')) name.remove_prefix(1);
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Removes the number from a generated name. A node without a name gets a generated name: `@MultiplayerSynchronizer@3`.
std::string_view without_generated_number(std::string_view path) {
  const std::size_t number = path.find_last_not_of("0123456789") + 1;
  const bool is_generated = base_name(path).starts_with('@') && number < path.size() && path[number - 1] == '@';
  return is_generated ? path.substr(0, number) : path;
}

// True if a synchronizer sends only its own properties, such as the input of a player. Another peer may then have
// authority over the root of the synchronizer.
bool syncs_only_itself(const Synchronizer &synchronizer) {
  const auto is_own = [&](const Property &property) {
    const std::string_view node = property.path.substr(0, property.path.find(':'));
    if (synchronizer.root == ".") return node == synchronizer.node;
    const std::string_view rest =
        synchronizer.node.substr(std::min(synchronizer.root.size(), synchronizer.node.size()));
    return synchronizer.node.starts_with(synchronizer.root) && rest.starts_with('/') && rest.substr(1) == node;
  };
  const std::span<const Property> lists[] = {synchronizer.spawn, synchronizer.always, synchronizer.on_change};
  return std::ranges::any_of(lists, [](const auto &list) { return !list.empty(); }) &&
         std::ranges::all_of(lists, [&](const auto &list) { return std::ranges::all_of(list, is_own); });
}

// ---- evidence from messages about a node

bool has_method_list(const Script *script, std::string_view md5) {
  return script != nullptr && std::ranges::any_of(script->lists, [&](const RpcList &list) { return list.md5 == md5; });
}

// True if a node of a scene has a script with this list of methods. False if the script is only attached at run time.
bool is_list_of_scene(const Project &project, std::string_view md5) {
  return std::ranges::any_of(project.find_lists(md5),
                             [&](const RpcList *list) { return project.is_attached_to_node(*list->script); });
}

// A candidate, and the evidence from messages for and against it.
struct WeighedCandidate {
  MpSceneCandidate candidate;
  std::string_view root;    // path of the node that is the root of the scene
  bool is_moved = false;    // the scene may be anywhere in the tree
  bool is_assumed = false;  // another scene may be at this path
  bool is_contradicted = false;
  bool has_matching_md5 = false;     // an announced MD5 is the MD5 of the script of the node
  bool has_announced_nodes = false;  // nodes below the node were announced
  bool has_missing_nodes = false;    // the scene lacks one of the announced nodes; a script may have added this node
};

// Ignores an MD5 that no script of the project has, because the game may be another version of the project.
void weigh_md5(WeighedCandidate &weighed, const Project &project, std::string_view md5, const Node &node) {
  if (md5.empty()) return;
  const bool has_none = md5 == mp_md5_of_no_methods;
  if (has_none) {
    weighed.is_contradicted = weighed.is_contradicted || (node.script != nullptr && !node.script->lists.empty());
  } else if (has_method_list(node.script, md5)) {
    weighed.has_matching_md5 = true;
  } else if (node.script != nullptr || is_list_of_scene(project, md5)) {
    weighed.is_contradicted = weighed.is_contradicted || !project.find_lists(md5).empty();
  }
}

// Compares a candidate with the announced nodes, if there are any.
WeighedCandidate weigh(const Project &project, const AnnouncedNodeMap *announced, WeighedCandidate weighed) {
  const Scene &scene = *weighed.candidate.scene;
  const std::string_view root = weighed.root;
  if (announced == nullptr || root.empty()) return weighed;
  if (const Node *node = scene.find("."); node != nullptr) weigh_md5(weighed, project, announced->md5_of(root), *node);
  std::array<AnnouncedNode, max_announced_below> below;
  const std::size_t count = announced->below(root, below);
  for (std::size_t i = 0; i < count; ++i) {
    const Node *node = scene.find(below[i].path.substr(root.size() + 1));
    weighed.has_announced_nodes = true;
    weighed.has_missing_nodes = weighed.has_missing_nodes || node == nullptr;
    if (node != nullptr) weigh_md5(weighed, project, below[i].md5, *node);
  }
  return weighed;
}

// Removes candidates with evidence against them. If any remaining candidate has all announced nodes, also removes
// candidates without all announced nodes.
void remove_impossible(std::vector<WeighedCandidate> &weighed) {
  std::erase_if(weighed, [](const WeighedCandidate &each) { return each.is_contradicted; });
  const auto has_all = [](const WeighedCandidate &each) { return !each.has_missing_nodes && !each.is_moved; };
  if (std::ranges::any_of(weighed, has_all))
    std::erase_if(weighed, [&](const WeighedCandidate &each) { return each.has_missing_nodes; });
}

// @param is_assumed true if other candidates were excluded without proof
template <typename IsIn>
void add_candidates(MpSceneCandidateSets &sets, std::string_view source, bool is_assumed,
                    const std::vector<WeighedCandidate> &weighed, const IsIn &is_in) {
  MpSceneCandidateSet candidates{source, is_assumed, {}};
  for (const WeighedCandidate &each : weighed) {
    if (!is_in(each)) continue;
    candidates.candidates.push_back(each.candidate);
    candidates.is_assumed = candidates.is_assumed || each.is_assumed;
  }
  if (!candidates.candidates.empty()) sets.push_back(std::move(candidates));
}

bool accept_any(const WeighedCandidate & /*weighed*/) { return true; }

}  // namespace

MpRelativePath mp_relative_path(std::string_view node, std::string_view root) {
  if (root.empty()) return {};
  const auto rest = [](std::string_view path, std::size_t size) { return path.substr(std::min(size, path.size())); };
  // Length of the common beginning of both paths, including its last slash.
  std::size_t common = 0;
  for (std::size_t i = 0; i <= std::min(node.size(), root.size()); ++i) {
    const bool ends_both = (i == node.size() || node[i] == '/') && (i == root.size() || root[i] == '/');
    if (ends_both) common = i + 1;
    if (i < std::min(node.size(), root.size()) && node[i] != root[i]) break;
  }
  MpRelativePath relative{true, 0, root == "." ? "" : rest(root, common)};
  const std::string_view up = node == "." ? "" : rest(node, common);
  if (!up.empty()) relative.levels = 1 + static_cast<std::uint32_t>(std::ranges::count(up, '/'));
  return relative;
}

std::string resolve_mp_path(std::string_view path, const MpRelativePath &relative, std::string_view child) {
  std::string node(mp_ancestor_path(path, relative.levels));
  for (const std::string_view part : {relative.below, child}) {
    if (!part.empty()) node.append(node.empty() ? "" : "/").append(part);
  }
  return node;
}

const MpSceneCandidateSets &MpSceneLookup::find_candidates(const MpSynchronizedObject &synchronized) {
  static const MpSceneCandidateSets none;
  if (!synchronized.synchronizer_path.empty())
    return look_up({synchronized.synchronizer_path, {}, 0}, 0, synchronized.announced_nodes).candidates;
  if (synchronized.spawner.empty()) return none;
  return look_up({synchronized.spawner, synchronized.node, synchronized.scene}, synchronized.synchronizers,
                 synchronized.announced_nodes)
      .candidates;
}

// Returns the relative path to the root, if it is the same for all nodes that may be at the path.
MpRelativePath MpSceneLookup::agreed_root(const Result &result) {
  std::vector<MpRelativePath> roots;
  if (!result.candidates.empty()) {
    for (const MpSceneCandidate &each : result.candidates.front().candidates) {
      const Synchronizer &synchronizer = *each.synchronizer;
      const bool is_own_root = syncs_only_itself(synchronizer);
      roots.push_back(mp_relative_path(synchronizer.node, is_own_root ? synchronizer.node : synchronizer.root));
    }
  }
  for (const Spawner *each : result.spawners) roots.push_back(mp_relative_path(each->node, each->root));
  const auto is_first = [&](const MpRelativePath &root) { return root == roots.front(); };
  return !roots.empty() && std::ranges::all_of(roots, is_first) ? roots.front() : MpRelativePath{};
}

const MpSceneLookup::Result &MpSceneLookup::look_up(const LookupKeyView &key, std::size_t listed,
                                                    const AnnouncedNodeMap *announced) {
  const std::uint64_t version = announced == nullptr ? 0 : announced->version();
  const auto known = results_.find(key);
  const bool is_known =
      known != results_.end() && known->second.announced_nodes == announced && known->second.version == version;
  if (is_known) return known->second;
  Result result;
  result.announced_nodes = announced;
  result.version = version;
  const auto &[path, node, scene] = key;
  if (node.empty()) {
    find_by_path(result, path);
  } else {
    find_spawned(result, key, listed);
  }
  if (results_.size() >= max_results) results_.clear();
  return results_.insert_or_assign(LookupKey{path, node, scene}, std::move(result)).first->second;
}

// ---- nodes by path

void MpSceneLookup::find_by_path(Result &result, std::string_view path) {
  path = without_generated_number(path);
  std::vector<WeighedCandidate> weighed;
  bool is_in_scenes = false;
  for (const NodeMatch &match : project_.find_nodes(path)) {
    if (match.node == nullptr) continue;
    add_once(result.spawners, match.node->spawner);
    result.spawner_source = "project";
    if (match.node->synchronizer == nullptr) continue;
    is_in_scenes = is_in_scenes || match.placement != NodePlacement::made;
    // Only the root of a spawned scene may have any name.
    const bool is_spawned = match.placement == NodePlacement::made || match.placement == NodePlacement::spawned;
    const bool is_below = is_spawned && match.node->path != "." && match.node->path.size() < path.size();
    const std::string_view root = is_below ? path.substr(0, path.size() - match.node->path.size() - 1) : "";
    weighed.push_back(weigh(project_, result.announced_nodes,
                            {{match.scene, match.node->synchronizer}, root, false, match.is_assumed}));
  }
  remove_impossible(weighed);
  add_candidates(result.candidates, is_in_scenes ? "project" : "preload", false, weighed, accept_any);
  if (result.candidates.empty() && result.spawners.empty()) find_added(result, path);
}

// For a path below a scene that a script has added somewhere: takes all scenes with a node at this path, except scenes
// with evidence against them.
void MpSceneLookup::find_added(Result &result, std::string_view path) const {
  std::array<project::AddedNode, max_added> nodes;
  const std::size_t count = project_.find_added_nodes(path, nodes);
  if (count > nodes.size()) return;
  std::vector<WeighedCandidate> weighed;
  for (const project::AddedNode &each : std::span(nodes).first(count)) {
    const Synchronizer *synchronizer = each.node->synchronizer;
    const std::string_view root = path.substr(0, each.root_path_length);
    add_once(result.spawners, each.node->spawner);
    if (synchronizer == nullptr) continue;
    weighed.push_back(
        weigh(project_, result.announced_nodes, {{each.scene, synchronizer}, root, each.is_moved, each.is_assumed}));
  }
  result.spawner_source = "paths";
  remove_impossible(weighed);
  const bool has_matching_md5 =
      std::ranges::any_of(weighed, [](const WeighedCandidate &each) { return each.has_matching_md5; });
  const auto is_named = [](const WeighedCandidate &each) {
    return each.is_moved || is_named_after(base_name(each.root), each.candidate.scene->root_name);
  };
  std::map<std::string_view, std::vector<const Scene *>> added;
  bool adds_unknown = false;
  for (const WeighedCandidate &each : weighed) {
    const auto [known, is_new] = added.try_emplace(parent_path(each.root));
    if (is_new) known->second = scenes_added_to(known->first, adds_unknown);
  }
  const auto is_added = [&](const WeighedCandidate &each) {
    return each.is_moved || std::ranges::count(added.at(parent_path(each.root)), each.candidate.scene) > 0;
  };
  if (has_matching_md5) {
    std::erase_if(weighed, [&](const WeighedCandidate &each) { return !each.has_matching_md5 && each.is_moved; });
  }
  // Drop scenes that scripts add only to other nodes. This does not prove the remaining scenes.
  const std::size_t dropped = adds_unknown ? 0 : std::erase_if(weighed, [&](const WeighedCandidate &each) {
    return !each.has_matching_md5 && project_.has_known_parents(*each.candidate.scene) && !is_added(each);
  });
  const std::string_view source = has_matching_md5 ? "script" : "paths";
  const bool is_assumed = dropped > 0 || (has_matching_md5 && project_.facts().sets_scripts);
  // If scripts create synchronizers, the last part of the path is not enough evidence.
  if (has_matching_md5 || !project_.facts().builds_synchronizers)
    add_candidates(result.candidates, source, is_assumed, weighed, accept_any);
  add_candidates(result.candidates, source, is_assumed || adds_unknown, weighed, is_named);
  if (adds_unknown) return;
  add_candidates(result.candidates, "preload", false, weighed, is_added);
  const std::vector<const Scene *> referred = scenes_referred_to_above(path);
  add_candidates(result.candidates, "preload", true, weighed, [&](const WeighedCandidate &each) {
    return each.is_moved || std::ranges::find(referred, each.candidate.scene) != referred.end();
  });
}

// Returns the scenes that are mentioned by autoloads or by scripts of ancestors, in their code or exported variables.
std::vector<const Scene *> MpSceneLookup::scenes_referred_to_above(std::string_view path) const {
  constexpr std::size_t max_referred = 256;
  std::vector<const Scene *> scenes;
  const auto add = [&](std::span<const std::string_view> paths) {
    for (const std::string_view each : paths) {
      if (scenes.size() < max_referred) add_once(scenes, project_.find_scene(each));
    }
  };
  for (const project::Autoload &autoload : project_.autoloads()) {
    if (autoload.script != nullptr) add(autoload.script->scenes);
  }
  std::size_t level = 0;
  for (path = parent_path(path); !path.empty() && level < max_levels; path = parent_path(path), ++level) {
    for (const NodeMatch &match : project_.find_nodes(path)) {
      if (match.script != nullptr) add(match.script->scenes);
      if (match.node != nullptr) add(match.node->scenes);
    }
  }
  return scenes;
}

// Returns the scenes that scripts add to this node, under any name that scripts use for the node.
// @param unknown set to true if scripts also add scenes that are not known
std::vector<const Scene *> MpSceneLookup::scenes_added_to(std::string_view path, bool &unknown) const {
  std::vector<const Scene *> scenes;
  const auto add = [&](std::string_view name) {
    unknown = unknown || project_.adds_unknown_scenes_to(name);
    for (const std::string_view each : project_.find_child_scenes(name)) add_once(scenes, project_.find_scene(each));
  };
  if (path.empty()) add("root");
  if (!path.empty() && path.find('/') == std::string_view::npos) add("current_scene");
  add(base_name(path));
  for (const NodeMatch &match : project_.find_nodes(path)) {
    if (match.node != nullptr) std::ranges::for_each(match.node->groups, add);
    const Script *script = match.script;
    for (std::size_t level = 0; script != nullptr && level < max_levels; ++level, script = script->base)
      add(script->path);
  }
  return scenes;
}

// ---- spawned nodes

void MpSceneLookup::find_spawned(Result &result, const LookupKeyView &key, std::size_t listed) {
  const auto &[spawner_path, name, index] = key;
  const Result &spawner = look_up({spawner_path, {}, 0}, 0, result.announced_nodes);
  const MpRelativePath root = agreed_root(spawner);
  const std::string node = root.is_known ? resolve_mp_path(spawner_path, root, name) : "";
  const auto is_listed = [number = index](const Spawner *each) { return number < each->scenes.size(); };
  const bool is_custom = index == mp_custom_scene;
  // If scripts add scenes to the list of a spawner, their indices follow the indices of the existing scenes.
  const bool is_made = is_custom || std::ranges::none_of(spawner.spawners, is_listed);
  std::vector<WeighedCandidate> weighed;
  const auto add = [&](const Scene *scene) {
    const auto is_same = [scene](const WeighedCandidate &each) { return each.candidate.scene == scene; };
    if (scene == nullptr || std::ranges::any_of(weighed, is_same)) return;
    // The list of a spawner is certain, so no other evidence is considered.
    const auto may_create_others = [](const Spawner *each) { return each->may_create_others; };
    const bool is_assumed =
        is_made ? std::ranges::any_of(spawner.spawners, may_create_others) : project_.facts().clears_spawnable;
    weighed.push_back(
        weigh(project_, is_made ? result.announced_nodes : nullptr, {{scene, nullptr}, node, false, is_assumed}));
  };
  for (const Spawner *each : spawner.spawners) {
    if (!is_made) {
      add(project_.find_spawned_scene(*each, index));
      continue;
    }
    for (const std::string_view path : is_custom ? each->function_scenes : each->listed_by_scripts) {
      // If scripts add a scene that is already in the list of the spawner, Godot sends the first index of the scene.
      const bool has_number = !is_custom && std::ranges::count(each->scenes, path) > 0;
      if (!has_number) add(project_.find_scene(path));
    }
  }
  if (is_made && weighed.empty()) return find_by_evidence(result, node, name, listed);
  remove_impossible(weighed);
  add_candidates(result.candidates, is_made ? "preload" : spawner.spawner_source, false, weighed, accept_any);
}

// Finds the scene of a node by messages only. Needed if the project does not show what the spawn function makes, or
// which scene was added.
void MpSceneLookup::find_by_evidence(Result &result, std::string_view node, std::string_view name, std::size_t listed) {
  if (node.empty() || listed == 0) return;
  const auto is_replicated = [](const Scene &scene) { return !scene.root_synchronizers.empty(); };
  if (std::ranges::count_if(project_.scenes(), is_replicated) > max_replicated) return;
  std::vector<WeighedCandidate> weighed;
  for (const Scene &scene : project_.scenes()) {
    if (scene.root_synchronizers.size() >= listed)
      weighed.push_back(weigh(project_, result.announced_nodes, {{&scene, nullptr}, node}));
  }
  remove_impossible(weighed);
  add_candidates(result.candidates, "script", project_.facts().sets_scripts, weighed,
                 [](const WeighedCandidate &each) { return each.has_matching_md5; });
  if (!result.candidates.empty()) return;
  add_candidates(result.candidates, "paths", false, weighed,
                 [](const WeighedCandidate &each) { return each.has_announced_nodes && !each.has_missing_nodes; });
  // If a script does not name a node, the node has the name of the root of its scene.
  add_candidates(result.candidates, "paths", true, weighed,
                 [&](const WeighedCandidate &each) { return is_named_after(name, each.candidate.scene->root_name); });
}

}  // namespace godot_codec
