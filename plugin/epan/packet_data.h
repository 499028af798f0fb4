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

/// Returns a packet's states: one pointer for each type, in the packet's memory. epan stores them together, because
/// adding a state in epan takes some hundred instructions.
/// @returns null if the packet has no state
[[nodiscard]] inline void **find_packet_states(packet_info *pinfo) {
  static const int proto = proto_get_id_by_filter_name("godot");
  return static_cast<void **>(p_get_proto_data(pinfo->pool, pinfo, proto, 0));
}

/// Returns the packet's state of type T; null if packet_data() has not created it yet.
template <typename T>
[[nodiscard]] T *find_packet_data(packet_info *pinfo) {
  void **states = find_packet_states(pinfo);
  return states == nullptr ? nullptr : static_cast<T *>(states[packet_slot<T>]);
}

/// Returns the packet's state of type T, zero-initialised on first use.
template <typename T>
[[nodiscard]] T &packet_data(packet_info *pinfo) {
  static_assert(std::is_trivially_destructible_v<T>);
  void **states = find_packet_states(pinfo);
  if (states == nullptr) {
    static const int proto = proto_get_id_by_filter_name("godot");
    states = wmem_alloc0_array(pinfo->pool, void *, packet_slot_count);
    p_add_proto_data(pinfo->pool, pinfo, proto, 0, static_cast<void *>(states));
  }
  void *&state = states[packet_slot<T>];
  if (state == nullptr) state = wmem_new0(pinfo->pool, T);
  return *static_cast<T *>(state);
}

}  // namespace godot_plugin
