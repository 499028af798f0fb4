// SPDX-License-Identifier: MIT
#include "godot-codec/project/project.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "godot-codec/core/path.h"
#include "godot-codec/core/sorted_map.h"
#include "godot-codec/project/exported_game.h"
#include "godot-codec/project/game_pack.h"
#include "godot-codec/project/project_contents.h"

namespace godot_codec::project {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view settings_file = "project.godot";
constexpr std::size_t max_steps = 4000;  // maximum number of scenes and spawners that one find_nodes() call visits

// Sorts scenes and autoloads by the first component of the paths of their nodes.
void build_name_indexes(ProjectContents &contents) {
  for (const Scene &scene : contents.scenes) contents.scenes_by_root.push_back(&scene);
  std::ranges::stable_sort(contents.scenes_by_root, {}, &Scene::root_name);
  for (const Autoload &autoload : contents.autoloads) contents.autoloads_by_name.push_back(&autoload);
  std::ranges::stable_sort(contents.autoloads_by_name, {}, &Autoload::name);
}

// Sets a message if nothing could be read, for example because the game is encrypted. Such a project provides no names.
void set_message_if_nothing_was_read(ProjectContents &contents, std::string_view name) {
  if (contents.notes.empty() || !contents.scripts.empty() || !contents.scenes.empty()) return;
  contents.message.append(name).append(" has no script or scene that can be read: ").append(contents.notes.front());
  const std::size_t more = contents.notes.size() - 1;
  if (more > 0) contents.message += "; and " + std::to_string(more) + " more";
}

void build_project(ProjectContents &contents, ParsedSources &sources) {
  sources.finish_reading();
  build_scripts(contents, sources);
  build_scenes(contents, sources);
  for (const ParsedSources::ParsedAutoload &each : sources.autoloads) {
    contents.autoloads.push_back({contents.store(each.name), contents.store(each.path), contents.find_script(each.path),
                                  contents.find_scene(each.path)});
  }
  build_name_indexes(contents);
  contents.name = contents.store(sources.name);
  contents.main_scene = contents.store(sources.main_scene);
  contents.config_script = contents.store(sources.config_script);
  for (const std::string &note : sources.notes) contents.notes.push_back(contents.store(note));
}

std::string describe_unreadable(std::string_view name, const std::error_code &error) {
  const bool is_forbidden = error == std::errc::permission_denied;
  return std::string(name) + (is_forbidden ? " cannot be read: permission denied" : " cannot be read");
}

std::string describe_missing_settings(std::string_view folder, const fs::path &root) {
  constexpr std::size_t max_listed = 3;
  std::string text = std::string(folder) + " has no project.godot";
  const std::vector<std::string> projects = find_project_folders(root);
  if (projects.empty()) return text + ": choose the folder of one game, or its export";
  text += ", which is in ";
  for (std::size_t i = 0; i < std::min(projects.size(), max_listed); ++i) {
    text.append(i == 0 ? "" : ", ").append(projects[i]);
  }
  if (projects.size() > max_listed) text += " and others";
  return text + (projects.size() == 1 ? ": choose that" : ": choose one of these");
}

// @returns the reason why there is no project; empty if there is a project
std::string find_folder_problem(std::string_view folder, const fs::path &root, const fs::path &settings) {
  std::error_code error;
  const fs::file_type type = fs::status(root, error).type();
  if (type == fs::file_type::none) return describe_unreadable(folder, error);
  if (type != fs::file_type::directory) return std::string(folder) + " is not a folder";
  const fs::directory_iterator entries(root, error);
  if (error) return describe_unreadable(folder, error);
  const fs::file_type type_of_settings = fs::status(settings, error).type();
  const std::string name = std::string(folder) + ": " + std::string(settings_file);
  if (type_of_settings == fs::file_type::none) return describe_unreadable(name, error);
  return type_of_settings == fs::file_type::regular ? "" : describe_missing_settings(folder, root);
}

// Reads an exported game.
// @param name name of the file, for messages to the user
void read_exported_game(ProjectContents &contents, ParsedSources &sources, const fs::path &location,
                        std::string_view name) {
  contents.folder.watch(location);
  RegularFile file(location);
  const std::string problem = file.is_open() ? read_pack(file, sources) : "cannot be read";
  if (!problem.empty()) {
    contents.message = std::string(name) + " " + problem;
    return;
  }
  build_project(contents, sources);
  set_message_if_nothing_was_read(contents, name);
}

void read_folder(ProjectContents &contents, ParsedSources &sources, std::string_view folder) {
  const fs::path root = to_path(folder);
  const fs::path settings = root / settings_file;
  contents.folder.watch(settings);
  contents.message = find_folder_problem(folder, root, settings);
  if (!contents.message.empty()) return;
  contents.folder = ProjectFolder(root, sources.limits, sources.notes);
  for (const ProjectFolder::File &file : contents.folder.files()) {
    std::string content;
    if (contents.folder.read(file, content, sources.notes)) sources.add_file(file.path, content);
  }
  if (sources.has_settings) return build_project(contents, sources);
  contents.message = std::string(folder) + ": project.godot cannot be read";
}

void read_from_path(ProjectContents &contents, ParsedSources &sources, std::string_view path) {
  const fs::path location = to_path(path);
  std::error_code error;
  const bool is_file = fs::is_regular_file(location, error);
  if (!is_file) return read_folder(contents, sources, path);
  if (location.filename() != fs::path(settings_file)) return read_exported_game(contents, sources, location, path);
  path.remove_suffix(settings_file.size());
  read_folder(contents, sources, path.empty() ? "." : path);
}

void read_files(ProjectContents &contents, ParsedSources &sources, std::span<const FileContent> files) {
  for (const FileContent &file : files) sources.add_file(std::string(file.path), file.text);
  if (sources.has_settings) return build_project(contents, sources);
  contents.message = "there is no project.godot";
}

// Finds the elements with a name in a list that is sorted by name. Returns std::span, because Clang 14 cannot compile
// libstdc++'s subranges.
template <typename List, typename NameOf>
auto find_by_name(const List &sorted, std::string_view name, NameOf name_of) {
  return std::span(std::ranges::lower_bound(sorted, name, {}, name_of),
                   std::ranges::upper_bound(sorted, name, {}, name_of));
}

// Finds the nodes that may be at a path.
class NodeFinder {
 public:
  explicit NodeFinder(const ProjectContents &contents) : contents_(contents) {}

