// SPDX-License-Identifier: MIT
/// @file
/// Reads a project folder (the folder with project.godot) for names that are not on the wire.
///
/// Godot 4 sends an id for a method, a hash for the list of methods, and a path or an id for a node. For a property, it
/// sends nothing at all. The names are in the scripts and scenes:
///
///     *.gd, *.cs ──> classes ──inherit──> RpcList: number -> method, found by its MD5
///     *.tscn, *.tres ──> nodes ──instances──> Scene: path -> Node -> its Script, Synchronizer, Spawner
///     project.godot ──> autoloads, the main scene: the first component of a path in a running game
///     *.uid, headers of *.tscn and *.tres ──> uid:// -> path, for all of these files
///
/// A Project is read once and does not change. All results are data in memory that the Project owns. Views and
/// pointers are valid as long as the Project, have no destructors, and refer to data of the same Project. All texts are
/// valid UTF-8. They come from files, so node names may contain any characters, including control characters. No
/// function throws or writes to files.
///
/// An exported game is a .pck or .zip, often embedded in an executable. Its scripts are stored as tokens, and its
/// scenes in the engine's binary format. Both are converted to text first and then parsed like source files.
///
/// Not supported: encrypted files (reported in notes()). Also not supported: nodes, scripts and rpc_config() calls of a
/// running game that depend on values computed at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "godot-codec/core/fixed_list.h"
#include "godot-codec/project/declared_settings.h"
#include "godot-codec/project/function_signature.h"
#include "godot-codec/project/project_limits.h"

namespace godot_codec::project {

struct ProjectContents;
struct RpcList;
struct Scene;
struct Script;

/// The first id of the methods that rpc_config() configures on the node. The script's own methods have lower ids.
constexpr std::uint16_t first_node_method_id = 0x8000;

/// An entry of an RpcList: a method that peers can call.
struct RpcMethod {
  std::uint16_t id = 0;  ///< id of the method in an RPC
  std::string_view name;
  RpcConfig config;
  const Script *source = nullptr;  ///< the script that declares the method: the list's script or a base class
  std::uint32_t line = 0;          ///< line in that source, counted from 1
};

/// The methods that peers can call on a node with a certain script. A script has several lists, because the methods in
/// the list depend on the engine's version and on the executed rpc_config() calls. The MD5 identifies the list.
struct RpcList {
  std::string_view md5;                ///< 32 lower-case hexadecimal digits, as in a simplify path command
  std::span<const RpcMethod> methods;  ///< sorted by id; the methods configured on the node are last in this list, but
                                       ///< first in the MD5's input
  const Script *script = nullptr;
  bool has_inherited = false;   ///< true if it includes the methods of base classes (Godot 4.2 and later), or if the
                                ///< base classes have no methods
  bool has_configured = false;  ///< true if it includes methods configured by rpc_config()

  /// Finds a method by its id in an RPC.
  /// @returns null if there is none
  [[nodiscard]] const RpcMethod *find(std::uint16_t id) const;
};

/// A list that is composed on demand from the methods of several scripts. Owns the memory of these methods.
struct ConfiguredList {
  RpcList list;
  std::vector<RpcMethod> methods;
};

/// A script, or an inner class of a script.
struct Script {
  std::string_view path;         ///< `res://player.gd`; of an inner class `res://player.gd::Gun`; of a built-in script
                                 ///< `res://main.tscn::GDScript_1`
  std::string_view class_name;   ///< `class_name`, or an inner class's name; empty if there is none
  const Script *base = nullptr;  ///< base class, if the project contains it
  std::span<const RpcList> lists;  ///< empty without methods; first the list of Godot 4.2 and later, then other lists
                                   ///< that differ from this list
  std::span<const Variable> variables;       ///< without inherited variables; sorted by name
  std::span<const Function> functions;       ///< functions with parameters that could be parsed, without inherited
                                             ///< functions; sorted by name
  std::span<const std::string_view> scenes;  ///< paths of the scenes that the script contains literally, sorted
  bool is_authority_by_name = false;         ///< true for AuthorityRule::by_name, even if inherited
  bool gives_away_authority = false;         ///< true for AuthorityRule::below, even if inherited
  bool has_unknown_properties = false;  ///< true if undeclared properties may have any type, including the engine's
                                        ///< properties: in C#, with `_get()`, or with an unknown base class

