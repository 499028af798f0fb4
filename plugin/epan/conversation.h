// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Looks up a packet's conversation, and stores this plugin's states for a conversation. A look-up costs about a
/// thousand instructions in epan. So the first pass keeps recent conversations in a cache, and builds with tests count
/// the look-ups (core/test_counters.h).
#pragma once

#include <array>
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

/// The kinds of state that the plugin stores for a conversation.
enum class ConversationSlot : std::uint8_t {
  udp,                        ///< detection of the protocol of UDP datagrams
  dtls,                       ///< detection of the protocol of DTLS records
  tcp,                        ///< TCP stream: detected protocol, and positions of its messages
  tls,                        ///< the same as `tcp`, for a stream inside TLS
  enet_hosts,                 ///< the ENet hosts, with their connections
  dtls_client,                ///< DTLS client of an ENet host
  websocket,                  ///< WebSocket connection, or TLS connection that may contain a WebSocket
  websocket_upgrade,          ///< HTTP request for a WebSocket
  websocket_without_upgrade,  ///< frames of a WebSocket without its HTTP request
  websocket_link,             ///< the game link of a WebSocket
  webrtc_association,         ///< SCTP association with data channels
  ice_pair,                   ///< address pair of a WebRTC connection
  encryption,                 ///< TLS, or DTLS that is not of WebRTC
  dialects,                   ///< dialects of the conversation's Variants
  releases,                   ///< Godot releases of both sides
  debug_monitors,             ///< number of custom monitors in debugger messages
  padding,                    ///< the packet that has the expert item about padding
  count,
};

/// A conversation's states: one pointer for each slot. Zero-initialised, in epan's file scope.
using ConversationSlots = std::array<void *, static_cast<std::size_t>(ConversationSlot::count)>;

/// Returns null if the conversation is null or has no state.
[[nodiscard]] ConversationSlots *find_slots(const conversation_t *conversation);
[[nodiscard]] ConversationSlots &slots_of(conversation_t *conversation);

/// One state of type T for each conversation, stored in the given slot. of() creates a conversation's state. Use as a
/// static variable.
template <typename T>
class ConversationState {
 public:
  ConversationState(ConversationSlot slot) : slot_(static_cast<std::size_t>(slot)) {}

  /// True if no conversation has the state.
  [[nodiscard]] bool empty() const { return states_.find() == nullptr; }
  /// Returns null if the conversation is null or does not have the state.
  [[nodiscard]] T *find(const conversation_t *conversation) const {
    ConversationSlots *slots = find_slots(conversation);
    return slots == nullptr ? nullptr : static_cast<T *>((*slots)[slot_]);
  }
  /// Returns the conversation's state. The first call constructs the state from @p arguments; without arguments, a
  /// struct is zero-initialised.
  template <typename... Arguments>
  [[nodiscard]] T &of(conversation_t *conversation, Arguments &&...arguments) {
    void *&state = slots_of(conversation)[slot_];
    if (state == nullptr) state = &states_->emplace_back(std::forward<Arguments>(arguments)...);
    return *static_cast<T *>(state);
  }

 private:
  std::size_t slot_;
  CaptureState<std::deque<T>> states_;
};

}  // namespace godot_plugin
