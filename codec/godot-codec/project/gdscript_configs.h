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
/// Read as far as a function says it in literals, line after line; nothing is run. One that depends on a condition, on
/// an argument or on another function is not known.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/core/lexer.h"
#include "godot-codec/project/scene_source.h"

namespace godot_codec::project {

/// A synchronizer that a script adds, or gives another configuration.
struct BuiltSynchronizer {
  enum class Place : std::uint8_t {
    first,      ///< a child of the script's node, in the tree before the others
    last,       ///< a child of the script's node, behind the others
    present,    ///< a child that the scene has: only its configuration is another one
    elsewhere,  ///< a child of another node, of which the script says nothing
  };

  std::string name;  ///< its path where it is present already; empty: the engine makes one up
  std::string root_path = "..";
  std::string function = {};  ///< that adds it
  Place place = Place::last;
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

  /// To be called at the script's end. @returns those that are known
  [[nodiscard]] std::vector<BuiltSynchronizer> take();
  /// True if take() has told all: the script makes or changes no others.
  [[nodiscard]] bool are_all_known() const { return are_all_known_; }

 private:
  using Tokens = std::span<const Token>;
  using Texts = std::vector<std::string>;
  static constexpr std::size_t nothing = SIZE_MAX;

  struct Config {
    ConfigSource source;
    std::size_t place = 0;  // see place()
    bool is_known = true;
  };
  struct Synchronizer {
    BuiltSynchronizer built;
    std::size_t config = nothing;
    bool is_known = true;
    bool is_added = false;
    bool has_config = false;  // one is set, known or not
  };
  // A variable's value: texts, all that a loop gives it one after the other, or one of the above.
  struct Value {
    Texts texts;
    std::size_t config = nothing;
    std::size_t synchronizer = nothing;
    std::size_t place = 0;  // where it was set
  };
  struct Loop {
    std::size_t indent = 0;
    std::size_t body = nothing;
  };

  bool read_statement(Tokens tokens);
  bool read_loop(Tokens tokens);
  bool read_assignment(Tokens left, Tokens right);
  bool read_property(Synchronizer &synchronizer, std::string_view property, Tokens right);
  bool read_call(Tokens tokens);
  bool read_config_call(std::size_t config, std::string_view method, Tokens arguments);
  bool read_added(Tokens object, Tokens argument);
  void note_unknown(Tokens tokens);
  [[nodiscard]] bool is_about_configs(const Token &token);
  [[nodiscard]] Value *find(const Token &token);
  [[nodiscard]] Synchronizer *synchronizer_of(Tokens tokens);
  [[nodiscard]] std::size_t config_of(Tokens tokens);
  [[nodiscard]] std::size_t new_config();
  [[nodiscard]] std::size_t new_present(Tokens tokens);
  [[nodiscard]] std::optional<Texts> texts_of(Tokens tokens);
  [[nodiscard]] std::optional<Texts> term_of(Tokens &tokens);
  [[nodiscard]] std::size_t place() const;
  [[nodiscard]] bool spend(std::size_t size);

  std::vector<Token> statement_;
  std::string function_;
  std::size_t indent_ = 0;
  std::vector<Loop> loops_;  // over literals, that the statement is in
  std::map<std::string, Value, std::less<>> members_;
  std::map<std::string, Value, std::less<>> locals_;
  std::vector<Config> configs_;
  std::vector<Synchronizer> synchronizers_;
  std::size_t budget_ = 0;  // bytes of texts that may still be copied
  bool are_all_known_ = true;
};

}  // namespace godot_codec::project
