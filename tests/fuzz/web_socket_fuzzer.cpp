// SPDX-License-Identifier: MIT
// Feeds hostile WebSocket handshakes and frames, and signalling texts. Aborts if a parsed text or range lies outside of
// its input, also where the input is truncated.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "godot-codec/stream/web_socket.h"
#include "godot-codec/webrtc/signalling.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::HttpResponse;
using godot_codec::SignalledPeer;
using godot_codec::WebSocketClose;
using godot_codec::WebSocketFrame;
using godot_codec::WebSocketRequest;

// True if a text lies within another, or is empty.
bool is_within(std::string_view part, std::string_view whole) {
  if (part.empty()) return true;
  const std::less_equal<> is_before;
  return is_before(whole.data(), part.data()) && is_before(part.data() + part.size(), whole.data() + whole.size());
}

void read_handshake(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char *>(bytes.data), bytes.captured);
  const WebSocketRequest request = godot_codec::read_web_socket_request(bytes);
  for (const std::string_view part : {request.path, request.origin, request.protocols}) {
    require(is_within(part, text) && (request.is_request || part.empty()));
  }
  require(request.is_request || !request.has_godot_headers);
  const HttpResponse answer = godot_codec::read_http_response(bytes);
  require(is_within(answer.reason_phrase, text) && is_within(answer.protocol, text));
  require(answer.is_response || (answer.status == 0 && answer.protocol.empty() && !answer.requires_tls));
  require(!(request.is_request && answer.is_response));
  // is_offered_protocol() must find the first element of the list.
  std::string_view first = request.protocols.substr(0, request.protocols.find(','));
  first = first.substr(0, first.find_last_not_of(" \t") + 1);
  if (!first.empty()) require(godot_codec::is_offered_protocol(request.protocols, first));
}

void read_frames(Bytes bytes) {
  constexpr std::size_t most = 64;
  std::size_t offset = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const WebSocketFrame frame = godot_codec::read_web_socket_frame(bytes, offset);
    if (!frame.is_read) return;
    require(frame.content.offset > offset && frame.content.offset <= bytes.captured);
    const WebSocketClose close = godot_codec::read_web_socket_close(bytes, frame);
    require(!close.is_read || (frame.opcode == WebSocketFrame::close && frame.content.end() <= bytes.captured));
    require(close.reason.size() <= frame.content.length);
    static_cast<void>(godot_codec::describe_close_code(close.code));
    if (frame.content.length > bytes.captured - frame.content.offset) return;
    offset = frame.content.end();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr std::size_t cut = 7;
  for (const Bytes bytes : {Bytes(data, size), Bytes(data, size, size + cut)}) {
    read_handshake(bytes);
    read_frames(bytes);
    static_cast<void>(godot_codec::read_http2_request(bytes));
  }
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const bool is_from_server : {false, true}) {
    const SignalledPeer end = godot_codec::read_signalling(text, is_from_server);
    require(is_within(end.user_fragment, text) && end.peer_id >= 0);
  }
  return 0;
}
