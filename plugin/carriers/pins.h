// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Conversations that are recognised by what their packets say, and pinned to their dissector: what a carrier keeps of
/// each.
#pragma once

#include <cstdint>

#include "godot-codec/recognise/choice.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Packets of a conversation that are remembered before it is recognised: later passes show them. Of those behind them
/// nothing is kept.
inline constexpr std::uint32_t max_early_packets = 1024;

/// The packets that were offered before their conversation was recognised.
class EarlyPackets {
 public:
  /// On the first pass, in rising order. Frames are kept once, up to max_early_packets of them.
  void add(std::uint32_t frame);
  [[nodiscard]] bool has(std::uint32_t frame) const;
  [[nodiscard]] bool is_full() const { return count_ == max_early_packets; }

 private:
  std::uint32_t *frames_;  // of file scope; zeros are the beginning
  std::uint32_t count_;
  std::uint32_t capacity_;
};

/// What a carrier knows of a conversation. Plain data, of file scope.
template <std::size_t count>
struct Pinned {
  godot_codec::Choice<count> choice;
  EarlyPackets early;
};

/// One of T for each conversation, zeros at first; forgotten with the capture. Static.
template <typename T>
class ByConversation {
 public:
  /// Once, when the plugin is registered.
  void register_state() {
    states_ = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
  }
  /// Null where of() was never called.
  [[nodiscard]] T *find(const conversation_t *conversation) const {
    return static_cast<T *>(wmem_map_lookup(states_, conversation));
  }
  [[nodiscard]] T &of(const conversation_t *conversation) {
    T *state = find(conversation);
    if (state == nullptr) {
      state = wmem_new0(wmem_file_scope(), T);
      wmem_map_insert(states_, conversation, state);
    }
    return *state;
  }

 private:
  wmem_map_t *states_ = nullptr;
};

}  // namespace godot_plugin
