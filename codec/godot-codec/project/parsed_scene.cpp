// SPDX-License-Identifier: MIT
#include "godot-codec/project/parsed_scene.h"

#include <algorithm>
#include <set>
#include <utility>

#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/project_limits.h"
#include "godot-codec/project/resource_text.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::string_view config_type = "SceneReplicationConfig";
constexpr std::size_t max_properties = 4096;
constexpr std::size_t max_exported = 64;           // maximum number of properties of a node
constexpr std::size_t max_spawnable_scenes = 255;  // a spawn command has one byte for the scene's index, and 255 means
                                                   // no scene

// Limits the length of paths and names, because they are copied for each instance of the scene.
std::string empty_if_too_long(std::string text) {
  return text.size() <= max_node_path_size ? std::move(text) : std::string();
}

class SceneFileReader {
 public:
  SceneFileReader(std::string_view text, std::string_view path) : reader_(text), path_(path) {}

  ParsedScene read() {
    for (ResourceItem item; reader_.next(item);) {
      if (item.is_tag) {
        begin_section(item);
      } else {
        set_property(item);
      }
    }
    scene_.nodes.shrink_to_fit();
    return std::move(scene_);
  }

 private:
  void begin_section(const ResourceItem &tag) {
    current_node_ = nullptr;
    current_config_ = nullptr;
    current_script_ = nullptr;
    if (tag.name == "gd_scene" || tag.name == "gd_resource") {
      scene_.uid = tag.field_text("uid");
      has_lines_ = tag.fields.contains("format");  // absent in the text that our converter writes for an exported scene
      resource_type_ = tag.field_text("type");
    } else if (tag.name == "ext_resource") {
      if (tag.field_text("type") == "PackedScene") external_scenes_.insert(tag.field_text("id"));
      external_resources_[tag.field_text("id")] = {empty_if_too_long(tag.field_text("uid")),
                                                   empty_if_too_long(resolve_path(tag.field_text("path"), path_))};
      if (tag.field_text("type") == "PackedScene")
        scene_.references.push_back(external_resources_[tag.field_text("id")]);
    } else if (tag.name == "sub_resource") {
      begin_resource(tag.field_text("type"), path_ + "::" + tag.field_text("id"));
    } else if (tag.name == "resource") {
      begin_resource(resource_type_, path_);
    } else if (tag.name == "node") {
      begin_node(tag);
    }
  }

  void begin_resource(std::string_view type, const std::string &path) {
    if (type == config_type) current_config_ = &scene_.configs[path];
    if (type == "GDScript") current_script_ = &scene_.gd_scripts[path];
  }

  void begin_node(const ResourceItem &tag) {
    current_node_ = &scene_.nodes.emplace_back();
    current_node_->name = empty_if_too_long(tag.field_text("name"));
    current_node_->type = empty_if_too_long(tag.field_text("type"));
    if (has_lines_) current_node_->line = tag.line;
    if (tag.fields.contains("parent")) current_node_->parent = tag.field_text("parent");
    if (const auto instance = tag.fields.find("instance"); instance != tag.fields.end()) {
      current_node_->instance = make_reference(instance->second);
    }
    if (tag.fields.contains("instance_placeholder")) current_node_->type = "InstancePlaceholder";
    if (const auto groups = tag.fields.find("groups"); groups != tag.fields.end()) {
      current_node_->groups = groups->second.texts;
      current_node_->groups.resize(std::min(current_node_->groups.size(), max_exported));
    }
    current_node_->index = parse_integer<std::size_t>(tag.field_text("index"));
  }

  // Returns the resource that a value refers to. Returns an empty path for null, and for a resource that the file does
  // not declare.
  [[nodiscard]] ResourceReference make_reference(const ResourceValue &value) const {
    if (value.kind == ResourceValueKind::internal) return {{}, empty_if_too_long(path_ + "::" + value.text)};
    if (value.kind != ResourceValueKind::external) return {};
    const auto found = external_resources_.find(value.text);
    return found == external_resources_.end() ? ResourceReference{} : found->second;
  }

