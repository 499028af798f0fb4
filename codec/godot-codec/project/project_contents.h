// SPDX-License-Identifier: MIT
/// @file
/// The data of a Project, and the functions that fill it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "godot-codec/project/nearest_method_list_index.h"
#include "godot-codec/project/parsed_scene.h"
#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/project.h"
#include "godot-codec/project/project_folder.h"

namespace godot_codec::project {

/// The scenes that scripts add with add_child(), or that spawners add. All scenes are given by their paths.
struct ChildScenes {
  using Names = std::set<std::string, std::less<>>;

  /// Paths of scenes, by the expression for the parent node: a node name, a group, or a SceneTree property (`root`).
  /// For a script's own node, the key is the path of the script. Several nodes may match a key.
  std::map<std::string, std::set<std::string>> by_parent;
  Names with_known_parents;         ///< scenes that are added to the nodes in by_parent
  Names with_unknown_parents;       ///< scenes that are added to nodes with unknown names
  Names parents_of_unknown_scenes;  ///< names of nodes to which scripts add unknown scenes
};

/// Owns the data that a Project's views and pointers refer to. The data does not move after it has been filled in.
struct ProjectContents : ProjectFacts {
  std::string message;
  ProjectFolder folder;
  std::unordered_set<std::string> stored_texts;
  std::vector<std::shared_ptr<void>> lists;
  std::vector<std::string_view> notes;
  std::vector<Script> scripts;
  std::vector<const Script *> scripts_by_path;  // sorted
  std::vector<Scene> scenes;                    // sorted by path
  std::vector<const Scene *> scenes_by_root;    // sorted by the name of the root node, then by path
  std::vector<Autoload> autoloads;
  std::vector<const Autoload *> autoloads_by_name;
  std::vector<const RpcList *> lists_by_md5;     // sorted by MD5
  std::vector<std::string_view> function_names;  // names of all functions in scripts, sorted, without duplicates
  std::vector<AddedNode>
      replicated_nodes;                  // synchronizers and spawners that are not the root of a scene, sorted by path
  std::vector<AddedNode> movable_nodes;  // synchronizers and spawners that scripts may rename or move, sorted by name
  std::set<const Script *> self_renaming_scripts;  // scripts that rename their own node
  bool moves_nodes = false;                        // true if scripts rename or reparent other nodes
  bool adds_unknown_spawnable_scenes = false;      // true if scripts add unknown scenes to a spawner's list
  std::set<std::string, std::less<>>
      added_spawnable_scenes;  // paths of scenes that scripts add to the list of any spawner
  ChildScenes child_scenes;
  std::map<std::string, std::span<const std::string_view>, std::less<>> scenes_by_parent;  // from child_scenes
  std::set<const Script *> attached_scripts;    // scripts that are attached to a node of a scene
  std::set<const Scene *> unreferenced_scenes;  // scenes that no other file refers to
  bool loads_unknown_scenes = false;            // true if scripts load scenes by a path that is not a
                                                // literal
  std::map<const Script *, std::vector<ScriptSynchronizer>>
      script_synchronizers;              // synchronizers that a script, or a base class, adds or changes
  std::size_t processed_nodes = 0;       // number of nodes processed while reading scenes
  mutable std::size_t search_steps = 0;  // number of scenes and spawners visited by all find_nodes() calls
  mutable std::unique_ptr<NearestMethodListIndex> nearest_index;  // null until the first query
  AuthorityRule authority = AuthorityRule::server;                // the rule with the highest value in any script
  /// The methods of a script that an rpc_config() call names. The call may be in any script.
  struct ConfigurableMethods {
    const Script *script = nullptr;
    std::vector<RpcMethod> methods;
  };
  std::vector<ConfigurableMethods> configurable_methods;

  /// Returns a copy of a text. The copy is valid as long as this object.
  std::string_view store(std::string_view text) { return *stored_texts.emplace(text).first; }
  /// Takes over a list. The returned view is valid as long as this object.
  template <typename T>
  std::span<T> store(std::vector<T> list) {
    list.shrink_to_fit();
    const auto kept = std::make_shared<std::vector<T>>(std::move(list));
    lists.push_back(kept);
    return *kept;
  }

  [[nodiscard]] const Script *find_script(std::string_view path) const;
  [[nodiscard]] const Scene *find_scene(std::string_view path) const;
};

/// The parsed files of a project, before the references between them are resolved.
struct ParsedSources {
  ParsedSources(const Limits &reading_limits, const Decompressor *file_decompressor)
      : limits(reading_limits), decompressor(file_decompressor) {}

  const Limits &limits;
  const Decompressor *decompressor;                                   // null: compressed files are skipped
  std::map<std::string, ParsedScript, std::less<>> scripts;           // by path; also built-in scripts of scenes
  std::map<std::string, ParsedScene, std::less<>> scenes;             // by path; also other resources
  std::multimap<std::string, std::string, std::less<>> paths_by_uid;  // paths by `uid://…`
  std::size_t class_count = 0;                                        // number of classes in all scripts
  struct ParsedAutoload {
    std::string name;
    std::string path;
    bool is_singleton = false;  // true if scripts can use its name as a global variable
  };
  std::vector<ParsedAutoload> autoloads;
  std::string name;
  std::string main_scene;
  std::string config_script;  // path of the first script that may change a SceneReplicationConfig, or empty
  std::vector<std::string> notes;
  bool has_settings = false;  // project.godot was read

  /// Reads a file of any type.
  /// @param path `res://…`
  /// @param content text, or an exported file: tokens of a script, a binary resource, binary settings
  void add_file(const std::string &path, std::string_view content);
  void add_uid(std::string_view uid, std::string_view path);
  /// Must be called once after all add_file() calls. Merges C#'s partial classes, and resolves the paths in the
  /// settings.
  void finish_reading();

  /// Returns the full path of a scene, given the path that a file contains.
  [[nodiscard]] std::string resolve_scene_path(std::string_view path, std::string_view file) const;
  /// Returns the path of the file that a reference points to. Like the engine, prefers a file with the uid to the
  /// stored path.
  [[nodiscard]] std::string find_path(const ResourceReference &reference) const;

 private:
  void add_script(const std::string &path, ParsedScript source);
  void add_scene(const std::string &path, ParsedScene source);
  void add_text_file(const std::string &path, std::string_view text);
  void merge_partial_classes();
  void add_settings(std::string_view text);
};

/// Fills in the scripts, their method lists, and `function_names`.
void build_scripts(ProjectContents &contents, ParsedSources &sources);

/// Fills in the scenes. The scripts must be filled in before.
void build_scenes(ProjectContents &contents, ParsedSources &sources);

}  // namespace godot_codec::project
