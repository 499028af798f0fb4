// SPDX-License-Identifier: MIT
// Prints the names in a game's project folder that are not sent: RPC methods, nodes, synchronized properties.
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#ifdef GODOT_CODEC_COMPRESSION
#include "godot-codec/project/decompressor.h"
#endif
#include "godot-codec/project/project.h"
#include "godot-codec/variant/variant_text.h"

namespace {

using namespace godot_codec::project;

constexpr const char *usage =
    "usage: godot-project GAME\n"
    "       godot-project --names GAME\n"
    "\n"
    "GAME is a Godot 4 game's folder, with its project.godot, or an exported game: a .pck or .zip, a program with one\n"
    "in it, an .apk. Prints its scripts' remote methods with their numbers and the MD5 of each list, the nodes that "
    "have\n"
    "scripts, what is spawned, and the properties that are synchronized.\n"
    "--names prints a table of names instead: MD5, method id, name.\n";

// Escapes characters that a terminal would interpret as commands.
std::string shown(std::string_view text) {
  std::array<char, 4096> memory;
  godot_codec::TextBuffer buffer(memory);
  buffer.append_escaped(text, false);
  return std::string(buffer.view());
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

std::string_view mode_name(RpcMode mode) {
  constexpr std::array<std::string_view, 4> names = {"?", "disabled", "any_peer", "authority"};
  return names[static_cast<std::size_t>(mode)];
}

std::string_view transfer_name(TransferMode mode) {
  constexpr std::array<std::string_view, 3> names = {"unreliable", "unreliable_ordered", "reliable"};
  return names[static_cast<std::size_t>(mode)];
}

void print_list(const RpcList &list) {
  print("    " + std::string(list.md5));
  if (!list.has_inherited) print(", before Godot 4.2");
  if (list.has_configured) print(", with rpc_config()");
  print("\n");
  for (const RpcMethod &method : list.methods) {
    const RpcConfig &config = method.config;
    print("      " + std::to_string(method.id) + " " + shown(method.name) + " " + std::string(mode_name(config.mode)) +
          " " + std::string(transfer_name(config.transfer)));
    if (config.is_call_local) print(" call_local");
    if (config.channel != 0) print(" channel " + std::to_string(config.channel));
    if (method.source != list.script) print(" from " + shown(method.source->path));
    print("\n");
  }
}

void print_scripts(const Project &project) {
  print("scripts\n");
  for (const Script &script : project.scripts()) {
    if (script.lists.empty()) continue;
    print("  " + shown(script.path));
    if (!script.class_name.empty()) print(" (" + shown(script.class_name) + ")");
    print("\n");
    for (const RpcList &list : script.lists) print_list(list);
  }
}

void print_properties(const char *list, std::span<const Property> properties) {
  if (properties.empty()) return;
  print(std::string("      ") + list + ":");
  for (std::size_t i = 0; i < properties.size(); ++i) print((i == 0 ? " " : ", ") + shown(properties[i].label));
  print("\n");
}

void print_node(const Node &node) {
  const bool is_of_interest = !node.script_path.empty() || node.synchronizer != nullptr || node.spawner != nullptr;
  if (!is_of_interest) return;
  print("    " + shown(node.path) + " " + shown(node.type));
  if (!node.script_path.empty()) print(" " + shown(node.script_path));
  print("\n");
  if (const Synchronizer *synchronizer = node.synchronizer) {
    print("      of " + (synchronizer->root.empty() ? "no node of this scene" : shown(synchronizer->root)) + "\n");
    print_properties("spawn", synchronizer->spawn);
    print_properties("always", synchronizer->always);
    print_properties("on change", synchronizer->on_change);
  }
  if (const Spawner *spawner = node.spawner) {
    print("      under " + (spawner->root.empty() ? "no node of this scene" : shown(spawner->root)) + "\n");
    for (std::size_t i = 0; i < spawner->scenes.size(); ++i) {
      print("      " + std::to_string(i) + " " + shown(spawner->scenes[i]) + "\n");
    }
    for (const std::string_view scene : spawner->function_scenes)
      print("      by its spawn_function " + shown(scene) + "\n");
  }
}

void print_scenes(const Project &project) {
  print("autoloads\n");
  for (const Autoload &autoload : project.autoloads()) {
    print("  " + shown(autoload.name) + " " + shown(autoload.path) + "\n");
  }
  print("scenes\n");
  for (const Scene &scene : project.scenes()) {
    print("  " + shown(scene.path) + (scene.path == project.facts().main_scene ? " (main)" : "") + "\n");
    for (const Node &node : scene.nodes) print_node(node);
  }
}

// Quotes a text for Wireshark's tables (UAT files). Quotes, backslashes and unprintable bytes become \xNN.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && c != '"' && c != '\\' && byte != 0x7f) {
      out.push_back(c);
    } else {
      constexpr std::string_view digits = "0123456789abcdef";
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 0xf]};
    }
  }
  return out + "\"";
}

void print_names(const Project &project) {
  print("# \"md5\",\"id\",\"name\"\n");
  std::string last;
  for (const RpcList *list : project.lists()) {
    if (list->md5 == last) continue;  // another script has the same list of methods
    last = list->md5;
    for (const RpcMethod &method : list->methods) {
      print(quoted(list->md5) + "," + quoted(std::to_string(method.id)) + "," + quoted(method.name) + "\n");
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  const std::span<char *> arguments(argv, static_cast<std::size_t>(argc));
  const bool is_table = argc == 3 && std::string_view(arguments[1]) == "--names";
  if (argc != 2 && !is_table) {
    std::fputs(usage, stderr);
    return 2;
  }
  Project project;
#ifdef GODOT_CODEC_COMPRESSION
  constexpr const Decompressor *libraries = &library_decompressor;
#else
  constexpr const Decompressor *libraries = nullptr;
#endif
  if (!project.read(arguments.back(), {}, libraries)) {
    std::fprintf(stderr, "godot-project: %s\n", shown(project.message()).c_str());
    return 1;
  }
  for (const std::string_view note : project.notes()) std::fprintf(stderr, "godot-project: %s\n", shown(note).c_str());
  if (is_table) {
    print_names(project);
  } else {
    print_scripts(project);
    print_scenes(project);
  }
  return 0;
}