  /// Finds the function that an RPC to a node with this script executes, in this class or the nearest base class.
  /// @returns null if there is none, or its parameters are unknown
  [[nodiscard]] const Function *find_function(std::string_view name) const;
};

/// A property of a SceneReplicationConfig.
struct Property {
  std::string_view path;   ///< as in the config: `.:hp`, `Gun:ammo`
  std::string_view label;  ///< for display: `hp`, `Gun:ammo`
  bool is_spawned = false;
  ReplicationMode mode = ReplicationMode::never;
  ValueTypes types;  ///< the types that its values can have on the wire
};

/// A MultiplayerSynchronizer, and the properties that it sends.
struct Synchronizer {
  std::string_view node;  ///< path from the scene's root
  std::string_view root;  ///< path of the node that has these properties; `.` is the scene's root; empty if it is not a
                          ///< node of this scene
  std::span<const Property> spawn;         ///< in the order of the state in a spawn command
  std::span<const Property> always;        ///< in the order of a sync
  std::span<const Property> on_change;     ///< in the order of the bits in a delta's mask
  Certainty certainty = Certainty::known;  ///< certainty of its config and root, which scripts may change
};

/// A MultiplayerSpawner, and the scenes that it can spawn.
struct Spawner {
  std::string_view node;  ///< path from the scene's root
  std::string_view root;  ///< path of the parent of the spawned nodes; empty if it is not a node of this scene
  std::span<const std::string_view> scenes;             ///< paths, indexed by the scene index of a spawn command
  std::span<const std::string_view> function_scenes;    ///< paths of the scenes that its spawn_function creates, if
                                                        ///< scripts contain the paths as literals
  std::span<const std::string_view> listed_by_scripts;  ///< paths of the scenes that scripts add to the spawner's list
                                                        ///< with add_spawnable_scene(), if scripts contain the paths as
                                                        ///< literals
  bool may_create_others = false;  ///< true if scripts also create or add scenes in a way that could not be
                                   ///< followed
};

/// A node of a scene, including nodes from instanced and inherited scenes.
struct Node {
  std::string_view path;                       ///< from the scene's root, which is `.`: `World/Gun`
  std::string_view type;                       ///< built-in class: `Node3D`
  std::string_view script_path;                ///< empty without a script
  const Script *script = nullptr;              ///< null without a script, or if the project does not contain it
  std::string_view instance;                   ///< path of the scene that is instanced or inherited at this node, or
                                               ///< empty
  const Synchronizer *synchronizer = nullptr;  ///< null if the node is not a MultiplayerSynchronizer
  const Spawner *spawner = nullptr;            ///< null if the node is not a MultiplayerSpawner
  std::span<const std::string_view> scenes;    ///< paths of the scenes in exported variables of its script
  std::span<const std::string_view> groups;    ///< groups set in a scene
  std::string_view file;                       ///< path of the scene file that adds the node
  std::uint32_t line = 0;                      ///< in that file, counted from 1; 0 if unknown
};

struct Scene {
  std::string_view path;                        ///< `res://main.tscn`
  std::string_view root_name;                   ///< name of the root node
  std::span<const Node> nodes;                  ///< in tree order: a node, its children, then its next sibling
  std::span<const Synchronizer> synchronizers;  ///< of all nodes, in tree order
  /// The synchronizers with the scene's root as their root. A spawn command contains their spawn properties in this
  /// order. The game may omit synchronizers if another peer has authority over them.
  std::span<const Synchronizer *const> root_synchronizers;
  std::span<const Spawner> spawners;

  /// @param node_path path from the scene's root, which is `.`
  /// @returns null if there is no such node
  [[nodiscard]] const Node *find(std::string_view node_path) const;

