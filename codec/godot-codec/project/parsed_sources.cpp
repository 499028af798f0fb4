// SPDX-License-Identifier: MIT
// Parses each file of a project separately.
#include <algorithm>
#include <iterator>
#include <utility>

#include "godot-codec/core/path.h"
#include "godot-codec/project/exported_game.h"
#include "godot-codec/project/project_contents.h"
#include "godot-codec/project/resource_text.h"
#include "godot-codec/project/text_utils.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec::project {
void ParsedSources::add_file(const std::string &path, std::string_view content) {
  if (!is_valid_utf8(path)) return;
  if (is_binary_settings(content)) return add_text_file(path, convert_binary_settings(content));
  const bool is_script = is_binary_script(content);
  if (!is_script && !is_binary_resource(content)) return add_text_file(path, content);
  const ConvertedText converted = is_script ? convert_binary_script(content, decompressor, limits.max_file_size)
                                            : convert_binary_resource(content, decompressor, limits.max_file_size);
  if (converted.problem.empty()) return add_text_file(path, converted.text);
  notes.push_back(path + ": not read, " + converted.problem);
}

void ParsedSources::add_text_file(const std::string &path, std::string_view text) {
  if (!is_valid_utf8(text)) {
    notes.push_back(path + ": not read, it is not UTF-8 text");
    return;
  }
  const std::string extension = extension_of(path);
  if (path == "res://project.godot") add_settings(text);
  if (extension == "gd") add_script(path, read_gdscript(text));
  const std::string_view file = base_name(path);
  if (extension == "cs") add_script(path, read_csharp(text, file.substr(0, file.rfind('.'))));
  const bool is_resource = extension == "tscn" || extension == "tres" || extension == "scn" || extension == "res";
  if (is_resource) add_scene(path, read_scene(text, path));
  // player.gd.uid has a single line, which contains the uid.
  if (extension == "uid") add_uid(text.substr(0, text.find_first_of("\r\n")), path.substr(0, path.rfind('.')));
}

void ParsedSources::add_script(const std::string &path, ParsedScript source) {
  if (config_script.empty() && source.mentions_configs) config_script = path;
  if (source.classes.size() > limits.max_classes - class_count) {
    notes.push_back(path + ": not read, there are too many classes");
    return;
  }
  class_count += source.classes.size();
  scripts.insert_or_assign(path, std::move(source));
}

void ParsedSources::add_scene(const std::string &path, ParsedScene source) {
  add_uid(source.uid, path);
  for (const auto &[script_path, text] : source.gd_scripts) add_script(script_path, read_gdscript(text));
  scenes.insert_or_assign(path, std::move(source));
}

void ParsedSources::add_uid(std::string_view uid, std::string_view path) {
  constexpr std::size_t max_owners = 8;  // maximum number of files with the same uid: copied scenes have the same uid
                                         // until the editor opens them
  if (uid.starts_with("uid://") && paths_by_uid.count(uid) < max_owners) paths_by_uid.emplace(uid, path);
}

void ParsedSources::add_settings(std::string_view text) {
  has_settings = true;
  ResourceReader reader(text);
  std::string section;
  for (ResourceItem item; reader.next(item);) {
    if (item.is_tag) section = item.name;
    if (item.is_tag || item.value.kind != ResourceValueKind::string) continue;
    const std::string &value = item.value.text;
    if (section == "autoload") {
      const bool is_singleton = value.starts_with('*');
      autoloads.push_back({item.name, value.substr(is_singleton ? 1 : 0), is_singleton});
    }
    if (section == "application" && item.name == "config/name") name = value;
    if (section == "application" && item.name == "run/main_scene") main_scene = value;
  }
}

