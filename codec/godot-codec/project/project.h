// SPDX-License-Identifier: MIT
/// @file
/// A game's folder (the one with project.godot): what it says that is not on the wire.
///
/// Godot 4 sends a number for a method, a hash for the list that the number counts in, a path or a number for a node,
/// and nothing at all for a property. Names stand in the scripts and scenes:
///
///     *.gd, *.cs ──> classes ──inherit──> RpcList: number -> method, found by its MD5
///     *.tscn, *.tres ──> nodes ──instances──> Scene: path -> Node -> its Script, Synchronizer, Spawner
///     project.godot ──> autoloads, the main scene: what a path of a running game begins with
///     *.uid, headers of *.tscn and *.tres ──> uid:// -> path, for all of them
///
/// A Project is read once and does not change. Everything that it answers is plain data in memory that it owns: views
/// and pointers hold as long as the Project, need no destructor, and point at each other within the same Project.
/// All texts are valid UTF-8; they come from files, so names of nodes may have any characters, control characters too.
/// No function throws, and none writes anywhere.
///
/// A game that was exported is a .pck or .zip, often inside of a program, with scripts as tokens and scenes in the
/// engine's binary format: these are written as text first, and read like the others.
///
/// Not read: what is encrypted, which notes() names; nodes, scripts and rpc_config() calls that a running game makes in
/// ways that its files do not spell out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "godot-codec/project/limits.h"
#include "godot-codec/project/replication.h"
#include "godot-codec/project/rpc.h"
#include "godot-codec/project/signature.h"
#include "godot-codec/project/unpack.h"
#include "godot-codec/project/value_types.h"

namespace godot_codec::project {

struct ProjectContents;
struct RpcList;
struct Scene;
struct Script;

/// Methods by rpc_config() on the node, rather than by its script, have ids from here on.
constexpr std::uint16_t first_node_method_id = 0x8000;

/// A remotely callable method of a node, as an entry of an RpcList.
struct RpcMethod {
  std::uint16_t id = 0;  ///< the number in a remote call
  std::string_view name;
  RpcConfig config;
  const Script *source = nullptr;  ///< the script whose source marks it: the list's, or one that it inherits from
  std::uint32_t line = 0;          ///< there, counted from 1
};

/// The methods that can be called of a node with a certain script. Which of a script's lists a game uses depends on
/// its engine, and on whether its rpc_config() calls have run; the MD5 tells.
struct RpcList {
  std::string_view md5;                ///< 32 lower-case hex digits, as a simplify path command has it
  std::span<const RpcMethod> methods;  ///< by rising id; those of the node are the last ones, but the first in the MD5
  const Script *script = nullptr;
  bool has_inherited = false;   ///< those of base classes are in it (Godot 4.2 and later), or there are none
  bool has_configured = false;  ///< those of rpc_config() are in it

  /// @returns the method of a remote call's number, or null
  [[nodiscard]] const RpcMethod *find(std::uint16_t id) const;
};

/// A list that is not of the project's scripts alone, with its memory.
struct ConfiguredList {
  RpcList list;
  std::vector<RpcMethod> methods;
};

/// A variable of a script.
struct Variable {
  std::string_view name;
  ValueTypes types;                               ///< that it may hold: `int` of `var hp: int` and `var hp := 3`
  RemoteCallers callers = RemoteCallers::nobody;  ///< who may set it
  std::uint32_t line = 0;                         ///< counted from 1; 0: not known
};

/// A script, or an inner class of one.
struct Script {
  std::string_view path;           ///< `res://player.gd`; for an inner class `res://player.gd::Gun`; in a scene
                                   ///< `res://main.tscn::GDScript_1`
  std::string_view class_name;     ///< `class_name`, or an inner class's name; empty if it has none
  const Script *base = nullptr;    ///< the script that it extends, if that is one of the project's
  std::span<const RpcList> lists;  ///< none without methods; the first is the one of Godot 4.2 and later, the others
                                   ///< differ from it
  std::span<const Variable> variables;       ///< its own ones, by name
  std::span<const Function> functions;       ///< its own ones of which it can be read what they take, by name
  std::span<const std::string_view> scenes;  ///< paths of those that it names literally, by path
  bool is_authority_by_name = false;         ///< AuthorityRule::by_name, its own or inherited
  bool gives_away_authority = false;         ///< AuthorityRule::below, its own or inherited
  bool has_unknown_properties = false;       ///< others may be of any type, even if the engine's class has them: C#,
                                             ///< `_get()`, a base that is not known