  NodeMatches find(std::string_view path) {
    const std::size_t slash = path.find('/');
    const std::string_view first = path.substr(0, slash);
    const std::string_view rest = slash == std::string_view::npos ? "." : path.substr(slash + 1);
    const Scene *main = contents_.find_scene(contents_.main_scene);
    bool may_be_in_other_scene = false;
    for (const Autoload *autoload : find_by_name(contents_.autoloads_by_name, first, &Autoload::name)) {
      if (take_step()) find_in(*autoload, rest);
    }
    if (main != nullptr && main->root_name != first) main = nullptr;
    if (main != nullptr) find_in(*main, rest, NodePlacement::main_scene, 0);
    const auto find_in_all = [&](bool are_unreferenced) {
      for (const Scene *scene : find_by_name(contents_.scenes_by_root, first, &Scene::root_name)) {
        if (scene == main || contents_.unreferenced_scenes.contains(scene) != are_unreferenced) continue;
        const std::size_t before = matches_.size();
        find_in(*scene, rest, NodePlacement::other_scene, 0);
        // A scene with this root name does not contain the node. But the scene may be the loaded scene, and scripts may
        // add the node.
        may_be_in_other_scene = may_be_in_other_scene || matches_.size() == before;
      }
    };
    find_in_all(false);
    const std::size_t in_referenced = matches_.size();
    // The main scene is always loaded. If its root has the name, no unreferenced scene can have this name.
    if (main == nullptr && (matches_.size() == 0 || contents_.loads_unknown_scenes)) find_in_all(true);
    const bool are_assumed = may_be_in_other_scene || !contents_.loads_unknown_scenes;
    for (std::size_t i = in_referenced; i < matches_.size() && are_assumed; ++i) matches_[i].is_assumed = true;
    contents_.search_steps += steps_;
    return matches_;
  }

 private:
  static constexpr std::size_t max_depth = 8;  // nesting of spawned scenes

  // @returns false if there are enough matches, or too many steps
  bool take_step() { return !matches_.is_full() && steps_ < max_steps && ++steps_ > 0; }

  void add(const NodeMatch &match) {
    if (!matches_.is_full()) matches_.add(match);
  }

  void find_in(const Autoload &autoload, std::string_view path) {
    if (autoload.scene != nullptr) find_in(*autoload.scene, path, NodePlacement::autoload, 0);
    if (autoload.script != nullptr && path == ".")
      add({NodePlacement::autoload, autoload.script, nullptr, nullptr, false});
  }

  void find_in(const Scene &scene, std::string_view path, NodePlacement placement, std::size_t depth) {
    if (!take_step()) return;
    if (const Node *node = scene.find(path); node != nullptr) {
      const bool is_made = placement == NodePlacement::made;
      add({placement, node->script, node, &scene, is_made && may_create_others_});
    } else if (depth < max_depth) {
      for (const Spawner &spawner : scene.spawners) {
        if (!take_step()) return;
        find_spawned(spawner, path, depth + 1);
      }
    }
  }

