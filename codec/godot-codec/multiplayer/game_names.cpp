// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/game_names.h"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>

#include "godot-codec/core/path.h"
#include "godot-codec/core/sorted_map.h"

namespace godot_codec {
namespace {

using project::Certainty;
using project::NearestMethodList;
using project::NodeMatch;
using project::NodeMatches;
using project::Property;
using project::RpcList;
using project::RpcMethod;
using project::RpcMode;
using project::Scene;
using project::Script;
using project::Synchronizer;

constexpr std::size_t max_configured = 100;     // maximum number of searches for an unknown MD5; a search takes long
constexpr std::size_t max_mismatches = 10'000;  // maximum number of cached texts
// Maximum number of synchronizers in a scene if the spawn lists only some of them, because each subset is tried.
constexpr std::size_t max_synchronizers = 10;

// The synchronizers that may own the properties of a message, in order.
using SynchronizerChoice = std::span<const Synchronizer *const>;

std::span<const Property> properties_of(const Synchronizer &synchronizer, MpCommand list) {
  if (list == MpCommand::spawn) return synchronizer.spawn;
  return list == MpCommand::sync ? synchronizer.always : synchronizer.on_change;
}

// @returns null if the synchronizers have fewer properties
const Property *find_property(SynchronizerChoice choice, MpCommand list, std::size_t index) {
  for (const Synchronizer *each : choice) {
    const std::span<const Property> part = properties_of(*each, list);
    if (index < part.size()) return &part[index];
    index -= part.size();
  }
  return nullptr;
}

MpPropertyMatch match_choice(SynchronizerChoice choice, MpCommand list, std::uint32_t values, const MpTypeList &types) {
  std::size_t size = 0;
  for (const Synchronizer *each : choice) size += properties_of(*each, list).size();
  if (list == MpCommand::delta ? values > size : values != size) return MpPropertyMatch::other_count;
  for (std::size_t i = 0; i < std::min(size, MpTypeList::max_count); ++i) {
    const std::optional<Type> type = types.at(i);
    if (type && !find_property(choice, list, i)->types.allow(*type)) return MpPropertyMatch::other_types;
  }
  return MpPropertyMatch::matching;
}

// Returns the certainty of the least certain synchronizer.
Certainty certainty_of(SynchronizerChoice choice) {
  Certainty least = Certainty::known;
  for (const Synchronizer *each : choice) least = std::max(least, each->certainty);
  return least;
}

// Calls @p visit for each subset of @p listed synchronizers, in the order of the scene. A subset is needed because a
// spawn command lists a synchronizer only if the sender has authority over it.
template <typename Visit>
void for_each_listed_subset(SynchronizerChoice all, std::size_t listed, const Visit &visit) {
  if (listed == all.size()) return visit(all);
  if (listed > all.size() || all.size() > max_synchronizers) return;
  for (std::uint32_t mask = 0; mask < 1U << all.size(); ++mask) {
    if (static_cast<std::size_t>(std::popcount(mask)) != listed) continue;
    std::array<const Synchronizer *, max_synchronizers> subset{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((mask >> i & 1) != 0) subset[count++] = all[i];
    }
    visit(SynchronizerChoice(subset.data(), count));
  }
}

// Returns the result of @p find. If memory runs out (an exception is thrown), the result is empty.
template <typename Find>
auto call_or_empty(const Find &find) -> decltype(find()) {
  try {
    return find();
  } catch (const std::exception &) {
    return {};
  }
}

// Calls @p visit(choice, scene) for each combination of synchronizers that a candidate scene allows.
template <typename Visit>
void for_each_choice(const MpSceneCandidateSet &candidates, const MpSynchronizedObject &synchronized,
                     const Visit &visit) {
  for (const MpSceneCandidate &candidate : candidates.candidates) {
    if (candidate.synchronizer != nullptr) {
      visit({&candidate.synchronizer, 1}, *candidate.scene);
      continue;
    }
    for_each_listed_subset(
        candidate.scene->root_synchronizers, synchronized.synchronizers, [&](SynchronizerChoice choice) {
          if (synchronized.list == MpCommand::spawn) return visit(choice, *candidate.scene);
          if (synchronized.synchronizer_index >= choice.size()) return;
          const bool is_possible = certainty_of(choice) == Certainty::unknown ||
                                   match_choice(choice, MpCommand::spawn, synchronized.spawn_value_count,
                                                MpTypeList(synchronized.spawn_types)) == MpPropertyMatch::matching;
          if (is_possible) visit(choice.subspan(synchronized.synchronizer_index, 1), *candidate.scene);
        });
  }
}

// Returns the name if all choices that fit the values have the same name. Empty if names differ or a name is not known.
// @param is_assumed true if scripts may change any synchronizer
template <typename NameOf>
MpResolvedName find_agreed_name(MpSceneLookup &places, bool is_assumed, const MpSynchronizedObject &synchronized,
                                const NameOf &name_of) {
  MpResolvedName assumed;
  for (const MpSceneCandidateSet &candidates : places.find_candidates(synchronized)) {
    MpResolvedName name;
    bool is_agreed = true;
    Certainty certainty = is_assumed ? Certainty::assumed : Certainty::known;
    for_each_choice(candidates, synchronized, [&](SynchronizerChoice choice, const Scene &scene) {
      if (certainty_of(choice) == Certainty::unknown) is_agreed = false;
      if (match_choice(choice, synchronized.list, synchronized.values, synchronized.types) != MpPropertyMatch::matching)
        return;
      const MpResolvedName other = name_of(choice, scene);
      is_agreed = is_agreed && !other.text.empty() && (name.text.empty() || name.text == other.text);
      name = other;
      certainty = std::max(certainty, certainty_of(choice));
    });
    if (!is_agreed || name.text.empty()) continue;
    name.source = synchronized.is_proven ? candidates.source : "unverified";
    if (!candidates.is_assumed && certainty == Certainty::known) return name;
    if (assumed.text.empty()) assumed = name;
    assumed.source = mp_assumed;
  }
  return assumed;
}

void append_difference(std::string &text, const NearestMethodList &nearest) {
  if (!text.empty()) text += "; ";
  const std::string path(nearest.list->script->path);
  if (!nearest.is_certain) {
    text += "the node should have " + path + ", which has other methods";
    return;
  }
  if (!nearest.missing_name.empty()) {
    const bool is_unmarked = nearest.list->script->find_function(nearest.missing_name) != nullptr;
    text += "the captured game has " + std::string(nearest.missing_name) + "(), which " + path +
            (is_unmarked ? " has without @rpc" : " lacks");
  }
  for (const std::string_view extra : nearest.extra_names) {
    if (extra.empty()) continue;
    if (!text.empty() && !text.ends_with("; ")) text += ", ";
    text += "the captured game lacks " + std::string(extra) + "() of " + path;
  }
}

constexpr std::size_t max_compared = 256;  // maximum length of a compared path, in bytes

// Finds the most similar path: a path with few different letters, or otherwise the only path with the same last name.
class SimilarPath {
 public:
  explicit SimilarPath(std::string_view path)
      : path_(path), least_changes_(std::clamp<std::size_t>(path.size() / 4, 1, 3) + 1), row_(path.size() + 1) {}