  void set_property(const ResourceItem &item) {
    const ResourceValue &value = item.value;
    if (is_scene_path(value.text)) scene_.references.push_back({{}, value.text});
    for (const std::string &text : value.texts) {
      if (is_scene_path(text)) scene_.references.push_back({{}, text});
    }
    if (current_config_ != nullptr) current_config_->set_stored_property(item.name, value);
    if (current_script_ != nullptr && item.name == "script/source") *current_script_ = value.text;
    if (current_node_ == nullptr) return;
    record_exported_property(item);
    if (item.name == "script") current_node_->script = make_reference(value);
    if (item.name == "replication_config") current_node_->config = make_reference(value);
    if (item.name == "root_path") current_node_->root_path = empty_if_too_long(value.text);
    if (item.name == "spawn_path") current_node_->spawn_path = empty_if_too_long(value.text);
    if (item.name == "_spawnable_scenes") {
      current_node_->spawnable_scenes = value.texts;
      current_node_->spawnable_scenes->resize(std::min(value.texts.size(), max_spawnable_scenes));
    }
    if (item.name == "unique_name_in_owner") current_node_->is_unique_name = value.integer != 0;
  }

  // Records a property that may be an exported variable. The only property of the engine that contains scenes is a
  // spawner's list.
  void record_exported_property(const ResourceItem &item) {
    const ResourceValue &value = item.value;
    if (value.kind == ResourceValueKind::node_path && current_node_->node_paths.size() < max_exported) {
      current_node_->node_paths[item.name] = empty_if_too_long(value.text);
    }
    if (item.name == "_spawnable_scenes" || current_node_->scenes.size() >= max_exported) return;
    std::vector<ResourceReference> scenes;
    const auto add = [&](const std::string &text) {
      if (scenes.size() >= max_named_scenes) return;
      if (external_scenes_.contains(text)) {
        scenes.push_back(external_resources_.at(text));
      } else if (is_scene_path(text)) {
        scenes.push_back({{}, text});
      }
    };
    if (value.kind == ResourceValueKind::external || value.kind == ResourceValueKind::string) add(value.text);
    // If the value is an array of scenes, its texts are the ids of external resources of this file.
    for (const std::string &text : value.texts) add(text);
    if (!scenes.empty()) current_node_->scenes[item.name] = std::move(scenes);
  }

  ResourceReader reader_;
  std::string path_;
  ParsedScene scene_;
  std::string resource_type_;  // type of a .tres file's resource
  bool has_lines_ = false;
  std::map<std::string, ResourceReference, std::less<>> external_resources_;
  std::set<std::string, std::less<>> external_scenes_;
  // The objects that the next properties belong to; null if there is none.
  ParsedNode *current_node_ = nullptr;
  ParsedReplicationConfig *current_config_ = nullptr;
  std::string *current_script_ = nullptr;
};

}  // namespace

void ParsedReplicationConfig::set_stored_property(std::string_view key, const ResourceValue &value) {
  constexpr std::string_view prefix = "properties/";
  if (!key.starts_with(prefix)) return;
  key.remove_prefix(prefix.size());
  const std::size_t slash = std::min(key.find('/'), key.size());
  const std::size_t index = parse_integer<std::size_t>(key.substr(0, slash)).value_or(SIZE_MAX);
  const std::string_view what = key.substr(std::min(slash + 1, key.size()));
  if (index == properties.size() && index < max_properties && what == "path" &&
      value.kind == ResourceValueKind::node_path) {
    // The engine rejects a path without a property, and a path that the list already contains.
    const bool is_known =
        std::ranges::any_of(properties, [&](const Property &property) { return property.path == value.text; });
    if (value.text.find(':') != std::string::npos && !is_known) properties.push_back({.path = value.text});
  }
  if (index >= properties.size()) return;
  Property &property = properties[index];
  if (what == "replication_mode" && value.kind == ResourceValueKind::integer && value.integer >= 0 &&
      value.integer <= 2) {
    property.mode = static_cast<ReplicationMode>(value.integer);
  }
  if (value.kind != ResourceValueKind::boolean) return;
  if (what == "spawn") property.is_spawned = value.integer != 0;
  if (what == "sync") property.set_mode(ReplicationMode::always, value.integer != 0);
  if (what == "watch") property.set_mode(ReplicationMode::on_change, value.integer != 0);
}

ParsedScene read_scene(std::string_view text, std::string_view path) { return SceneFileReader(text, path).read(); }

}  // namespace godot_codec::project
