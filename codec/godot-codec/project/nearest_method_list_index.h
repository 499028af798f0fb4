// SPDX-License-Identifier: MIT
/// @file
/// Finds lists of methods that almost match an MD5, if no list of the project has exactly this MD5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "godot-codec/project/project.h"

namespace godot_codec::project {

/// The MD5s of the project's lists with one or two names changed. The variants of a list are computed once, when a
/// query first needs them. So many queries cost no more than one query. All queries together hash at most
/// max_hashed_bytes bytes. Functions throw only on allocation failure.
class NearestMethodListIndex {
 public:
  static constexpr std::size_t max_hashed_bytes = std::size_t{64} << 20;  ///< in bytes; an MD5 counts 64 bytes extra

  /// @param contents must outlive the index
  explicit NearestMethodListIndex(const ProjectContents &contents);

  /// Implements Project::find_nearest_lists().
  std::size_t find_nearest(std::string_view md5, std::span<const Script *const> expected,
                           std::span<NearestMethodList> nearest);
  [[nodiscard]] std::size_t hashed_bytes() const { return hashed_bytes_; }

 private:
  static constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t degree_count = 2;

  // A variant of a list: the indices of the removed names in the list, and the index of the added name in the
  // vocabulary.
  struct ListVariant {
    std::uint32_t list = no_index;
    std::array<std::uint32_t, 2> removed = {no_index, no_index};
    std::uint32_t added = no_index;
  };
  // The variants with a certain number of changes. In degree 0, one name is added or removed. In degree 1, two names
  // are removed, or one name is replaced.
  struct VariantTable {
    std::unordered_multimap<std::size_t, ListVariant> variants_by_hash;  // by the hash of the MD5, to save memory
    std::vector<bool> is_list_done;  // true if the variants of a list are computed; by index of the list
    std::size_t next_list = 0;       // the variants of all lists before this index are computed
  };

  void add_all_variants(std::size_t degree);
  void add_variants(std::size_t degree, std::uint32_t list);
  void add_variant(VariantTable &degree, const ListVariant &change);
  [[nodiscard]] bool is_hash_budget_used() const { return hashed_bytes_ > max_hashed_bytes; }
  void load_list(std::uint32_t list);
  std::string hash_variant(const ListVariant &change);
  std::vector<ListVariant> find_matches(const VariantTable &degree, std::string_view md5,
                                        std::span<const std::uint32_t> expected);
  const ProjectContents &contents_;
  std::unordered_map<const RpcList *, std::uint32_t> list_indices_;  // index in lists_by_md5
  std::array<VariantTable, degree_count> variant_tables_;
  std::size_t hashed_bytes_ = 0;
  std::uint32_t loaded_list_ = no_index;  // the list that names_ and configured_names_ were loaded from
  std::vector<std::string_view> names_;   // method names of the script, sorted
  std::string configured_names_;  // names of the methods configured on the node, concatenated as in the input of
                                  // the hash
  std::string md5_input_;
};

}  // namespace godot_codec::project