  void add(std::string_view candidate) {
    if (candidate.size() > max_compared) return;
    if (const std::size_t changes = count_changes(candidate); changes < least_changes_) {
      least_changes_ = changes;
      nearest_path_ = candidate;
    }
    if (base_name(candidate) != base_name(path_) || candidate == moved_path_) return;
    is_moved_once_ = moved_path_.empty();
    moved_path_ = candidate;
  }

  [[nodiscard]] std::string best_path() const {
    return !nearest_path_.empty() || !is_moved_once_ ? nearest_path_ : moved_path_;
  }

 private:
  // Counts the added, removed and replaced letters (the edit distance), up to least_changes_.
  std::size_t count_changes(std::string_view candidate) {
    const auto [shorter, longer] = std::minmax({candidate.size(), path_.size()});
    if (longer - shorter >= least_changes_) return least_changes_;
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = i;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      std::size_t diagonal = row_[0];
      row_[0] = i + 1;
      for (std::size_t j = 0; j < path_.size(); ++j) {
        const std::size_t above = row_[j + 1];
        row_[j + 1] = std::min({above + 1, row_[j] + 1, diagonal + (candidate[i] == path_[j] ? 0 : 1)});
        diagonal = above;
      }
      if (*std::min_element(row_.begin(), row_.end()) >= least_changes_) return least_changes_;
    }
    return row_.back();
  }

