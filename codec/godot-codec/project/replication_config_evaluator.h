// SPDX-License-Identifier: MIT
/// @file
/// Finds the MultiplayerSynchronizers that a GDScript creates or changes, and the SceneReplicationConfigs that it fills
/// in.
///
///     var sync := MultiplayerSynchronizer.new()
///     var config := SceneReplicationConfig.new()
///     for property in [".:hp", ".:position"]:
///         config.add_property(NodePath(property))
///     sync.replication_config = config
///     add_child(sync)
///
/// Evaluates literals, one statement after another; no code is executed. A list of properties is unknown if it depends
/// on a condition or an argument. It is also unknown if another script, a scene or a derived class may change it. If a
/// function of the same script returns a config, calls of this function are followed, one level deep.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/core/lexer.h"
#include "godot-codec/project/declared_settings.h"
#include "godot-codec/project/parsed_scene.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {

/// A synchronizer that a script adds, or a synchronizer with a config or a root that the script changes.
struct ScriptSynchronizer {
  enum class TreePosition : std::uint8_t {
    first,      ///< child of the script's node, before the children of the scene
    last,       ///< child of the script's node, after the other children
    existing,   ///< a node of the scene, or the script's own node; only its config or root changes
    elsewhere,  ///< child of a node that is not known
  };

  std::string name;       ///< for TreePosition::existing, the node's path, `.` for the script's own node; otherwise the
                          ///< node's name, empty if the engine chooses the name
  std::string root_path;  ///< empty: as set in the scene, or the engine's default
  std::string function = {};         ///< the function that adds or changes the synchronizer
  std::string config_function = {};  ///< the function that returns its config; empty if the script assigns a config
                                     ///< directly
  TreePosition position = TreePosition::last;
  Certainty certainty = Certainty::known;
  bool has_config = false;            ///< true if the script assigns another config
  bool changes_scene_config = false;  ///< true if the script changes the scene's config, which other nodes may share
  bool uses_class_variables = false;  ///< true if the list of properties is in a variable, because derived classes may
                                      ///< set the variable
  ParsedReplicationConfig config;
  std::string config_path = {};  ///< unique, like the path of a config in a scene; empty until scripts are linked to
                                 ///< their base classes

  /// True if it is a node of the scene.
  [[nodiscard]] bool is_in_scene() const { return position == TreePosition::existing; }
};

/// Receives a script's statements, one after another.
class ReplicationConfigEvaluator {
 public:
  /// @param indent indentation of the statement's line
  /// @param new_function name of the function that the statement declares, or empty
  void add_statement(Tokens statement, std::size_t indent, std::string_view new_function);

  /// Returns the synchronizers. Must be called after the last statement.
  [[nodiscard]] std::vector<ScriptSynchronizer> take_synchronizers();
  /// True if take_synchronizers() has returned all synchronizers of the script, and all their lists are known.
  [[nodiscard]] bool are_all_known() const { return are_all_known_; }
  /// True if the script changes the config or root of an unknown synchronizer.
  [[nodiscard]] bool changes_unknown_synchronizers() const { return changes_unknown_synchronizers_; }

 private:
  using Texts = std::vector<std::string>;
  static constexpr std::size_t no_index = SIZE_MAX;
  static constexpr std::size_t class_block = 0;  // block id of initial values in the class
  static constexpr std::size_t engine_callback_block =
      1;  // block id of the functions that the engine calls before all other functions

