// SPDX-License-Identifier: MIT
/// @file
/// Reads a project folder (the folder with project.godot) for names that are not on the wire.
///
/// Godot 4 sends a number for a method, a hash that identifies the list of methods, a path or a number for a node, and
/// nothing at all for a property. The names are in the scripts and scenes:
///
///     *.gd, *.cs ──> classes ──inherit──> RpcList: number -> method, found by its MD5
///     *.tscn, *.tres ──> nodes ──instances──> Scene: path -> Node -> its Script, Synchronizer, Spawner
///     project.godot ──> autoloads, the main scene: the first component of a path in a running game
///     *.uid, headers of *.tscn and *.tres ──> uid:// -> path, for all of these files
///
/// A Project is read once and does not change. All results are plain data in memory that the Project owns. Views and
/// pointers are valid as long as the Project, have no destructors, and refer to data of the same Project. All texts are
/// valid UTF-8. Because they come from files, node names may contain any characters, including control characters. No
/// function throws, and none writes to files.
///
/// An exported game is a .pck or .zip, often embedded in an executable. Its scripts are tokens and its scenes are in
/// the engine's binary format. Both are converted to text first and then parsed like source files.
///
/// Not supported: encrypted files (reported in notes()); nodes, scripts and rpc_config() calls that a running game
/// creates with values computed at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "godot-codec/project/decompressor.h"
#include "godot-codec/project/limits.h"
#include "godot-codec/project/replication.h"
#include "godot-codec/project/rpc.h"
#include "godot-codec/project/signature.h"
#include "godot-codec/project/value_types.h"

namespace godot_codec::project {

struct ProjectContents;
struct RpcList;
struct Scene;
struct Script;

/// First id of the methods that rpc_config() configures on the node. Ids of the script's methods are lower.
constexpr std::uint16_t first_node_method_id = 0x8000;

/// An entry of an RpcList: a method that peers can call.
struct RpcMethod {
  std::uint16_t id = 0;  ///< id in an RPC
  std::string_view name;
  RpcConfig config;
  const Script *source = nullptr;  ///< the script whose source declares it: the list's script or a base class
  std::uint32_t line = 0;          ///< in that source, counted from 1
};

/// The methods that peers can call on a node with a certain script. A script has several lists, because the engine's
/// version and the executed rpc_config() calls determine which methods belong to the list. The MD5 identifies the list.
struct RpcList {
  std::string_view md5;                ///< 32 lower-case hexadecimal digits, as in a simplify path command
  std::span<const RpcMethod> methods;  ///< sorted by id; methods of the node are last in the list, but first in the
                                       ///< MD5's input
  const Script *script = nullptr;
  bool has_inherited = false;   ///< includes methods of base classes (Godot 4.2 and later), or there are none
  bool has_configured = false;  ///< includes methods configured by rpc_config()

  /// Finds the method with an RPC's id. @returns null if there is none
  [[nodiscard]] const RpcMethod *find(std::uint16_t id) const;
};

/// A list composed on demand from the methods of several scripts, with the memory for it.
struct ConfiguredList {
  RpcList list;
  std::vector<RpcMethod> methods;
};

/// A variable of a script.
struct Variable {
  std::string_view name;
  ValueTypes types;                             ///< `int` for `var hp: int` and `var hp := 3`
  RemoteCallers callers = RemoteCallers::none;  ///< Godot 3: which peers may set it
  std::uint32_t line = 0;                       ///< counted from 1; 0 if unknown
};

/// A script, or an inner class of a script.
struct Script {
  std::string_view path;         ///< `res://player.gd`; of an inner class `res://player.gd::Gun`; of a built-in script
                                 ///< `res://main.tscn::GDScript_1`
  std::string_view class_name;   ///< `class_name`, or an inner class's name; empty if there is none
  const Script *base = nullptr;  ///< base class, if the project contains it
  std::span<const RpcList> lists;  ///< empty without methods; the first is the list of Godot 4.2 and later; the others
                                   ///< differ from it
  std::span<const Variable> variables;       ///< without inherited variables; sorted by name
  std::span<const Function> functions;       ///< without inherited functions; only if their parameters could be parsed;
                                             ///< sorted by name
  std::span<const std::string_view> scenes;  ///< paths of the scenes that it names literally, sorted
  bool is_authority_by_name = false;         ///< AuthorityRule::by_name, also if inherited
  bool gives_away_authority = false;         ///< AuthorityRule::below, also if inherited
  bool has_unknown_properties = false;  ///< undeclared properties may have any type, even properties of the engine's
                                        ///< class: C#, `_get()`, an unknown base class

