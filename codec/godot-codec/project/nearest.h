// SPDX-License-Identifier: MIT
/// @file
/// Lists of methods that a project lacks, and is near to having.
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

/// MD5s of a project's lists with one or two names changed. Each list is changed once, when a question first needs it,
/// so that many questions cost no more than one; all of them together hash no more than max_hashed.
/// Functions throw only what allocation throws.
class NearestIndex {
 public:
  static constexpr std::size_t max_hashed = std::size_t{64} << 20;  ///< bytes, and 64 for each MD5

  /// @param contents outlives this
  explicit NearestIndex(const ProjectContents &contents);

  /// Does the work of Project::find_nearest().
  std::size_t find(std::string_view md5, std::span<const Script *const> expected, std::span<NearestList> nearest);
  [[nodiscard]] std::size_t hashed() const { return hashed_; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t degree_count = 2;

  // Makes another list of one: indices among its names, and among all functions' names.
  struct Change {
    std::uint32_t list = none;
    std::array<std::uint32_t, 2> left_out = {none, none};
    std::uint32_t added = none;
  };
  // Fewer changes first: one name more or less; two less, or one that is called otherwise.
  struct Degree {
    std::unordered_multimap<std::uint64_t, Change> changes;
    std::vector<bool> is_done;  // by list
    std::size_t next = 0;       // all lists before it are done
  };

  void change_all(std::size_t degree);
  void change(std::size_t degree, std::uint32_t list);
  void change_once(Degree &degree, std::uint32_t list);
  void change_twice(Degree &degree, std::uint32_t list);
  void keep(Degree &degree, const Change &change);
  [[nodiscard]] bool is_spent() const { return hashed_ > max_hashed; }
  void begin(std::uint32_t list);
  Md5Text hash(const Change &change);
  std::vector<Change> matches(const Degree &degree, std::string_view md5, std::span<const std::uint32_t> expected);
  const ProjectContents &contents_;
  std::unordered_map<const RpcList *, std::uint32_t> indices_;  // in by_md5
  std::array<Degree, degree_count> degrees_;
  std::size_t hashed_ = 0;
  std::uint32_t list_ = none;            // the list that names_ belongs to
  std::vector<std::string_view> names_;  // the script's names, sorted
  std::string configured_;               // those of the node, as they are hashed
  std::string text_;
};

}  // namespace godot_codec::project