  struct EvaluatedConfig {
    ParsedReplicationConfig source;
    std::size_t block = 0;  // block in which it was created, see current_block_id()
    bool is_known = true;
    bool is_scene_config = false;                // true if it is the config in the scene file
    bool uses_class_variables = false;           // true if it contains texts from variables of the class
    std::string function;                        // the function that returns it; empty: the current function creates it
    std::size_t exits_at_assignment = no_index;  // value of exit_count_ when it was assigned to a synchronizer
  };
  struct EvaluatedSynchronizer : ScriptSynchronizer {
    std::size_t assigned_config = no_index;  // index in configs_
    bool is_known = true;
    bool is_added = false;
    bool is_always_executed = true;  // true if the change of a node of the scene is always executed
  };
  // A variable's value: texts, a config or a synchronizer. A loop variable has the texts of all iterations.
  struct VariableValue {
    Texts texts;
    std::size_t config = no_index;
    std::size_t synchronizer = no_index;
    std::size_t block = 0;           // block in which it was set, see current_block_id()
    bool is_class_variable = false;  // true for a class variable, and for a value computed from a class variable
    bool is_multiplayer = false;     // true for a SceneMultiplayer, which also has a root_path
  };
  struct Loop {
    std::size_t indent = 0;
    std::size_t block = 0;
    std::size_t body_block = no_index;
  };
  struct Block {
    std::size_t indent = 0;
    std::size_t id = 0;
  };

  void begin_block(std::size_t indent, std::string_view new_function);
  bool read_statement(Tokens tokens);
  bool read_loop(Tokens tokens);
  bool read_assignment(Tokens left, Tokens right);
  bool read_property(std::size_t synchronizer, std::string_view property, Tokens right);
  bool read_return(Tokens tokens);
  bool read_call(Tokens tokens);
  bool read_config_call(std::size_t config, std::string_view method, Tokens arguments);
  bool read_add_child(Tokens object, Tokens argument);
  struct PossibleChange {
    bool changes_list = false;
    bool changes_property = false;
  };
  void record_unknown_change(Tokens tokens);
  [[nodiscard]] PossibleChange find_possible_change(Tokens tokens);
  [[nodiscard]] std::size_t find_referenced_synchronizer(Tokens tokens, std::size_t i, bool is_changed);
  [[nodiscard]] bool mentions_config(const Token &token);
  [[nodiscard]] bool is_multiplayer(Tokens tokens);
  [[nodiscard]] bool is_value_valid(const VariableValue &value) const;
  [[nodiscard]] VariableValue *find_variable(const Token &token);
  [[nodiscard]] std::size_t find_synchronizer(Tokens tokens);
  [[nodiscard]] std::size_t find_config(Tokens tokens);
  [[nodiscard]] std::size_t add_config();
  [[nodiscard]] std::size_t get_existing_synchronizer(Tokens tokens);
  [[nodiscard]] std::size_t get_existing_synchronizer(const std::string &name);
  [[nodiscard]] std::optional<Texts> evaluate_texts(Tokens tokens);
  [[nodiscard]] std::optional<Texts> evaluate_operand(Tokens &tokens);
  [[nodiscard]] std::size_t current_block_id() const;
  [[nodiscard]] bool use_budget(std::size_t size);

  std::string function_name_;  // empty outside of functions
  std::size_t function_indent_ = 0;
  std::size_t indent_ = 0;
  std::vector<Block> blocks_;  // blocks that contain the statement
  std::size_t last_block_id_ = engine_callback_block;
  std::size_t exit_count_ = 0;  // number of `return` and `await` statements in the function so far; the code after them
                                // may run later or not at all
  bool mentions_config_ = false;      // true if the statement mentions a replication config or a root_path
  bool is_exported_ = false;          // true if the next variable has an @export annotation
  bool is_declaration_ = false;       // true if the statement declares a variable
  bool uses_class_variable_ = false;  // true if the statement uses texts of a variable of the
                                      // class
  std::map<std::string, std::size_t, std::less<>> returned_configs_;  // configs returned by functions, by function
  std::vector<Loop> loops_;                                           // enclosing loops over literals, outermost first
  std::map<std::string, VariableValue, std::less<>> class_variables_;
  std::map<std::string, VariableValue, std::less<>> local_variables_;
  std::vector<EvaluatedConfig> configs_;
  std::vector<EvaluatedSynchronizer> synchronizers_;
  std::size_t text_budget_ = 0;  // number of bytes of text that may still be copied
  bool are_all_known_ = true;
  bool changes_unknown_synchronizers_ = false;
};

}  // namespace godot_codec::project
