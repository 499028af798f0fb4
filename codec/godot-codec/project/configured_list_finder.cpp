// SPDX-License-Identifier: MIT
// Finds the methods that another script has configured on a node, by the MD5 of the node's list.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <string>

#include "godot-codec/project/md5.h"
#include "godot-codec/project/project_contents.h"

namespace godot_codec::project {
namespace {

constexpr std::size_t max_hashed_bytes = 16U << 20;  // maximum number of bytes hashed for one query
constexpr std::size_t max_subset_names =
    16;  // for more methods, only the full set and the sets without one method are tried

// Finds the subset of configurable methods that has the MD5 together with the script's own methods.
// @param own_names names of the script's own methods, concatenated
// @returns a mask that selects the methods, or 0
std::uint64_t find_subset(std::span<const RpcMethod> configurable, std::string_view own_names, std::string_view md5,
                          std::size_t &hashed_bytes) {
  constexpr std::size_t md5_block_size = 64;
  const std::size_t count = std::min<std::size_t>(configurable.size(), 63);
  const std::uint64_t all = (std::uint64_t{1} << count) - 1;
  std::string names;
  const auto has_md5 = [&](std::uint64_t mask) {
    names.clear();
    for (; mask != 0; mask &= mask - 1) names += configurable[static_cast<std::size_t>(std::countr_zero(mask))].name;
    names += own_names;
    hashed_bytes += names.size() + md5_block_size;
    return md5_of(names) == md5;
  };
  if (count <= max_subset_names) {
    for (std::uint64_t mask = all; mask != 0 && hashed_bytes <= max_hashed_bytes; --mask) {
      if (has_md5(mask)) return mask;
    }
    return 0;
  }
  if (has_md5(all)) return all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t mask = all & ~(std::uint64_t{1} << i);
    if (has_md5(mask)) return mask;
  }
  return 0;
}

// Finds a list that consists of the script's own methods and of some of the configurable methods.
bool find_list(const ProjectContents::ConfigurableMethods &configurable, const RpcList &own, std::string_view md5,
               std::size_t &hashed_bytes, ConfiguredList &found) {
  std::string own_names;
  found.methods.clear();
  for (const RpcMethod &method : own.methods) {
    if (method.id >= first_node_method_id) continue;
    own_names += method.name;
    found.methods.push_back(method);
  }
  std::uint64_t mask = find_subset(configurable.methods, own_names, md5, hashed_bytes);
  if (mask == 0) return false;
  for (std::uint16_t id = first_node_method_id; mask != 0; mask &= mask - 1) {
    found.methods.push_back(configurable.methods[static_cast<std::size_t>(std::countr_zero(mask))]);
    found.methods.back().id = id++;
  }
  found.list = {{}, found.methods, configurable.script, own.has_inherited, true};
  return true;
}

}  // namespace

bool Project::find_configured_list(std::string_view md5, ConfiguredList &found) const noexcept {
  if (!contents_) return false;
  try {
    std::size_t hashed_bytes = 0;
    for (const ProjectContents::ConfigurableMethods &each : contents_->configurable_methods) {
      const auto is_found = [&](const RpcList &own) { return find_list(each, own, md5, hashed_bytes, found); };
      // A script without RPC methods has no list. Then the list may consist of the configured methods alone.
      if (each.script->lists.empty() ? is_found({}) : std::ranges::any_of(each.script->lists, is_found)) return true;
    }
  } catch (const std::exception &) {
    return false;
  }
  return false;
}

}  // namespace godot_codec::project