  /// Finds the function that an RPC to a node with this script executes: the function of the nearest class with this
  /// name.
  /// @returns null if there is none, or its parameters are unknown
  [[nodiscard]] const Function *find_function(std::string_view name) const;
};

/// A property of a SceneReplicationConfig.
struct Property {
  std::string_view path;   ///< as in the config: `.:hp`, `Gun:ammo`
  std::string_view label;  ///< for display: `hp`, `Gun:ammo`
  bool is_spawned = false;
  ReplicationMode mode = ReplicationMode::never;
  ValueTypes types;  ///< types that its values can have on the wire
};

/// A MultiplayerSynchronizer with the properties that it sends.
struct Synchronizer {
  std::string_view node;  ///< path from the scene's root
  std::string_view root;  ///< path of the node whose properties it sends; `.` is the scene's root; empty if it is not a
                          ///< node of this scene
  std::span<const Property> spawn;         ///< in the order of the state in a spawn command
  std::span<const Property> always;        ///< in the order of a sync
  std::span<const Property> on_change;     ///< in the order of the bits in a delta's mask
  Certainty certainty = Certainty::known;  ///< whether scripts may change its config or root
};

/// A MultiplayerSpawner with the scenes that it can spawn.
struct Spawner {
  std::string_view node;  ///< path from the scene's root
  std::string_view root;  ///< path of the parent of the spawned nodes; empty if it is not a node of this scene
  std::span<const std::string_view> scenes;  ///< paths, indexed by the scene index of a spawn command
  std::span<const std::string_view> made;    ///< paths of the scenes that its spawn_function creates, as far as scripts
                                             ///< name them
  std::span<const std::string_view> added;   ///< paths of the scenes that scripts add to its list, as far as they name
                                             ///< them
  bool may_be_others = false;                ///< scripts create or add other scenes in a way that could not be followed
};

/// A node of a scene, including nodes from instanced and inherited scenes.
struct Node {
  std::string_view path;                       ///< from the scene's root, which is `.`: `World/Gun`
  std::string_view type;                       ///< built-in class: `Node3D`
  std::string_view script_path;                ///< empty without a script
  const Script *script = nullptr;              ///< null without a script, or if the project does not contain it
  std::string_view instance;                   ///< path of the scene instanced or inherited here, or empty
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
  /// Synchronizers whose root is the scene's root. A spawn command of the scene lists them in this order, and their
  /// spawn properties one after another. (The game may omit synchronizers that another peer has authority over.)
  std::span<const Synchronizer *const> spawned;
  std::span<const Spawner> spawners;

  /// @param node_path from the scene's root, which is `.` @returns null if there is no such node
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

/// A synchronizer or spawner that may be at a path, if a script has added its scene to a node on that path.
struct AddedNode {
  const Node *node = nullptr;
  const Scene *scene = nullptr;
  std::size_t root_size = 0;  ///< length of the part of the path that leads to the scene's root
  bool is_assumed = false;    ///< no file names its scene
  bool is_moved = false;      ///< its path within its scene differs: a script may have moved or renamed it or a parent
};

/// Why a node may be at a path, according to the files.
enum class Placement : std::uint8_t {
  autoload,     ///< it is an autoload or below one
  main_scene,   ///< it is in the main scene
  other_scene,  ///< the root of another scene has the name of the path's first component
  spawned,      ///< a spawner in one of these scenes may spawn its scene here, with any name
  made,         ///< a spawn_function creates its scene, or a script adds the scene to a spawner's list
};

/// A candidate for the node at a path.
struct NodeMatch {
  Placement placement = Placement::autoload;
  const Script *script = nullptr;  ///< null if the node has no script
  const Node *node = nullptr;      ///< null for an autoload that is a script
  const Scene *scene = nullptr;    ///< the scene that contains the node; null if node is null
  bool is_assumed = false;  ///< it may be another scene: no file names this scene, or its spawner also creates others
};

/// A list of the project that is similar to the list with a certain MD5.
struct NearestList {
  const RpcList *list = nullptr;
  /// True if the difference below results in exactly this MD5. If false, the list is merely the list of a script that
  /// the caller expected, and the names are empty.
  bool is_certain = false;
  std::string_view missing;               ///< name that the project's list lacks, or empty
  std::array<std::string_view, 2> extra;  ///< names that only the project's list has, or empty
};

struct FileContent {
  std::string_view path;  ///< `res://player.gd`; files with a path that is not UTF-8 are skipped
  std::string_view text;  ///< text, or bytes: tokens of a script, a binary resource
};

class Project {
 public:
  Project() noexcept;
  ~Project();
  Project(Project &&other) noexcept;
  Project &operator=(Project &&other) noexcept;

