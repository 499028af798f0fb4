// SPDX-License-Identifier: MIT
/// @file
/// How much a session may keep of a capture: a compressed datagram of 57 bytes can hold a thousand commands that each
/// want to be remembered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// Counts what a session keeps, and grants it so many bytes for each byte that was on the wire. Games need a tenth of
/// that.
///
/// Where the capture as a whole has spent its budget, a conversation that keeps no more than its own packets have
/// earned still learns: nobody makes a session forget others.
class Budget {
 public:
  /// Granted to a capture, whatever its size.
  static constexpr std::uint64_t base = std::uint64_t{16} << 20;
  static constexpr std::uint64_t per_wire_byte = 32;
  /// No packet counts as shorter: Ethernet has none that are.
  static constexpr std::size_t least_packet = 64;

  /// A conversation's part of the budget, in bytes.
  struct Account {
    std::uint64_t granted = 0;
    std::uint64_t kept = 0;
    std::uint32_t packet = 0;  ///< the packet that has earned last; each earns once
  };

  /// While a Lesson lives, memory that is kept is charged to its account.
  class Lesson {
   public:
    /// @param wire_size bytes of the whole packet, as it was on the wire
    Lesson(Budget &budget, Account &account, PacketPosition moment, std::size_t wire_size) : budget_(budget) {
      budget.begin(account, moment, wire_size);
    }
    ~Lesson() { budget_.account_ = nullptr; }
    Lesson(const Lesson &) = delete;
    Lesson &operator=(const Lesson &) = delete;

   private:
    Budget &budget_;
  };

  /// Memory that is counted.
  class Memory final : public std::pmr::memory_resource {
   public:
    /// @param upstream the resource that the memory comes from
    Memory(Budget &budget, std::pmr::memory_resource *upstream) : budget_(budget), upstream_(upstream) {}

   private:
    void *do_allocate(std::size_t size, std::size_t alignment) override {
      budget_.keep(size);
      return upstream_->allocate(size, alignment);
    }
    void do_deallocate(void *memory, std::size_t size, std::size_t alignment) override {
      budget_.give_back(size);
      upstream_->deallocate(memory, size, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }

    Budget &budget_;
    std::pmr::memory_resource *upstream_;
  };

  /// To be asked before anything more is kept, within a lesson. Where the answer is no, what is being learned is lost.
  [[nodiscard]] bool has_room() {
    const bool is_within = kept_ <= granted_ || (account_ != nullptr && account_->kept <= account_->granted);
    if (!is_within && spent_.packet == 0) spent_ = moment_;
    return is_within;
  }

  /// When something was lost for the first time; packet 0: nothing was.
  [[nodiscard]] PacketPosition spent() const { return spent_; }
  /// Bytes that are kept now.
  [[nodiscard]] std::uint64_t kept() const { return kept_; }

 private:
  void begin(Account &account, PacketPosition moment, std::size_t wire_size) {
    account_ = &account;
    moment_ = moment;
    if (account.packet == moment.packet) return;
    account.packet = moment.packet;
    const std::uint64_t earned = per_wire_byte * std::max(wire_size, least_packet);
    account.granted += earned;
    granted_ += earned;
  }
  void keep(std::size_t size) {
    kept_ += size;
    if (account_ != nullptr) account_->kept += size;
  }
  // Memory that one conversation took may be given back while another one learns.
  void give_back(std::size_t size) {
    kept_ -= size;
    if (account_ != nullptr) account_->kept -= std::min<std::uint64_t>(account_->kept, size);
  }

  std::uint64_t granted_ = base;
  std::uint64_t kept_ = 0;
  Account *account_ = nullptr;
  PacketPosition moment_;
  PacketPosition spent_;
};

}  // namespace godot_codec
