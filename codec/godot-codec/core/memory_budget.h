// SPDX-License-Identifier: MIT
/// @file
/// Limits the memory that sessions use for a capture. Without a limit, hostile captures could exhaust it: a compressed
/// datagram of 57 bytes can hold a thousand commands that each add state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Limits the memory of the sessions: each byte on the wire grants some bytes of memory. Games need a tenth of them.
///
/// If the sessions exceed the budget of the whole capture, a conversation may still add state up to the grant of its
/// own packets. So no conversation can use up the budget of other conversations.
class MemoryBudget {
 public:
  /// Number of bytes that each capture is granted before its first packet.
  static constexpr std::uint64_t base_grant = std::uint64_t{16} << 20;
  static constexpr std::uint64_t grant_per_wire_byte = 32;
  /// A packet counts as at least this many bytes, because Ethernet has no shorter frames.
  static constexpr std::size_t min_packet_size = 64;

  /// A conversation's share of the budget, in bytes.
  struct Share {
    std::uint64_t granted_bytes = 0;
    std::uint64_t used_bytes = 0;
    std::uint32_t last_packet = 0;  ///< number of the last packet that was granted bytes; each packet counts once
  };

  /// While a ChargeScope exists, allocated memory is charged to its share.
  class ChargeScope {
   public:
    /// @param wire_size size of the whole packet on the wire, in bytes
    ChargeScope(MemoryBudget &budget, Share &share, PacketPosition position, std::size_t wire_size) : budget_(budget) {
      budget.begin_charge(share, position, wire_size);
    }
    ~ChargeScope() { budget_.share_ = nullptr; }
    ChargeScope(const ChargeScope &) = delete;
    ChargeScope &operator=(const ChargeScope &) = delete;

   private:
    MemoryBudget &budget_;
  };

  /// A memory resource that reports its allocations to the budget.
  class ChargedMemory final : public std::pmr::memory_resource {
   public:
    ChargedMemory(MemoryBudget &budget, std::pmr::memory_resource *upstream) : budget_(budget), upstream_(upstream) {}

   private:
    void *do_allocate(std::size_t size, std::size_t alignment) override {
      budget_.charge(size);
      return upstream_->allocate(size, alignment);
    }
    void do_deallocate(void *memory, std::size_t size, std::size_t alignment) override {
      budget_.release(size);
      upstream_->deallocate(memory, size, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }

    MemoryBudget &budget_;
    std::pmr::memory_resource *upstream_;
  };

  /// True if more state may be added. Call it before adding state, while a ChargeScope exists.
  [[nodiscard]] bool has_capacity() {
    const bool is_within =
        used_bytes_ <= granted_bytes_ || (share_ != nullptr && share_->used_bytes <= share_->granted_bytes);
    if (!is_within && exhausted_at_.packet == 0) exhausted_at_ = position_;
    return is_within;
  }

  /// Position at which has_capacity() first returned false; packet 0 if it always returned true.
  [[nodiscard]] PacketPosition exhausted_at() const { return exhausted_at_; }
  /// Number of bytes in use.
  [[nodiscard]] std::uint64_t used() const { return used_bytes_; }

 private:
  void begin_charge(Share &share, PacketPosition position, std::size_t wire_size) {
    share_ = &share;
    position_ = position;
    if (share.last_packet == position.packet) return;
    share.last_packet = position.packet;
    const std::uint64_t earned = grant_per_wire_byte * std::max(wire_size, min_packet_size);
    share.granted_bytes += earned;
    granted_bytes_ += earned;
  }
  void charge(std::size_t size) {
    used_bytes_ += size;
    if (share_ != nullptr) share_->used_bytes += size;
  }
  // A conversation may free memory that was charged to another conversation, so its share must not become negative.
  void release(std::size_t size) {
    used_bytes_ -= size;
    if (share_ != nullptr) share_->used_bytes -= std::min<std::uint64_t>(share_->used_bytes, size);
  }

  std::uint64_t granted_bytes_ = base_grant;
  std::uint64_t used_bytes_ = 0;
  Share *share_ = nullptr;
  PacketPosition position_;
  PacketPosition exhausted_at_;
};

}  // namespace godot_codec
