// SPDX-License-Identifier: MIT
#include "godot-codec/stream/http2.h"

#include <string_view>

namespace godot_codec {
namespace {

std::string_view read_text(Cursor &cursor) {
  const std::size_t size = cursor.read_be<std::uint32_t>();
  const std::uint8_t *text = cursor.take(size);
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char *>(text), size);
}

// True for a path such as "/games/pong.pck?v=3".
bool is_path_of_pack(std::string_view path) { return path.substr(0, path.find('?')).ends_with(".pck"); }

}  // namespace

Http2Request read_http2_request(Bytes fields) {
  Http2Request request;
  Cursor cursor(fields);
  while (cursor.ok() && cursor.remaining() > 0) {
    const std::string_view name = read_text(cursor);
    const std::string_view value = read_text(cursor);
    if (name == ":protocol") request.is_web_socket = value == "websocket";
    if (name == ":path") request.is_for_pack = is_path_of_pack(value);
  }
  return request;
}

}  // namespace godot_codec
