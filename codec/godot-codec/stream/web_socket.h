// SPDX-License-Identifier: MIT
/// @file
/// WebSocket connections: how HTTP begins one, and how it is closed. After RFC 6455, sections 4, 5.2, 5.5.1 and 7.4;
/// Godot's own handshake: modules/websocket/wsl_peer.cpp, connect_to_url() and _verify_server_response().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// A client's request. Its texts are the bytes, with any characters.
struct WebSocketRequest {
  bool is_request = false;  ///< asks for a WebSocket; the rest is set only where it does
  std::string_view path;
  std::string_view origin;      ///< the page that asks; browsers say it
  std::string_view protocols;   ///< subprotocols to choose from, "chat, game"; empty: none
  bool is_like_godots = false;  ///< Godot's own client writes these headers in this order, and no others in front
};

/// True if HTTP's headers ask for the upgrade to a WebSocket, or grant it: behind GET or the answer 101.
[[nodiscard]] bool has_web_socket_upgrade(Bytes bytes);

/// Asks has_web_socket_upgrade() where the first byte may be HTTP's: that takes no time.
[[nodiscard]] inline bool is_web_socket_upgrade(Bytes bytes) {
  return bytes.captured > 0 && (bytes.data[0] == 'G' || bytes.data[0] == 'H') && has_web_socket_upgrade(bytes);
}

/// Reads the first bytes of a client. A request without its headers' end is none.
[[nodiscard]] WebSocketRequest read_web_socket_request(Bytes bytes);

/// A server's answer.
struct HttpAnswer {
  bool is_answer = false;  ///< the rest is set only where it is HTTP's
  std::uint16_t status = 0;
  std::string_view phrase;
  std::string_view protocol;  ///< the subprotocol that is taken; empty: none
  bool is_for_tls = false;    ///< the server says that the port is HTTPS'
  /// RFC 7692: what an end sends compressed refers to none of its messages before.
  bool is_server_forgetful = false;
  bool is_client_forgetful = false;
  [[nodiscard]] bool is_upgraded() const { return status == 101; }
};

[[nodiscard]] HttpAnswer read_http_answer(Bytes bytes);

/// True if @p taken is one of a list's subprotocols, "chat, game".
[[nodiscard]] bool is_among_protocols(std::string_view asked, std::string_view taken);

using WebSocketKey = std::array<std::uint8_t, 4>;

/// A frame's header, and where its content is.
struct WebSocketFrame {
  enum Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

  bool is_read = false;  ///< the header is whole; the rest is set only where it is
  std::uint8_t opcode = 0;
  bool is_final = false;
  bool is_compressed = false;  ///< RFC 7692
  bool has_unused = false;     ///< a bit that nothing has a meaning for
  bool is_masked = false;
  bool is_longer = false;  ///< its length is written longer than it has to be
  WebSocketKey key{};      ///< the mask; zeros: none
  Range content;           ///< may lie beyond the bytes

  /// True if it is about the connection.
  [[nodiscard]] bool is_control() const { return opcode >= close && opcode <= pong; }
  /// True if its content is as it was sent, and all of a message.
  [[nodiscard]] bool is_plain() const { return is_read && is_final && !is_compressed && !has_unused; }
};

[[nodiscard]] WebSocketFrame read_web_socket_frame(Bytes bytes, std::size_t offset);

/// Finds the masked frame of a message whose content, unmasked, is @p content.
/// @param from where to begin: frames follow each other without gaps @returns one that is not read if there is none
[[nodiscard]] WebSocketFrame find_masked_frame(Bytes bytes, std::size_t from, Bytes content);

/// Writes what is masked by a key as it was before. @param plain has room for all that was captured
void unmask(Bytes masked, const WebSocketKey &key, std::uint8_t *plain);

/// True if a segment may begin with a frame, and all that follow it in the segment are frames of a message each.
[[nodiscard]] bool begins_with_web_socket_frame(Bytes segment, bool is_masked);

/// The content of a frame that closes a connection.
struct WebSocketClose {
  static constexpr std::uint16_t no_code = 1005;

  bool is_read = false;  ///< the frame is one, and whole
  std::uint16_t code = no_code;
  std::string reason;  ///< may be any bytes
};

[[nodiscard]] WebSocketClose read_web_socket_close(Bytes bytes, const WebSocketFrame &frame);

/// The meaning of a close code: "message too big".
[[nodiscard]] std::string_view meaning_of_close(std::uint16_t code);

}  // namespace godot_codec
