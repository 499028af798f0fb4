// SPDX-License-Identifier: MIT
/// @file
/// Keeps findings about commands in the order of the capture, and finds them again by their place in it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory_resource>

#include "godot-codec/core/packet_position.h"

namespace godot_codec {

/// A command of a datagram, as logs remember it. A packet may bring several datagrams: within tunnels, for one.
struct EnetPlace {
  std::uint32_t packet = 0;    ///< like PacketPosition's packet; 0: nowhere
  std::uint16_t datagram = 0;  ///< counted within the packet, from 0: the message of a PacketPosition
  std::uint16_t command = 0;   ///< counted within the datagram, from 0

  [[nodiscard]] static constexpr EnetPlace of(PacketPosition moment, std::size_t command = 0) {
    constexpr std::uint32_t most = std::numeric_limits<std::uint16_t>::max();
    return {moment.packet, static_cast<std::uint16_t>(std::min(moment.message, most)),
            static_cast<std::uint16_t>(std::min<std::size_t>(command, most))};
  }
  [[nodiscard]] constexpr PacketPosition moment() const { return {packet, datagram}; }

  constexpr auto operator<=>(const EnetPlace &) const = default;  // NOLINT(modernize-use-nullptr): there is no pointer
};

/// Records of commands that have something to record, by rising place. Each has a member `place`; addresses stay.
template <typename Record>
class EnetLog {
 public:
  /// The records of one datagram: from begin up to end.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  explicit EnetLog(std::pmr::memory_resource *memory) : records_(memory) {}

  /// @param record its place must not be before the last one's
  Record &add(const Record &record) {
    records_.push_back(record);
    return records_.back();
  }

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] Record &operator[](std::size_t index) { return records_[index]; }
  [[nodiscard]] const Record &operator[](std::size_t index) const { return records_[index]; }

  /// The records of the datagram at a moment. The newest one's are found at once: it is what the first pass asks for.
  [[nodiscard]] Part part_of(PacketPosition moment) const {
    const auto is_before = [](const Record &record, PacketPosition at) { return record.place.moment() < at; };
    Part part{records_.size(), records_.size()};
    if (records_.empty() || is_before(records_.back(), moment)) return part;
    if (records_.back().place.moment() == moment) {
      while (part.begin > 0 && records_[part.begin - 1].place.moment() == moment) --part.begin;
      return part;
    }
    const auto begin = std::lower_bound(records_.begin(), records_.end(), moment, is_before);
    part.begin = part.end = static_cast<std::size_t>(begin - records_.begin());
    while (records_[part.end].place.moment() == moment) ++part.end;  // the last record is of a later one
    return part;
  }

  /// The records of all datagrams of a packet.
  [[nodiscard]] Part part_of_packet(std::uint32_t packet) const {
    const auto begin =
        std::lower_bound(records_.begin(), records_.end(), packet,
                         [](const Record &record, std::uint32_t at) { return record.place.packet < at; });
    const auto end = std::upper_bound(begin, records_.end(), packet,
                                      [](std::uint32_t at, const Record &record) { return at < record.place.packet; });
    return {static_cast<std::size_t>(begin - records_.begin()), static_cast<std::size_t>(end - records_.begin())};
  }

  /// The record of a command of a datagram; nullptr if it has none.
  [[nodiscard]] const Record *find(const Part &part, std::size_t command) const {
    if (part.begin == part.end) return nullptr;  // most datagrams have none
    const auto at = [this](std::size_t index) { return records_.begin() + static_cast<std::ptrdiff_t>(index); };
    const auto found = std::lower_bound(at(part.begin), at(part.end), command,
                                        [](const Record &record, std::size_t n) { return record.place.command < n; });
    return found != at(part.end) && found->place.command == command ? &*found : nullptr;
  }

 private:
  std::pmr::deque<Record> records_;
};

}  // namespace godot_codec