  // Continues in the scenes of a spawner. A spawned node can have any name, so one path component is skipped.
  void find_spawned(const Spawner &spawner, std::string_view path, std::size_t depth) {
    if (spawner.root.empty()) return;
    if (spawner.root != ".") {
      if (!path.starts_with(spawner.root) || path.substr(spawner.root.size(), 1) != "/") return;
      path.remove_prefix(spawner.root.size() + 1);
    }
    const std::size_t slash = path.find('/');
    const std::string_view rest = slash == std::string_view::npos ? "." : path.substr(slash + 1);
    may_create_others_ = spawner.may_create_others;
    find_in_scenes(spawner.scenes, rest, NodePlacement::spawned, depth);
    find_in_scenes(spawner.function_scenes, rest, NodePlacement::made, depth);
    find_in_scenes(spawner.listed_by_scripts, rest, NodePlacement::made, depth);
  }

  void find_in_scenes(std::span<const std::string_view> scenes, std::string_view path, NodePlacement placement,
                      std::size_t depth) {
    for (const std::string_view scene_path : scenes) {
      if (!take_step()) return;
      const Scene *scene = contents_.find_scene(scene_path);
      if (scene != nullptr) find_in(*scene, path, placement, depth);
    }
  }

  const ProjectContents &contents_;
  NodeMatches matches_;
  std::size_t steps_ = 0;
  bool may_create_others_ = false;  // true if the spawner may also create other scenes
};

}  // namespace

const Script *ProjectContents::find_script(std::string_view path) const {
  const Script *const *found = find_sorted(scripts_by_path, path, &Script::path);
  return found == nullptr ? nullptr : *found;
}

const Scene *ProjectContents::find_scene(std::string_view path) const {
  return find_sorted(scenes, path, &Scene::path);
}

const Function *Script::find_function(std::string_view wanted) const {
  constexpr std::size_t max_depth = 200;  // limits the number of base classes, because they may form a cycle
  const Script *script = this;
  for (std::size_t depth = 0; script != nullptr && depth < max_depth; ++depth, script = script->base) {
    if (const Function *found = find_sorted(script->functions, wanted, &Function::name)) return found;
  }
  return nullptr;
}

const RpcMethod *RpcList::find(std::uint16_t id) const { return find_sorted(methods, id, &RpcMethod::id); }

const Node *Scene::find(std::string_view node_path) const {
  const Node *const *found = find_sorted(by_path_, node_path, &Node::path);
  return found == nullptr ? nullptr : *found;
}

Project::Project() noexcept = default;
Project::~Project() = default;
Project::Project(Project &&other) noexcept = default;
Project &Project::operator=(Project &&other) noexcept = default;

template <typename Read>
bool Project::replace_contents(const Limits &limits, const Decompressor *decompressor, const Read &read) noexcept {
  contents_.reset();
  try {
    auto contents = std::make_unique<ProjectContents>();
    ParsedSources sources(limits, decompressor);
    read(*contents, sources);
    contents_ = std::move(contents);
  } catch (const std::exception &) {
    // The memory is exhausted, or the path is not valid on this system. message() handles missing contents.
    return false;
  }
  return contents_->message.empty();
}

bool Project::read(std::string_view path, const Limits &limits, const Decompressor *decompressor) noexcept {
  return replace_contents(limits, decompressor, [path](ProjectContents &contents, ParsedSources &sources) {
    read_from_path(contents, sources, path);
  });
}

bool Project::read(std::span<const FileContent> files, const Limits &limits,
                   const Decompressor *decompressor) noexcept {
  return replace_contents(limits, decompressor, [files](ProjectContents &contents, ParsedSources &sources) {
    read_files(contents, sources, files);
  });
}

std::string_view Project::message() const noexcept {
  return contents_ ? std::string_view(contents_->message) : "the folder cannot be read";
}

bool Project::has_changed() const noexcept {
  try {
    return contents_ && contents_->folder.has_changed();
  } catch (const std::exception &) {
    return true;
  }
}

const ProjectContents &Project::contents() const noexcept {
  static const ProjectContents nothing;
  return contents_ ? *contents_ : nothing;
}

std::span<const std::string_view> Project::notes() const noexcept { return contents().notes; }

const ProjectFacts &Project::facts() const noexcept { return contents(); }

std::span<const Script> Project::scripts() const noexcept { return contents().scripts; }

std::span<const Scene> Project::scenes() const noexcept { return contents().scenes; }

std::span<const Autoload> Project::autoloads() const noexcept { return contents().autoloads; }

std::span<const RpcList *const> Project::lists() const noexcept { return contents().lists_by_md5; }

std::span<const RpcList *const> Project::find_lists(std::string_view md5) const noexcept {
  return find_by_name(lists(), md5, &RpcList::md5);
}

const Script *Project::find_script(std::string_view path) const noexcept { return contents().find_script(path); }