  /// The function that a call of a node with this script runs: that of the nearest class with the name.
  /// @returns null if there is none, or what it takes is not known
  [[nodiscard]] const Function *find_function(std::string_view name) const;
};

/// A property of a synchronizer's configuration.
struct Property {
  std::string_view path;   ///< the path in the configuration: `.:hp`, `Gun:ammo`
  std::string_view label;  ///< `hp`, `Gun:ammo`
  bool is_spawned = false;
  ReplicationMode mode = ReplicationMode::never;
  ValueTypes types;  ///< types that its values may have on the wire
};

/// The properties that a MultiplayerSynchronizer sends.
struct Synchronizer {
  std::string_view node;  ///< its path from the scene's root
  std::string_view root;  ///< path of the node whose properties it sends: `.` is the scene's root; empty if it is no
                          ///< node of this scene
  std::span<const Property> spawn;         ///< in the order of a spawn command's state
  std::span<const Property> always;        ///< in the order of a sync
  std::span<const Property> on_change;     ///< in the order of the bits of a delta's mask
  Certainty certainty = Certainty::known;  ///< whether scripts may change its config or root
};

/// The scenes that a MultiplayerSpawner spawns.
struct Spawner {
  std::string_view node;  ///< its path from the scene's root
  std::string_view root;  ///< path of the node under which it spawns; empty if it is none of this scene
  std::span<const std::string_view> scenes;  ///< paths, by the scene index of a spawn command
  std::span<const std::string_view> made;    ///< paths of those that its spawn_function may make, as scripts say it
  std::span<const std::string_view> added;   ///< paths of those that scripts add to the list, as far as they say it
  bool may_be_others = false;                ///< scripts make or add others in a way that is not followed
};

/// A node of a scene with everything that it instances and inherits put in.
struct Node {
  std::string_view path;                       ///< from the scene's root, which is `.`: `World/Gun`
  std::string_view type;                       ///< Godot's class
  std::string_view script_path;                ///< empty if it has no script
  const Script *script = nullptr;              ///< null also if the project lacks it
  std::string_view instance;                   ///< path of the scene that is put in here, or inherited from; or empty
  const Synchronizer *synchronizer = nullptr;  ///< null if it is no MultiplayerSynchronizer
  const Spawner *spawner = nullptr;            ///< null if it is no MultiplayerSpawner
  std::span<const std::string_view> scenes;    ///< paths of those that a script of it has exported
  std::span<const std::string_view> groups;    ///< those that a scene puts it in
  std::string_view file;                       ///< the scene whose file puts it there
  std::uint32_t line = 0;                      ///< there, counted from 1; 0: not known
};

/// A scene.
struct Scene {
  std::string_view path;                        ///< `res://main.tscn`
  std::string_view root_name;                   ///< the first node's name
  std::span<const Node> nodes;                  ///< in tree order: a node, its children, then its next sibling
  std::span<const Synchronizer> synchronizers;  ///< all of its nodes, in tree order
  /// Those whose root is the scene's: a spawn command of the scene lists them in this order, and their spawn
  /// properties one after another. (A game may leave out some: those that another peer has authority over.)
  std::span<const Synchronizer *const> spawned;
  std::span<const Spawner> spawners;

  /// @param node_path from the scene's root, `.` for that
  /// @returns null if there is none
  [[nodiscard]] const Node *find(std::string_view node_path) const;

