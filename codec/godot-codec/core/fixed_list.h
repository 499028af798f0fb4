// SPDX-License-Identifier: MIT
/// @file
/// Containers with inline storage, which never allocate: a list and a set of enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace godot_codec {

/// A list of at most @p capacity items. Unused storage is neither written nor copied. Trivially destructible, so that
/// longjmp may skip the destructor.
template <typename Item, std::size_t capacity>
class FixedList {
 public:
  static_assert(std::is_trivially_destructible_v<Item>);

  FixedList() {}  // NOLINT(modernize-use-equals-default): with `= default`, `FixedList{}` would zero the items
  FixedList(const FixedList &other) requires std::is_copy_constructible_v<Item> { *this = other; }
  FixedList &operator=(const FixedList &other) requires std::is_copy_constructible_v<Item> {
    size_ = other.size_;
    std::uninitialized_copy(other.begin(), other.end(), items_.data());
    return *this;
  }
  ~FixedList() = default;

  [[nodiscard]] const Item *begin() const { return items_.data(); }
  [[nodiscard]] const Item *end() const { return items_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_full() const { return size_ == capacity; }
  [[nodiscard]] const Item &operator[](std::size_t index) const { return items_[index]; }
  [[nodiscard]] Item &operator[](std::size_t index) { return items_[index]; }
  /// Appends an item. The list must not be full.
  Item &add(const Item &item) { return items_[size_++] = item; }
  /// Appends the result of a function, without copying the result. The list must not be full.
  template <typename Make>
  Item &add_result(Make make) {
    return *::new (static_cast<void *>(&items_[size_++])) Item(make());
  }
  /// Replaces the last item of a list that is not empty.
  template <typename... Arguments>
  Item &replace_last(Arguments &&...arguments) {
    return *std::construct_at(&items_[size_ - 1], std::forward<Arguments>(arguments)...);
  }

 private:
  union {
    std::array<Item, capacity> items_;
  };
  std::size_t size_ = 0;
};

/// A set of values of an enum with at most 32 values.
template <typename Member>
class EnumSet {
 public:
  constexpr EnumSet() = default;
  constexpr EnumSet(std::initializer_list<Member> members) {
    for (const Member member : members) add(member);
  }
  /// Returns the set of all values.
  static constexpr EnumSet all() {
    EnumSet set;
    set.bits_ = ~set.bits_;
    return set;
  }
  constexpr void add(Member member) { bits_ |= bit(member); }
  [[nodiscard]] constexpr bool has(Member member) const { return (bits_ & bit(member)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool intersects(EnumSet other) const { return (bits_ & other.bits_) != 0; }
  [[nodiscard]] constexpr EnumSet operator&(EnumSet other) const {
    other.bits_ &= bits_;
    return other;
  }
  constexpr bool operator==(const EnumSet &) const = default;

 private:
  static constexpr std::uint32_t bit(Member member) { return 1U << static_cast<unsigned>(member); }
  std::uint32_t bits_ = 0;
};

}  // namespace godot_codec
