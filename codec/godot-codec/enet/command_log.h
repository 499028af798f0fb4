// SPDX-License-Identifier: MIT
/// @file
/// Stores findings about commands in capture order, and finds them by the position of the command.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory_resource>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// The position of a command. A packet may contain several datagrams, for example within tunnels.
struct EnetCommandPosition {
  std::uint32_t packet = 0;    ///< packet number, as in PacketPosition; 0: none
  std::uint16_t datagram = 0;  ///< index in the packet, from 0, like PacketPosition::message
  std::uint16_t command = 0;   ///< index in the datagram, from 0

  [[nodiscard]] static constexpr EnetCommandPosition of(PacketPosition position, std::size_t command = 0) {
    constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
    return {position.packet, static_cast<std::uint16_t>(std::min(position.message, most)),
            static_cast<std::uint16_t>(std::min<std::size_t>(command, most))};
  }

  // clang-tidy mistakes the 0 that `<=>` is compared with for a pointer. NOLINTNEXTLINE(modernize-use-nullptr)
  constexpr auto operator<=>(const EnetCommandPosition &) const = default;
};

/// Records about commands, sorted by position. A record must have a member `position`. The addresses of records are
/// stable.
template <typename Record>
class EnetCommandLog {
 public:
  /// The records of one packet, as indices from `begin` up to `end`, exclusive.
  struct IndexRange {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  explicit EnetCommandLog(std::pmr::memory_resource *memory) : records_(memory) {}

  /// @param record must not have an earlier position than the last record
  Record &add(const Record &record) {
    records_.push_back(record);
    return records_.back();
  }

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] Record &operator[](std::size_t index) { return records_[index]; }
  [[nodiscard]] const Record &operator[](std::size_t index) const { return records_[index]; }

  /// Returns the records of all datagrams of a packet.
  [[nodiscard]] IndexRange indices_of_packet(std::uint32_t packet) const {
    const auto begin =
        std::lower_bound(records_.begin(), records_.end(), packet,
                         [](const Record &record, std::uint32_t at) { return record.position.packet < at; });
    const auto end = std::upper_bound(begin, records_.end(), packet, [](std::uint32_t at, const Record &record) {
      return at < record.position.packet;
    });
    return {static_cast<std::size_t>(begin - records_.begin()), static_cast<std::size_t>(end - records_.begin())};
  }

  /// Returns the record of a command, or null. Fast for the newest commands, because the first pass
  /// looks up these commands.
  [[nodiscard]] const Record *find(EnetCommandPosition position) const {
    constexpr std::ptrdiff_t newest_count = 32;
    if (records_.empty() || records_.back().position < position) return nullptr;
    auto begin = records_.begin();
    if (std::ssize(records_) > newest_count && (records_.end() - newest_count)->position <= position)
      begin = records_.end() - newest_count;
    // A record is found, because the last record does not precede the position.
    const auto found = std::lower_bound(begin, records_.end(), position,
                                        [](const Record &record, auto at) { return record.position < at; });
    return found->position == position ? &*found : nullptr;
  }

 private:
  std::pmr::deque<Record> records_;
};

}  // namespace godot_codec