namespace {

using Constants = std::map<std::string, std::string, std::less<>>;

// Returns a constant's value, following references to other constants. If the class is not found, uses the key
// `.Channel`, which has a value if all classes agree on the value.
std::string_view resolve_constant(const Constants &constants, std::string name) {
  constexpr std::size_t max_depth = 4;
  std::string_view value;
  for (std::size_t depth = 0; depth < max_depth; ++depth) {
    const std::size_t dot = name.find('.');
    auto found = constants.find(name);
    if (found == constants.end()) found = constants.find(std::string_view(name).substr(dot));
    if (found == constants.end()) break;
    value = found->second;
    name.replace(dot + 1, std::string::npos, value);
  }
  return value;
}

// If a constant's name has different values in different classes, stores an empty value for the name without a class.
void add_constants(Constants &all, const ParsedScript &source) {
  for (const auto &[name, value] : source.constants) {
    for (const std::string &key : {name, name.substr(name.find('.'))}) {
      const auto [known, is_new] = all.emplace(key, value);
      if (!is_new && known->second != value) known->second.clear();
    }
  }
}

void apply_constants(ParsedScript &source, const Constants &constants) {
  for (ScriptClass &each : source.classes) {
    for (RpcDeclaration &method : each.methods) {
      for (const auto &[argument, constant] : method.constant_arguments) {
        const bool is_known = apply_csharp_argument(method.config, argument, resolve_constant(constants, constant));
        // The unknown constant may be the RPC mode, so the mode is unknown, too.
        if (!is_known && argument != "CallLocal" && argument != "TransferChannel" && argument != "TransferMode") {
          method.config.mode = RpcMode::unknown;
        }
      }
    }
  }
}

template <typename T>
void move_elements(std::vector<T> &to, std::vector<T> &from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

void merge_partial_class(ScriptClass &whole, ScriptClass &part) {
  move_elements(whole.methods, part.methods);
  for (const std::string &name : part.functions) {
    if (std::ranges::find(whole.functions, name) == whole.functions.end()) continue;
    whole.signatures.erase(name);
    part.signatures.erase(name);
  }
  whole.signatures.merge(part.signatures);
  move_elements(whole.functions, part.functions);
  move_elements(whole.scenes, part.scenes);
  move_elements(whole.spawn_statements, part.spawn_statements);
  whole.methods_configured_elsewhere.merge(part.methods_configured_elsewhere);
  whole.authority = std::max(whole.authority, part.authority);
  whole.variables.merge(part.variables);
  for (auto &[member, uses] : part.uses) move_elements(whole.uses[member].scenes, uses.scenes);
  if (whole.base.empty()) whole.base = std::move(part.base);
  part.methods_configured_elsewhere.clear();
  part.variables.clear();
  part.uses.clear();
  part.is_merged = true;
}

}  // namespace

// Merges the partial declarations of each class. The result is the declaration in the file with the class's name. If
// there is no such file, the result is the first declaration.
void ParsedSources::merge_partial_classes() {
  Constants constants;
  std::map<std::string_view, ScriptClass *> wholes;
  for (auto &[path, source] : scripts) {
    if (extension_of(path) != "cs") continue;
    add_constants(constants, source);
    if (!source.classes.front().full_name.empty())
      wholes.emplace(source.classes.front().full_name, &source.classes.front());
  }
  for (auto &[path, source] : scripts) {
    if (extension_of(path) != "cs") continue;
    apply_constants(source, constants);
    for (ScriptClass &each : source.classes) {
      if (each.full_name.empty()) continue;
      ScriptClass *whole = wholes.emplace(each.full_name, &each).first->second;
      if (whole != &each) merge_partial_class(*whole, each);
    }
  }
}

void ParsedSources::finish_reading() {
  merge_partial_classes();
  const auto resolve = [this](std::string &path) { path = find_path({{}, resolve_path(path, "res://project.godot")}); };
  if (!main_scene.empty()) resolve(main_scene);
  for (ParsedAutoload &autoload : autoloads) resolve(autoload.path);
}

std::string ParsedSources::resolve_scene_path(std::string_view path, std::string_view file) const {
  return find_path({{}, resolve_path(path, file)});
}

std::string ParsedSources::find_path(const ResourceReference &reference) const {
  const std::string &uid = reference.uid.empty() ? reference.path : reference.uid;
  const auto [begin, end] = paths_by_uid.equal_range(uid);
  const bool has_path = std::any_of(begin, end, [&](const auto &each) { return each.second == reference.path; });
  return begin == end || has_path ? reference.path : begin->second;
}

}  // namespace godot_codec::project
