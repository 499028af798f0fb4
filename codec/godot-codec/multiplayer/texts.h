// SPDX-License-Identifier: MIT
/// @file
/// Stores texts of packets once each, so that they can be compared by address.
#pragma once

#include <compare>
#include <memory_resource>
#include <string_view>

#include "godot-codec/core/sorted_map.h"

namespace godot_codec {

/// A set of texts of packets.
class MpTexts {
 public:
  struct Text {
    std::string_view bytes;      ///< bytes as in the packet, followed by a zero
    std::string_view printable;  ///< valid UTF-8, control characters escaped, followed by a zero
    /// For MpProblemTracker: true if the text is the name of a node in the path of a synchronizer that sends values.
    mutable bool is_synchronized = false;
  };

  explicit MpTexts(std::pmr::memory_resource *memory) : memory_(memory), texts_(memory) {}

  /// Compares texts by their bytes.
  struct Key {
    const Text *text = nullptr;

    auto operator<=>(const Key &other) const { return text->bytes <=> other.text->bytes; }
    bool operator==(const Key &other) const { return text->bytes == other.text->bytes; }
  };

  const Text *add(std::string_view bytes);
  /// @returns null if the text was not added
  [[nodiscard]] const Text *find(std::string_view bytes) const;

 private:
  struct Nothing {};

  [[nodiscard]] std::string_view keep(std::string_view text);

  std::pmr::memory_resource *memory_;
  SortedMap<Key, Nothing> texts_;
};

}  // namespace godot_codec
