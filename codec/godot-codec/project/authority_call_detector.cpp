// SPDX-License-Identifier: MIT
#include "godot-codec/project/authority_call_detector.h"

#include <algorithm>

namespace godot_codec::project {
namespace {

constexpr std::string_view call_of_4 = "set_multiplayer_authority(";
constexpr std::string_view call_of_3 = "set_network_master(";

// True if the call in a statement concerns the script's own node, or a node below it with a literal path.
bool affects_only_subtree(std::string_view statement) {
  const std::size_t at = std::min(statement.find(call_of_4), statement.find(call_of_3));
  if (at == std::string_view::npos) return false;
  const std::string_view node = statement.substr(0, at);
  if (node.empty() || node == "self.") return true;
  const bool is_literal = node.starts_with('$') || node.starts_with('%');
  return is_literal && node.find_first_of("([=,;:") == std::string_view::npos &&
         node.find("..") == std::string_view::npos && !node.starts_with("$\"/") && !node.starts_with("$/");
}

}  // namespace

void AuthorityCallDetector::begin_function(std::string_view name) {
  is_enter_tree_callback_ = name == "_enter_tree" || name == "_ready";
  is_function_header_ = true;
  may_have_returned_ = false;
  has_body_statement_ = false;
}

void AuthorityCallDetector::begin_statement(std::size_t indent) {
  statement_.clear();
  has_authority_call_ = false;
  is_function_header_ = false;
  indent_ = indent;
}

void AuthorityCallDetector::add(const Token &token) {
  has_authority_call_ =
      has_authority_call_ || token.is_word("set_multiplayer_authority") || token.is_word("set_network_master");
  may_have_returned_ = may_have_returned_ || token.is_word("return") || token.is_word("await");
  if (statement_.size() < max_statement_size) statement_ += token.text.substr(0, max_statement_size);
  // This is the first statement of the function's body.
  if (!is_function_header_ && !has_body_statement_) {
    has_body_statement_ = true;
    body_indent_ = indent_;
  }
}

AuthorityRule AuthorityCallDetector::end_statement() const {
  if (!has_authority_call_) return AuthorityRule::server;
  const AuthorityRule otherwise = affects_only_subtree(statement_) ? AuthorityRule::below : AuthorityRule::other;
  if (!is_enter_tree_callback_ || is_function_header_ || may_have_returned_ || indent_ != body_indent_)
    return otherwise;
  std::string_view call = statement_;
  if (call.starts_with("self.")) call.remove_prefix(5);
  constexpr std::string_view known[] = {
      "set_multiplayer_authority(name.to_int())", "set_multiplayer_authority(str(name).to_int())",
      "set_multiplayer_authority(String(name).to_int())", "set_multiplayer_authority(int(str(name)))",
      "set_multiplayer_authority(int(String(name)))"};
  return std::ranges::find(known, call) == std::end(known) ? otherwise : AuthorityRule::by_name;
}

}  // namespace godot_codec::project
