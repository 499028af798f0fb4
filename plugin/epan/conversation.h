// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Looks up a packet's conversation, and stores what the plugin knows about a conversation. A look-up costs about a
/// thousand instructions in epan, so that builds with tests count the look-ups (core/counts.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "godot-codec/core/counts.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

// ---- look-ups

/// Returns the packet's conversation; creates it if necessary.
[[nodiscard]] inline conversation_t *conversation_of(packet_info *pinfo) {
  godot_codec::count_lookup();
  return find_or_create_conversation(pinfo);
}

/// Returns the packet's conversation; null if there is none.
[[nodiscard]] inline conversation_t *known_conversation_of(packet_info *pinfo) {
  godot_codec::count_lookup();
  return find_conversation_pinfo(pinfo, 0);
}

/// Returns the conversation of recent packets with the same endpoints, from a cache; null if it is not in the cache.
/// This saves the look-up for packets that are only counted: datagrams of other protocols, and TCP segments while a
/// WebSocket is followed. Only for the first pass: later passes may show any packet, and by then another conversation
/// may have had the same endpoints.
[[nodiscard]] conversation_t *find_recent_conversation(const packet_info *pinfo);
/// Adds the packet's conversation to that cache.
void add_recent_conversation(const packet_info *pinfo, conversation_t *conversation);
/// Removes the conversation from the cache, because the packet begins another one with the same endpoints.
void drop_recent_conversation(const packet_info *pinfo);

// ---- states

/// The states of a conversation.
enum class ConversationSlot : std::uint8_t {
  udp,                 ///< detection of the protocol of UDP datagrams
  dtls,                ///< detection of the protocol of DTLS records
  tcp,                 ///< TCP stream: detection, and places in it
  tls,                 ///< the same for the payload of TLS
  enet_hosts,          ///< the ENet hosts, with their connections
  dtls_client,         ///< client of an encrypted ENet host
  websocket,           ///< WebSocket connection, or TLS that may contain one
  websocket_upgrade,   ///< HTTP request for a WebSocket
  late_websocket,      ///< frames of a WebSocket without its HTTP request
  websocket_link,      ///< the game that a WebSocket belongs to
  webrtc_association,  ///< SCTP association with data channels
  ice_pair,            ///< pair of addresses of a WebRTC connection
  encryption,          ///< TLS, or DTLS that is not of WebRTC
  dialects,            ///< dialects of its Variants
  releases,            ///< Godot releases of its ends
  debug_monitors,      ///< names of the monitors in debugger messages
  padding,             ///< the packet with the note about padding
  count,
};

/// What the plugin knows about a conversation: a pointer for each slot. Zero-initialised, in file scope.
using ConversationSlots = std::array<void *, static_cast<std::size_t>(ConversationSlot::count)>;

/// Returns null for null, and if nothing is known about the conversation.
[[nodiscard]] ConversationSlots *find_slots(const conversation_t *conversation);
[[nodiscard]] ConversationSlots &slots_of(conversation_t *conversation);

/// The state in a slot: one T for each conversation for which of() was called. For static variables.
template <typename T>
class ConversationState {
 public:
  ConversationState(ConversationSlot slot) : slot_(static_cast<std::size_t>(slot)) {}

  /// True if no conversation has the state.
  [[nodiscard]] bool empty() const { return states_.find() == nullptr; }
  /// Returns null for null, and if the conversation does not have the state.
  [[nodiscard]] T *find(const conversation_t *conversation) const {
    ConversationSlots *slots = find_slots(conversation);
    return slots == nullptr ? nullptr : static_cast<T *>((*slots)[slot_]);
  }
  /// Returns the conversation's state; makes it from @p arguments if necessary. Without arguments, a structure is
  /// zero-initialised.
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