 private:
  friend class SceneBuilder;
  std::span<const Node *const> by_path_;  // sorted
};

/// A node that exists as long as the game runs.
struct Autoload {
  std::string_view name;           ///< also the name of the node
  std::string_view path;           ///< of the script or scene
  const Script *script = nullptr;  ///< null if it is a scene, or the project does not contain it
  const Scene *scene = nullptr;
};

/// A synchronizer or spawner that may be at a path, if a script has added its scene to another node.
struct AddedNode {
  const Node *node = nullptr;
  const Scene *scene = nullptr;
  std::size_t root_path_length = 0;  ///< length of the part of the path that leads to the scene's root
  bool is_assumed = false;           ///< true if no file refers to its scene
  bool is_moved = false;  ///< true if a script may have moved or renamed the node or a parent, so its path within the
                          ///< scene may differ
};

/// The reason why a node may be at a path, according to the files.
enum class NodePlacement : std::uint8_t {
  autoload,     ///< the node is an autoload, or below an autoload
  main_scene,   ///< the node is in the main scene
  other_scene,  ///< the root of another scene has the name of the path's first component
  spawned,      ///< a spawner in one of these scenes may spawn the node's scene at this path, with any name
  made,         ///< a spawn_function creates the node's scene, or a script adds the scene to a spawner's list
};

/// A candidate for the node at a path.
struct NodeMatch {
  NodePlacement placement = NodePlacement::autoload;
  const Script *script = nullptr;  ///< null if the node has no script
  const Node *node = nullptr;      ///< null for an autoload that is a script
  const Scene *scene = nullptr;    ///< the scene that contains the node; null if node is null
  bool is_assumed = false;  ///< true if the node may be in another scene, because no file refers to this scene, or the
                            ///< spawner also creates other scenes
};

/// The first nodes that may be at a path, most likely first.
using NodeMatches = FixedList<NodeMatch, 16>;

/// A list of the project that is similar to the list with the wanted MD5.
struct NearestMethodList {
  const RpcList *list = nullptr;
  /// True if the list has exactly the wanted MD5 after the changes below. If false, it is the list of an expected
  /// script, and the changes below are empty.
  bool is_certain = false;
  std::string_view missing_name;                ///< name that is missing from the project's list, or empty
  std::array<std::string_view, 2> extra_names;  ///< names that are only in the project's list, or empty
};

struct FileContent {
  std::string_view path;  ///< `res://player.gd`; files with a path that is not valid UTF-8 are skipped
  std::string_view text;  ///< text, or bytes: tokens of a script, a binary resource
};

/// Facts about a whole project.
struct ProjectFacts {
  std::string_view name;        ///< setting `config/name`
  std::string_view main_scene;  ///< path, or empty
  /// Path of the first script that may replace or change the SceneReplicationConfig of any synchronizer: it mentions
  /// the class, the property or a method of the class. Empty if there is none.
  std::string_view config_script;
  bool sets_scripts = false;          ///< true if scripts call set_script(), so the script of a node may change at run
                                      ///< time
  bool clears_spawnable = false;      ///< true if scripts remove scenes from the lists of spawners
  bool builds_synchronizers = false;  ///< true if scripts may create synchronizers with unknown properties
  /// True if scripts change the config or the root of a synchronizer, and nothing shows of which one. A change of a
  /// known synchronizer sets Synchronizer::certainty instead.
  bool changes_synchronizers = false;
};

class Project {
 public:
  Project() noexcept;
  ~Project();
  Project(Project &&other) noexcept;
  Project &operator=(Project &&other) noexcept;

  /// Reads a project folder or an exported game. Replaces the project that was read before.
  /// @param path UTF-8: the folder or its project.godot; or a .pck, .zip, .apk, or an executable with an embedded pack
  /// @param decompressor decompresses files, for example library_decompressor of the library godot-compression; null:
  /// compressed files are skipped
  /// @returns false if there is no project; message() then returns the reason, and the Project is empty
  bool read(std::string_view path, const Limits &limits = {}, const Decompressor *decompressor = nullptr) noexcept;

  /// Reads files that are in memory.
  bool read(std::span<const FileContent> files, const Limits &limits = {},
            const Decompressor *decompressor = nullptr) noexcept;

  /// Returns the reason why there is no project, as one sentence; empty if there is a project.
  [[nodiscard]] std::string_view message() const noexcept;
  /// Returns one sentence for each thing that was skipped: encrypted files, files over a limit, links out of the
  /// folder.
  [[nodiscard]] std::span<const std::string_view> notes() const noexcept;
  /// True if a file that was read has changed, or if files were added or removed. If there was no project: true if a
  /// project.godot exists now. Compares the times of files and opens no file.
  [[nodiscard]] bool has_changed() const noexcept;

  [[nodiscard]] const ProjectFacts &facts() const noexcept;

  [[nodiscard]] std::span<const Script> scripts() const noexcept;      ///< sorted by path; inner classes follow their
                                                                       ///< script
  [[nodiscard]] std::span<const Scene> scenes() const noexcept;        ///< sorted by path
  [[nodiscard]] std::span<const Autoload> autoloads() const noexcept;  ///< in the order of project.godot

  /// Returns the lists with an MD5. Scripts with the same method names have lists with the same MD5. Returns nothing
  /// for the MD5 of an empty list.
  /// @param md5 32 lower-case hexadecimal digits
  [[nodiscard]] std::span<const RpcList *const> find_lists(std::string_view md5) const noexcept;

  /// Returns all lists, sorted by MD5.
  [[nodiscard]] std::span<const RpcList *const> lists() const noexcept;

