// SPDX-License-Identifier: MIT
/// @file
/// Finds calls of set_multiplayer_authority() in a GDScript. Determines whether each call gives a node to the peer with
/// the ID in the node's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/core/lexer.h"

namespace godot_codec::project {

/// Which peer has authority over nodes. If scripts follow different rules, the rule with the highest value applies.
enum class AuthorityRule : std::uint8_t {
  server,   ///< scripts leave the authority with the server
  by_name,  ///< `set_multiplayer_authority(str(name).to_int())`, always executed when the node enters the tree
  below,    ///< `$Input.set_multiplayer_authority(id)`, or a call on the script's own node: affects only this node and
            ///< its children; the peer is unknown
  other,    ///< any other call, so any peer may have authority over any node
};

/// Receives a script's tokens, one statement after another.
class AuthorityCallDetector {
 public:
  void begin_function(std::string_view name);
  /// @param indent indentation of the statement's line
  void begin_statement(std::size_t indent);
  void add(const Token &token);
  /// Returns how the statement changes the authority.
  [[nodiscard]] AuthorityRule end_statement() const;

 private:
  static constexpr std::size_t max_statement_size = 64;  // in bytes; all recognised statements are shorter

  std::string
      statement_;  // the beginning of the statement without blanks; no token is added after `max_statement_size` bytes
  bool has_authority_call_ = false;
  bool is_enter_tree_callback_ = false;  // true in a function that the engine calls when the node enters the tree
  bool is_function_header_ = false;      // true if the statement is the head of a function
  bool may_have_returned_ = false;       // true if the function contains a return or an await before the current token
  bool has_body_statement_ = false;
  std::size_t body_indent_ = 0;
  std::size_t indent_ = 0;
};

}  // namespace godot_codec::project
