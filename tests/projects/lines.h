// SPDX-License-Identifier: MIT
// Formats a project in the lines of projects/truth.gd, to compare it with the engine's output.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/project.h"

namespace godot_codec::test {

inline std::string joined(const std::vector<std::string> &parts, char separator) {
  std::string text;
  for (const std::string &part : parts) {
    if (&part != &parts.front()) text.push_back(separator);
    text += part;
  }
  return text;
}

inline std::string methods_with_modes(const project::RpcList &list) {
  constexpr std::array<const char *, 4> modes = {"?", "disabled", "any_peer", "authority"};
  constexpr std::array<const char *, 3> transfers = {"unreliable", "unreliable_ordered", "reliable"};
  std::vector<std::string> texts;
  for (const project::RpcMethod &method : list.methods) {
    const project::RpcConfig &config = method.config;
    texts.push_back(std::string(method.name) + ":" + modes[static_cast<std::size_t>(config.mode)] + "," +
                    (config.is_call_local ? "true" : "false") + "," +
                    transfers[static_cast<std::size_t>(config.transfer)] + "," + std::to_string(config.channel));
  }
  return joined(texts, '|');
}

inline std::string paths(std::span<const project::Property> properties) {
  std::vector<std::string> texts;
  for (const project::Property &property : properties) texts.emplace_back(property.path);
  return joined(texts, '|');
}

inline std::string or_dash(std::string_view text) { return text.empty() ? "-" : std::string(text); }

/// Returns a line for each script, sorted: path, MD5, methods with their modes.
inline std::vector<std::string> script_lines(const project::Project &project) {
  std::vector<std::string> lines;
  for (const project::Script &script : project.scripts()) {
    const bool has_list = !script.lists.empty() && !script.lists.front().has_configured;
    const std::string md5 = has_list ? std::string(script.lists.front().md5) : "d41d8cd98f00b204e9800998ecf8427e";
    lines.push_back(joined(
        {"script", std::string(script.path), md5, has_list ? methods_with_modes(script.lists.front()) : ""}, '\t'));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Returns the methods that the node configures itself, without modes, because values of variables cannot be read.
inline std::string configured_line(const project::Scene &scene, const project::Node &node) {
  for (const project::RpcList &list : node.script->lists) {
    if (!list.has_configured || !list.has_inherited) continue;
    std::vector<std::string> names;
    for (const project::RpcMethod &method : list.methods) {
      if (method.id >= project::first_node_method_id) names.emplace_back(method.name);
    }
    return joined(
        {"configured", std::string(scene.path), std::string(node.path), std::string(list.md5), joined(names, '|')},
        '\t');
  }
  return {};
}

/// Returns a line for each node, in tree order.
inline std::vector<std::string> node_lines(const project::Project &project) {
  std::vector<std::string> lines;
  for (const project::Scene &scene : project.scenes()) {
    // Nodes that a script creates are in no scene file.
    if (!scene.path.ends_with("scn")) continue;
    for (const project::Node &node : scene.nodes) {
      const std::string scene_path(scene.path);
      const std::string path(node.path);
      lines.push_back(joined({"node", scene_path, path, std::string(node.type), or_dash(node.script_path)}, '\t'));
      const std::string configured = node.script != nullptr ? configured_line(scene, node) : "";
      if (!configured.empty()) lines.push_back(configured);
      if (const project::Synchronizer *sync = node.synchronizer) {
        lines.push_back(joined({"sync", scene_path, path, or_dash(sync->root), paths(sync->spawn), paths(sync->always),
                                paths(sync->on_change)},
                               '\t'));
      }
      if (const project::Spawner *spawner = node.spawner) {
        const std::vector<std::string> scenes(spawner->scenes.begin(), spawner->scenes.end());
        lines.push_back(joined({"spawner", scene_path, path, or_dash(spawner->root), joined(scenes, '|')}, '\t'));
      }
    }
  }
  return lines;
}

}  // namespace godot_codec::test