 private:
  friend class SceneBuilder;
  std::span<const Node *const> by_path_;  // sorted
};

/// A node that is there as long as the game runs.
struct Autoload {
  std::string_view name;           ///< also the node's
  std::string_view path;           ///< the script's or scene's
  const Script *script = nullptr;  ///< one of the two, if the project has it
  const Scene *scene = nullptr;
};

/// A synchronizer or spawner that may be at a path, if a script has added its scene somewhere above.
struct AddedNode {
  const Node *node = nullptr;
  const Scene *scene = nullptr;
  std::size_t root_size = 0;  ///< how much of the path is the scene's root
  bool is_assumed = false;    ///< no file names its scene
  bool is_moved = false;  ///< it is not there in its scene: a script has moved it, or a node above, or given it a name
};

/// Why the files let a node be at a path.
enum class Placement : std::uint8_t {
  autoload,     ///< it is an autoload, or a part of one
  main_scene,   ///< it is in the scene that the game begins with
  other_scene,  ///< another scene's root has the name that the path begins with
  spawned,      ///< it is in a scene that a spawner in one of these scenes may put there, under any name
  made,         ///< made by the spawner's spawn_function, or added to its list by a script
};

/// A node that may be at a path.
struct NodeMatch {
  Placement placement = Placement::autoload;
  const Script *script = nullptr;  ///< its script, or null
  const Node *node = nullptr;      ///< null of an autoload that is a script
  const Scene *scene = nullptr;    ///< the scene in which node is one of the nodes; null if node is
  bool is_assumed = false;         ///< another scene may be there: no file names this one, or its spawner makes others
};

/// A list of the project that is near to one that it lacks.
struct NearestList {
  const RpcList *list = nullptr;
  /// The difference gives exactly the MD5 that was looked for. If not, no more is known than that the list is one of
  /// the script that the caller expected, and no names are given.
  bool is_certain = false;
  std::string_view missing;               ///< a name that the project's list lacks, or empty
  std::array<std::string_view, 2> extra;  ///< names that only the project's list has, or empty
};

/// A file of a project.
struct FileContent {
  std::string_view path;  ///< `res://player.gd`; not UTF-8: the file is left out
  std::string_view text;  ///< or bytes: tokens of a script, a binary resource
};

class Project {
 public:
  Project() noexcept;
  ~Project();
  Project(Project &&other) noexcept;
  Project &operator=(Project &&other) noexcept;

  /// Reads a folder, or an exported game, instead of what was read before.
  /// @param path UTF-8: the folder or its project.godot; a .pck, a .zip, a program with one in it, an .apk
  /// @param unpacker for what is compressed, such as unpacker() of godot-compression; null: it is not read
  /// @returns whether it is a project. If not, message() says why and everything is empty
  bool read(std::string_view path, const Limits &limits = {}, const Unpacker *unpacker = nullptr) noexcept;

  /// Reads files that are in memory already, for whoever has them from elsewhere.
  bool read(std::span<const FileContent> files, const Limits &limits = {}, const Unpacker *unpacker = nullptr) noexcept;

  /// Reads an exported game that is in memory already.
  bool read_export(std::string_view bytes, const Limits &limits = {}, const Unpacker *unpacker = nullptr) noexcept;

  /// Why there is no project, in one sentence; empty if there is one.
  [[nodiscard]] std::string_view message() const noexcept;
  /// Things that were left out: encrypted files, files beyond a limit, links out of the folder; a sentence each.
  [[nodiscard]] std::span<const std::string_view> notes() const noexcept;
  /// True if a file that was read has changed since, or files have come or gone. Also true if there was no project and
  /// now there is a project.godot. Asks the system for the times of files, opens none.
  [[nodiscard]] bool has_changed() const noexcept;

  [[nodiscard]] std::string_view name() const noexcept;        ///< `config/name`
  [[nodiscard]] std::string_view main_scene() const noexcept;  ///< path, or empty

  [[nodiscard]] std::span<const Script> scripts() const noexcept;      ///< by path, inner classes behind theirs
  [[nodiscard]] std::span<const Scene> scenes() const noexcept;        ///< by path
  [[nodiscard]] std::span<const Autoload> autoloads() const noexcept;  ///< in the order of project.godot

  /// The lists with an MD5: several scripts may have the same names. None for the MD5 of no names.
  /// @param md5 32 hex digits
  [[nodiscard]] std::span<const RpcList *const> find_lists(std::string_view md5) const noexcept;

  /// All lists, by MD5.
  [[nodiscard]] std::span<const RpcList *const> lists() const noexcept;

  /// @param path `res://…`
  [[nodiscard]] const Script *find_script(std::string_view path) const noexcept;
  /// @param path `res://…`
  [[nodiscard]] const Scene *find_scene(std::string_view path) const noexcept;
  /// The scene of a spawn command. @returns null if the spawner has no such scene, or the project lacks it
  [[nodiscard]] const Scene *find_spawned(const Spawner &spawner, std::size_t scene_index) const noexcept;

  /// The nodes that may be at a path, the likeliest first.
  /// @param path from the multiplayer root, as on the wire: `Main/World`, `Global`
  /// @param matches where to write them
  /// @returns how many were written
  std::size_t find_nodes(std::string_view path, std::span<NodeMatch> matches) const noexcept;

