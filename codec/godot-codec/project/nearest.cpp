// SPDX-License-Identifier: MIT
// Which list may have become the one that the project lacks.
#include <algorithm>
#include <exception>
#include <string>

#include "godot-codec/project/contents.h"
#include "godot-codec/project/md5.h"

namespace godot_codec::project {
namespace {

constexpr std::size_t max_hashed = 64U << 20;  // bytes for one question

// Tries changes of one list after another: fewer changes before more.
class NearestFinder {
 public:
  NearestFinder(std::string_view md5, const std::vector<std::string_view> &vocabulary, std::span<NearestList> nearest)
      : md5_(md5), vocabulary_(vocabulary), nearest_(nearest) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_done() const { return count_ == nearest_.size() || hashed_ > max_hashed; }

  // One name more or less.
  void try_one(const RpcList &list) {
    if (!begin(list)) return;
    for (std::size_t i = 0; i < names_.size() && !is_done(); ++i) try_without(i, names_.size());
    for (const std::string_view name : vocabulary_) {
      if (is_done()) return;
      try_with(name, names_.size());
    }
  }

  // Two names less, or one that is called otherwise.
  void try_two(const RpcList &list) {
    if (!begin(list)) return;
    for (std::size_t i = 0; i < names_.size() && !is_done(); ++i) {
      for (std::size_t j = i + 1; j < names_.size() && !is_done(); ++j) try_without(i, j);
      for (const std::string_view name : vocabulary_) {
        if (is_done()) return;
        try_with(name, i);
      }
    }
  }

  void add(const NearestList &found) {
    const auto is_same = [&found](const NearestList &other) {
      return other.list->script == found.list->script && other.missing == found.missing && other.extra == found.extra;
    };
    const auto end = nearest_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (count_ < nearest_.size() && std::none_of(nearest_.begin(), end, is_same)) nearest_[count_++] = found;
  }

 private:
  bool begin(const RpcList &list) {
    list_ = &list;
    names_.clear();
    configured_.clear();
    for (const RpcMethod &method : list.methods) {
      if (method.id < first_node_method_id) {
        names_.push_back(method.name);
      } else {
        configured_ += method.name;
      }
    }
    return !is_done();
  }

  // Leaves out two names, or one if they are the same; the number of names stands for none.
  void try_without(std::size_t i, std::size_t j) {
    if (hash(i, j, {}) != md5_) return;
    NearestList found{list_, true, {}, {}};
    found.extra[0] = names_[i];
    if (j < names_.size()) found.extra[1] = names_[j];
    add(found);
  }

  void try_with(std::string_view name, std::size_t left_out) {
    if (std::binary_search(names_.begin(), names_.end(), name)) return;
    if (hash(left_out, left_out, name) != md5_) return;
    NearestList found{list_, true, name, {}};
    if (left_out < names_.size()) found.extra[0] = names_[left_out];
    add(found);
  }

  std::string_view hash(std::size_t i, std::size_t j, std::string_view added) {
    text_ = configured_;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (!added.empty() && added < names_[k]) {
        text_ += added;
        added = {};
      }
      if (k != i && k != j) text_ += names_[k];
    }
    text_ += added;
    constexpr std::size_t block_size = 64;
    hashed_ += text_.size() + block_size;
    Md5 md5;
    md5.update(text_);
    hash_ = md5.finish();
    return {hash_.data(), hash_.size()};
  }

  std::string_view md5_;
  const std::vector<std::string_view> &vocabulary_;
  std::span<NearestList> nearest_;
  std::size_t count_ = 0;
  std::size_t hashed_ = 0;
  const RpcList *list_ = nullptr;
  std::vector<std::string_view> names_;  // of the script, sorted
  std::string configured_;               // those of the node, as they are hashed
  std::string text_;
  Md5Text hash_ = {};
};

// Sorted by name are the script's methods, and then the node's.
bool has_method(const RpcList &list, std::string_view name) {
  const auto is_script = [](const RpcMethod &method) { return method.id < first_node_method_id; };
  const auto is_before = [](const RpcMethod &method, std::string_view wanted) { return method.name < wanted; };
  const auto is_in = [&](auto begin, auto end) {
    const auto found = std::lower_bound(begin, end, name, is_before);
    return found != end && found->name == name;
  };
  const auto middle = std::partition_point(list.methods.begin(), list.methods.end(), is_script);
  return is_in(list.methods.begin(), middle) || is_in(middle, list.methods.end());
}

std::vector<const RpcList *> expected_first(const ProjectContents &contents, std::span<const Script *const> expected) {
  std::vector<const RpcList *> lists;
  for (const Script *script : expected) {
    if (script == nullptr) continue;
    for (const RpcList &list : script->lists) lists.push_back(&list);
  }
  std::string_view last;
  for (const RpcList *list : contents.by_md5) {
    if (list->md5 != last) lists.push_back(list);
    last = list->md5;
  }
  return lists;
}

}  // namespace

std::size_t Project::find_nearest(std::string_view md5, std::span<const Script *const> expected,
                                  std::span<NearestList> nearest) const noexcept {
  if (!contents_) return 0;
  try {
    const std::vector<const RpcList *> lists = expected_first(*contents_, expected);
    NearestFinder finder(md5, contents_->vocabulary, nearest);
    for (const RpcList *list : lists) finder.try_one(*list);
    if (finder.count() == 0) {
      for (const RpcList *list : lists) finder.try_two(*list);
    }
    for (const Script *script : expected) {
      if (finder.count() > 0) break;
      if (script != nullptr && !script->lists.empty()) finder.add({&script->lists.front(), false, {}, {}});
    }
    return finder.count();
  } catch (const std::exception &) {
    return 0;
  }
}

std::size_t missing_names(const RpcList &list, const RpcList &other, std::span<std::string_view> names) noexcept {
  std::size_t count = 0;
  for (const RpcMethod &method : list.methods) {
    if (has_method(other, method.name)) continue;
    if (count < names.size()) names[count] = method.name;
    ++count;
  }
  return count;
}

}  // namespace godot_codec::project
