// SPDX-License-Identifier: MIT
/// @file
/// Texts of packets, each kept once and compared by its address from then on.
#pragma once

#include <compare>
#include <memory_resource>
#include <string_view>

#include "godot-codec/core/sorted_map.h"

namespace godot_codec {

/// Texts of packets, each kept once.
class MpTexts {
 public:
  struct Text {
    std::string_view bytes;      ///< the bytes in the packet, a zero behind them
    std::string_view printable;  ///< valid UTF-8, control characters escaped, a zero behind it
    /// For MpCauses: it is a name in the path of a synchronizer that sends values.
    mutable bool is_written = false;
  };

  explicit MpTexts(std::pmr::memory_resource *memory) : memory_(memory), texts_(memory) {}

  /// A text goes by what it says.
  struct Key {
    const Text *text = nullptr;

    auto operator<=>(const Key &other) const { return text->bytes <=> other.text->bytes; }
    bool operator==(const Key &other) const { return text->bytes == other.text->bytes; }
  };

  const Text *add(std::string_view bytes);
  /// @returns null if it was never added
  [[nodiscard]] const Text *find(std::string_view bytes) const;

 private:
  struct Nothing {};

  [[nodiscard]] std::string_view keep(std::string_view text);

  std::pmr::memory_resource *memory_;
  SortedMap<Key, Nothing> texts_;
};

}  // namespace godot_codec
