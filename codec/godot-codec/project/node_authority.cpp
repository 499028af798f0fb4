// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "godot-codec/core/path.h"
#include "godot-codec/project/project.h"
#include "godot-codec/project/project_contents.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::int32_t server_id = 1;
constexpr std::size_t longest_path = 1024;

// Returns the peer id that to_int() returns for a node's name; 0 if the name is not exactly a peer id.
std::int32_t peer_id_of_name(std::string_view name) {
  const std::int32_t peer_id = parse_integer<std::int32_t>(name).value_or(0);
  return peer_id > 0 && name.front() != '0' ? peer_id : 0;
}

// Removes the last component of a path.
// @returns the component
std::string_view take_last_name(std::string_view &path) {
  const std::string_view name = base_name(path);
  path = parent_path(path);
  return name;
}

// How scripts change the authority of a node: the scripts of the node and of its parents, up to the root of the scene.
struct AncestorAuthority {
  bool is_unknown = false;      // true if a script sets an unknown peer, or two scripts set the authority by the node's
                                // name
  std::int32_t peer_id = 0;     // peer id in the name of the node with a script that sets the authority by name; 0: no
                                // such node
  std::string_view outer_path;  // path of the node to which the scene's root was added

  bool operator==(const AncestorAuthority &) const = default;
};

AncestorAuthority inspect_ancestors(const NodeMatch &match, std::string_view path) {
  constexpr AncestorAuthority unknown{true, 0, {}};
  const bool is_autoload =
      match.placement == NodePlacement::autoload && match.node == nullptr && match.script != nullptr;
  if (is_autoload && !match.script->gives_away_authority && !match.script->is_authority_by_name) return {};
  if (match.scene == nullptr || match.node == nullptr) return unknown;
  std::string_view node_path = match.node->path;
  std::int32_t peer_id = 0;
  while (!path.empty()) {
    const Node *node = match.scene->find(node_path);
    const std::string_view name = take_last_name(path);
    const Script *script = node == nullptr ? nullptr : node->script;
    if (script != nullptr && script->gives_away_authority) return unknown;
    if (script != nullptr && script->is_authority_by_name) {
      if (peer_id != 0) return unknown;
      peer_id = peer_id_of_name(name);
      if (peer_id == 0) return unknown;
    }
    if (node_path == ".") return {false, peer_id, path};
    take_last_name(node_path);
    if (node_path.empty()) node_path = ".";
  }
  return unknown;
}

}  // namespace

std::int32_t Project::find_authority(std::string_view path, const Script *script) const noexcept {
  if (!contents_ || contents_->authority == AuthorityRule::other || !contents_->notes.empty()) return 0;
  if (path.empty() || path.size() > longest_path) return 0;
  if (contents_->authority == AuthorityRule::server) return server_id;
  const bool is_by_name = contents_->authority == AuthorityRule::by_name;
  // A path without digits contains no peer id, so to_int() cannot return one.
  if (is_by_name && path.find_first_of("0123456789") == std::string_view::npos) return server_id;
  constexpr unsigned most_scenes = 8;
  constexpr std::size_t most_nodes = 8;
  for (unsigned scenes = 0; scenes < most_scenes; ++scenes) {
    std::optional<AncestorAuthority> ancestors;
    const NodeMatches matches = find_nodes(path);
    for (const NodeMatch &match : matches) {
      if (script != nullptr && match.script != script) continue;
      const AncestorAuthority found = inspect_ancestors(match, path);
      if (ancestors.value_or(found) != found) return 0;
      ancestors = found;
    }
    if (!ancestors || ancestors->is_unknown || matches.size() >= most_nodes) return 0;
    if (ancestors->peer_id != 0 || is_by_name) return ancestors->peer_id;
    if (ancestors->outer_path.empty()) return server_id;
    path = ancestors->outer_path;
    script = nullptr;  // belongs to this node only, not to the parents
  }
  return 0;
}

}  // namespace godot_codec::project
