// SPDX-License-Identifier: MIT
/// @file
/// Sorted containers: a map for session state, and binary search in sorted lists.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>

namespace godot_codec {

/// A map for session state: entries are added but never removed, and are stored compactly in key order. A B+ tree:
/// sixteen entries need as much overhead as the pointers of one std::map entry, and keys that are added in ascending
/// order leave little memory unused. All operations take logarithmic time, even if an attacker chooses the keys. All
/// memory is taken from the resource; an empty map has none.
///
/// @tparam Key trivially copyable, with operator<=>
/// @tparam Value trivially copyable
template <typename Key, typename Value>
class SortedMap {
 public:
  struct Entry {
    Key key;
    [[no_unique_address]] Value value;
  };

  explicit SortedMap(std::pmr::memory_resource *memory) : memory_(memory) {}
  SortedMap(const SortedMap &) = delete;
  SortedMap &operator=(const SortedMap &) = delete;

  /// Returns the value of a key. Adds a value-initialized value if the key is new. The reference is valid until the
  /// next call.
  Value &operator[](const Key &key) {
    if (root_ == nullptr) root_ = create_node<Leaf>();
    const Insertion insertion = add(root_, key);
    if (insertion.split_node != nullptr) grow_root(insertion.split_key, insertion.split_node);
    return insertion.entry->value;
  }

  /// Returns the entry of a key; null if there is none. The pointer is valid until the next call of operator[], as are
  /// the pointers that the functions below return.
  [[nodiscard]] const Entry *find(const Key &key) const {
    const Entry *entry = find_last_until(key);
    return entry != nullptr && entry->key == key ? entry : nullptr;
  }
  [[nodiscard]] Entry *find(const Key &key) { return const_cast<Entry *>(std::as_const(*this).find(key)); }

  /// Returns the entry with the greatest key that is not above @p key; null if there is none.
  [[nodiscard]] const Entry *find_last_until(const Key &key) const {
    if (root_ == nullptr) return nullptr;
    const Leaf &leaf = find_leaf(key);
    const std::size_t end_index = find_end_index(leaf, key);
    return end_index > 0 ? &leaf.entries[end_index - 1] : nullptr;
  }

  /// Returns the entry with the smallest key above @p key; null if there is none.
  [[nodiscard]] const Entry *find_first_above(const Key &key) const {
    if (root_ == nullptr) return nullptr;
    const Leaf *leaf = &find_leaf(key);
    const std::size_t end_index = find_end_index(*leaf, key);
    if (end_index < leaf->count) return &leaf->entries[end_index];
    return leaf->next == nullptr ? nullptr : &leaf->next->entries[0];
  }

 private:
  static_assert(std::is_trivially_destructible_v<Key> && std::is_trivially_destructible_v<Value>);
  static constexpr std::size_t capacity = 16;

  struct Node {
    explicit Node(bool leaf) : is_leaf(leaf) {}

    std::uint32_t count = 0;
    bool is_leaf;
  };
  struct Leaf : Node {
    Leaf() : Node(true) {}
    std::array<Entry, capacity> entries{};
    Leaf *next = nullptr;
  };
  // A child's key is the smallest key in its subtree. Only the first child's subtree may contain smaller keys.
  struct Branch : Node {
    Branch() : Node(false) {}
    struct Child {
      Key key;
      Node *node;
    };
    std::array<Child, capacity> entries{};
  };

  // The entry that was added or found; if a node was split, also the new node.
  struct Insertion {
    Entry *entry;
    Key split_key;
    Node *split_node;
  };

  template <typename T>
  T *create_node() {
    return new (memory_->allocate(sizeof(T), alignof(T))) T();
  }

  // Number of keys in a node that are not above `key`.
  template <typename T>
  static std::size_t find_end_index(const T &node, const Key &key) {
    const auto *first = node.entries.data();
    const auto *end_index = std::upper_bound(first, first + node.count, key,
                                             [](const Key &wanted, const auto &each) { return wanted < each.key; });
    return static_cast<std::size_t>(end_index - first);
  }

