// SPDX-License-Identifier: MIT
/// @file
/// The memory behind a Project, and those who fill it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "godot-codec/project/folder.h"
#include "godot-codec/project/nearest.h"
#include "godot-codec/project/project.h"
#include "godot-codec/project/scene_source.h"
#include "godot-codec/project/script.h"
#include "godot-codec/project/unpack.h"

namespace godot_codec::project {

/// Owns all that a Project's views and pointers point at. Nothing in it moves once it has been filled.
struct ProjectContents {
  std::string message;
  Folder folder;
  std::unordered_set<std::string> texts;
  std::vector<std::shared_ptr<void>> lists;
  std::vector<std::string_view> notes;
  std::string_view name;
  std::string_view main_scene;
  std::string_view config_script;  // see Project::config_script()
  std::vector<Script> scripts;
  std::vector<const Script *> scripts_by_path;  // sorted
  std::vector<Scene> scenes;                    // sorted by path
  std::vector<const Scene *> scenes_by_root;    // by the root's name, then by path
  std::vector<Autoload> autoloads;
  std::vector<const Autoload *> autoloads_by_name;
  std::vector<const RpcList *> by_md5;       // sorted
  std::vector<std::string_view> vocabulary;  // names of functions, sorted, each once
  std::vector<AddedNode> replicated;         // synchronizers and spawners that are no roots, by their paths
  std::vector<AddedNode> moved;              // those that scripts may give another path, by their names
  std::set<const Script *> renaming;         // that give their nodes other names
  bool moves_nodes = false;                  // scripts give any nodes other names or parents
  bool builds_synchronizers = false;
  bool changes_synchronizers = false;               // scripts change configs or roots of nodes that are not known
  bool adds_unknown_scenes = false;                 // to spawners' lists
  std::set<std::string, std::less<>> added_scenes;  // to some spawner's, by path
  /// Scenes that scripts add to a node, by what they call it.
  std::map<std::string, std::span<const std::string_view>, std::less<>> children;
  std::set<std::string, std::less<>> adds_unknown;  // what scripts call nodes to which they add unknown scenes
  std::set<const Script *> of_scenes;               // scripts that nodes of scenes have
  std::set<const Scene *> unused;                   // that no other file names
  bool loads_unknown = false;                       // scripts load scenes by paths that are not literals
  bool sets_scripts = false;                        // MD5s of methods are no proof of a scene
  bool clears_spawnable = false;                    // lists of spawners may be others
  std::set<std::string_view> placed;                // paths of those that are added to nothing else
  /// Synchronizers that scripts make for a node with this script, those of its base classes included.
  struct Built {
    BuiltSynchronizer synchronizer;
    std::string config;  // a name for its configuration
  };
  std::map<const Script *, std::vector<Built>> built;
  std::size_t looked_at = 0;                        // nodes, in reading
  mutable std::size_t steps = 0;                    // taken by all questions for nodes
  mutable std::unique_ptr<NearestIndex> nearest;    // null until somebody asks
  AuthorityRule authority = AuthorityRule::server;  // by all scripts together
  /// Methods of a script that rpc_config() is called for somewhere, by name.
  struct Configurable {
    const Script *script = nullptr;
    std::vector<RpcMethod> methods;
  };
  std::vector<Configurable> configurables;

  /// Keeps a text for as long as this lives.
  std::string_view keep(std::string_view text) { return *texts.emplace(text).first; }
  /// Keeps a list likewise.
  template <typename T>
  std::span<T> keep(std::vector<T> list) {
    list.shrink_to_fit();
    const auto kept = std::make_shared<std::vector<T>>(std::move(list));
    lists.push_back(kept);
    return *kept;
  }

  [[nodiscard]] const Script *find_script(std::string_view path) const;
  [[nodiscard]] const Scene *find_scene(std::string_view path) const;
};

/// Extensions of files that are of use, in lower case.
[[nodiscard]] std::vector<std::string_view> readable_extensions();

/// A project's files, read one by one.
struct ProjectSources {
  std::map<std::string, ScriptSource, std::less<>> scripts;   // by path; also those in scenes
  std::map<std::string, SceneSource, std::less<>> scenes;     // by path; also resources
  std::multimap<std::string, std::string, std::less<>> uids;  // paths by `uid://…`
  std::size_t class_count = 0;                                // classes in all scripts
  struct AutoloadSource {
    std::string name;
    std::string path;
    bool is_singleton = false;  // its name is known to scripts
  };
  std::vector<AutoloadSource> autoloads;
  std::string name;
  std::string main_scene;
  std::string config_script;  // path of the first script that may change SceneReplicationConfigs; empty: none may
  std::vector<std::string> notes;
  bool has_settings = false;           // project.godot was read
  const Unpacker *unpacker = nullptr;  // null: what is compressed is not read

  /// Reads a file, of any kind. @param path `res://…`
  /// @param content text, or what the engine makes of it: tokens of a script, a binary resource, binary settings
  void add(const std::string &path, std::string_view content, const Limits &limits);
  void add_uid(std::string_view uid, std::string_view path);
  /// Once all files are there: what the settings name is found.
  void resolve();

  /// A scene's, as a file names it.
  [[nodiscard]] std::string locate_scene(std::string_view path, std::string_view file) const;
  /// The path that is meant: a uid that a file has counts more than the path beside it, as in the engine.
  [[nodiscard]] std::string locate(const ResourceReference &reference) const;

 private:
  void note_configs(const std::string &path, std::string_view text, Language language);
  void add_gdscript(const std::string &path, std::string_view text, const Limits &limits);
  void add_script(const std::string &path, ScriptSource source, const Limits &limits);
  void add_scene(const std::string &path, SceneSource source, const Limits &limits);
  void add_text(const std::string &path, std::string_view text, const Limits &limits);
  void merge_csharp();
  void add_settings(std::string_view text);
};

/// Fills scripts, their lists and the vocabulary.
void build_scripts(ProjectContents &contents, ProjectSources &sources, const Limits &limits);

/// Fills scenes, which need the scripts.
void build_scenes(ProjectContents &contents, ProjectSources &sources, const Limits &limits);

}  // namespace godot_codec::project
