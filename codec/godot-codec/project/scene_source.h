// SPDX-License-Identifier: MIT
/// @file
/// Reads a scene's or a resource's file by itself, before instances and other files are put in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/replication.h"

namespace godot_codec::project {

/// Something that a file refers to: another file or a part of a file.
struct ResourceReference {
  std::string uid;   ///< `uid://…`, or empty
  std::string path;  ///< `res://…`; for a part `res://main.tscn::id`; or `uid://…`
};

/// A SceneReplicationConfig as it is stored.
struct ConfigSource {
  struct Property {
    std::string path;
    bool is_spawned = true;
    ReplicationMode mode = ReplicationMode::always;

    /// Takes a mode or leaves it, as 4.0's `sync` and `watch` say.
    void set_mode(ReplicationMode which, bool is_on) {
      if (is_on || mode == which) mode = is_on ? which : ReplicationMode::never;
    }
  };

  std::vector<Property> properties;

  /// Takes `properties/0/path` and the like as the engine does, 4.0's spelling (`sync`, `watch`) included.
  void set(std::string_view key, const struct ResourceValue &value);
};

/// A node, or what an inheriting scene says of a node of the other scene.
struct NodeSource {
  std::string name;
  std::string type;                   ///< empty for an instance, or a node that is there already
  std::uint32_t line = 0;             ///< in the file, counted from 1; 0: the file has no lines
  std::optional<std::string> parent;  ///< a path from the scene's root, which has none
  std::optional<ResourceReference> instance;
  std::optional<std::size_t> index;  ///< its place among its parent's children
  bool is_unique_name = false;       ///< found by `%Name` too

  /// Those of its properties that the file names; a script or a configuration that is null has an empty path.
  std::optional<ResourceReference> script, config;
  std::optional<std::string> root_path, spawn_path;
  std::optional<std::vector<std::string>> spawnable_scenes;

  std::vector<std::string> groups;
  /// Values that a script may have exported, by property: scenes, and paths from this node.
  std::map<std::string, std::vector<ResourceReference>, std::less<>> scenes;
  std::map<std::string, std::string, std::less<>> node_paths;
};

struct SceneSource {
  std::string uid;
  std::vector<ResourceReference> references;                   ///< to scenes
  std::vector<NodeSource> nodes;                               ///< in the file's order: parents before children
  std::map<std::string, ConfigSource, std::less<>> configs;    ///< by path: the file's own or `res://a.tscn::id`
  std::map<std::string, std::string, std::less<>> gd_scripts;  ///< source of scripts in the file, by path as well
};

/// Reads a .tscn or .tres.
/// @param text valid UTF-8
/// @param path the file's own: `res://main.tscn`
[[nodiscard]] SceneSource read_scene(std::string_view text, std::string_view path);

}  // namespace godot_codec::project
