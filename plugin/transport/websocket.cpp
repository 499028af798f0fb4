// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/websocket.h"

#include "godot-codec/stream/web_socket.h"
#include "godot-codec/variant/text.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {

using godot_codec::WebSocketFrame;

void WebSocketPorts::register_preference(module_t *module, const char *description) {
  constexpr std::uint32_t max_port = 65535;
  configured_ = range_empty(wmem_epan_scope());
  registered_ = range_empty(wmem_epan_scope());
  prefs_register_range_preference(module, "ws.port", "WebSocket port(s)", description, &configured_, max_port);
}

void WebSocketPorts::set_dissector(dissector_handle_t dissector) {
  dissector_ = dissector;
  apply();
}

void WebSocketPorts::apply() {
  if (dissector_ == nullptr) return;
  dissector_delete_uint_range("ws.port", registered_, dissector_);
  wmem_free(wmem_epan_scope(), registered_);
  registered_ = range_copy(wmem_epan_scope(), configured_);
  dissector_add_uint_range("ws.port", registered_, dissector_);
}

bool WebSocketPorts::contains(std::uint32_t port) const { return value_is_in_range(configured_, port); }

namespace {

// Returns the frame of a server's message if the frame header directly precedes the message; otherwise an empty frame.
WebSocketFrame frame_before(tvbuff_t *message) {
  constexpr std::size_t long_length = 126;
  constexpr std::size_t short_header = 2;
  const std::size_t length = tvb_reported_length(message);
  const std::size_t header = length < long_length ? short_header : short_header + (length <= UINT16_MAX ? 2 : 8);
  tvbuff_t *source = tvb_get_ds_tvb(message);
  const auto start = static_cast<std::size_t>(tvb_raw_offset(message));
  if (source == message || start < header) return {};
  const WebSocketFrame frame = godot_codec::read_web_socket_frame(bytes_of(source), start - header);
  const bool is_its = !frame.is_masked && frame.content.offset == start && frame.content.length == length;
  return is_its ? frame : WebSocketFrame{};
}

WebSocketKind kind_of(const WebSocketFrame &frame) {
  if (!frame.is_read || !frame.is_final) return WebSocketKind::unknown;
  if (frame.opcode == WebSocketFrame::text) return WebSocketKind::text;
  return frame.opcode == WebSocketFrame::binary ? WebSocketKind::binary : WebSocketKind::unknown;
}

// State of the search for a packet's masked frames. The search finds them one after the other.
struct MaskedFrames {
  const tvbuff_t *cached_message;  // the last message
  WebSocketFrame frame;
  const tvbuff_t *source;  // data source that contains the frame
  std::size_t end;
  unsigned misses;
  bool is_decompressed;  // true if the message is the frame's decompressed content
};

tvbuff_t *tvb_of(const GSList *source) { return get_data_source_tvb(static_cast<const data_source *>(source->data)); }

// Searches all bytes of the packet, including decrypted and reassembled bytes, for the frame that contains @p content.
WebSocketFrame find_frame_of(MaskedFrames &frames, tvbuff_t *content, const packet_info *pinfo) {
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    tvbuff_t *source = tvb_of(each);
    const std::size_t from = source == frames.source ? frames.end : 0;
    const WebSocketFrame frame = godot_codec::find_masked_frame(bytes_of(source), from, bytes_of(content));
    if (!frame.is_read) continue;
    frames.source = source;
    frames.end = frame.content.end();
    return frame;
  }
  return {};
}

// Returns the data source before @p content: the unmasked bytes if @p content was decompressed.
tvbuff_t *source_before(tvbuff_t *content, const packet_info *pinfo) {
  tvbuff_t *before = nullptr;
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    before = tvb_of(each);
  }
  return before;
}

const MaskedFrames &masked_frames_of(tvbuff_t *message, packet_info *pinfo) {
  // Maximum number of failed searches. It limits the work for hostile packets in which the search finds nothing.
  constexpr unsigned max_misses = 64;
  static const int proto_godot = proto_get_id_by_filter_name("godot");
  MaskedFrames &frames = packet_data<MaskedFrames>(pinfo, proto_godot, PacketDataKey::masked_frames);
  if (frames.cached_message == message) return frames;
  frames.cached_message = message;
  frames.frame = {};
  frames.is_decompressed = false;
  if (tvb_get_ds_tvb(message) != message || frames.misses >= max_misses) return frames;
  frames.frame = find_frame_of(frames, message, pinfo);
  tvbuff_t *before = frames.frame.is_read ? nullptr : source_before(message, pinfo);
  if (before != nullptr) frames.frame = find_frame_of(frames, before, pinfo);
  frames.is_decompressed = before != nullptr;
  if (before != nullptr) frames.frame.is_compressed = false;  // the frame is compressed, but the message is not
  if (!frames.frame.is_read) ++frames.misses;
  return frames;
}

WebSocketFrame masked_frame_of(tvbuff_t *message, packet_info *pinfo) { return masked_frames_of(message, pinfo).frame; }

}  // namespace

bool is_websocket_masked(tvbuff_t *message, packet_info *pinfo) { return masked_frame_of(message, pinfo).is_read; }

bool is_websocket_compressed(tvbuff_t *message, packet_info *pinfo) {
  return frame_before(message).is_compressed || masked_frame_of(message, pinfo).is_compressed;
}

bool is_websocket_undecodable(tvbuff_t *message, packet_info *pinfo) {
  if (!has_undecodable_web_socket_frames(pinfo) || has_websocket_header(message)) return false;
  const MaskedFrames &frames = masked_frames_of(message, pinfo);
  return !frames.frame.is_read || frames.is_decompressed;
}

bool has_websocket_header(tvbuff_t *message) { return kind_of(frame_before(message)) != WebSocketKind::unknown; }

WebSocketKind websocket_kind(tvbuff_t *message, packet_info *pinfo) {
  const WebSocketKind kind = kind_of(frame_before(message));
  if (kind != WebSocketKind::unknown) return kind;
  const WebSocketFrame frame = masked_frame_of(message, pinfo);
  // The frame of a server's compressed message cannot be found. If all frames of the segment have the same kind, the
  // message has this kind, too.
  return frame.is_read ? kind_of(frame) : kind_of_web_socket_frames(pinfo);
}

bool is_websocket_text(tvbuff_t *message, packet_info *pinfo) {
  const WebSocketKind kind = websocket_kind(message, pinfo);
  const godot_codec::Bytes bytes = bytes_of(message);
  return kind == WebSocketKind::text ||
         (kind == WebSocketKind::unknown &&
          godot_codec::is_plain_text({reinterpret_cast<const char *>(bytes.data), bytes.captured}));
}

}  // namespace godot_plugin
