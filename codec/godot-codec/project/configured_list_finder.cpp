// SPDX-License-Identifier: MIT
// Finds the methods that another script has configured on a node, by the MD5 of the node's list.
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

class ConfiguredListFinder {
 public:
  explicit ConfiguredListFinder(std::string_view md5) : md5_(md5) {}

  // Tries subsets of the configurable methods.
  // @returns true if a subset has the MD5; @p mask then selects its methods
  bool find_subset(const ProjectContents::ConfigurableMethods &configurable, std::span<const RpcMethod> own,
                   std::uint64_t &mask) {
    own_names_.clear();
    for (const RpcMethod &method : own) {
      if (method.id < first_node_method_id) own_names_ += method.name;
    }
    const std::size_t count = std::min<std::size_t>(configurable.methods.size(), 63);
    const std::uint64_t all = (std::uint64_t{1} << count) - 1;
    if (count > max_subset_names) {
      mask = all;
      if (matches_md5(configurable, mask)) return true;
      for (std::size_t i = 0; i < count; ++i) {
        mask = all & ~(std::uint64_t{1} << i);
        if (matches_md5(configurable, mask)) return true;
      }
      return false;
    }
    for (mask = all; mask != 0; --mask) {
      if (hashed_bytes_ > max_hashed_bytes) return false;
      if (matches_md5(configurable, mask)) return true;
    }
    return false;
  }

 private:
  bool matches_md5(const ProjectContents::ConfigurableMethods &configurable, std::uint64_t mask) {
    md5_input_.clear();
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      md5_input_ += configurable.methods[static_cast<std::size_t>(std::countr_zero(rest))].name;
    }
    md5_input_ += own_names_;
    constexpr std::size_t block_size = 64;
    hashed_bytes_ += md5_input_.size() + block_size;
    return md5_of(md5_input_) == md5_;
  }

  std::string_view md5_;
  std::size_t hashed_bytes_ = 0;
  std::string own_names_, md5_input_;
};

std::vector<RpcMethod> select_methods(const ProjectContents::ConfigurableMethods &configurable,
                                      std::span<const RpcMethod> own, std::uint64_t mask) {
  std::vector<RpcMethod> methods;
  for (const RpcMethod &method : own) {
    if (method.id < first_node_method_id) methods.push_back(method);
  }
  std::uint16_t id = first_node_method_id;
  for (; mask != 0; mask &= mask - 1) {
    methods.push_back(configurable.methods[static_cast<std::size_t>(std::countr_zero(mask))]);
    methods.back().id = id++;
  }
  return methods;
}

}  // namespace

bool Project::find_configured_list(std::string_view md5, ConfiguredList &found) const noexcept {
  if (!contents_) return false;
  try {
    ConfiguredListFinder finder(md5);
    for (const ProjectContents::ConfigurableMethods &each : contents_->configurable_methods) {
      // A script without RPC methods has no list. Then the list may consist of the configured methods alone.
      std::vector<RpcList> lists(each.script->lists.begin(), each.script->lists.end());
      if (lists.empty()) lists.emplace_back();
      for (const RpcList &own : lists) {
        std::uint64_t mask = 0;
        if (!finder.find_subset(each, own.methods, mask)) continue;
        found.methods = select_methods(each, own.methods, mask);
        found.list = {{}, found.methods, each.script, own.has_inherited, true};
        return true;
      }
    }
  } catch (const std::exception &) {
    return false;
  }
  return false;
}

}  // namespace godot_codec::project
