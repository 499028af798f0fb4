// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Stores a state for each of epan's conversations.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// One T for each conversation: zero-initialised, and freed with the capture. For static variables.
template <typename T>
class ByConversation {
 public:
  /// Call once, when the plugin is registered.
  void register_state() {
    states_ = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
  }
  /// Returns null if of() was never called for the conversation.
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