  /// @param path `res://…`
  [[nodiscard]] const Script *find_script(std::string_view path) const noexcept;
  /// @param path `res://…`
  [[nodiscard]] const Scene *find_scene(std::string_view path) const noexcept;
  /// Returns the scene that a spawn command adds.
  /// @returns null if the spawner has no such scene, or the project does not contain the scene
  [[nodiscard]] const Scene *find_spawned_scene(const Spawner &spawner, std::size_t scene_index) const noexcept;

  /// Finds the nodes that may be at a path, most likely first.
  /// @param path from the multiplayer root, as on the wire: `Main/World`, `Global`
  [[nodiscard]] NodeMatches find_nodes(std::string_view path) const noexcept;

  /// Finds the synchronizers and spawners with a path in their scene that equals the end of @p path: `Inputs/Sync` for
  /// `World/Players/1/Inputs/Sync`.
  /// - Matches of longer paths come first. If the whole path matches, it is the only match.
  /// - Then follow nodes that scripts may have moved. For these, only the name must match.
  /// - If nothing matches: scenes with a root that is a synchronizer or spawner with this name.
  /// @returns the number of results, which may be larger than @p nodes
  std::size_t find_added_nodes(std::string_view path, std::span<AddedNode> nodes) const noexcept;
  /// Returns the paths of the scenes that scripts add to a node with add_child(), if scripts contain the paths as
  /// literals.
  /// @param name the scripts' expression for the node: its name, the path of its script, a group; `current_scene`,
  /// `root`
  [[nodiscard]] std::span<const std::string_view> find_child_scenes(std::string_view name) const noexcept;
  /// True if scripts also add unknown scenes to a node.
  /// @param name as in find_child_scenes()
  [[nodiscard]] bool adds_unknown_scenes_to(std::string_view name) const noexcept;
  /// True if the script is attached to a node of a scene.
  [[nodiscard]] bool is_attached_to_node(const Script &script) const noexcept;
  /// True if find_child_scenes() covers all nodes to which scripts add the scene.
  [[nodiscard]] bool has_known_parents(const Scene &scene) const noexcept;
  /// True if scripts may add scenes to the spawner's list in addition to those in the scene file.
  [[nodiscard]] bool may_add_scenes(const Spawner &spawner) const noexcept;
  /// True if a script calls set_multiplayer_authority(), so the authority over a node may be a peer other than the
  /// server.
  [[nodiscard]] bool sets_authority() const noexcept;
  /// Returns the peer that has authority over a node, if the scripts prove it. The proof is that no script changes the
  /// authority of the node and its parents, or that scripts set it only from the name of their own node. Returns 0
  /// without a proof.
  /// @param path from the multiplayer root, as on the wire
  /// @param script of the node, if it is known
  [[nodiscard]] std::int32_t find_authority(std::string_view path, const Script *script = nullptr) const noexcept;

  /// Finds the list of a node on which another script has configured methods. The list consists of a script's methods,
  /// and of some methods for which any script calls rpc_config() with a literal name. The MD5 proves the result. May
  /// hash about ten megabytes, so callers should cache the result.
  /// @returns false if there is none
  bool find_configured_list(std::string_view md5, ConfiguredList &found) const noexcept;

  /// Finds the lists that may be another version of the list with an unknown MD5. In the other version, one method is
  /// missing, one or two are added, or one is renamed. Names that no script of the project contains cannot be found.
  /// All calls together hash at most 64 MiB; the rest of the project is then not searched.
  /// @param expected scripts that the node may have; if nothing is found, returns a list of the first script that has a
  /// list
  /// @returns the number of results
  std::size_t find_nearest_lists(std::string_view md5, std::span<const Script *const> expected,
                                 std::span<NearestMethodList> nearest) const noexcept;

  /// Cost of reading and of all queries so far.
  struct WorkCounters {
    std::size_t processed_nodes = 0;  ///< number of nodes processed while building scenes, including skipped nodes
    std::size_t search_steps = 0;     ///< number of scenes and spawners visited by find_nodes()
    std::size_t hashed_bytes = 0;     ///< number of bytes hashed by find_nearest_lists()
  };
  [[nodiscard]] WorkCounters work_counters() const noexcept;

 private:
  template <typename Read>
  bool replace_contents(const Limits &limits, const Decompressor *decompressor, const Read &read) noexcept;
  [[nodiscard]] const ProjectContents &contents() const noexcept;  // empty before anything was read

  std::unique_ptr<const ProjectContents> contents_;
};

}  // namespace godot_codec::project
