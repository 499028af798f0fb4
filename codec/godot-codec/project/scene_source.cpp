// SPDX-License-Identifier: MIT
#include "godot-codec/project/scene_source.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "godot-codec/project/limits.h"
#include "godot-codec/project/resource_text.h"
#include "godot-codec/project/script.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::string_view config_type = "SceneReplicationConfig";
constexpr std::size_t max_properties = 4096;
constexpr std::size_t max_exported = 64;           // maximum number of properties of a node
constexpr std::size_t max_spawnable_scenes = 255;  // a spawn command has one byte for the scene's index, and 255 means
                                                   // no scene

bool to_index(std::string_view text, std::size_t &index) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size();
}

// Limits the length of paths and names, because they are copied for each instance of the scene.
std::string bounded(std::string text) { return text.size() <= max_node_path_size ? std::move(text) : std::string(); }

class SceneSourceReader {
 public:
  SceneSourceReader(std::string_view text, std::string_view path) : reader_(text), path_(path) {}

  SceneSource read() {
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
    node_ = nullptr;
    config_ = nullptr;
    script_ = nullptr;
    if (tag.name == "gd_scene" || tag.name == "gd_resource") {
      scene_.uid = tag.text_of("uid");
      has_lines_ = tag.fields.contains("format");  // absent in the text that our converter writes for an exported scene
      type_ = tag.text_of("type");
    } else if (tag.name == "ext_resource") {
      if (tag.text_of("type") == "PackedScene") external_scenes_.insert(tag.text_of("id"));
      external_[tag.text_of("id")] = {bounded(tag.text_of("uid")), bounded(resolve_path(tag.text_of("path"), path_))};
      if (tag.text_of("type") == "PackedScene") scene_.references.push_back(external_[tag.text_of("id")]);
    } else if (tag.name == "sub_resource") {
      begin_resource(tag.text_of("type"), path_ + "::" + tag.text_of("id"));
    } else if (tag.name == "resource") {
      begin_resource(type_, path_);
    } else if (tag.name == "node") {
      begin_node(tag);
    }
  }

  void begin_resource(std::string_view type, const std::string &path) {
    if (type == config_type) config_ = &scene_.configs[path];
    if (type == "GDScript") script_ = &scene_.gd_scripts[path];
  }

  void begin_node(const ResourceItem &tag) {
    node_ = &scene_.nodes.emplace_back();
    node_->name = bounded(tag.text_of("name"));
    node_->type = bounded(tag.text_of("type"));
    if (has_lines_) node_->line = tag.line;
    if (tag.fields.contains("parent")) node_->parent = tag.text_of("parent");
    if (const auto instance = tag.fields.find("instance"); instance != tag.fields.end()) {
      node_->instance = refer(instance->second);
    }
    if (tag.fields.contains("instance_placeholder")) node_->type = "InstancePlaceholder";
    if (const auto groups = tag.fields.find("groups"); groups != tag.fields.end()) {
      node_->groups = groups->second.texts;
      node_->groups.resize(std::min(node_->groups.size(), max_exported));
    }
    std::size_t index = 0;
    if (to_index(tag.text_of("index"), index)) node_->index = index;
  }

  // Returns the resource that a value refers to. Returns an empty path for null, and for a resource that the file does
  // not declare.
  [[nodiscard]] ResourceReference refer(const ResourceValue &value) const {
    if (value.kind == ResourceValueKind::internal) return {{}, bounded(path_ + "::" + value.text)};
    if (value.kind != ResourceValueKind::external) return {};
    const auto found = external_.find(value.kind == ResourceValueKind::external ? value.text : std::string());
    return found == external_.end() ? ResourceReference{} : found->second;
  }

  void set_property(const ResourceItem &item) {
    const ResourceValue &value = item.value;
    if (is_scene_path(value.text)) scene_.references.push_back({{}, value.text});
    for (const std::string &text : value.texts) {
      if (is_scene_path(text)) scene_.references.push_back({{}, text});
    }
    if (config_ != nullptr) config_->set(item.name, value);
    if (script_ != nullptr && item.name == "script/source") *script_ = value.text;
    if (node_ == nullptr) return;
    set_exported(item);
    if (item.name == "script") node_->script = refer(value);
    if (item.name == "replication_config") node_->config = refer(value);
    if (item.name == "root_path") node_->root_path = bounded(value.text);
    if (item.name == "spawn_path") node_->spawn_path = bounded(value.text);
    if (item.name == "_spawnable_scenes") {
      node_->spawnable_scenes = value.texts;
      node_->spawnable_scenes->resize(std::min(value.texts.size(), max_spawnable_scenes));
    }
    if (item.name == "unique_name_in_owner") node_->is_unique_name = value.integer != 0;
  }

  // Records a property that may be an exported variable. The only property of the engine that contains scenes is a
  // spawner's list.
  void set_exported(const ResourceItem &item) {
    const ResourceValue &value = item.value;
    if (value.kind == ResourceValueKind::node_path && node_->node_paths.size() < max_exported) {
      node_->node_paths[item.name] = bounded(value.text);
    }
    if (item.name == "_spawnable_scenes" || node_->scenes.size() >= max_exported) return;
    std::vector<ResourceReference> scenes;
    const auto add = [&](const std::string &text) {
      if (scenes.size() >= max_named_scenes) return;
      if (external_scenes_.contains(text)) {
        scenes.push_back(external_.at(text));
      } else if (is_scene_path(text)) {
        scenes.push_back({{}, text});
      }
    };
    if (value.kind == ResourceValueKind::external || value.kind == ResourceValueKind::string) add(value.text);
    // If the value is an array of scenes, its texts are the ids of external resources of this file.
    for (const std::string &text : value.texts) add(text);
    if (!scenes.empty()) node_->scenes[item.name] = std::move(scenes);
  }

  ResourceReader reader_;
  std::string path_;
  SceneSource scene_;
  std::string type_;  // type of a .tres file's resource
  bool has_lines_ = false;
  std::map<std::string, ResourceReference, std::less<>> external_;
  std::set<std::string, std::less<>> external_scenes_;
  // The objects that the next properties belong to; null if there is none.
  NodeSource *node_ = nullptr;
  ConfigSource *config_ = nullptr;
  std::string *script_ = nullptr;
};

}  // namespace

void ConfigSource::set(std::string_view key, const ResourceValue &value) {
  constexpr std::string_view prefix = "properties/";
  if (!key.starts_with(prefix)) return;
  key.remove_prefix(prefix.size());
  const std::size_t slash = std::min(key.find('/'), key.size());
  std::size_t index = 0;
  if (!to_index(key.substr(0, slash), index)) return;
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

SceneSource read_scene(std::string_view text, std::string_view path) { return SceneSourceReader(text, path).read(); }

}  // namespace godot_codec::project
