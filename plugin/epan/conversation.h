// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Looks up a packet's conversation, and stores this plugin's states for a conversation. A look-up costs about a
/// thousand instructions in epan. So the first pass keeps recent conversations in a cache, and builds with tests count
/// the look-ups (core/test_counters.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

// ---- look-ups

/// Returns the packet's conversation; creates it if necessary.
[[nodiscard]] conversation_t *conversation_of(packet_info *pinfo);

/// Returns the packet's conversation; null if there is none.
[[nodiscard]] conversation_t *existing_conversation_of(packet_info *pinfo);

/// Removes the conversation from the cache, because the packet begins another one with the same endpoints.
void drop_recent_conversation(const packet_info *pinfo);

// ---- states

/// The place of one state in each conversation. Each slot takes the next index when the plugin is loaded.
class ConversationSlot {
 public:
  ConversationSlot() : index_(slot_count++) {}
  /// Returns null if the conversation is null or does not have this state.
  [[nodiscard]] void *find(const conversation_t *conversation) const;
  /// Returns the pointer to the state, which is null before the caller sets it.
  [[nodiscard]] void *&of(conversation_t *conversation) const;

 private:
  static inline constinit std::size_t slot_count = 0;
  std::size_t index_;
};

/// One state of type T for each conversation. of() creates a conversation's state. Use as a static variable.
template <typename T>
class ConversationState {
 public:
  /// True if no conversation has the state.
  [[nodiscard]] bool empty() const { return states_.find() == nullptr; }
  /// Returns null if the conversation is null or does not have the state.
  [[nodiscard]] T *find(const conversation_t *conversation) const { return static_cast<T *>(slot_.find(conversation)); }
  /// Returns the conversation's state. The first call constructs the state from @p arguments; without arguments, a
  /// struct is zero-initialised.
  template <typename... Arguments>
  [[nodiscard]] T &of(conversation_t *conversation, Arguments &&...arguments) {
    void *&state = slot_.of(conversation);
    if (state == nullptr) state = &states_->emplace_back(std::forward<Arguments>(arguments)...);
    return *static_cast<T *>(state);
  }

 private:
  ConversationSlot slot_;
  CaptureState<std::deque<T>> states_;
};

}  // namespace godot_plugin
