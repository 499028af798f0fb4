// SPDX-License-Identifier: MIT
#include "godot-codec/webrtc/ice.h"

#include "godot-codec/enet/dtls.h"

namespace godot_codec {
namespace {

constexpr std::size_t transaction_size = 12;
constexpr std::uint16_t username_attribute = 6;
constexpr std::size_t alignment = 4;

constexpr std::size_t record_header_size = 13;
constexpr std::uint8_t ice_handshake_record = 22;
constexpr std::uint8_t data_record = 23;
// Message type and length, message number, and a fragment's offset and length.
constexpr std::size_t handshake_header_size = 12;
constexpr std::size_t hello_version_size = 2;
constexpr std::size_t hello_random_size = 32;
constexpr std::uint16_t supported_versions_extension = 43;
constexpr std::uint16_t dtls_1_3 = 0xfefc;

IceCheck split(std::string_view username) {
  const std::size_t colon = username.find(':');
  if (colon == std::string_view::npos) return {};
  // The receiver's user fragment precedes the colon.
  return {username.substr(colon + 1), username.substr(0, colon)};
}

// A HelloRetryRequest is a ServerHello with this random value (RFC 8446, 4.1.3). The first 8 bytes are enough to
// identify it.
constexpr std::uint64_t random_of_retry = 0xcf21ad74e59a6111;

// @param cursor after the handshake header
void read_server_hello(Cursor cursor, DtlsStart &start) {
  cursor.take(hello_version_size);
  const std::uint8_t *random = cursor.take(hello_random_size);
  if (random != nullptr && Cursor::load_be<std::uint64_t>(random) == random_of_retry) {
    start.kind = DtlsKind::handshake;
    return;
  }
  cursor.take(cursor.read_be<std::uint8_t>());  // session ID
  start.cipher = cursor.read_be<std::uint16_t>();
  cursor.read_be<std::uint8_t>();  // compression
  cursor.read_be<std::uint16_t>();
  while (cursor.ok() && cursor.remaining() > 0) {
    const auto kind = cursor.read_be<std::uint16_t>();
    const std::size_t size = cursor.read_be<std::uint16_t>();
    const std::uint8_t *value = cursor.take(size);
    if (value == nullptr || kind != supported_versions_extension || size != sizeof dtls_1_3) continue;
    start.is_1_3 = Cursor::load_be<std::uint16_t>(value) == dtls_1_3;
  }
}

std::uint32_t load_be24(const std::uint8_t *bytes) {
  return std::uint32_t{bytes[0]} << 16U | Cursor::load_be<std::uint16_t>(bytes + 1);
}

// True if any record of a DTLS datagram is a ChangeCipherSpec.
bool has_change_cipher_spec(Bytes datagram) {
  constexpr std::uint8_t change_cipher_spec = 20;
  Cursor cursor(datagram);
  while (cursor.ok() && cursor.remaining() > 0) {
    if (cursor.read_be<std::uint8_t>() == change_cipher_spec) return true;
    cursor.take(record_header_size - sizeof(std::uint8_t) - sizeof(std::uint16_t));
    cursor.take(cursor.read_be<std::uint16_t>());
  }
  return false;
}

DtlsKind kind_of_handshake(std::uint8_t message) {
  constexpr std::uint8_t client_hello = 1;
  constexpr std::uint8_t server_hello = 2;
  if (message == client_hello) return DtlsKind::client_hello;
  return message == server_hello ? DtlsKind::server_hello : DtlsKind::handshake;
}

}  // namespace

IceCheck read_ice_check(Bytes datagram) {
  Cursor cursor(datagram);
  const auto kind = cursor.read_be<std::uint16_t>();
  const std::size_t length = cursor.read_be<std::uint16_t>();
  const auto cookie = cursor.read_be<std::uint32_t>();
  cursor.take(transaction_size);
  if (!cursor.ok() || kind != stun_binding_request || cookie != stun_cookie || length > cursor.remaining()) return {};
  while (cursor.ok() && cursor.remaining() > 0) {
    const auto attribute = cursor.read_be<std::uint16_t>();
    const std::size_t size = cursor.read_be<std::uint16_t>();
    const std::uint8_t *value = cursor.take(size);
    if (value == nullptr) break;
    if (attribute == username_attribute) return split({reinterpret_cast<const char *>(value), size});
    cursor.take((alignment - size % alignment) % alignment);
  }
  return {};
}

bool is_turn_allocation(Bytes bytes) {
  constexpr std::uint16_t allocate = 3;
  constexpr std::uint16_t success = 0x100;
  constexpr std::uint16_t error = 0x110;
  Cursor cursor(bytes);
  const auto kind = cursor.read_be<std::uint16_t>();
  cursor.read_be<std::uint16_t>();
  const auto cookie = cursor.read_be<std::uint32_t>();
  const bool is_one = kind == allocate || kind == (allocate | success) || kind == (allocate | error);
  return cursor.ok() && is_one && cookie == stun_cookie;
}

bool DtlsStart::is_chacha20() const {
  constexpr std::uint16_t first = 0xcca8;  // ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
  constexpr std::uint16_t last = 0xccae;
  constexpr std::uint16_t of_1_3 = 0x1303;
  return (cipher >= first && cipher <= last) || cipher == of_1_3;
}

DtlsStart read_dtls_start(Bytes datagram, bool may_be_unified) {
  DtlsStart start;
  if (!is_dtls(datagram)) {
    start.is_unified = may_be_unified && may_be_unified_dtls(datagram);
    if (start.is_unified) start.kind = DtlsKind::data;
    return start;
  }
  if (datagram.data[0] == data_record) {
    start.kind = DtlsKind::data;
    return start;
  }
  start.kind = DtlsKind::handshake;
  start.changes_cipher = has_change_cipher_spec(datagram);
  const bool is_encrypted = datagram.data[4] != 0;  // the epoch
  if (datagram.data[0] != ice_handshake_record || is_encrypted) return start;
  const std::size_t length = Cursor::load_be<std::uint16_t>(datagram.data + record_header_size - 2);
  Cursor cursor(datagram.slice({0, record_header_size + length}), record_header_size);
  const std::uint8_t *header = cursor.take(handshake_header_size);
  if (header == nullptr) return start;
  start.kind = kind_of_handshake(header[0]);
  start.message_size = load_be24(header + 1);
  start.message_number = Cursor::load_be<std::uint16_t>(header + 4);
  start.fragment_offset = load_be24(header + 6);
  start.fragment_size = load_be24(header + 9);
  if (start.kind == DtlsKind::server_hello) read_server_hello(cursor, start);
  return start;
}

}  // namespace godot_codec
