// SPDX-License-Identifier: MIT
/// @file
/// Reads the file of a scene or resource. Does not resolve instances or references to other files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/declared_settings.h"

namespace godot_codec::project {

/// A reference to another file, or to a sub-resource of a file.
struct ResourceReference {
  std::string uid;
  std::string path;  ///< `res://…`; for a sub-resource `res://main.tscn::id`; or `uid://…`
};

/// A SceneReplicationConfig as stored in the file.
struct ParsedReplicationConfig {
  struct Property {
    std::string path;
    bool is_spawned = true;
    ReplicationMode mode = ReplicationMode::always;

    /// Sets or clears a mode, like the properties `sync` and `watch` of Godot 4.0.
    void set_mode(ReplicationMode which, bool is_on) {
      if (is_on || mode == which) mode = is_on ? which : ReplicationMode::never;
    }
  };

  std::vector<Property> properties;

  /// Applies a stored property such as `properties/0/path`, as the engine does. Also supports `sync` and `watch` of
  /// Godot 4.0.
  void set_stored_property(std::string_view key, const struct ResourceValue &value);
};

/// A node of the scene, or the changes that a scene makes to an inherited or instanced node.
struct ParsedNode {
  std::string name;
  std::string type;                   ///< empty for an instance, and for changes to an existing node
  std::uint32_t line = 0;             ///< line in the file, counted from 1; 0 if the file has no lines
  std::optional<std::string> parent;  ///< path from the scene's root; nullopt for the root itself
  std::optional<ResourceReference> instance;
  std::optional<std::size_t> index;  ///< position among the children of its parent
  bool is_unique_name = false;       ///< true if the node can also be found by `%Name`

  /// Properties that the file sets. An empty path means that the file sets the script or the config to null.
  std::optional<ResourceReference> script, config;
  std::optional<std::string> root_path, spawn_path;
  std::optional<std::vector<std::string>> spawnable_scenes;

  std::vector<std::string> groups;
  /// Properties with scenes or node paths as values, which may be exported variables of the script. Node paths are
  /// relative to this node.
  std::map<std::string, std::vector<ResourceReference>, std::less<>> scenes;
  std::map<std::string, std::string, std::less<>> node_paths;
};

struct ParsedScene {
  std::string uid;
  std::vector<ResourceReference> references;  ///< all references to scenes
  std::vector<ParsedNode> nodes;              ///< in file order, so parents precede their children
  std::map<std::string, ParsedReplicationConfig, std::less<>> configs;  ///< by path: the path of the file or, for a
                                                                        ///< sub-resource, `res://a.tscn::id`
  std::map<std::string, std::string, std::less<>> gd_scripts;           ///< source code of built-in scripts, by path
                                                                        ///< (`res://a.tscn::id`)
};

/// Parses a .tscn or .tres file.
/// @param text valid UTF-8
/// @param path of the file: `res://main.tscn`
[[nodiscard]] ParsedScene read_scene(std::string_view text, std::string_view path);

}  // namespace godot_codec::project
