// SPDX-License-Identifier: MIT
#include "godot-codec/enet/dtls.h"

#include "godot-codec/stream/tls_hello.h"

namespace godot_codec {
namespace {

constexpr std::size_t number_at = 5;  // 6 bytes, after content type, version and epoch
constexpr std::size_t length_at = 11;
constexpr std::uint8_t handshake_record = 22;
constexpr std::uint8_t client_hello = 1;
constexpr std::size_t version_size = 2;
constexpr std::size_t random_size = 32;

// Skips a length field and the bytes that it counts.
// @returns the length
template <typename Length>
std::size_t skip_counted(Cursor &cursor) {
  const std::size_t length = cursor.read_be<Length>();
  cursor.take(length);
  return length;
}

}  // namespace

bool is_dtls(Bytes datagram) {
  if (datagram.captured < dtls_record_header) return false;
  const std::uint8_t *data = datagram.data;
  const bool is_kind = data[0] >= 20 && data[0] <= 23;
  const bool is_version = data[1] == 0xfe && (data[2] == 0xfd || data[2] == 0xff);
  const std::size_t length = Cursor::load_be<std::uint16_t>(data + length_at);
  return is_kind && is_version && length > 0 && dtls_record_header + length <= datagram.reported;
}

ClientHello read_client_hello(Bytes datagram) {
  if (!is_dtls(datagram) || datagram.data[0] != handshake_record) return {};
  ClientHello hello;
  hello.number = Cursor::load_be<std::uint64_t>(datagram.data + number_at - sizeof(std::uint16_t)) & 0xffffffffffff;
  const std::size_t length = Cursor::load_be<std::uint16_t>(datagram.data + length_at);
  Cursor cursor(datagram.slice({0, dtls_record_header + length}), dtls_record_header);
  // Message type (1 byte) and length (3 bytes); message number (2 bytes); fragment offset and length (3 bytes each).
  const auto kind_and_length = cursor.read_be<std::uint32_t>();
  const auto message_number = cursor.read_be<std::uint16_t>();
  cursor.take(6);
  cursor.take(version_size + random_size);
  skip_counted<std::uint8_t>(cursor);  // session id
  const std::size_t cookie = skip_counted<std::uint8_t>(cursor);
  hello.is_hello = cursor.ok() && kind_and_length >> 24 == client_hello && message_number == 0 && cookie == 0;
  if (!hello.is_hello) return {};
  hello.is_like_godots = has_extensions_of_mbed_tls(cursor);
  return hello;
}

}  // namespace godot_codec
