// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/websocket.h"

#include "godot-codec/variant/text.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {

void WebSocketPorts::register_preference(module_t *module, const char *description) {
  constexpr std::uint32_t max_port = 65535;
  wanted_ = range_empty(wmem_epan_scope());
  hooked_ = range_empty(wmem_epan_scope());
  prefs_register_range_preference(module, "ws.port", "WebSocket port(s)", description, &wanted_, max_port);
}

void WebSocketPorts::set_dissector(dissector_handle_t dissector) {
  dissector_ = dissector;
  apply();
}

void WebSocketPorts::apply() {
  if (dissector_ == nullptr) return;
  dissector_delete_uint_range("ws.port", hooked_, dissector_);
  wmem_free(wmem_epan_scope(), hooked_);
  hooked_ = range_copy(wmem_epan_scope(), wanted_);
  dissector_add_uint_range("ws.port", hooked_, dissector_);
}

bool WebSocketPorts::contains(std::uint32_t port) const { return value_is_in_range(wanted_, port); }

WebSocketKind websocket_kind(tvbuff_t *message) {
  constexpr int short_header = 2;
  constexpr int long_header = 4;
  constexpr int huge_header = 10;
  constexpr std::uint32_t long_length = 126;
  constexpr std::uint8_t opcode_mask = 0x8f;  // with FIN: the whole message
  constexpr std::uint8_t text_frame = 0x81;
  constexpr std::uint8_t binary_frame = 0x82;
  const std::uint32_t length = tvb_reported_length(message);
  const int header = length < long_length ? short_header : (length <= UINT16_MAX ? long_header : huge_header);
  tvbuff_t *source = tvb_get_ds_tvb(message);
  const int start = tvb_raw_offset(message) - header;
  if (source == message || start < 0) return WebSocketKind::unknown;
  // Of a server's frame the length stands without the mask bit; what does not say this length is no header.
  const std::uint32_t expected = length < long_length ? length : (length <= UINT16_MAX ? long_length : long_length + 1);
  const godot_codec::Bytes bytes = bytes_of(source).slice({static_cast<std::size_t>(start), short_header});
  if (bytes.captured < short_header || bytes.data[1] != expected) return WebSocketKind::unknown;
  const std::uint8_t opcode = bytes.data[0] & opcode_mask;
  if (opcode == text_frame) return WebSocketKind::text;
  return opcode == binary_frame ? WebSocketKind::binary : WebSocketKind::unknown;
}

bool is_websocket_text(tvbuff_t *message) {
  const WebSocketKind kind = websocket_kind(message);
  const godot_codec::Bytes bytes = bytes_of(message);
  return kind == WebSocketKind::text ||
         (kind == WebSocketKind::unknown &&
          godot_codec::is_plain_text({reinterpret_cast<const char *>(bytes.data), bytes.captured}));
}

}  // namespace godot_plugin