  /// The synchronizers and spawners that are somewhere below the root of a scene as the path's end says: `Inputs/Sync`
  /// of `World/Players/1/Inputs/Sync`. Longer ends come first; where the whole path is one, there are no others. Behind
  /// them come those that scripts may have moved, which have the name alone. Where there are none, those that are the
  /// root of a scene, and have the name of that.
  /// @returns how many there are, which may be more than were written
  std::size_t find_added(std::string_view path, std::span<AddedNode> nodes) const noexcept;
  /// Paths of the scenes that scripts add to a node by add_child(), as far as they say so.
  /// @param name what the scripts call the node: its name, its own script's path, a group; `current_scene`, `root`
  [[nodiscard]] std::span<const std::string_view> find_children(std::string_view name) const noexcept;
  /// True if scripts add a scene that is not known to a node. @param name as in find_children()
  [[nodiscard]] bool adds_unknown(std::string_view name) const noexcept;
  /// True if a node of a scene has a script.
  [[nodiscard]] bool is_of_scene(const Script &script) const noexcept;
  /// True if scripts give nodes other scripts at run time.
  [[nodiscard]] bool sets_scripts() const noexcept;
  /// True if scripts remove scenes from the lists of spawners.
  [[nodiscard]] bool clears_spawnable() const noexcept;
  /// True if find_children() tells of all nodes that scripts add a scene to.
  [[nodiscard]] bool has_place(const Scene &scene) const noexcept;
  /// True if scripts may make synchronizers, of which it is not known what they send.
  [[nodiscard]] bool builds_synchronizers() const noexcept;
  /// True if scripts may change the config or the root of any synchronizer, because it is not known which they change.
  /// Those that scripts change by name are in Synchronizer::certainty.
  [[nodiscard]] bool changes_synchronizers() const noexcept;
  /// The path of a script that may give any synchronizer another SceneReplicationConfig, or change one, because it
  /// names the class, the property or one of their methods. Empty: no script does.
  [[nodiscard]] std::string_view config_script() const noexcept;
  /// True if scripts may add scenes to a spawner's list that its own scene does not say.
  [[nodiscard]] bool may_add_scenes(const Spawner &spawner) const noexcept;
  /// True if a script calls set_multiplayer_authority(): another peer than the server may then be a node's authority.
  [[nodiscard]] bool sets_authority() const noexcept;
  /// The peer that has authority over a node, where the scripts prove it: they leave the node and all
  /// above it to the server, or set it by nodes' names alone, for themselves and the nodes below in their scene. 0: not
  /// known
  /// @param path from the multiplayer root, as on the wire
  /// @param script of the node, where it is known
  [[nodiscard]] std::int32_t authority_of(std::string_view path, const Script *script = nullptr) const noexcept;

  /// The list of a node whose methods another script has configured: a script's own, and some of those that
  /// rpc_config() is called for anywhere with the name as a literal. The MD5 proves it. Hashes up to some ten
  /// megabytes: keep the answer.
  /// @returns whether there is one
  bool find_configured(std::string_view md5, ConfiguredList &found) const noexcept;

  /// The lists that a list of an unknown MD5 may be another version of: those that have one method less or one or two
  /// more, or one under another name. A name that is in no script of the project cannot be found.
  /// All questions together hash 64 MiB at most: what of the project is not looked into by then is not found.
  /// @param expected the scripts that the node may have, of which the first that has a list is given where nothing is
  ///        found
  /// @returns how many were written
  std::size_t find_nearest(std::string_view md5, std::span<const Script *const> expected,
                           std::span<NearestList> nearest) const noexcept;

  /// The work that reading and answering has taken so far.
  struct Work {
    std::size_t nodes = 0;   ///< looked at while scenes were put together, those that were left out included
    std::size_t steps = 0;   ///< scenes and spawners that find_nodes() has looked at
    std::size_t hashed = 0;  ///< bytes, by find_nearest()
  };
  [[nodiscard]] Work work() const noexcept;

 private:
  template <typename Read>
  bool replace(const Read &read) noexcept;
  [[nodiscard]] const ProjectContents &contents() const noexcept;  // empty where nothing was read

  std::unique_ptr<const ProjectContents> contents_;
};

}  // namespace godot_codec::project
