// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Stores states with a packet while it is being dissected, separately for each pass.
#pragma once

#include <cstddef>
#include <type_traits>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

inline constinit std::size_t packet_slot_count = 0;
/// The place of the state of type T in each packet. Each type takes the next place when the plugin is loaded.
template <typename T>
inline const std::size_t packet_slot = packet_slot_count++;

/// The states of the packet that is being dissected: one pointer for each type, null or in the packet's memory. Not
/// stored with the packet, because epan needs some hundred instructions to add and to find data.
struct CurrentPacketStates {
  const wmem_allocator_t *pool;  // the packet's memory; null: no packet has a state
  void **states;
};
inline CaptureState<CurrentPacketStates> current_packet_states;

using WmemCallbackResult = std::invoke_result_t<wmem_user_cb_t, wmem_allocator_t *, wmem_cb_event_t, void *>;

/// epan calls this when it frees the packet's memory.
inline WmemCallbackResult forget_packet_states(wmem_allocator_t *pool, wmem_cb_event_t /*event*/, void * /*data*/) {
  if (current_packet_states->pool == pool) *current_packet_states = {};
  return false;  // do not call again
}

/// Returns the packet's state of type T; null if packet_data() has not created it yet.
template <typename T>
[[nodiscard]] T *find_packet_data(const packet_info *pinfo) {
  const CurrentPacketStates &current = *current_packet_states;
  return current.pool == pinfo->pool ? static_cast<T *>(current.states[packet_slot<T>]) : nullptr;
}

/// Returns the packet's state of type T, zero-initialised on first use.
template <typename T>
[[nodiscard]] T &packet_data(packet_info *pinfo) {
  static_assert(std::is_trivially_destructible_v<T>);
  CurrentPacketStates &current = *current_packet_states;
  if (current.pool != pinfo->pool) {
    current = {pinfo->pool, wmem_alloc0_array(pinfo->pool, void *, packet_slot_count)};
    wmem_register_callback(pinfo->pool, forget_packet_states, nullptr);
  }
  void *&state = current.states[packet_slot<T>];
  if (state == nullptr) state = wmem_new0(pinfo->pool, T);
  return *static_cast<T *>(state);
}

}  // namespace godot_plugin
