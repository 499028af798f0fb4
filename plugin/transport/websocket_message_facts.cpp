// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/websocket_message_facts.h"

#include "godot-codec/stream/web_socket.h"
#include "godot-codec/variant/variant_text.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {

using godot_codec::WebSocketFrame;

void WebSocketPortPreference::register_preference(module_t *module, const char *description) {
  constexpr std::uint32_t max_port = 65535;
  configured_ports_ = range_empty(wmem_epan_scope());
  registered_ports_ = range_empty(wmem_epan_scope());
  prefs_register_range_preference(module, "ws.port", "WebSocket port(s)", description, &configured_ports_, max_port);
}

void WebSocketPortPreference::set_dissector(dissector_handle_t dissector) {
  dissector_ = dissector;
  apply();
}

void WebSocketPortPreference::apply() {
  if (dissector_ == nullptr) return;
  dissector_delete_uint_range("ws.port", registered_ports_, dissector_);
  wmem_free(wmem_epan_scope(), registered_ports_);
  registered_ports_ = range_copy(wmem_epan_scope(), configured_ports_);
  dissector_add_uint_range("ws.port", registered_ports_, dissector_);
}

bool WebSocketPortPreference::contains(std::uint32_t port) const { return value_is_in_range(configured_ports_, port); }

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

WebSocketMessageKind frame_kind_of(const WebSocketFrame &frame) {
  if (!frame.is_read || !frame.is_final) return WebSocketMessageKind::unknown;
  if (frame.opcode == WebSocketFrame::text) return WebSocketMessageKind::text;
  return frame.opcode == WebSocketFrame::binary ? WebSocketMessageKind::binary : WebSocketMessageKind::unknown;
}

// State of the search for a packet's masked frames. The search finds them one after the other.
struct MaskedFrameSearch {
  const tvbuff_t *cached_message;  // the last message
  WebSocketFrame frame;
  const tvbuff_t *frame_source;  // data source that contains the frame
  std::size_t frame_end;
  unsigned failed_searches;
  bool is_decompressed;  // true if the message is the frame's decompressed content
};

tvbuff_t *tvb_of(const GSList *source) { return get_data_source_tvb(static_cast<const data_source *>(source->data)); }

// Searches all bytes of the packet, including decrypted and reassembled bytes, for the frame that contains @p content.
WebSocketFrame find_frame_of(MaskedFrameSearch &frames, tvbuff_t *content, const packet_info *pinfo) {
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    tvbuff_t *source = tvb_of(each);
    const std::size_t from = source == frames.frame_source ? frames.frame_end : 0;
    const WebSocketFrame frame = godot_codec::find_masked_frame(bytes_of(source), from, bytes_of(content));
    if (!frame.is_read) continue;
    frames.frame_source = source;
    frames.frame_end = frame.content.end();
    return frame;
  }
  return {};
}

// Returns the data source before @p content: the unmasked bytes if @p content was decompressed.
tvbuff_t *data_source_before(tvbuff_t *content, const packet_info *pinfo) {
  tvbuff_t *before = nullptr;
  for (const GSList *each = pinfo->data_src; each != nullptr && tvb_of(each) != content; each = each->next) {
    before = tvb_of(each);
  }
  return before;
}

const MaskedFrameSearch &search_masked_frame(tvbuff_t *message, packet_info *pinfo) {
  // Maximum number of failed searches. It limits the work for hostile packets in which the search finds nothing.
  constexpr unsigned max_misses = 64;
  static const int proto_godot = proto_get_id_by_filter_name("godot");
  MaskedFrameSearch &frames = packet_data<MaskedFrameSearch>(pinfo, proto_godot, PacketDataKey::masked_frames);
  if (frames.cached_message == message) return frames;
  frames.cached_message = message;
  frames.frame = {};
  frames.is_decompressed = false;
  if (tvb_get_ds_tvb(message) != message || frames.failed_searches >= max_misses) return frames;
  frames.frame = find_frame_of(frames, message, pinfo);
  tvbuff_t *before = frames.frame.is_read ? nullptr : data_source_before(message, pinfo);
  if (before != nullptr) frames.frame = find_frame_of(frames, before, pinfo);
  frames.is_decompressed = before != nullptr;
  if (before != nullptr) frames.frame.is_compressed = false;  // the frame is compressed, but the message is not
  if (!frames.frame.is_read) ++frames.failed_searches;
  return frames;
}

WebSocketFrame masked_frame_of(tvbuff_t *message, packet_info *pinfo) {
  return search_masked_frame(message, pinfo).frame;
}

}  // namespace

bool is_websocket_masked(tvbuff_t *message, packet_info *pinfo) { return masked_frame_of(message, pinfo).is_read; }

bool is_websocket_compressed(tvbuff_t *message, packet_info *pinfo) {
  return frame_before(message).is_compressed || masked_frame_of(message, pinfo).is_compressed;
}

bool is_websocket_undecodable(tvbuff_t *message, packet_info *pinfo) {
  if (!has_undecodable_web_socket_frames(pinfo) || has_adjacent_websocket_header(message)) return false;
  const MaskedFrameSearch &frames = search_masked_frame(message, pinfo);
  return !frames.frame.is_read || frames.is_decompressed;
}

bool has_adjacent_websocket_header(tvbuff_t *message) {
  return frame_kind_of(frame_before(message)) != WebSocketMessageKind::unknown;
}

WebSocketMessageKind websocket_message_kind(tvbuff_t *message, packet_info *pinfo) {
  const WebSocketMessageKind kind = frame_kind_of(frame_before(message));
  if (kind != WebSocketMessageKind::unknown) return kind;
  const WebSocketFrame frame = masked_frame_of(message, pinfo);
  // The frame of a server's compressed message cannot be found. If all frames of the segment have the same kind, the
  // message has this kind, too.
  return frame.is_read ? frame_kind_of(frame) : kind_of_web_socket_frames(pinfo);
}

bool is_websocket_text(tvbuff_t *message, packet_info *pinfo) {
  const WebSocketMessageKind kind = websocket_message_kind(message, pinfo);
  const godot_codec::Bytes bytes = bytes_of(message);
  return kind == WebSocketMessageKind::text ||
         (kind == WebSocketMessageKind::unknown &&
          godot_codec::is_plain_text({reinterpret_cast<const char *>(bytes.data), bytes.captured}));
}

}  // namespace godot_plugin
