// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/websocket.h"

#include "godot-codec/stream/masked_frame.h"
#include "godot-codec/variant/text.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/tvb.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {

using godot_codec::MaskedFrame;

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

namespace {

// The first byte of a header in front of a server's frame; 0: there is none.
std::uint8_t header_before(tvbuff_t *message) {
  constexpr int short_header = 2;
  constexpr int long_header = 4;
  constexpr int huge_header = 10;
  constexpr std::uint32_t long_length = 126;
  const std::uint32_t length = tvb_reported_length(message);
  const int header = length < long_length ? short_header : (length <= UINT16_MAX ? long_header : huge_header);
  tvbuff_t *source = tvb_get_ds_tvb(message);
  const int start = tvb_raw_offset(message) - header;
  if (source == message || start < 0) return 0;
  // In a server's frame this byte is the length without a mask bit. If it is another number, this is no header.
  const std::uint32_t expected = length < long_length ? length : (length <= UINT16_MAX ? long_length : long_length + 1);
  const godot_codec::Bytes bytes = bytes_of(source).slice({static_cast<std::size_t>(start), short_header});
  return bytes.captured < short_header || bytes.data[1] != expected ? 0 : bytes.data[0];
}

constexpr std::uint8_t compressed_bit = 0x40;

WebSocketKind kind_before(tvbuff_t *message) {
  constexpr std::uint8_t text_frame = 0x81;  // with FIN: the whole message
  constexpr std::uint8_t binary_frame = 0x82;
  constexpr std::uint8_t opcode_mask = 0x8f;
  const std::uint8_t opcode = header_before(message) & opcode_mask;
  if (opcode == text_frame) return WebSocketKind::text;
  return opcode == binary_frame ? WebSocketKind::binary : WebSocketKind::unknown;
}

// The frames of a packet that were found, one behind the other.
struct MaskedFrames {
  const tvbuff_t *asked;  // the last message
  MaskedFrame frame;
  const tvbuff_t *source;  // where its frame is
  std::size_t end;
  unsigned misses;
};

tvbuff_t *tvb_of(const GSList *source) { return get_data_source_tvb(static_cast<const data_source *>(source->data)); }

// Among the packet's bytes, decrypted and put together ones included.
MaskedFrame find_frame_of(MaskedFrames &frames, tvbuff_t *content, const packet_info *pinfo) {
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    tvbuff_t *source = tvb_of(each);
    const std::size_t from = source == frames.source ? frames.end : 0;
    const MaskedFrame frame = godot_codec::find_masked_frame(bytes_of(source), from, bytes_of(content));
    if (!frame.is_found) continue;
    frames.source = source;
    frames.end = frame.end;
    return frame;
  }
  return {};
}

// The data source before a decompressed one is the unmasked one.
tvbuff_t *source_before(tvbuff_t *content, const packet_info *pinfo) {
  tvbuff_t *before = nullptr;
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    before = tvb_of(each);
  }
  return before;
}

MaskedFrame masked_frame_of(tvbuff_t *message, packet_info *pinfo) {
  // Whoever makes packets to be searched in vain gets no more.
  constexpr unsigned most_misses = 64;
  static const int any_of_ours = proto_get_id_by_filter_name("godot");
  MaskedFrames &frames = of_packet<MaskedFrames>(pinfo, any_of_ours, PacketDataKey::masked_frames);
  if (frames.asked == message) return frames.frame;
  frames.asked = message;
  frames.frame = {};
  if (tvb_get_ds_tvb(message) != message || frames.misses >= most_misses) return {};
  frames.frame = find_frame_of(frames, message, pinfo);
  tvbuff_t *before = frames.frame.is_found ? nullptr : source_before(message, pinfo);
  if (before != nullptr) frames.frame = find_frame_of(frames, before, pinfo);
  if (before != nullptr) frames.frame.is_compressed = false;  // the message is not
  if (!frames.frame.is_found) ++frames.misses;
  return frames.frame;
}

// A server's message that was compressed has lost its frame: the frames of its segment tell, if they are alike.
WebSocketKind kind_of_all(packet_info *pinfo) {
  switch (web_socket_contents(pinfo)) {
    case WebSocketContents::text:
      return WebSocketKind::text;
    case WebSocketContents::binary:
      return WebSocketKind::binary;
    case WebSocketContents::unknown:
      break;
  }
  return WebSocketKind::unknown;
}

}  // namespace

bool is_websocket_masked(tvbuff_t *message, packet_info *pinfo) { return masked_frame_of(message, pinfo).is_found; }

bool is_websocket_compressed(tvbuff_t *message, packet_info *pinfo) {
  return (header_before(message) & compressed_bit) != 0 || masked_frame_of(message, pinfo).is_compressed;
}

bool has_websocket_header(tvbuff_t *message) { return kind_before(message) != WebSocketKind::unknown; }

WebSocketKind websocket_kind(tvbuff_t *message, packet_info *pinfo) {
  enum Opcode : std::uint8_t { text = 1, binary = 2 };
  const WebSocketKind kind = kind_before(message);
  if (kind != WebSocketKind::unknown) return kind;
  const MaskedFrame frame = masked_frame_of(message, pinfo);
  if (!frame.is_found) return kind_of_all(pinfo);
  if (!frame.is_final) return WebSocketKind::unknown;
  if (frame.opcode == text) return WebSocketKind::text;
  return frame.opcode == binary ? WebSocketKind::binary : WebSocketKind::unknown;
}

bool is_websocket_text(tvbuff_t *message, packet_info *pinfo) {
  const WebSocketKind kind = websocket_kind(message, pinfo);
  const godot_codec::Bytes bytes = bytes_of(message);
  return kind == WebSocketKind::text ||
         (kind == WebSocketKind::unknown &&
          godot_codec::is_plain_text({reinterpret_cast<const char *>(bytes.data), bytes.captured}));
}

}  // namespace godot_plugin
