// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Conversations that are recognised by what their packets say, and pinned to their dissector: what a carrier keeps of
/// each.
#pragma once

#include <cstdint>

#include "godot-codec/detection/choice.h"
#include "plugin/epan/by_conversation.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Packets of a conversation that are remembered before it is recognised: later passes show them. Later ones are not
/// remembered.
inline constexpr std::uint32_t max_early_packets = 1024;

/// The packets that were offered before their conversation was recognised.
class EarlyPackets {
 public:
  /// On the first pass, in rising order. Frames are kept once, up to max_early_packets of them.
  void add(std::uint32_t frame);
  [[nodiscard]] bool has(std::uint32_t frame) const;
  [[nodiscard]] bool is_full() const { return count_ == max_early_packets; }

 private:
  std::uint32_t *frames_;  // in file scope; zeros are the beginning
  std::uint32_t count_;
  std::uint32_t capacity_;
};

/// A carrier's knowledge of a conversation. Plain data, in file scope.
template <std::size_t count>
struct Pinned {
  godot_codec::Choice<count> choice;
  EarlyPackets early;
};

}  // namespace godot_plugin