  std::string_view path_;
  std::size_t least_changes_;
  std::vector<std::size_t> row_;
  std::string nearest_path_;
  std::string moved_path_;
  bool is_moved_once_ = false;
};

// True if the function of a method is empty in this project. Client and server may be separate projects. Then the
// caller's project may contain an empty function, which does not show the mode of the receiver's method.
bool is_stub(const RpcList &list, const RpcMethod &method) {
  const project::Script *script = list.script == nullptr ? method.source : list.script;
  const project::Function *function = script == nullptr ? nullptr : script->find_function(method.name);
  return function != nullptr && function->has_empty_body;
}

// True if the last part of the path is in a scene that a script may add below another node. The root of such a scene
// may have any name.
bool is_in_added_scene(const project::Project &project, std::string_view path) {
  constexpr unsigned max_depth = 32;
  std::size_t root = path.find('/');
  for (unsigned depth = 0; root != std::string_view::npos && depth < max_depth; ++depth) {
    const std::string_view from_root = path.substr(root + 1);
    root = path.find('/', root + 1);
    const std::string_view below = root == std::string_view::npos ? std::string_view{} : path.substr(root + 1);
    for (const Scene &scene : project.scenes()) {
      if (below.empty() ? from_root == scene.root_name : scene.find(below) != nullptr) return true;
    }
  }
  return false;
}

}  // namespace

bool MpGameNames::read(std::string_view path, const project::Decompressor *decompressor) noexcept {
  clear();
  const bool is_read = project_.read(path, {}, decompressor);
  bool has_remote = false;
  bool has_others = false;
  for (const project::Script &script : project_.scripts()) {
    for (const project::Function &function : script.functions) {
      has_remote = has_remote || function.callers != project::RemoteCallers::none;
      has_others = has_others || function.needs_all_arguments;
    }
  }
  are_remote_functions_complete_ = has_remote && !has_others && project_.notes().empty();
  return is_read;
}

void MpGameNames::clear() noexcept {
  scene_lookup_.clear();
  mismatches_.clear();
  similar_paths_.clear();
  configured_lists_.clear();
  project_ = project::Project();
  are_remote_functions_complete_ = false;
}

void MpGameNames::set_name_table(std::span<const MpNameTableRow> table) noexcept {
  name_table_.clear();
  try {
    for (const MpNameTableRow &line : table) name_table_.emplace(std::pair(std::string(line.list), line.id), line.name);
  } catch (const std::exception &) {
    // Memory has run out. The names added so far are correct.
    return;
  }
}

// ---- methods

// Returns the lists of methods with this MD5: lists of scripts, or a list that a script has configured for a node.
std::span<const RpcList *const> MpGameNames::find_method_lists(std::string_view md5) const {
  const std::span<const RpcList *const> lists = project_.find_lists(md5);
  if (!lists.empty() || md5.empty() || md5 == mp_md5_of_no_methods) return lists;
  return call_or_empty([&]() -> std::span<const RpcList *const> {
    auto known = configured_lists_.find(md5);
    if (known == configured_lists_.end()) {
      if (configured_lists_.size() >= max_configured) return {};
      known = configured_lists_.try_emplace(std::string(md5)).first;
      ConfiguredResult &configured = known->second;
      if (project_.find_configured_list(md5, configured.found)) {
        configured.found.list.md5 = known->first;
        configured.list = &configured.found.list;
      }
    }
    if (known->second.list == nullptr) return {};
    return {&known->second.list, 1};
  });
}

