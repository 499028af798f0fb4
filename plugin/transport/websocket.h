// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// WebSocket messages: their port preferences, and facts about a message that Wireshark's dissector does not pass on.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {

/// The port preference of a protocol. epan's own port preferences need Decode As, which the table ws.port does not
/// have. For static variables, one for each protocol.
class WebSocketPorts {
 public:
  /// Registers the preference. The module's callback must call apply().
  void register_preference(module_t *module, const char *description);
  /// Sets the dissector. The return value of a `ws.port` dissector is ignored, so it must pass on foreign messages.
  void set_dissector(dissector_handle_t dissector);
  /// Registers the dissector on the configured ports.
  void apply();
  [[nodiscard]] bool contains(std::uint32_t port) const;

 private:
  range_t *configured_ = nullptr;
  range_t *registered_ = nullptr;
  dissector_handle_t dissector_ = nullptr;
};

/// Returns the kind of a message, from its frame. Dissectors of messages get text and binary messages without the kind.
[[nodiscard]] WebSocketKind websocket_kind(tvbuff_t *message, packet_info *pinfo);

/// True if the frame's header is directly before the message: for an uncompressed message of a server.
[[nodiscard]] bool has_websocket_header(tvbuff_t *message);

/// True if a message is text, by its frame; if the frame is not found, by its bytes, which must be printable.
[[nodiscard]] bool is_websocket_text(tvbuff_t *message, packet_info *pinfo);

/// True if the message is still compressed. Wireshark does not decompress messages over HTTP/2, nor if the capture
/// lacks the handshake in which both ends agree on compression.
[[nodiscard]] bool is_websocket_compressed(tvbuff_t *message, packet_info *pinfo);

/// True if the message was decompressed wrongly, because it refers to messages that are not in the capture.
[[nodiscard]] bool is_websocket_undecodable(tvbuff_t *message, packet_info *pinfo);

/// True if the message was masked, so that a client has sent it.
[[nodiscard]] bool is_websocket_masked(tvbuff_t *message, packet_info *pinfo);

}  // namespace godot_plugin
