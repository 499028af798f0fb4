// SPDX-License-Identifier: MIT
/// @file
/// WebSocket handshakes over HTTP, frames, and close codes. Sources: RFC 6455, sections 4, 5.2, 5.5.1 and 7.4; for
/// Godot's handshake modules/websocket/wsl_peer.cpp, connect_to_url() and _verify_server_response().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// A client's request. Its texts are views of the request's bytes and may contain any characters.
struct WebSocketRequest {
  bool is_request = false;  ///< true if it requests a WebSocket; the other members are only set then
  std::string_view path;
  std::string_view origin;         ///< origin of the page that sends the request; only sent by browsers
  std::string_view protocols;      ///< the offered subprotocols, "chat, game"; empty: none
  bool has_godot_headers = false;  ///< true if the first headers are those of Godot's client, in the same order
};

/// True if HTTP headers request the upgrade to a WebSocket (GET) or accept it (status 101).
[[nodiscard]] bool has_web_socket_upgrade(Bytes bytes);

/// Like has_web_socket_upgrade(), but compares the first byte first, which is faster for other bytes.
[[nodiscard]] inline bool is_web_socket_upgrade(Bytes bytes) {
  return bytes.captured > 0 && (bytes.data[0] == 'G' || bytes.data[0] == 'H') && has_web_socket_upgrade(bytes);
}

/// Reads the first bytes of a client. Returns no request if the end of the headers is missing.
[[nodiscard]] WebSocketRequest read_web_socket_request(Bytes bytes);

/// A server's HTTP response.
struct HttpResponse {
  bool is_response = false;  ///< true if it is an HTTP response; the other members are only set then
  std::uint16_t status = 0;
  std::string_view reason_phrase;
  std::string_view protocol;  ///< the accepted subprotocol; empty: none
  bool requires_tls = false;  ///< true if the response reports that the port expects HTTPS
  /// RFC 7692, "no context takeover": each compressed message of the server can be decompressed without earlier
  /// messages. The next member is the same for the client.
  bool has_no_server_context_takeover = false;
  bool has_no_client_context_takeover = false;
  [[nodiscard]] bool is_upgraded() const { return status == 101; }
};

[[nodiscard]] HttpResponse read_http_response(Bytes bytes);

/// True if the accepted subprotocol @p accepted is in the offered list @p offered, such as "chat, game".
[[nodiscard]] bool is_offered_protocol(std::string_view offered, std::string_view accepted);

using WebSocketMaskingKey = std::array<std::uint8_t, 4>;

/// A frame's header, and the range of its payload.
struct WebSocketFrame {
  enum Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

  bool is_read = false;  ///< true if the header is complete; the other members are only set then
  std::uint8_t opcode = 0;
  bool is_final = false;
  bool is_compressed = false;      ///< compressed with permessage-deflate (RFC 7692)
  bool has_reserved_bits = false;  ///< true if a reserved bit is set
  bool is_masked = false;
  bool has_overlong_length = false;  ///< true if the length is not encoded in its shortest form
  WebSocketMaskingKey key{};         ///< masking key; zeros if the frame is not masked
  Range content;                     ///< the payload; it may continue after the available bytes

  /// True for a close, ping or pong frame.
  [[nodiscard]] bool is_control() const { return opcode >= close && opcode <= pong; }
  /// True if the frame is a whole message that is not compressed.
  [[nodiscard]] bool is_plain() const { return is_read && is_final && !is_compressed && !has_reserved_bits; }
};

[[nodiscard]] WebSocketFrame read_web_socket_frame(Bytes bytes, std::size_t offset);

/// Finds the masked frame of a message, given the message's unmasked @p content.
/// @param from offset at which to start the search; frames follow each other without gaps
/// @returns a frame with is_read = false if there is none
[[nodiscard]] WebSocketFrame find_masked_frame(Bytes bytes, std::size_t from, Bytes content);

/// Unmasks the captured bytes of a payload.
/// @param plain must have space for all captured bytes
void unmask(Bytes masked, const WebSocketMaskingKey &key, std::uint8_t *plain);

/// True if a segment may consist of whole frames only. Each frame must be a message or a control frame.
[[nodiscard]] bool consists_of_web_socket_frames(Bytes segment, bool is_masked);

/// The payload of a close frame.
struct WebSocketClose {
  static constexpr std::uint16_t no_code = 1005;

  bool is_read = false;  ///< true if the frame is a complete close frame
  std::uint16_t code = no_code;
  std::string reason;  ///< may contain any bytes
};

[[nodiscard]] WebSocketClose read_web_socket_close(Bytes bytes, const WebSocketFrame &frame);

/// Returns the meaning of a close code, such as "message too big".
[[nodiscard]] std::string_view describe_close_code(std::uint16_t code);

struct Http2Request {
  bool requests_web_socket = false;  ///< requests a WebSocket (RFC 8441)
  bool requests_pack = false;        ///< requests a game's .pck file, as the page of each web export does
};

/// Reads the header fields of a request as Wireshark stores them after decompression. Each name and each value follows
/// its length, a big-endian u32.
[[nodiscard]] Http2Request read_http2_request(Bytes fields);

}  // namespace godot_codec
