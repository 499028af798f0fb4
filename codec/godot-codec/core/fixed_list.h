// SPDX-License-Identifier: MIT
/// @file
/// A list in memory of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace godot_codec {

/// A list with room for so many items. Room that is not used is neither written nor copied, and costs no time. Plain
/// data: it may be jumped over by longjmp.
template <typename Item, std::size_t room>
class FixedList {
 public:
  static_assert(std::is_trivially_copyable_v<Item> && std::is_trivially_destructible_v<Item>);

  FixedList() {}  // NOLINT(modernize-use-equals-default): the items are not initialised
  FixedList(const FixedList &other) { *this = other; }
  FixedList &operator=(const FixedList &other) {
    size_ = other.size_;
    std::copy(other.begin(), other.end(), items_.begin());
    return *this;
  }
  ~FixedList() = default;

  [[nodiscard]] const Item *begin() const { return items_.data(); }
  [[nodiscard]] const Item *end() const { return items_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_full() const { return size_ == room; }
  [[nodiscard]] const Item &operator[](std::size_t index) const { return items_[index]; }
  /// Only if it is not full.
  Item &add(const Item &item) { return items_[size_++] = item; }

 private:
  union {
    std::array<Item, room> items_;
  };
  std::size_t size_ = 0;
};

}  // namespace godot_codec