  /// Reads a project folder or an exported game. Replaces what was read before.
  /// @param path UTF-8: the folder or its project.godot; or a .pck, .zip, .apk, or an executable with an embedded pack
  /// @param decompressor for compressed files, such as decompressor() of the library godot-compression; null: they are
  /// not read
  /// @returns false if it is not a project; message() then has the reason, and everything else is empty
  bool read(std::string_view path, const Limits &limits = {}, const Decompressor *decompressor = nullptr) noexcept;

  /// Reads files that are in memory.
  bool read(std::span<const FileContent> files, const Limits &limits = {},
            const Decompressor *decompressor = nullptr) noexcept;

  /// Reads an exported game that is in memory.
  bool read_export(std::string_view bytes, const Limits &limits = {},
                   const Decompressor *decompressor = nullptr) noexcept;

  /// Returns why there is no project, as one sentence; empty if there is one.
  [[nodiscard]] std::string_view message() const noexcept;
  /// Returns what was skipped: encrypted files, files over a limit, links out of the folder. One sentence each.
  [[nodiscard]] std::span<const std::string_view> notes() const noexcept;
  /// True if a file that was read has changed, or files were added or removed. Also true if there was no project and a
  /// project.godot exists now. Checks the files' times and opens no file.
  [[nodiscard]] bool has_changed() const noexcept;

  [[nodiscard]] std::string_view name() const noexcept;        ///< setting `config/name`
  [[nodiscard]] std::string_view main_scene() const noexcept;  ///< path, or empty

  [[nodiscard]] std::span<const Script> scripts() const noexcept;  ///< sorted by path, inner classes after their script
  [[nodiscard]] std::span<const Scene> scenes() const noexcept;    ///< sorted by path
  [[nodiscard]] std::span<const Autoload> autoloads() const noexcept;  ///< in the order of project.godot

  /// Returns the lists with an MD5. Scripts with the same method names have the same MD5. Empty for the MD5 of an empty
  /// list.
  /// @param md5 32 lower-case hexadecimal digits
  [[nodiscard]] std::span<const RpcList *const> find_lists(std::string_view md5) const noexcept;

  /// Returns all lists, sorted by MD5.
  [[nodiscard]] std::span<const RpcList *const> lists() const noexcept;

  /// @param path `res://…`
  [[nodiscard]] const Script *find_script(std::string_view path) const noexcept;
  /// @param path `res://…`
  [[nodiscard]] const Scene *find_scene(std::string_view path) const noexcept;
  /// Returns the scene of a spawn command. @returns null if the spawner has no such scene, or the project does not
  /// contain it
  [[nodiscard]] const Scene *find_spawned(const Spawner &spawner, std::size_t scene_index) const noexcept;

  /// Finds the nodes that may be at a path, the most likely first.
  /// @param path from the multiplayer root, as on the wire: `Main/World`, `Global`
  /// @param matches receives the results
  /// @returns the number of results
  std::size_t find_nodes(std::string_view path, std::span<NodeMatch> matches) const noexcept;

