// SPDX-License-Identifier: MIT
/// @file
/// Stores each text of the packets only once, so that texts can be compared by address.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "godot-codec/core/sorted_map.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec {

/// A set of texts of packets.
class MpTextPool {
 public:
  struct Text {
    std::string_view bytes;      ///< bytes as in the packet, followed by a zero
    std::string_view printable;  ///< valid UTF-8, control characters escaped, followed by a zero
    /// For MpProblemTracker: true if the text is the name of a node on the path of a synchronizer that sends values.
    mutable bool is_synchronized = false;
  };

  explicit MpTextPool(std::pmr::memory_resource *memory) : memory_(memory), texts_(memory) {}

  /// Compares texts by their bytes.
  struct Key {
    const Text *text = nullptr;

    auto operator<=>(const Key &other) const { return text->bytes <=> other.text->bytes; }
    bool operator==(const Key &other) const { return text->bytes == other.text->bytes; }
  };

  const Text *add(std::string_view bytes) {
    if (const Text *known = find(bytes); known != nullptr) return known;
    constexpr std::size_t longest_escape = 6;  // such as \uNNNN
    std::vector<char> escaped(bytes.size() * longest_escape + 4);
    TextBuffer buffer(escaped);
    buffer.append_escaped(bytes, false);
    Text *text = std::pmr::polymorphic_allocator<>(memory_).new_object<Text>();
    text->bytes = store(bytes);
    text->printable = buffer.view() == bytes ? text->bytes : store(buffer.view());
    texts_[{text}];
    return text;
  }
  /// @returns null if the text was not added
  [[nodiscard]] const Text *find(std::string_view bytes) const {
    const Text wanted{bytes, {}};
    const auto *found = texts_.find({&wanted});
    return found == nullptr ? nullptr : found->key.text;
  }

 private:
  struct Nothing {};

  [[nodiscard]] std::string_view store(std::string_view text) {
    auto *kept = static_cast<char *>(memory_->allocate(text.size() + 1, alignof(char)));
    *std::copy(text.begin(), text.end(), kept) = '\0';
    return {kept, text.size()};
  }

  std::pmr::memory_resource *memory_;
  SortedMap<Key, Nothing> texts_;
};

}  // namespace godot_codec
