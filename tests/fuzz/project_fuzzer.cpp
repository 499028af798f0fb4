// SPDX-License-Identifier: MIT
// Reads hostile projects: the input is a list of files, each after a line "=== PATH", or an exported game. Aborts if a
// guarantee is violated.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/decompressor.h"
#include "godot-codec/project/project.h"
#include "godot-codec/variant/variant_walker.h"
#include "require.h"

namespace {

using namespace godot_codec::project;

// Removes the previous file, because some file systems write a file that is overwritten to the disk at once.
std::filesystem::path write_input(std::string_view input) {
  static const std::string name = "fuzzer_input_" + std::to_string(std::random_device{}());
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << input;
  return path;
}

void require_text(std::string_view text) { require(godot_codec::is_valid_utf8(text)); }

std::vector<FileContent> split(std::string_view input) {
  constexpr std::string_view mark = "=== ";
  std::vector<FileContent> files = {{"res://project.godot", ""}};
  while (!input.empty()) {
    const std::size_t end = std::min(input.find("\n=== "), input.size());
    std::string_view file = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (!file.starts_with(mark)) continue;
    const std::size_t line_end = std::min(file.find('\n'), file.size());
    files.push_back(
        {file.substr(mark.size(), line_end - mark.size()), file.substr(std::min(line_end + 1, file.size()))});
  }
  return files;
}

void check_list(const Project &project, const Script &script, const RpcList &list) {
  require(list.md5.size() == 32 && list.script == &script && !list.methods.empty());
  for (std::size_t i = 0; i < list.methods.size(); ++i) {
    const RpcMethod &method = list.methods[i];
    require_text(method.name);
    require(method.source != nullptr && method.line > 0);
    require(list.find(method.id) == &method);
    if (i == 0 || method.id == first_node_method_id) continue;
    require(method.id == list.methods[i - 1].id + 1 && method.name > list.methods[i - 1].name);
  }
  const auto same = project.find_lists(list.md5);
  require(std::find(same.begin(), same.end(), &list) != same.end());
}

void check_scene(const Project &project, const Scene &scene) {
  require(project.find_scene(scene.path) == &scene && !scene.nodes.empty() && scene.nodes.front().path == ".");
  std::size_t synchronizers = 0;
  std::size_t spawners = 0;
  for (const Node &node : scene.nodes) {
    require_text(node.path);
    require(scene.find(node.path) == &node);
    require(node.script == nullptr || node.script->path == node.script_path);
    if (node.synchronizer != nullptr) require(node.synchronizer == &scene.synchronizers[synchronizers++]);
    if (node.spawner != nullptr) require(node.spawner == &scene.spawners[spawners++]);
  }
  require(synchronizers == scene.synchronizers.size() && spawners == scene.spawners.size());
  for (const Synchronizer &each : scene.synchronizers) {
    require(scene.find(each.node)->synchronizer == &each && (each.root.empty() || scene.find(each.root) != nullptr));
  }
  for (const Spawner &each : scene.spawners) {
    require(scene.find(each.node)->spawner == &each && (each.root.empty() || scene.find(each.root) != nullptr));
    require(project.find_spawned_scene(each, each.scenes.size()) == nullptr);
  }
}

void check_answers(const Project &project, std::string_view input) {
  for (const NodeMatch &match : project.find_nodes(input.substr(0, 100)))
    require(match.node == nullptr || match.scene != nullptr);
  for (const Scene &scene : project.scenes()) (void)project.find_nodes(scene.root_name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char *>(data), size);
  const Limits limits{
      .max_file_size = 1U << 20, .max_total_size = 4U << 20, .max_classes = 200, .max_nodes = 500, .max_methods = 500};
  Project project;
  if (!input.starts_with("=== ")) {
    require(project.read(write_input(input).string(), limits, &library_decompressor) == project.message().empty());
    require_text(project.message());
  } else {
    const std::vector<FileContent> files = split(input);
    require(project.read(files, limits, &library_decompressor));
  }
  require(!project.has_changed());
  for (const Script &script : project.scripts()) {
    require(project.find_script(script.path) != nullptr);
    require_text(script.path);
    for (const RpcList &list : script.lists) check_list(project, script, list);
  }
  for (const Scene &scene : project.scenes()) check_scene(project, scene);
  for (const std::string_view note : project.notes()) require_text(note);
  check_answers(project, input);
  // The search is too slow for larger inputs.
  if (project.lists().size() < 4 && size < 1000) {
    std::array<NearestMethodList, 2> nearest;
    require(project.find_nearest_lists("0123456789abcdef0123456789abcdef", {}, nearest) == 0);
  }
  return 0;
}
