// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/places.h"

#include <algorithm>
#include <array>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/paths.h"

namespace godot_codec {
namespace {

using project::AddedNode;
using project::Node;
using project::NodeMatch;
using project::Placement;
using project::Project;
using project::Property;
using project::RpcList;
using project::Scene;
using project::Script;
using project::Spawner;
using project::Synchronizer;
using Option = MpOptions::Option;

constexpr std::size_t max_nodes_at_place = 16;  // maximum number of scene nodes at a path
constexpr std::size_t max_added = 64;           // maximum number of nodes that scripts may have added at a path
constexpr std::size_t max_told_below = 16;      // maximum number of announced nodes below a node that are compared
constexpr std::size_t max_levels = 32;          // maximum number of levels above a node that are searched
// Maximum number of scenes that are tried for a node if only messages show something about it.
constexpr std::size_t max_replicated = 1000;

template <typename T>
void add_once(std::vector<const T *> &list, const T *item) {
  if (item != nullptr && std::ranges::find(list, item) == list.end()) list.push_back(item);
}

// True if Godot may have named a node after the root of a scene. Godot makes the names of siblings unique: `Enemy`,
// `Enemy2`, `@Enemy@3`.
bool is_named_after(std::string_view name, std::string_view root) {
  if (name.starts_with('@')) name.remove_prefix(1);
  if (root.empty() || !name.starts_with(root)) return false;
  name.remove_prefix(root.size());
  if (name.starts_with('@')) name.remove_prefix(1);
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Removes the number from a generated name. A node without a name gets one: `@MultiplayerSynchronizer@3`.
std::string_view without_made_up_number(std::string_view path) {
  const std::size_t number = path.find_last_not_of("0123456789") + 1;
  const bool is_made_up = last_name(path).starts_with('@') && number < path.size() && path[number - 1] == '@';
  return is_made_up ? path.substr(0, number) : path;
}

// True if a synchronizer sends only its own properties, as for the input of a player. Another peer may then have
// authority over its root.
bool is_for_itself(const Synchronizer &synchronizer) {
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

bool has_list(const Script *script, std::string_view md5) {
  return script != nullptr && std::ranges::any_of(script->lists, [&](const RpcList &list) { return list.md5 == md5; });
}

// True if a node of a scene has a script with this list of methods. Other scripts are attached to nodes at run time.
bool is_of_scene(const Project &project, std::string_view md5) {
  return std::ranges::any_of(project.find_lists(md5),
                             [&](const RpcList *list) { return project.is_attached_to_node(*list->script); });
}

struct PlaceEvidence {
  bool is_against = false;
  bool is_for = false;    // an announced MD5 is the MD5 of the script of the node
  bool has_told = false;  // nodes below the node were announced
  bool lacks = false;     // the scene does not have one of these nodes, which a script may have added
};

// Ignores an MD5 that no script of the project has, because the game may have another version.
void weigh_md5(PlaceEvidence &evidence, const Project &project, std::string_view md5, const Node &node) {
  if (md5.empty()) return;
  const bool has_none = md5 == mp_md5_of_no_methods;
  if (has_none) {
    evidence.is_against = evidence.is_against || (node.script != nullptr && !node.script->lists.empty());
  } else if (has_list(node.script, md5)) {
    evidence.is_for = true;
  } else if (node.script != nullptr || is_of_scene(project, md5)) {
    evidence.is_against = evidence.is_against || !project.find_lists(md5).empty();
  }
}

// @param root path of the node that is the root of the scene
PlaceEvidence weigh(const Project &project, const AnnouncedNodes *told, const Scene &scene, std::string_view root) {
  PlaceEvidence evidence;
  if (told == nullptr || root.empty()) return evidence;
  if (const Node *node = scene.find("."); node != nullptr) weigh_md5(evidence, project, told->md5_of(root), *node);
  std::array<AnnouncedNode, max_told_below> below;
  const std::size_t count = told->below(root, below);
  for (std::size_t i = 0; i < count; ++i) {
    const Node *node = scene.find(below[i].path.substr(root.size() + 1));
    evidence.has_told = true;
    evidence.lacks = evidence.lacks || node == nullptr;
    if (node != nullptr) weigh_md5(evidence, project, below[i].md5, *node);
  }
  return evidence;
}

struct Weighed {
  Option option;
  std::string_view root;
  PlaceEvidence evidence;
  bool is_moved = false;    // the scene may be anywhere in the tree
  bool is_assumed = false;  // another scene may be at this path
};

// Removes options with evidence against them. If some of the others have all announced nodes, keeps only these.
void leave_possible(std::vector<Weighed> &weighed) {
  std::erase_if(weighed, [](const Weighed &each) { return each.evidence.is_against; });
  const auto has_all = [](const Weighed &each) { return !each.evidence.lacks && !each.is_moved; };
  if (std::ranges::any_of(weighed, has_all))
    std::erase_if(weighed, [&](const Weighed &each) { return each.evidence.lacks; });
}

// @param is_assumed true if other options were excluded without proof
template <typename IsIn>
void add_way(MpOptionsByWay &ways, std::string_view source, bool is_assumed, const std::vector<Weighed> &weighed,
             const IsIn &is_in) {
  MpOptions options{source, is_assumed, {}};
  for (const Weighed &each : weighed) {
    if (!is_in(each)) continue;
    options.options.push_back(each.option);
    options.is_assumed = options.is_assumed || each.is_assumed;
  }
  if (!options.options.empty()) ways.push_back(std::move(options));
}

bool is_any(const Weighed & /*weighed*/) { return true; }

}  // namespace

MpWay mp_way_between(std::string_view node, std::string_view root) {
  if (root.empty()) return {};
  const auto rest = [](std::string_view path, std::size_t size) { return path.substr(std::min(size, path.size())); };
  // Length of the common beginning of both paths, including its last slash.
  std::size_t common = 0;
  for (std::size_t i = 0; i <= std::min(node.size(), root.size()); ++i) {
    const bool ends_both = (i == node.size() || node[i] == '/') && (i == root.size() || root[i] == '/');
    if (ends_both) common = i + 1;
    if (i < std::min(node.size(), root.size()) && node[i] != root[i]) break;
  }
  MpWay way{true, 0, root == "." ? "" : rest(root, common)};
  const std::string_view up = node == "." ? "" : rest(node, common);
  if (!up.empty()) way.levels = 1 + static_cast<std::uint32_t>(std::ranges::count(up, '/'));
  return way;
}

void MpPlaces::clear() {
  places_.clear();
  older_places_.clear();
  replicated_.clear();
  has_replicated_ = false;
}

const MpOptionsByWay &MpPlaces::options_of(const MpSynchronized &synchronized) {
  static const MpOptionsByWay none;
  if (!synchronized.path.empty()) return place_of({synchronized.path, {}, 0}, 0, synchronized.told).options;
  if (synchronized.spawner.empty()) return none;
  return place_of({synchronized.spawner, synchronized.node, synchronized.scene}, synchronized.synchronizers,
                  synchronized.told)
      .options;
}

// Returns the way to the root if all nodes that may be at the path agree on it.
MpWay MpPlaces::way_to_root(std::string_view path, const AnnouncedNodes *told) {
  MpWay way;
  bool is_agreed = true;
  const auto add = [&](const MpWay &other) {
    if (way.is_known && (other.levels != way.levels || other.below != way.below)) is_agreed = false;
    if (!other.is_known) is_agreed = false;
    way = other;
  };
  const Place &place = place_of({path, {}, 0}, 0, told);
  if (!place.options.empty()) {
    for (const Option &each : place.options.front().options) {
      const Synchronizer &synchronizer = *each.synchronizer;
      add(mp_way_between(synchronizer.node, is_for_itself(synchronizer) ? synchronizer.node : synchronizer.root));
    }
  }
  for (const Spawner *each : place.spawners) add(mp_way_between(each->node, each->root));
  return is_agreed ? way : MpWay{};
}

const MpPlaces::Place &MpPlaces::place_of(const KeyView &key, std::size_t listed, const AnnouncedNodes *told) {
  const std::uint64_t version = told == nullptr ? 0 : told->version();
  const Place *known = find_kept(key);
  if (known != nullptr && known->told == told && known->version == version) return *known;
  Place place;
  place.told = told;
  place.version = version;
  const auto &[path, node, scene] = key;
  if (node.empty()) {
    find_by_path(place, path);
  } else {
    find_spawned(place, key, listed);
  }
  make_room();
  return places_.insert_or_assign(Key{path, node, scene}, std::move(place)).first->second;
}

const MpPlaces::Place *MpPlaces::find_kept(const KeyView &key) {
  const auto found = places_.find(key);
  if (found != places_.end()) return &found->second;
  const auto older = older_places_.find(key);
  if (older == older_places_.end()) return nullptr;
  Places::node_type place = older_places_.extract(older);
  make_room();
  return &places_.insert(std::move(place)).position->second;
}

// Moves the newer half of the cache to the older half when it is full, and drops the older half. Entries in use stay.
void MpPlaces::make_room() {
  if (places_.size() < max_places / 2) return;
  older_places_ = std::move(places_);
  places_.clear();
}

// ---- nodes by path

void MpPlaces::find_by_path(Place &place, std::string_view path) {
  path = without_made_up_number(path);
  std::array<NodeMatch, max_nodes_at_place> matches;
  const std::size_t count = project_.find_nodes(path, matches);
  std::vector<Weighed> weighed;
  bool is_in_scenes = false;
  for (std::size_t i = 0; i < count; ++i) {
    const NodeMatch &match = matches[i];
    if (match.node == nullptr) continue;
    add_once(place.spawners, match.node->spawner);
    place.spawner_source = "project";
    if (match.node->synchronizer == nullptr) continue;
    is_in_scenes = is_in_scenes || match.placement != Placement::made;
    // Only the root of a spawned scene may have any name.
    const bool is_spawned = match.placement == Placement::made || match.placement == Placement::spawned;
    const bool is_below = is_spawned && match.node->path != "." && match.node->path.size() < path.size();
    const std::string_view root = is_below ? path.substr(0, path.size() - match.node->path.size() - 1) : "";
    weighed.push_back({{match.scene, match.node->synchronizer},
                       root,
                       weigh(project_, place.told, *match.scene, root),
                       false,
                       match.is_assumed});
  }
  leave_possible(weighed);
  add_way(place.options, is_in_scenes ? "project" : "preload", false, weighed, is_any);
  if (place.options.empty() && place.spawners.empty()) find_added(place, path);
}

// For a path below a scene that a script has added somewhere: takes all scenes with such a node that have no evidence
// against them.
void MpPlaces::find_added(Place &place, std::string_view path) const {
  std::array<AddedNode, max_added> nodes;
  const std::size_t count = project_.find_added(path, nodes);
  if (count > nodes.size()) return;
  std::vector<Weighed> weighed;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view root = path.substr(0, nodes[i].root_size);
    add_once(place.spawners, nodes[i].node->spawner);
    if (nodes[i].node->synchronizer == nullptr) continue;
    weighed.push_back({{nodes[i].scene, nodes[i].node->synchronizer},
                       root,
                       weigh(project_, place.told, *nodes[i].scene, root),
                       nodes[i].is_moved,
                       nodes[i].is_assumed});
  }
  place.spawner_source = "paths";
  leave_possible(weighed);
  const bool is_for = std::ranges::any_of(weighed, [](const Weighed &each) { return each.evidence.is_for; });
  const auto is_named = [](const Weighed &each) {
    return each.is_moved || is_named_after(last_name(each.root), each.option.scene->root_name);
  };
  std::map<std::string_view, std::vector<const Scene *>> added;
  bool adds_unknown = false;
  for (const Weighed &each : weighed) {
    const auto [known, is_new] = added.try_emplace(parent_path(each.root));
    if (is_new) known->second = added_to(known->first, adds_unknown);
  }
  const auto is_added = [&](const Weighed &each) {
    return each.is_moved || std::ranges::count(added.at(parent_path(each.root)), each.option.scene) > 0;
  };
  if (is_for) std::erase_if(weighed, [&](const Weighed &each) { return !each.evidence.is_for && each.is_moved; });
  // Drops scenes that scripts add only to other nodes. This is not a proof for the remaining scenes.
  const std::size_t dropped = adds_unknown ? 0 : std::erase_if(weighed, [&](const Weighed &each) {
    return !each.evidence.is_for && project_.has_known_parents(*each.option.scene) && !is_added(each);
  });
  const std::string_view source = is_for ? "script" : "paths";
  const bool is_assumed = dropped > 0 || (is_for && project_.sets_scripts());
  // If scripts create synchronizers, the end of the path is not enough evidence.
  if (is_for || !project_.builds_synchronizers()) add_way(place.options, source, is_assumed, weighed, is_any);
  add_way(place.options, source, is_assumed || adds_unknown, weighed, is_named);
  if (adds_unknown) return;
  add_way(place.options, "preload", false, weighed, is_added);
  const std::vector<const Scene *> referred = referred_to_above(path);
  add_way(place.options, "preload", true, weighed, [&](const Weighed &each) {
    return each.is_moved || std::ranges::find(referred, each.option.scene) != referred.end();
  });
}

// Returns the scenes that autoloads, or scripts of the nodes above, mention or have in exported variables.
std::vector<const Scene *> MpPlaces::referred_to_above(std::string_view path) const {
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
    std::array<NodeMatch, max_nodes_at_place> matches;
    const std::size_t count = project_.find_nodes(path, matches);
    for (std::size_t i = 0; i < count; ++i) {
      if (matches[i].script != nullptr) add(matches[i].script->scenes);
      if (matches[i].node != nullptr) add(matches[i].node->scenes);
    }
  }
  return scenes;
}

// Returns the scenes that scripts add to this node, by any name that scripts use for it.
// @param unknown set to true if scripts also add scenes that are not known
std::vector<const Scene *> MpPlaces::added_to(std::string_view path, bool &unknown) const {
  std::vector<const Scene *> scenes;
  const auto add = [&](std::string_view name) {
    unknown = unknown || project_.adds_unknown_scenes_to(name);
    for (const std::string_view each : project_.find_children(name)) add_once(scenes, project_.find_scene(each));
  };
  if (path.empty()) add("root");
  if (!path.empty() && path.find('/') == std::string_view::npos) add("current_scene");
  add(last_name(path));
  std::array<NodeMatch, max_nodes_at_place> matches;
  const std::size_t count = project_.find_nodes(path, matches);
  for (std::size_t i = 0; i < count; ++i) {
    if (matches[i].node != nullptr) std::ranges::for_each(matches[i].node->groups, add);
    const Script *script = matches[i].script;
    for (std::size_t level = 0; script != nullptr && level < max_levels; ++level, script = script->base)
      add(script->path);
  }
  return scenes;
}

// ---- spawned nodes

// Returns the path of a spawned node; empty: not known.
std::string MpPlaces::node_of(const Place &spawner, std::string_view spawner_path, std::string_view name) const {
  MpWay way;
  for (const Spawner *each : spawner.spawners) {
    const MpWay other = mp_way_between(each->node, each->root);
    if (way.is_known && (way.levels != other.levels || way.below != other.below)) return {};
    way = other;
  }
  if (!way.is_known) return {};
  std::string node(mp_above(spawner_path, way.levels));
  if (!way.below.empty()) node.append(node.empty() ? "" : "/").append(way.below);
  return node.append(node.empty() ? "" : "/").append(name);
}

void MpPlaces::find_spawned(Place &place, const KeyView &key, std::size_t listed) {
  const auto &[spawner_path, name, index] = key;
  const Place &spawner = place_of({spawner_path, {}, 0}, 0, place.told);
  const std::string node = node_of(spawner, spawner_path, name);
  const auto is_listed = [number = index](const Spawner *each) { return number < each->scenes.size(); };
  const bool is_custom = index == mp_custom_scene;
  // Scenes that scripts add to the list of a spawner get the numbers after the existing scenes.
  const bool is_made = is_custom || std::ranges::none_of(spawner.spawners, is_listed);
  std::vector<Weighed> weighed;
  const auto add = [&](const Scene *scene) {
    const auto is_same = [scene](const Weighed &each) { return each.option.scene == scene; };
    if (scene == nullptr || std::ranges::any_of(weighed, is_same)) return;
    // The list of a spawner is certain, whatever the evidence is.
    const auto may_be_others = [](const Spawner *each) { return each->may_be_others; };
    const bool is_assumed =
        is_made ? std::ranges::any_of(spawner.spawners, may_be_others) : project_.clears_spawnable();
    weighed.push_back({{scene, nullptr},
                       node,
                       is_made ? weigh(project_, place.told, *scene, node) : PlaceEvidence{},
                       false,
                       is_assumed});
  };
  for (const Spawner *each : spawner.spawners) {
    if (!is_made) {
      add(project_.find_spawned(*each, index));
      continue;
    }
    for (const std::string_view path : is_custom ? each->made : each->added) {
      // If scripts add a scene that is already in the list of the spawner, Godot sends its first index.
      const bool has_number = !is_custom && std::ranges::count(each->scenes, path) > 0;
      if (!has_number) add(project_.find_scene(path));
    }
  }
  if (is_made && weighed.empty()) return find_by_evidence(place, node, name, listed);
  leave_possible(weighed);
  add_way(place.options, is_made ? "preload" : spawner.spawner_source, false, weighed, is_any);
}

// Finds the scene of a node by messages only, if the project does not show what the spawn function makes, or which
// scene was added.
void MpPlaces::find_by_evidence(Place &place, std::string_view node, std::string_view name, std::size_t listed) {
  if (node.empty() || listed == 0) return;
  if (!has_replicated_) {
    for (const Scene &scene : project_.scenes()) {
      if (!scene.spawned.empty()) replicated_.push_back(&scene);
    }
    has_replicated_ = true;
  }
  if (replicated_.size() > max_replicated) return;
  std::vector<Weighed> weighed;
  for (const Scene *scene : replicated_) {
    if (scene->spawned.size() < listed) continue;
    weighed.push_back({{scene, nullptr}, node, weigh(project_, place.told, *scene, node)});
  }
  leave_possible(weighed);
  add_way(place.options, "script", project_.sets_scripts(), weighed,
          [](const Weighed &each) { return each.evidence.is_for; });
  if (!place.options.empty()) return;
  add_way(place.options, "paths", false, weighed,
          [](const Weighed &each) { return each.evidence.has_told && !each.evidence.lacks; });
  // If a script does not name a node, the node has the name of the root of its scene.
  add_way(place.options, "paths", true, weighed,
          [&](const Weighed &each) { return is_named_after(name, each.option.scene->root_name); });
}

}  // namespace godot_codec
