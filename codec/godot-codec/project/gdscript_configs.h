// SPDX-License-Identifier: MIT
/// @file
/// MultiplayerSynchronizers that a GDScript makes by itself, with the SceneReplicationConfigs that it fills in.
///
///     var sync := MultiplayerSynchronizer.new()
///     var config := SceneReplicationConfig.new()
///     for property in [".:hp", ".:position"]:
///         config.add_property(NodePath(property))
///     sync.replication_config = config
///     add_child(sync)
///
/// Reads what a function spells out in literals, line after line; nothing is run. A list that depends on a condition or
/// an argument is not known, and neither is a list that another script, a scene or a derived class may change. A call
/// of a function of the same script that returns a config is followed, one level deep.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/core/lexer.h"
#include "godot-codec/project/replication.h"
#include "godot-codec/project/scene_source.h"

namespace godot_codec::project {

/// A synchronizer that a script adds, or of which it changes the config or the root.
struct BuiltSynchronizer {
  enum class Place : std::uint8_t {
    first,      ///< a child of the script's node, in the tree before the others
    last,       ///< a child of the script's node, after the others
    present,    ///< a node that the scene has, the script's own included: only its config or its root changes
    elsewhere,  ///< a child of another node, which the script does not name
  };

  std::string name;       ///< its path if it is present already, `.` for the script's own; empty: the engine names it
  std::string root_path;  ///< empty: the scene's, or the engine's default
  std::string function = {};       ///< the function that adds or changes it
  std::string list_function = {};  ///< the function that returns its config; empty: the script assigns a config itself
  Place place = Place::last;
  Certainty certainty = Certainty::known;
  bool has_config = false;          ///< it gets another config
  bool changes_scene_list = false;  ///< the config of the scene itself changes, which other nodes may share
  bool uses_variables = false;      ///< the list is in a variable, which derived classes may set
  ConfigSource config;
};

/// Is told of a script's tokens, statement by statement.
class BuiltConfigs {
 public:
  void begin_function(std::string_view name);
  /// @param indent of its line
  void begin_statement(std::size_t indent);
  void add(const Token &token);
  void end_statement();

  /// To be called at the script's end.
  [[nodiscard]] std::vector<BuiltSynchronizer> take();
  /// True if take() has returned all that the script makes, and the lists of all are known.
  [[nodiscard]] bool are_all_known() const { return are_all_known_; }
  /// True if the script changes a config or a root of a synchronizer which it does not name.
  [[nodiscard]] bool changes_others() const { return changes_others_; }

 private:
  using Tokens = std::span<const Token>;
  using Texts = std::vector<std::string>;
  static constexpr std::size_t nothing = SIZE_MAX;
  static constexpr std::size_t of_class = 0;       // the place of values that the class has from the beginning
  static constexpr std::size_t first_in_tree = 1;  // the block of functions that the engine calls before all others

  struct Config {
    ConfigSource source;
    std::size_t place = 0;  // see place()
    bool is_known = true;
    bool is_of_scene = false;           // the config that the scene has
    bool uses_variables = false;        // variables of the class hold texts of it
    std::string function;               // that returns it; empty: made here
    std::size_t given_after = nothing;  // the exits before its assignment
  };
  struct Synchronizer {
    BuiltSynchronizer built;
    std::size_t config = nothing;
    bool is_known = true;
    bool is_added = false;
    bool is_certain = true;  // the change of one that is present runs in any case
  };
  // A variable's value: texts, all that a loop gives it one after the other, or one of the above.
  struct Value {
    Texts texts;
    std::size_t config = nothing;
    std::size_t synchronizer = nothing;
    std::size_t place = 0;        // the block where it was set
    bool is_variable = false;     // of the class, or made from one
    bool is_multiplayer = false;  // a SceneMultiplayer, which has a root_path, too
  };
  struct Loop {
    std::size_t indent = 0;
    std::size_t place = 0;
    std::size_t body = nothing;
  };
  struct Block {
    std::size_t indent = 0;
    std::size_t id = 0;
  };

  bool read_statement(Tokens tokens);
  bool read_loop(Tokens tokens);
  bool read_assignment(Tokens left, Tokens right);
  bool read_property(std::size_t synchronizer, std::string_view property, Tokens right);
  bool read_return(Tokens tokens);
  bool read_call(Tokens tokens);
  bool read_config_call(std::size_t config, std::string_view method, Tokens arguments);
  bool read_added(Tokens object, Tokens argument);
  struct Change {
    bool is_of_list = false;
    bool is_of_property = false;
  };
  void note_unknown(Tokens tokens);
  [[nodiscard]] Change change_of(Tokens tokens);
  [[nodiscard]] std::size_t mentioned(Tokens tokens, std::size_t i, bool is_changed);
  [[nodiscard]] bool is_about_configs(const Token &token);
  [[nodiscard]] bool is_multiplayer(Tokens tokens);
  [[nodiscard]] bool is_open(const Value &value) const;
  [[nodiscard]] Value *find(const Token &token);
  [[nodiscard]] std::size_t synchronizer_of(Tokens tokens);
  [[nodiscard]] std::size_t config_of(Tokens tokens);
  [[nodiscard]] std::size_t new_config();
  [[nodiscard]] std::size_t present(Tokens tokens);
  [[nodiscard]] std::size_t present(const std::string &name);
  [[nodiscard]] std::optional<Texts> texts_of(Tokens tokens);
  [[nodiscard]] std::optional<Texts> term_of(Tokens &tokens);
  [[nodiscard]] std::size_t place() const;
  [[nodiscard]] bool spend(std::size_t size);

  std::vector<Token> statement_;
  std::string function_;  // empty: between functions
  std::size_t function_indent_ = 0;
  std::size_t indent_ = 0;
  std::vector<Block> blocks_;  // that the statement is in
  std::size_t last_block_ = first_in_tree;
  std::size_t exits_ = 0;       // statements of the function so far after which the rest may not run, or run later
  bool is_about_ = false;       // the statement has to do with configs or roots
  bool is_exported_ = false;    // the next variable is
  bool is_declared_ = false;    // the statement declares a variable
  bool uses_variable_ = false;  // the statement uses texts of a variable of the class
  std::map<std::string, std::size_t, std::less<>> returned_;  // configs, by function
  std::vector<Loop> loops_;                                   // over literals, that the statement is in
  std::map<std::string, Value, std::less<>> members_;
  std::map<std::string, Value, std::less<>> locals_;
  std::vector<Config> configs_;
  std::vector<Synchronizer> synchronizers_;
  std::size_t budget_ = 0;  // bytes of texts that may still be copied
  bool are_all_known_ = true;
  bool changes_others_ = false;
};

}  // namespace godot_codec::project
