// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Stores states with a packet while it is being dissected, separately for each pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The kinds of state that the plugin stores for a packet.
enum class PacketDataKey : std::uint8_t {
  sctp,                  ///< the SCTP packet
  counts,                ///< PacketCounts
  websocket_layers,      ///< count of overflows of Wireshark 4.0's layer counter
  enet,                  ///< the packet's ENet datagrams
  statistics,            ///< the frame's record for the statistics
  problems,              ///< subjects of the packet's expert items
  decompressed_sources,  ///< number of data sources created for decompressed data
  followed_stream,       ///< the packet's stream for "Follow", and its sender
  peer_names,            ///< names of sender and receiver
  padding_reported,      ///< true if the packet has an expert item about non-zero padding
  count,
};

/// The states of the packet that is being dissected: one pointer for each key, null or in the packet's memory. Not
/// stored with the packet, because epan needs some hundred instructions to add and to find data.
struct CurrentPacketStates {
  const wmem_allocator_t *pool;  // the packet's memory; null: no packet has a state
  std::array<void *, static_cast<std::size_t>(PacketDataKey::count)> states;
};
inline CaptureState<CurrentPacketStates> current_packet_states;

using WmemCallbackResult = std::invoke_result_t<wmem_user_cb_t, wmem_allocator_t *, wmem_cb_event_t, void *>;

/// epan calls this when it frees the packet's memory.
inline WmemCallbackResult forget_packet_states(wmem_allocator_t *pool, wmem_cb_event_t /*event*/, void * /*data*/) {
  if (current_packet_states->pool == pool) *current_packet_states = {};
  return false;  // do not call again
}

/// Returns the packet's state; null if packet_data() has not created it yet.
template <typename T>
[[nodiscard]] T *find_packet_data(const packet_info *pinfo, PacketDataKey key) {
  const CurrentPacketStates &current = *current_packet_states;
  return current.pool == pinfo->pool ? static_cast<T *>(current.states[static_cast<std::size_t>(key)]) : nullptr;
}

/// Returns the packet's state, zero-initialised on first use.
template <typename T>
[[nodiscard]] T &packet_data(packet_info *pinfo, PacketDataKey key) {
  static_assert(std::is_trivially_destructible_v<T>);
  CurrentPacketStates &current = *current_packet_states;
  if (current.pool != pinfo->pool) {
    current = {pinfo->pool, {}};
    wmem_register_callback(pinfo->pool, forget_packet_states, nullptr);
  }
  void *&state = current.states[static_cast<std::size_t>(key)];
  if (state == nullptr) state = wmem_new0(pinfo->pool, T);
  return *static_cast<T *>(state);
}

}  // namespace godot_plugin
