// SPDX-License-Identifier: MIT
/// @file
/// Finds calls of set_multiplayer_authority() in a GDScript, and whether each gives a node to the peer that the node is
/// named after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/core/lexer.h"

namespace godot_codec::project {

/// Which peer has authority over nodes. If scripts follow different rules, the rule with the higher value applies.
enum class AuthorityRule : std::uint8_t {
  server,   ///< scripts leave the authority with the server
  by_name,  ///< `set_multiplayer_authority(str(name).to_int())`, always, as soon as the node is in the tree
  below,    ///< `$Input.set_multiplayer_authority(id)`, or a call on the script's own node: affects only that node and
            ///< its children; the peer is unknown
  other,    ///< any other call: any peer may have authority over any node
};

/// Receives a script's tokens, statement by statement.
class AuthorityCalls {
 public:
  void begin_function(std::string_view name);
  /// @param indent indentation of the statement's line
  void begin_statement(std::size_t indent);
  void add(const Token &token);
  /// Returns how the statement changes the authority.
  [[nodiscard]] AuthorityRule end_statement() const;

 private:
  static constexpr std::size_t longest = 64;  // bytes; all recognised statements are shorter

  std::string statement_;  // the statement's beginning without blanks, at most `longest` bytes and one token
  bool calls_ = false;
  bool is_first_in_tree_ = false;  // in a function that the engine calls as soon as the node is in the tree
  bool is_head_ = false;           // the statement is the head of a function
  bool may_be_over_ = false;       // the function contains a return or an await before this point
  bool has_body_ = false;
  std::size_t body_indent_ = 0;
  std::size_t indent_ = 0;
};

}  // namespace godot_codec::project
