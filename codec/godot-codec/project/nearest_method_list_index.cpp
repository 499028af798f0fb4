// SPDX-License-Identifier: MIT
#include "godot-codec/project/nearest_method_list_index.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <tuple>

#include "godot-codec/project/md5.h"
#include "godot-codec/project/project_contents.h"

namespace godot_codec::project {
namespace {

// Maximum number of matches for one MD5. Several lists may match, for example if each of them contains one more name.
constexpr std::size_t max_matches = 64;

}  // namespace

NearestMethodListIndex::NearestMethodListIndex(const ProjectContents &contents) : contents_(contents) {
  for (VariantTable &degree : variant_tables_) degree.is_list_done.resize(contents.lists_by_md5.size());
  for (const RpcList *list : contents.lists_by_md5)
    list_indices_.emplace(list, static_cast<std::uint32_t>(list_indices_.size()));
}

std::size_t NearestMethodListIndex::find_nearest(std::string_view md5, std::span<const Script *const> expected,
                                                 std::span<NearestMethodList> nearest) {
  std::vector<std::uint32_t> expected_lists;
  for (const Script *script : expected) {
    if (script == nullptr) continue;
    for (const RpcList &list : script->lists) expected_lists.push_back(list_indices_.at(&list));
  }
  std::size_t count = 0;
  for (std::size_t degree = 0; degree < degree_count && count == 0; ++degree) {
    for (const std::uint32_t list : expected_lists) add_variants(degree, list);
    add_all_variants(degree);
    for (const ListVariant &match : find_matches(variant_tables_[degree], md5, expected_lists)) {
      load_list(match.list);
      NearestMethodList found{contents_.lists_by_md5[match.list], true, {}, {}};
      if (match.added != no_index) found.missing_name = contents_.function_names[match.added];
      for (std::size_t i = 0; i < found.extra_names.size(); ++i) {
        if (match.removed[i] != no_index) found.extra_names[i] = names_[match.removed[i]];
      }
      const auto is_same = [&found](const NearestMethodList &other) {
        return other.list->script == found.list->script && other.missing_name == found.missing_name &&
               other.extra_names == found.extra_names;
      };
      const bool is_known = std::any_of(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(count), is_same);
      if (!is_known && count < nearest.size()) nearest[count++] = found;
    }
  }
  for (const Script *script : expected) {
    if (count > 0 || nearest.empty()) break;
    if (script != nullptr && !script->lists.empty()) nearest[count++] = {&script->lists.front(), false, {}, {}};
  }
  return count;
}

// ---- computing variants

// Computes the variants of all lists. Lists with the same MD5 have the same variants, so these are computed only once.
void NearestMethodListIndex::add_all_variants(std::size_t degree) {
  std::size_t &next = variant_tables_[degree].next_list;
  for (; next < contents_.lists_by_md5.size() && !is_hash_budget_used(); ++next) {
    const bool is_same = next > 0 && contents_.lists_by_md5[next]->md5 == contents_.lists_by_md5[next - 1]->md5;
    if (!is_same) add_variants(degree, static_cast<std::uint32_t>(next));
  }
}

void NearestMethodListIndex::add_variants(std::size_t degree, std::uint32_t list) {
  VariantTable &current = variant_tables_[degree];
  if (current.is_list_done[list] || is_hash_budget_used()) return;
  current.is_list_done[list] = true;
  load_list(list);
  // Makes one more change: removes a name after the removed name, or adds a name.
  const auto add_changes = [&](std::uint32_t removed, std::uint32_t next) {
    for (std::uint32_t i = next; i < names_.size() && !is_hash_budget_used(); ++i)
      add_variant(current, {list, {std::min(removed, i), std::max(removed, i)}, no_index});
    for (std::uint32_t name = 0; name < contents_.function_names.size() && !is_hash_budget_used(); ++name)
      add_variant(current, {list, {removed, no_index}, name});
  };
  if (degree == 0) return add_changes(no_index, 0);
  for (std::uint32_t i = 0; i < names_.size(); ++i) add_changes(i, i + 1);
}

void NearestMethodListIndex::add_variant(VariantTable &degree, const ListVariant &change) {
  const bool has_name = change.added != no_index &&
                        std::binary_search(names_.begin(), names_.end(), contents_.function_names[change.added]);
  if (has_name || is_hash_budget_used()) return;
  const std::string md5 = hash_variant(change);
  constexpr std::size_t block_size = 64;
  hashed_bytes_ += md5_input_.size() + block_size;
  degree.variants_by_hash.emplace(std::hash<std::string_view>{}(md5), change);
}

void NearestMethodListIndex::load_list(std::uint32_t list) {
  if (loaded_list_ == list) return;
  loaded_list_ = list;
  names_.clear();
  configured_names_.clear();
  for (const RpcMethod &method : contents_.lists_by_md5[list]->methods) {
    if (method.id < first_node_method_id) {
      names_.push_back(method.name);
    } else {
      configured_names_ += method.name;
    }
  }
}

std::string NearestMethodListIndex::hash_variant(const ListVariant &change) {
  std::string_view added = change.added == no_index ? std::string_view() : contents_.function_names[change.added];
  md5_input_ = configured_names_;
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    if (!added.empty() && added < names_[i]) {
      md5_input_ += added;
      added = {};
    }
    if (i != change.removed[0] && i != change.removed[1]) md5_input_ += names_[i];
  }
  md5_input_ += added;
  return md5_of(md5_input_);
}

// ---- queries

// Returns the matching variants. Variants of the expected lists precede the others, in the order of @p expected.
std::vector<NearestMethodListIndex::ListVariant> NearestMethodListIndex::find_matches(
    const VariantTable &degree, std::string_view md5, std::span<const std::uint32_t> expected) {
  std::vector<ListVariant> found;
  const auto [begin, end] = degree.variants_by_hash.equal_range(std::hash<std::string_view>{}(md5));
  for (auto each = begin; each != end && found.size() < max_matches; ++each) {
    load_list(each->second.list);
    if (hash_variant(each->second) == md5) found.push_back(each->second);
  }
  const auto rank = [&](const ListVariant &change) {
    const auto place = std::ranges::find(expected, change.list) - expected.begin();
    return std::tuple(place, change.list, change.added != no_index, change.removed, change.added);
  };
  std::ranges::sort(found, {}, rank);
  return found;
}

std::size_t Project::find_nearest_lists(std::string_view md5, std::span<const Script *const> expected,
                                        std::span<NearestMethodList> nearest) const noexcept {
  if (!contents_) return 0;
  try {
    if (!contents_->nearest_index) contents_->nearest_index = std::make_unique<NearestMethodListIndex>(*contents_);
    return contents_->nearest_index->find_nearest(md5, expected, nearest);
  } catch (const std::exception &) {
    return 0;
  }
}

}  // namespace godot_codec::project
