// SPDX-License-Identifier: MIT
/// @file
/// Parses a script's source for the data that RPCs and spawning need: classes, base classes, RPC methods, variables,
/// and the paths of scenes. Executes nothing. Also accepts sources that the engine would not compile, and reads as much
/// of them as possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/project/declared_settings.h"
#include "godot-codec/project/function_signature.h"
#include "godot-codec/project/replication_config_evaluator.h"

namespace godot_codec::project {

/// A reference to a class in a source, such as `"base.gd"`, `Base`, `Outer.Inner`, `"base.gd".Inner`.
struct ClassReference {
  std::string path;                ///< as written, so it may be relative; empty if the reference has only names
  std::vector<std::string> names;  ///< each name is looked up in the class of the previous name

  [[nodiscard]] bool empty() const { return path.empty() && names.empty(); }
};

/// A method with an RPC annotation or an rpc_config() call.
struct RpcDeclaration {
  std::string name;
  RpcConfig config;
  std::uint32_t line = 0;  ///< line of the method's name, counted from 1
  /// Arguments that are constants: the parameter, and the constant such as `Net.Channel`. In C#, the parameter may be
  /// empty.
  std::vector<std::pair<std::string, std::string>> constant_arguments = {};
};

/// Applies an argument of C#'s `[Rpc]`.
/// @param name `TransferChannel` or `CallLocal`; other arguments are recognised by their value
/// @returns false if the argument is not recognised
bool apply_csharp_argument(RpcConfig &config, std::string_view name, std::string_view value);

/// Which peer has authority over nodes. If scripts follow different rules, the rule with the highest value applies.
enum class AuthorityRule : std::uint8_t {
  server,   ///< scripts leave the authority with the server
  by_name,  ///< `set_multiplayer_authority(str(name).to_int())`, always executed when the node enters the tree
  below,    ///< `$Input.set_multiplayer_authority(id)`, or a call on the script's own node: affects only this node and
            ///< its children; the peer is unknown
  other,    ///< any other call, so any peer may have authority over any node
};

/// The words and scenes that a member of a class uses: in the body of a function, or in the initial value of a constant
/// or variable.
struct MemberUses {
  std::vector<std::string> scenes;           ///< literal paths of scenes, as written
  std::set<std::string, std::less<>> words;  ///< identifiers, and the last components of literal paths
  bool loads_unknown_scenes = false;         ///< true if it loads a scene by a path that is computed at run time
};

/// A statement about spawned nodes, such as `$Spawner.spawn_function = make_player`, `$Spawner.add_spawnable_scene(…)`
/// or `$Players.add_child(…)`.
struct SpawnStatement {
  enum class Action : std::uint8_t {
    set_function,  ///< sets the spawn_function of a spawner
    add_scene,     ///< adds a scene to a spawner's list
    add_child,     ///< adds a node to any node
  };

  /// Last word of the target node's expression, such as `Spawner`. Empty for the class's own node; `)` if it is
  /// unknown.
  std::string target = {};
  std::string function = {};  ///< the member that creates the nodes or adds the scene; empty: may be any member
  Action action = Action::set_function;
  std::string scene = {};   ///< for Action::add_scene: the scene's path if it is a literal; otherwise empty
  bool is_literal = false;  ///< true if `target` is the name of a node (`$Players`), not of a variable