  /// Finds the synchronizers and spawners whose path within their scene equals the end of @p path: `Inputs/Sync` for
  /// `World/Players/1/Inputs/Sync`.
  /// - Matches of longer ends come first. If the whole path matches, there are no others.
  /// - Nodes that scripts may have moved follow; only their name has to match.
  /// - If there are none so far: scenes whose root is a synchronizer or spawner with this name.
  /// @returns the number of results, which may be larger than @p nodes
  std::size_t find_added(std::string_view path, std::span<AddedNode> nodes) const noexcept;
  /// Returns the paths of the scenes that scripts add to a node with add_child(), as far as the scripts name them.
  /// @param name how the scripts refer to the node: its name, the path of its own script, a group; `current_scene`,
  /// `root`
  [[nodiscard]] std::span<const std::string_view> find_children(std::string_view name) const noexcept;
  /// True if scripts also add scenes to a node that cannot be determined. @param name as in find_children()
  [[nodiscard]] bool adds_unknown_scenes_to(std::string_view name) const noexcept;
  /// True if the script is attached to a node of a scene.
  [[nodiscard]] bool is_attached_to_node(const Script &script) const noexcept;
  /// True if scripts change the scripts of nodes at run time.
  [[nodiscard]] bool sets_scripts() const noexcept;
  /// True if scripts remove scenes from the lists of spawners.
  [[nodiscard]] bool clears_spawnable() const noexcept;
  /// True if find_children() covers all nodes that scripts add this scene to.
  [[nodiscard]] bool has_known_parents(const Scene &scene) const noexcept;
  /// True if scripts may create synchronizers whose properties cannot be determined.
  [[nodiscard]] bool builds_synchronizers() const noexcept;
  /// True if scripts may change the config or the root of any synchronizer, because their target is unknown.
  /// Synchronizers that scripts change by name are marked in Synchronizer::certainty instead.
  [[nodiscard]] bool changes_synchronizers() const noexcept;
  /// Returns the path of a script that may replace or change the SceneReplicationConfig of any synchronizer, because it
  /// mentions the class, the property or one of its methods. Empty if there is none.
  [[nodiscard]] std::string_view config_script() const noexcept;
  /// True if scripts may add scenes to a spawner's list that its scene file does not contain.
  [[nodiscard]] bool may_add_scenes(const Spawner &spawner) const noexcept;
  /// True if a script calls set_multiplayer_authority(), so that a peer other than the server may be a node's
  /// authority.
  [[nodiscard]] bool sets_authority() const noexcept;
  /// Returns the peer that has authority over a node, if the scripts prove it: either no script changes the authority
  /// of the node and its parents, or scripts set it only by node names, for their own node and the nodes below it. 0 if
  /// it cannot be proved.
  /// @param path from the multiplayer root, as on the wire
  /// @param script of the node, if it is known
  [[nodiscard]] std::int32_t authority_of(std::string_view path, const Script *script = nullptr) const noexcept;

  /// Finds a node's list if another script has configured its methods: the methods of a script, and some of those for
  /// which any script calls rpc_config() with a literal name. The MD5 proves the result. May hash about ten megabytes,
  /// so callers should cache the result.
  /// @returns false if there is none
  bool find_configured(std::string_view md5, ConfiguredList &found) const noexcept;

  /// Finds the lists that a list with an unknown MD5 may be another version of: one method less, one or two more, or
  /// one renamed. Cannot find a name that no script of the project contains. All calls together hash at most 64 MiB;
  /// the rest of the project is then not searched.
  /// @param expected scripts that the node may have; if nothing is found, the result is the list of the first of them
  /// that has one
  /// @returns the number of results
  std::size_t find_nearest(std::string_view md5, std::span<const Script *const> expected,
                           std::span<NearestList> nearest) const noexcept;

  /// Cost of reading and of queries so far.
  struct Work {
    std::size_t nodes = 0;   ///< nodes processed while building scenes, including skipped nodes
    std::size_t steps = 0;   ///< scenes and spawners visited by find_nodes()
    std::size_t hashed = 0;  ///< bytes hashed by find_nearest()
  };
  [[nodiscard]] Work work() const noexcept;

 private:
  template <typename Read>
  bool replace(const Read &read) noexcept;
  [[nodiscard]] const ProjectContents &contents() const noexcept;  // empty before anything was read

  std::unique_ptr<const ProjectContents> contents_;
};

}  // namespace godot_codec::project
