// SPDX-License-Identifier: MIT
/// @file
/// Reads from a script's source what matters to remote calls: classes, what they extend, which of their methods are
/// marked. Nothing is run and nothing is refused: in a source that the engine would not compile, what can be read is
/// read.
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

#include "godot-codec/project/gdscript_authority.h"
#include "godot-codec/project/gdscript_configs.h"
#include "godot-codec/project/rpc.h"
#include "godot-codec/project/signature.h"
#include "godot-codec/project/value_types.h"

namespace godot_codec::project {

/// A class as a source names it: `"base.gd"`, `Base`, `Outer.Inner`, `"base.gd".Inner`.
struct ClassReference {
  std::string path;                ///< the path in the source, may be relative; empty: by names alone
  std::vector<std::string> names;  ///< one after the other, each in the one before

  [[nodiscard]] bool empty() const { return path.empty() && names.empty(); }
};

/// A method that can be called remotely.
struct MarkedMethod {
  std::string name;
  RpcConfig config;
  std::uint32_t line = 0;  ///< the line of its name, counted from 1
  /// Arguments that are constants: what they are for (in C# a name, or empty), and what they are called,
  /// `Net.Channel`
  std::vector<std::pair<std::string, std::string>> constants = {};
};

/// Takes an argument of C#'s `[Rpc]`. @param name `TransferChannel`, `CallLocal`; others tell by their value
/// @returns whether it has a meaning
bool apply_csharp_argument(RpcConfig &config, std::string_view name, std::string_view value);

/// The names that a member of a class uses: a function in its body, a constant or a variable in its value.
struct MemberUses {
  std::vector<std::string> scenes;           ///< literal paths of scenes, as written
  std::set<std::string, std::less<>> words;  ///< names, and the last parts of literal paths
  bool loads_unknown = false;                ///< the path of a scene that it loads is put together at run time
};

/// `$Spawner.spawn_function = make_player`, `$Spawner.add_spawnable_scene(…)`, `$Players.add_child(…)`
struct SpawnFunction {
  enum class Kind : std::uint8_t {
    function,  ///< makes the nodes of a spawner
    list,      ///< adds a scene to a spawner's list
    child,     ///< adds a node to any other
  };

  std::string
      spawner;  ///< the last word of the node that it is about, `Spawner`; empty: the class's own; `)`: not told
  std::string function;  ///< the member that makes the nodes, or adds the scene; empty: not told, any member may
  Kind kind = Kind::function;
  std::string scene = {};   ///< a list's, where it is named literally; empty: not told
  bool is_literal = false;  ///< the node is named literally, `$Players`; its name is no variable's

  [[nodiscard]] bool operator==(const SpawnFunction &) const = default;
};

/// A part of a function, as a key of ScriptClass::uses: a statement by its line, those of a variable by its name.
[[nodiscard]] inline std::string part_of(std::string_view function, std::string_view part) {
  return std::string(function).append(":").append(part);
}
[[nodiscard]] inline std::string function_of(std::string_view part) {
  return std::string(part.substr(0, part.find(':')));
}

/// The declaration of a variable.
struct DeclaredVariable {
  ValueTypes types;
  RemoteCallers callers = RemoteCallers::nobody;
  std::uint32_t line = 0;
};

/// A class of a script, the script itself included.
struct ScriptClass {
  std::string name;       ///< an inner class's name; for the script itself its class_name, if it has one
  std::size_t outer = 0;  ///< index of the class around it; the script's own for itself
  std::string
      full_name;  ///< C#: with namespace, the classes around it, and how many types it takes: `Game.Outer.Box`1`
  bool is_merged = false;  ///< C#: a part of a class, which another part has all of
  ClassReference base;
  std::map<std::string, std::size_t, std::less<>> inner;         ///< index of each inner class
  std::map<std::string, ClassReference, std::less<>> constants;  ///< `const Base = preload("base.gd")`
  std::vector<MarkedMethod> methods;  ///< marked as `@rpc` or `[Rpc]`, in the order of the source
  /// By `rpc_config("name", …)` on itself; nothing for a name that a last call takes out again
  std::map<std::string, std::optional<MarkedMethod>, std::less<>> configured;
  /// By `rpc_config("name", …)` on another node; the last call for a name
  std::map<std::string, MarkedMethod, std::less<>> configured_elsewhere;
  std::vector<std::string> functions;                      ///< the names of all methods
  std::map<std::string, FunctionHead, std::less<>> heads;  ///< their parameters, as far as it can be read
  std::vector<std::string> scenes;                         ///< literal paths of scenes, as written, each once
  std::vector<SpawnFunction> spawn_functions;              ///< and calls that add scenes or nodes
  bool renames_itself = false;                             ///< it gives its node another name
  bool moves_others = false;  ///< it gives nodes that it has not made itself another name or parent
  /// Names that it gives the MultiplayerSpawners that it makes, by the variable; an empty name is not known
  std::map<std::string, std::set<std::string>, std::less<>> spawners;
  /// By member, and by part of a function; only where there are spawn functions
  std::map<std::string, MemberUses, std::less<>> uses;
  AuthorityRule authority = AuthorityRule::server;  ///< by its calls of set_multiplayer_authority()
  std::vector<BuiltSynchronizer> synchronizers;     ///< made by the script, of whatever class in it
  bool loads_unknown = false;                       ///< MemberUses::loads_unknown of any member
  bool sets_scripts = false;                        ///< it gives nodes other scripts
  bool clears_spawnable = false;                    ///< it removes scenes from the list of a spawner
  bool builds_configs = false;                      ///< it makes synchronizers, of which it is not known what they send
  bool changes_configs = false;                     ///< it changes what a synchronizer sends, and it is not known which
  std::map<std::string, DeclaredVariable, std::less<>> variables;
};

/// A source file. The first class is the script itself.
struct ScriptSource {
  std::vector<ScriptClass> classes;
  std::map<std::string, std::string, std::less<>> constants;  ///< C#: by class and name, `Net.Channel`: the last word
};

/// Classes in classes, at most; what is deeper is passed over.
constexpr std::size_t max_class_depth = 32;
/// Scenes that a class names, and spawn functions that it sets; what is beyond is passed over.
constexpr std::size_t max_named_scenes = 256;

/// True if a text may be the path of a scene: `res://player.tscn`, `uid://…`.
[[nodiscard]] bool is_scene_path(std::string_view text);

/// Reads a GDScript of Godot 4.
/// @param source valid UTF-8, perhaps behind a byte order mark
[[nodiscard]] ScriptSource read_gdscript(std::string_view source);

/// Reads a C# source. The first class is the one of the file's name, as Godot takes it; without one it is empty.
/// @param source valid UTF-8, perhaps behind a byte order mark
/// @param file_name without folder and extension
[[nodiscard]] ScriptSource read_csharp(std::string_view source, std::string_view file_name);

}  // namespace godot_codec::project