  static std::size_t find_child_index(const Branch &branch, const Key &key) {
    const std::size_t end_index = find_end_index(branch, key);
    return end_index > 0 ? end_index - 1 : 0;
  }

  [[nodiscard]] const Leaf &find_leaf(const Key &key) const {
    const Node *node = root_;
    while (!node->is_leaf) {
      const auto &branch = static_cast<const Branch &>(*node);
      node = branch.entries[find_child_index(branch, key)].node;
    }
    return static_cast<const Leaf &>(*node);
  }

  // Moves the upper entries of a full node to a new node. Splits at the insertion point, because ascending keys will be
  // inserted there next. The split is limited, so that neither node gets too few entries.
  template <typename T>
  T *split_off(T &full, std::size_t next) {
    T *upper = create_node<T>();
    const std::size_t kept = next == capacity ? capacity - 1 : std::clamp(next, capacity / 2, capacity * 3 / 4);
    std::move(full.entries.begin() + kept, full.entries.end(), upper->entries.begin());
    upper->count = static_cast<std::uint32_t>(capacity - kept);
    full.count = static_cast<std::uint32_t>(kept);
    return upper;
  }

  template <typename T, typename New>
  static auto *insert(T &node, std::size_t at, const New &entry) {
    std::move_backward(node.entries.begin() + at, node.entries.begin() + node.count,
                       node.entries.begin() + node.count + 1);
    node.entries[at] = entry;
    ++node.count;
    return &node.entries[at];
  }

  // @returns the inserted entry; if the full node was split, also the new node
  template <typename T, typename New>
  auto insert_or_split(T &node, std::size_t at, const New &entry) {
    T *upper = node.count < capacity ? nullptr : split_off(node, at);
    const bool is_above = upper != nullptr && at > node.count;
    auto *inserted = is_above ? insert(*upper, at - node.count, entry) : insert(node, at, entry);
    return std::pair(inserted, upper);
  }

  Insertion add(Node *node, const Key &key) {
    return node->is_leaf ? add_to_leaf(static_cast<Leaf &>(*node), key)
                         : add_to_branch(static_cast<Branch &>(*node), key);
  }

  Insertion add_to_leaf(Leaf &leaf, const Key &key) {
    const std::size_t at = find_end_index(leaf, key);
    if (at > 0 && leaf.entries[at - 1].key == key) return {&leaf.entries[at - 1], {}, nullptr};
    const auto [entry, upper] = insert_or_split(leaf, at, Entry{key, {}});
    if (upper == nullptr) return {entry, {}, nullptr};
    upper->next = std::exchange(leaf.next, upper);
    return {entry, upper->entries[0].key, upper};
  }

  // Recursion depth: the height of the tree.
  Insertion add_to_branch(Branch &branch, const Key &key) {
    const std::size_t at = find_child_index(branch, key);
    const Insertion insertion = add(branch.entries[at].node, key);
    if (insertion.split_node == nullptr) return insertion;
    const auto [child, upper] =
        insert_or_split(branch, at + 1, typename Branch::Child{insertion.split_key, insertion.split_node});
    if (upper == nullptr) return {insertion.entry, {}, nullptr};
    return {insertion.entry, upper->entries[0].key, upper};
  }

  void grow_root(const Key &key, Node *upper) {
    auto *branch = create_node<Branch>();
    branch->entries[0] = {key, root_};
    branch->entries[1] = {key, upper};
    branch->count = 2;
    root_ = branch;
  }

  std::pmr::memory_resource *memory_;
  Node *root_ = nullptr;
};

/// Returns the first item with a key; null if there is none.
/// @param key_of member or function that returns an item's key; the list must be sorted by this key
template <typename List, typename Key, typename KeyOf>
[[nodiscard]] auto *find_sorted(List &&sorted, const Key &key, KeyOf key_of) {
  const auto found = std::ranges::lower_bound(sorted, key, {}, key_of);
  return found != std::ranges::end(sorted) && std::invoke(key_of, *found) == key ? &*found : nullptr;
}

}  // namespace godot_codec