MpResolvedName MpGameNames::method(const MpMethod &method) const {
  try {
    for (const std::string_view list : {method.md5, method.path}) {
      if (list.empty() || name_table_.empty()) continue;
      const auto found = name_table_.find({std::string(list), method.id});
      if (found != name_table_.end()) return {found->second, "table"};
    }
  } catch (const std::exception &) {
    return {};
  }
  std::string_view name;
  for (const RpcList *list : find_method_lists(method.md5)) {
    const RpcMethod *found = list->find(method.id);
    if (found == nullptr || (!name.empty() && name != found->name)) return {};
    name = found->name;
  }
  return {name, name.empty() ? "" : "project"};
}

bool MpGameNames::has_mode(const MpMethod &method, RpcMode mode) const {
  const std::span<const RpcList *const> lists = find_method_lists(method.md5);
  return !lists.empty() && std::ranges::all_of(lists, [&](const RpcList *list) {
    const RpcMethod *found = list->find(method.id);
    return found != nullptr && found->config.mode == mode && !is_stub(*list, *found);
  });
}

const project::Function *MpGameNames::find_function(const MpMethod &method) const {
  const project::Function *function = nullptr;
  for (const RpcList *list : find_method_lists(method.md5)) {
    const RpcMethod *named = list->find(method.id);
    if (named == nullptr || list->script == nullptr) return nullptr;
    const project::Function *found = list->script->find_function(named->name);
    if (found == nullptr || (function != nullptr && function != found)) return nullptr;
    function = found;
  }
  return function;
}

MpSourceLine MpGameNames::find_method_line(const MpMethod &method) const {
  const RpcMethod *known = nullptr;
  for (const RpcList *list : find_method_lists(method.md5)) {
    const RpcMethod *found = list->find(method.id);
    const bool is_same = known == nullptr || (found != nullptr && found->source == known->source);
    if (found == nullptr || found->source == nullptr || !is_same) return {};
    known = found;
  }
  return known == nullptr ? MpSourceLine{} : MpSourceLine{known->source->path, known->line};
}

MpSourceLine MpGameNames::find_node_line(std::string_view path) const {
  const NodeMatches matches = project_.find_nodes(path);
  const auto line_of = [](const NodeMatch &match) {
    return match.node == nullptr ? MpSourceLine{} : MpSourceLine{match.node->file, match.node->line};
  };
  if (matches.size() == 0) return {};
  // A node of the main scene or of an autoload certainly exists. A node of another scene may not exist.
  const MpSourceLine first = line_of(matches[0]);
  const bool is_certain = matches[0].placement <= project::NodePlacement::main_scene;
  const auto is_same = [&](const NodeMatch &match) { return line_of(match) == first; };
  return is_certain || std::ranges::all_of(matches, is_same) ? first : MpSourceLine{};
}

