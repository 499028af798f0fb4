// SPDX-License-Identifier: MIT
/// @file
/// A memory resource that counts the bytes requested from it.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace godot_codec::test {

/// Counts the allocated bytes, and those in use.
class CountingMemory final : public std::pmr::memory_resource {
 public:
  explicit CountingMemory(std::pmr::memory_resource *upstream = std::pmr::new_delete_resource())
      : upstream_(upstream) {}
  /// Deallocation does not reduce this count.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t used() const { return bytes_ - freed_; }

 private:
  void *do_allocate(std::size_t size, std::size_t alignment) override {
    bytes_ += size;
    return upstream_->allocate(size, alignment);
  }
  void do_deallocate(void *memory, std::size_t size, std::size_t alignment) override {
    freed_ += size;
    upstream_->deallocate(memory, size, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }

  std::pmr::memory_resource *upstream_;
  std::size_t bytes_ = 0;
  std::size_t freed_ = 0;
};

}  // namespace godot_codec::test
