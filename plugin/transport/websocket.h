// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The work that packet-websocket leaves to those who read its messages: their ports, and what it knows of a message.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {

/// The table ws.port offers no Decode As, without which epan's own port preferences do nothing: this does what they do
/// elsewhere. One for each protocol, static.
class WebSocketPorts {
 public:
  /// Registers the preference. The module's callback is to call apply().
  void register_preference(module_t *module, const char *description);
  /// Names the dissector. A `ws.port` dissector's return value is ignored: it must hand on what is not its own.
  void set_dissector(dissector_handle_t dissector);
  /// Hooks the dissector onto the ports that the user has chosen.
  void apply();
  [[nodiscard]] bool contains(std::uint32_t port) const;

 private:
  range_t *configured_ = nullptr;
  range_t *registered_ = nullptr;
  dissector_handle_t dissector_ = nullptr;
};

/// Looks at the frame around a message. Dissectors of messages get text and binary ones, without a word which it is.
[[nodiscard]] WebSocketKind websocket_kind(tvbuff_t *message, packet_info *pinfo);

/// True if the frame's header stands in front of a message: a server's, that was not compressed.
[[nodiscard]] bool has_websocket_header(tvbuff_t *message);

/// True if a message is text: by its frame, or else by its bytes, which a person could have typed.
[[nodiscard]] bool is_websocket_text(tvbuff_t *message, packet_info *pinfo);

/// True if the message is as it was compressed: Wireshark decompresses none that comes over HTTP/2, nor where it has
/// not seen both ends agree on it.
[[nodiscard]] bool is_websocket_compressed(tvbuff_t *message, packet_info *pinfo);

/// True if the message is what decompressing gave where the capture lacks messages that it refers to: it was not sent.
[[nodiscard]] bool is_websocket_undecodable(tvbuff_t *message, packet_info *pinfo);

/// True if the message was masked: a client has sent it.
[[nodiscard]] bool is_websocket_masked(tvbuff_t *message, packet_info *pinfo);

}  // namespace godot_plugin