MpRemoteMember MpGameNames::find_remote_member(std::string_view name, bool is_variable) const {
  MpRemoteMember found;
  const auto add = [&](const project::Script &script, project::RemoteCallers callers, std::uint32_t line) {
    const bool is_alike = !found.is_known || found.callers == callers;
    found.callers = is_alike ? callers : project::RemoteCallers::anyone;
    if (!found.is_known) found.source = {script.path, line};
    found.is_known = true;
  };
  for (const project::Script &script : project_.scripts()) {
    const project::Variable *variable = find_sorted(script.variables, name, &project::Variable::name);
    if (is_variable && variable != nullptr) add(script, variable->callers, variable->line);
    const project::Function *function = find_sorted(script.functions, name, &project::Function::name);
    if (is_variable || function == nullptr) continue;
    if (function->needs_all_arguments) return {};  // in C#, an attribute declares the callers
    const std::size_t most = function->has_rest_parameter ? SIZE_MAX : function->parameters.size();
    found.min_arguments =
        found.is_known ? std::min(found.min_arguments, function->min_arguments()) : function->min_arguments();
    found.max_arguments = std::max(found.max_arguments, most);
    found.function = found.is_known ? nullptr : function;
    add(script, function->has_empty_body ? project::RemoteCallers::anyone : function->callers, function->line);
  }
  // rpc_config() or rset_config() may also allow the call.
  const auto is_configured = [&](const RpcList *list) {
    return std::ranges::any_of(list->methods, [&](const RpcMethod &method) { return method.name == name; });
  };
  if (std::ranges::any_of(project_.lists(), is_configured)) found.callers = project::RemoteCallers::anyone;
  found.is_missing = !found.is_known && !is_variable && are_remote_functions_complete_ && project_.lists().empty();
  return found;
}

std::int32_t MpGameNames::authority_of_method(const MpMethod &method) const {
  const std::int32_t authority = project_.find_authority(method.path);
  if (authority != 0) return authority;
  const std::span<const RpcList *const> lists = find_method_lists(method.md5);
  if (lists.size() != 1 || lists.front()->script == nullptr) return 0;
  return project_.find_authority(method.path, lists.front()->script);
}

bool MpGameNames::has_method_list(std::string_view md5) const { return !find_method_lists(md5).empty(); }

bool MpGameNames::is_foreign_method_list(std::string_view md5) const {
  return !project_.lists().empty() && !md5.empty() && md5 != mp_md5_of_no_methods && !has_method_list(md5);
}

std::string_view MpGameNames::source_of_method_list(std::string_view md5) const {
  const std::span<const RpcList *const> lists = find_method_lists(md5);
  if (!lists.empty()) return lists.front()->script->path;
  return call_or_empty([&]() -> std::string_view {
    const auto line = name_table_.lower_bound({std::string(md5), 0});
    return line == name_table_.end() || line->first.first != md5 ? "" : "the table of names";
  });
}

std::string MpGameNames::describe_nearest_lists(std::string_view md5, std::string_view path) const {
  std::vector<const Script *> expected;
  for (const NodeMatch &match : project_.find_nodes(path)) expected.push_back(match.script);
  std::array<NearestMethodList, 3> nearest;
  const std::size_t count = project_.find_nearest_lists(md5, expected, nearest);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) append_difference(text, nearest[i]);
  return text;
}

std::string_view MpGameNames::describe_method_mismatch(std::string_view md5, std::string_view path) const {
  if (!is_foreign_method_list(md5)) return {};
  return call_or_empty([&]() -> std::string_view {
    const std::string key = std::string(md5) + " " + std::string(path);
    const auto found = mismatches_.find(key);
    if (found != mismatches_.end()) return found->second;
    if (mismatches_.size() >= max_mismatches) return "no script of the project has these methods";
    std::string text = "no script of the project has these methods";
    const std::string nearest = describe_nearest_lists(md5, path);
    if (!nearest.empty()) text += ": " + nearest;
    return mismatches_.emplace(key, std::move(text)).first->second;
  });
}

std::string_view MpGameNames::find_similar_path(std::string_view path) const {
  constexpr std::size_t max_asked = 200;
  if (project_.scenes().empty() || path.size() > max_compared) return {};
  if (project_.find_nodes(path).size() > 0) return {};
  return call_or_empty([&]() -> std::string_view {
    const auto known = similar_paths_.find(path);
    if (known != similar_paths_.end()) return known->second;
    if (similar_paths_.size() >= max_asked) return {};
    if (is_in_added_scene(project_, path))
      return similar_paths_.emplace(std::string(path), std::string()).first->second;
    SimilarPath similar(path);
    std::string candidate;
    for (const project::Autoload &autoload : project_.autoloads()) similar.add(autoload.name);
    for (const Scene &scene : project_.scenes()) {
      for (const project::Node &node : scene.nodes) {
        candidate = scene.root_name;
        if (node.path != ".") candidate.append("/").append(node.path);
        similar.add(candidate);
      }
    }
    return similar_paths_.emplace(std::string(path), similar.best_path()).first->second;
  });
}