  [[nodiscard]] bool operator==(const SpawnStatement &) const = default;
};

/// Returns the key in ScriptClass::uses for a part of a function. A part is a statement, which is identified by its
/// line, or all statements of a local variable, which are identified by the variable's name.
[[nodiscard]] inline std::string function_part_key(std::string_view function, std::string_view part) {
  return std::string(function).append(":").append(part);
}
[[nodiscard]] inline std::string function_of_part_key(std::string_view part) {
  return std::string(part.substr(0, part.find(':')));
}

/// A class in a script file. The script itself is a class, too.
struct ScriptClass {
  std::string name;             ///< name of an inner class; for the script itself, its class_name or empty
  std::size_t outer_class = 0;  ///< index of the enclosing class; the script's own index for the script itself
  /// C#: the name with namespace, enclosing classes and number of type parameters: `Game.Outer.Box`1`
  std::string full_name;
  bool is_merged = false;  ///< C#: true if this partial declaration has been merged into another declaration
  ClassReference base;
  std::map<std::string, std::size_t, std::less<>> inner_classes;  ///< indices of inner classes by name
  std::map<std::string, ClassReference, std::less<>> constants;   ///< `const Base = preload("base.gd")`
  std::vector<RpcDeclaration> methods;                            ///< with `@rpc` or `[Rpc]`, in source order
  /// Set by `rpc_config("name", …)` on the script's own node. nullopt if the last call for a name removes the config.
  std::map<std::string, std::optional<RpcDeclaration>, std::less<>> configured_methods;
  /// Set by the last call of `rpc_config("name", …)` for each name on another node.
  std::map<std::string, RpcDeclaration, std::less<>> methods_configured_elsewhere;
  std::vector<std::string> functions;                       ///< names of all methods
  std::map<std::string, Function, std::less<>> signatures;  ///< parameters of methods, if they could be parsed
  std::vector<std::string> scenes;                          ///< literal paths of scenes, as written, without duplicates
  std::vector<SpawnStatement> spawn_statements;             ///< also contains calls that add scenes or nodes
  bool renames_itself = false;                              ///< true if it renames its own node
  bool moves_other_nodes = false;                           ///< true if it renames or reparents nodes that it did not
                                                            ///< create
  /// Names of the MultiplayerSpawners that the script creates, by variable. An empty name is unknown.
  std::map<std::string, std::set<std::string>, std::less<>> spawners;
  /// By member, or by part of a function (see function_part_key()). Empty if the class has no spawn_statements.
  std::map<std::string, MemberUses, std::less<>> uses;
  AuthorityRule authority = AuthorityRule::server;  ///< from its calls of set_multiplayer_authority()
  std::vector<ScriptSynchronizer> synchronizers;    ///< created or changed by any class of the script
  bool loads_unknown_scenes = false;                ///< true if MemberUses::loads_unknown_scenes is true for any member
  bool sets_scripts = false;                        ///< true if it changes the script of nodes
  bool clears_spawnable = false;                    ///< true if it removes scenes from a spawner's list
  bool builds_unknown_synchronizers =
      false;  ///< true if it creates or changes synchronizers in a way that could not be followed
  bool changes_unknown_configs = false;  ///< true if it changes the config or root of an unknown synchronizer
  std::map<std::string, Variable, std::less<>> variables;  ///< by name
};

/// A parsed source file. The first class is the script itself.
struct ParsedScript {
  std::vector<ScriptClass> classes;
  bool mentions_configs = false;  ///< true if mentions_replication_config() is true for any token
  std::map<std::string, std::string, std::less<>> constants;  ///< C#: last word of each constant's value, by class and
                                                              ///< name (`Net.Channel`)
};

/// Maximum nesting of classes. Deeper classes are skipped.
constexpr std::size_t max_class_depth = 32;
/// Maximum number of scenes, and of spawn functions, of a class. Further scenes and functions are skipped.
constexpr std::size_t max_named_scenes = 256;

/// True if a text looks like the path of a scene: `res://player.tscn`, `uid://…`.
[[nodiscard]] bool is_scene_path(std::string_view text);

/// True if the text of a word or string suggests that the script changes or replaces a SceneReplicationConfig.
[[nodiscard]] bool mentions_replication_config(std::string_view text);

/// Parses GDScript (Godot 3 or 4).
/// @param source valid UTF-8, optionally with a byte order mark
[[nodiscard]] ParsedScript read_gdscript(std::string_view source);

/// Parses a C# source. The first class is the class with the name of the file, as in Godot; it is empty if the file has
/// no such class.
/// @param source valid UTF-8, optionally with a byte order mark
/// @param file_name without folder and extension
[[nodiscard]] ParsedScript read_csharp(std::string_view source, std::string_view file_name);

}  // namespace godot_codec::project
