// SPDX-License-Identifier: MIT
/// @file
/// Binary search in sorted lists.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>

namespace godot_codec {

/// Returns the first item with a key; null if there is none.
/// @param key_of member or function that returns an item's key; the list must be sorted by this key
template <typename List, typename Key, typename KeyOf>
[[nodiscard]] auto *find_sorted(List &&sorted, const Key &key, KeyOf key_of) {
  const auto found = std::ranges::lower_bound(sorted, key, {}, key_of);
  return found != std::ranges::end(sorted) && std::invoke(key_of, *found) == key ? &*found : nullptr;
}

}  // namespace godot_codec
