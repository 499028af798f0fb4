// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "godot-codec/project/contents.h"
#include "godot-codec/project/project.h"

namespace godot_codec::project {
namespace {

constexpr std::int32_t server_id = 1;
constexpr std::size_t longest_path = 1024;

bool is_digit_of_name(char c) { return c >= '0' && c <= '9'; }

// The number that to_int() makes of a node's name, where it is a peer's id and nothing else; 0: it is not.
std::int32_t number_of_name(std::string_view name) {
  constexpr std::size_t most_digits = 10;
  if (name.empty() || name.size() > most_digits || name.front() == '0') return 0;
  if (!std::ranges::all_of(name, is_digit_of_name)) return 0;
  std::int64_t number = 0;
  for (const char c : name) number = 10 * number + (c - '0');
  return number <= INT32_MAX ? static_cast<std::int32_t>(number) : 0;
}

// Takes the last name off a path.
std::string_view take_last(std::string_view &path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  return name;
}

// Looks from a scene's node up to its root for a script that gives it to the peer that a node is named by; there may be
// one such, else nothing is proved.
std::int32_t number_above(const NodeMatch &match, std::string_view path) {
  if (match.scene == nullptr || match.node == nullptr) return 0;
  std::string_view node_path = match.node->path;
  std::int32_t number = 0;
  while (!path.empty()) {
    const Node *node = match.scene->find(node_path);
    const std::string_view name = take_last(path);
    if (node != nullptr && node->script != nullptr && node->script->is_authority_by_name) {
      if (number != 0) return 0;
      number = number_of_name(name);
      if (number == 0) return 0;
    }
    if (node_path == ".") return number;
    take_last(node_path);
    if (node_path.empty()) node_path = ".";
  }
  return 0;
}

}  // namespace

std::int32_t Project::authority_of(std::string_view path) const noexcept {
  if (!contents_ || contents_->authority == AuthorityRule::other || !contents_->notes.empty()) return 0;
  if (path.empty() || path.size() > longest_path) return 0;
  // No name makes a number other than 0.
  if (contents_->authority == AuthorityRule::server || std::ranges::none_of(path, is_digit_of_name)) return server_id;
  std::array<NodeMatch, 8> matches;
  const std::size_t count = find_nodes(path, matches);
  if (count == 0 || count == matches.size()) return 0;
  const std::int32_t number = number_above(matches.front(), path);
  const bool is_one = std::all_of(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(count),
                                  [&](const NodeMatch &each) { return number_above(each, path) == number; });
  return is_one ? number : 0;
}

}  // namespace godot_codec::project
