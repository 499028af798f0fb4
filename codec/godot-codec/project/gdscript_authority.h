// SPDX-License-Identifier: MIT
/// @file
/// Calls of set_multiplayer_authority() in a GDScript: whether each gives a node to the peer that the node is named by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/core/lexer.h"

namespace godot_codec::project {

/// The peer that has authority over nodes; the higher value holds where two meet.
enum class AuthorityRule : std::uint8_t {
  server,   ///< scripts leave it at the server
  by_name,  ///< `set_multiplayer_authority(str(name).to_int())`, always, as soon as the node is in the tree
  below,    ///< `$Input.set_multiplayer_authority(id)`, or its own: to somebody, and of no node but itself and those
            ///< below
  other,    ///< something else: any node may go to anybody
};

/// Is told of a script's tokens, statement by statement.
class AuthorityCalls {
 public:
  void begin_function(std::string_view name);
  /// @param indent of its line
  void begin_statement(std::size_t indent);
  void add(const Token &token);
  /// Says how the statement changes the authority.
  [[nodiscard]] AuthorityRule end_statement() const;

 private:
  static constexpr std::size_t longest = 64;  // a statement that is known is shorter

  std::string statement_;  // without blanks, and no more than that of its beginning
  bool calls_ = false;
  bool is_first_in_tree_ = false;  // in a function that the engine calls as soon as the node is in the tree
  bool is_head_ = false;           // the statement is a function's head
  bool may_be_over_ = false;       // the function has returned, or awaited something
  bool has_body_ = false;
  std::size_t body_indent_ = 0;
  std::size_t indent_ = 0;
};

}  // namespace godot_codec::project