std::optional<std::size_t> MpGameNames::count_spawnable_scenes(std::string_view spawner) const {
  std::optional<std::size_t> scenes;
  for (const NodeMatch &match : project_.find_nodes(spawner)) {
    const project::Spawner *found = match.node == nullptr ? nullptr : match.node->spawner;
    if (found == nullptr || (scenes && *scenes != found->scenes.size())) return std::nullopt;
    if (project_.may_add_scenes(*found)) return std::nullopt;
    scenes = found->scenes.size();
  }
  return scenes;
}

bool MpGameNames::is_always_synchronized(std::string_view spawner, std::uint8_t scene) const {
  const NodeMatches matches = project_.find_nodes(spawner);
  const auto has_values = [&](const NodeMatch &match) {
    if (match.node == nullptr || match.node->spawner == nullptr) return false;
    const project::Scene *spawned = project_.find_spawned_scene(*match.node->spawner, scene);
    return spawned != nullptr &&
           std::ranges::any_of(spawned->root_synchronizers,
                               [](const project::Synchronizer *each) { return !each->always.empty(); });
  };
  return matches.size() > 0 && project_.facts().config_script.empty() && std::ranges::all_of(matches, has_values);
}

// ---- properties

MpRelativePath MpGameNames::find_relative_root(std::string_view path) const {
  return call_or_empty([&] { return scene_lookup_.find_relative_root(path); });
}

MpResolvedName MpGameNames::property(const MpSynchronizedObject &synchronized, std::uint32_t index) const {
  return call_or_empty([&] {
    return find_agreed_name(scene_lookup_, project_.facts().changes_synchronizers, synchronized,
                            [&](SynchronizerChoice choice, const Scene & /*scene*/) {
                              MpResolvedName name;
                              if (const Property *found = find_property(choice, synchronized.list, index))
                                name.text = found->label;
                              if (!synchronized.synchronizer_path.empty())
                                name.relative = mp_relative_path(choice[0]->node, choice[0]->root);
                              return name;
                            });
  });
}

// Reports a difference only for candidates from the scenes themselves, not for assumed candidates.
MpPropertyMatch MpGameNames::match_properties(const MpSynchronizedObject &synchronized) const {
  return call_or_empty([&] {
    MpPropertyMatch match = MpPropertyMatch::unknown;
    for (const MpSceneCandidateSet &candidates : scene_lookup_.find_candidates(synchronized)) {
      for_each_choice(candidates, synchronized, [&](SynchronizerChoice choice, const Scene & /*scene*/) {
        if (certainty_of(choice) == Certainty::unknown) return;
        const MpPropertyMatch other = match_choice(choice, synchronized.list, synchronized.values, synchronized.types);
        if (other != MpPropertyMatch::matching && candidates.source != "project") return;
        if (match != MpPropertyMatch::matching &&
            (other == MpPropertyMatch::matching || match != MpPropertyMatch::other_types))
          match = other;
      });
    }
    return match;
  });
}

std::string_view MpGameNames::scene(const MpSynchronizedObject &synchronized) const {
  const auto path_of = [](SynchronizerChoice /*choice*/, const Scene &scene) { return MpResolvedName{scene.path, ""}; };
  return call_or_empty([&] {
    return find_agreed_name(scene_lookup_, project_.facts().changes_synchronizers, synchronized, path_of).text;
  });
}

}  // namespace godot_codec