const Scene *Project::find_scene(std::string_view path) const noexcept { return contents().find_scene(path); }

const Scene *Project::find_spawned_scene(const Spawner &spawner, std::size_t scene_index) const noexcept {
  return scene_index < spawner.scenes.size() ? find_scene(spawner.scenes[scene_index]) : nullptr;
}

NodeMatches Project::find_nodes(std::string_view path) const noexcept { return NodeFinder(contents()).find(path); }

namespace {

// Removes the characters that Godot adds to make the names of siblings unique: `Spawner`, `Spawner2`, `@Spawner@3`.
std::string_view strip_unique_suffix(std::string_view name) {
  constexpr std::string_view digits = "0123456789";
  name.remove_suffix(name.size() - (name.find_last_not_of(digits) + 1));
  if (name.starts_with('@')) name.remove_prefix(1);
  if (name.ends_with('@')) name.remove_suffix(1);
  return name;
}

// Finds scenes with a root that is a synchronizer or spawner with the last name of a path.
std::size_t find_added_roots(const ProjectContents &contents, std::string_view path, std::span<AddedNode> nodes) {
  const std::string_view last = base_name(path);
  std::size_t count = 0;
  for (const std::string_view name : {last, strip_unique_suffix(last)}) {
    for (const Scene *scene : find_by_name(contents.scenes_by_root, name, &Scene::root_name)) {
      const Node *root = scene->find(".");
      if (root == nullptr || (root->synchronizer == nullptr && root->spawner == nullptr)) continue;
      if (count < nodes.size()) nodes[count] = {root, scene, path.size()};
      if (++count > nodes.size()) return count;
    }
    if (count > 0) return count;
  }
  return count;
}

std::string_view node_path_of(const AddedNode &added) { return added.node->path; }

}  // namespace

std::size_t Project::find_added_nodes(std::string_view path, std::span<AddedNode> nodes) const noexcept {
  constexpr std::size_t max_depth = 32;
  std::size_t count = 0;
  // The first round compares the whole path, because the multiplayer root may be the scene's root.
  std::size_t root_path_length = 0;
  for (std::size_t depth = 0; root_path_length != std::string_view::npos && depth < max_depth; ++depth) {
    const std::string_view end = path.substr(root_path_length == 0 ? 0 : root_path_length + 1);
    for (const AddedNode &each : find_by_name(contents().replicated_nodes, end, node_path_of)) {
      if (count > nodes.size()) return count;
      if (count < nodes.size()) nodes[count] = {each.node, each.scene, root_path_length, each.is_assumed};
      ++count;
    }
    if (root_path_length == 0 && count > 0) return count;
    root_path_length = path.find('/', root_path_length + 1);
  }
  const auto name_of_node = [](const AddedNode &each) { return base_name(each.node->path); };
  for (const AddedNode &each : find_by_name(contents().movable_nodes, base_name(path), name_of_node)) {
    const auto is_same = [&](const AddedNode &other) { return other.node == each.node; };
    if (std::ranges::any_of(nodes.first(std::min(count, nodes.size())), is_same)) continue;
    if (count < nodes.size()) nodes[count] = each;
    if (++count > nodes.size()) return count;
  }
  return count > 0 ? count : find_added_roots(contents(), path, nodes);
}

std::span<const std::string_view> Project::find_child_scenes(std::string_view name) const noexcept {
  const auto found = contents().scenes_by_parent.find(name);
  return found == contents().scenes_by_parent.end() ? std::span<const std::string_view>() : found->second;
}

bool Project::adds_unknown_scenes_to(std::string_view name) const noexcept {
  return contents().child_scenes.parents_of_unknown_scenes.contains(name);
}

bool Project::is_attached_to_node(const Script &script) const noexcept {
  return contents().attached_scripts.contains(&script);
}

bool Project::has_known_parents(const Scene &scene) const noexcept {
  const ChildScenes &children = contents().child_scenes;
  return children.with_known_parents.contains(scene.path) && !children.with_unknown_parents.contains(scene.path);
}

Project::WorkCounters Project::work_counters() const noexcept {
  return {contents().processed_nodes, contents().search_steps,
          contents().nearest_index ? contents().nearest_index->hashed_bytes() : 0};
}

bool Project::sets_authority() const noexcept { return contents().authority != AuthorityRule::server; }

// Ignores which spawner a script adds to, because scripts seldom contain the spawner's name.
bool Project::may_add_scenes(const Spawner &spawner) const noexcept {
  const auto is_listed = [&](std::string_view scene) { return std::ranges::count(spawner.scenes, scene) > 0; };
  return contents().adds_unknown_spawnable_scenes || !std::ranges::all_of(contents().added_spawnable_scenes, is_listed);
}

}  // namespace godot_codec::project
