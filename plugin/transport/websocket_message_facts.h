// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// WebSocket messages: port preferences, and facts about a message. Wireshark's WebSocket dissector does not pass on
/// these facts.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {

/// A port preference for a protocol, to be declared as a static variable. epan's own port preferences need a table with
/// Decode As, but ws.port has no Decode As.
class WebSocketPortPreference {
 public:
  /// Registers the preference. The module's callback must call apply().
  void register_preference(module_t *module, const char *description);
  /// Sets the dissector. Wireshark ignores the return value of a `ws.port` dissector, so the dissector itself must pass
  /// on foreign messages.
  void set_dissector(dissector_handle_t dissector);
  /// Registers the dissector on the configured ports.
  void apply();
  [[nodiscard]] bool contains(std::uint32_t port) const;

 private:
  range_t *configured_ports_ = nullptr;
  range_t *registered_ports_ = nullptr;
  dissector_handle_t dissector_ = nullptr;
};

/// Returns the kind of a message, text or binary, from its frame. Wireshark does not pass the kind to the dissectors of
/// messages.
[[nodiscard]] WebSocketMessageKind websocket_message_kind(tvbuff_t *message, packet_info *pinfo);

/// True if the frame's header directly precedes the message. That is so for uncompressed messages of a server.
[[nodiscard]] bool has_adjacent_websocket_header(tvbuff_t *message);

/// True if the opcode of the message's frame is text. If the frame is not found, true if all bytes are printable.
[[nodiscard]] bool is_websocket_text(tvbuff_t *message, packet_info *pinfo);

/// True if the message is still compressed. Wireshark does not decompress messages over HTTP/2. It also does not
/// decompress messages if the handshake is not in the capture.
[[nodiscard]] bool is_websocket_compressed(tvbuff_t *message, packet_info *pinfo);

/// True if Wireshark decompressed the message wrongly, because it refers to messages that are not in the capture.
[[nodiscard]] bool is_websocket_undecodable(tvbuff_t *message, packet_info *pinfo);

/// True if the message was masked, which proves that a client sent the message.
[[nodiscard]] bool is_websocket_masked(tvbuff_t *message, packet_info *pinfo);

}  // namespace godot_plugin
