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

#include "godot-codec/project/md5.h"
#include "godot-codec/project/project.h"

namespace godot_codec::project {

/// The MD5s of the project's lists with one or two names changed. The variants of a list are computed once, when a
/// query first needs them. So many queries cost no more than one query. All queries together hash at most max_hashed
/// bytes. Functions throw only on allocation failure.
class NearestIndex {
 public:
  static constexpr std::size_t max_hashed = std::size_t{64} << 20;  ///< in bytes; for each MD5, 64 bytes are added

  /// @param contents must outlive the index
  explicit NearestIndex(const ProjectContents &contents);

  /// Implements Project::find_nearest().
  std::size_t find(std::string_view md5, std::span<const Script *const> expected, std::span<NearestList> nearest);
  [[nodiscard]] std::size_t hashed() const { return hashed_; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t degree_count = 2;

  // A variant of a list: the indices of the removed names in the list, and the index of the added name in the
  // vocabulary.
  struct ListVariant {
    std::uint32_t list = none;
    std::array<std::uint32_t, 2> removed = {none, none};
    std::uint32_t added = none;
  };
  // The variants with a certain number of changes. In degree 0, one name is added or removed. In degree 1, two names
  // are removed, or one name is replaced.
  struct Degree {
    std::unordered_multimap<std::uint64_t, ListVariant> changes;
    std::vector<bool> is_done;  // by index of the list
    std::size_t next = 0;       // the variants of all lists before this index are computed
  };

  void add_all_variants(std::size_t degree);
  void add_variants(std::size_t degree, std::uint32_t list);
  void add_single_changes(Degree &degree, std::uint32_t list);
  void add_double_changes(Degree &degree, std::uint32_t list);
  void add_variant(Degree &degree, const ListVariant &change);
  [[nodiscard]] bool is_budget_used() const { return hashed_ > max_hashed; }
  void load_list(std::uint32_t list);
  Md5Text hash(const ListVariant &change);
  std::vector<ListVariant> matches(const Degree &degree, std::string_view md5, std::span<const std::uint32_t> expected);
  const ProjectContents &contents_;
  std::unordered_map<const RpcList *, std::uint32_t> indices_;  // index in by_md5
  std::array<Degree, degree_count> degrees_;
  std::size_t hashed_ = 0;
  std::uint32_t list_ = none;            // the list that names_ and configured_ were loaded from
  std::vector<std::string_view> names_;  // method names of the script, sorted
  std::string configured_;               // names of the methods configured on the node, concatenated as in the input of
                                         // the hash
  std::string text_;
};

}  // namespace godot_codec::project
