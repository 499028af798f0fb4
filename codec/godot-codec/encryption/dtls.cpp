// SPDX-License-Identifier: MIT
#include "godot-codec/encryption/dtls.h"

#include "godot-codec/encryption/tls.h"

namespace godot_codec {
namespace {

constexpr std::size_t number_at = 5;  // 6 bytes, after content type, version and epoch
constexpr std::size_t length_at = 11;
constexpr std::uint8_t change_cipher_spec_record = 20;
constexpr std::uint8_t dtls_handshake_record = 22;
constexpr std::uint8_t data_record = 23;
// Message type and length, message number, offset and length of a fragment.
constexpr std::size_t handshake_header_size = 12;
constexpr std::size_t hello_version_size = 2;
constexpr std::size_t hello_random_size = 32;
constexpr std::uint16_t supported_versions_extension = 43;
constexpr std::uint16_t dtls_1_3 = 0xfefc;

// A HelloRetryRequest is a ServerHello with this random value (RFC 8446, 4.1.3). Its first 8 bytes are enough to
// recognise it.
constexpr std::uint64_t random_of_retry = 0xcf21ad74e59a6111;

// Returns the content of the first record.
Cursor first_record_content(Bytes datagram) {
  const std::size_t length = Cursor::load_be<std::uint16_t>(datagram.data + length_at);
  return Cursor(datagram.slice({0, dtls_record_header + length}), dtls_record_header);
}

// @param cursor after the handshake header
void read_server_hello(Cursor cursor, DtlsFirstRecord &start) {
  cursor.take(hello_version_size);
  const std::uint8_t *random = cursor.take(hello_random_size);
  if (random != nullptr && Cursor::load_be<std::uint64_t>(random) == random_of_retry) {
    start.kind = DtlsRecordKind::handshake;
    return;
  }
  cursor.take(cursor.read_be<std::uint8_t>());  // session ID
  start.cipher_suite = cursor.read_be<std::uint16_t>();
  cursor.read_be<std::uint8_t>();  // compression
  cursor.read_be<std::uint16_t>();
  while (cursor.ok() && cursor.remaining() > 0) {
    const auto kind = cursor.read_be<std::uint16_t>();
    const std::size_t size = cursor.read_be<std::uint16_t>();
    const std::uint8_t *value = cursor.take(size);
    if (value == nullptr || kind != supported_versions_extension || size != sizeof dtls_1_3) continue;
    start.is_dtls_1_3 = Cursor::load_be<std::uint16_t>(value) == dtls_1_3;
  }
}

std::uint32_t load_be24(const std::uint8_t *bytes) {
  return std::uint32_t{bytes[0]} << 16U | Cursor::load_be<std::uint16_t>(bytes + 1);
}

// Searches all records of a DTLS datagram.
bool has_change_cipher_spec(Bytes datagram) {
  Cursor cursor(datagram);
  while (cursor.ok() && cursor.remaining() > 0) {
    if (cursor.read_be<std::uint8_t>() == change_cipher_spec_record) return true;
    cursor.take(length_at - sizeof(std::uint8_t));
    cursor.take(cursor.read_be<std::uint16_t>());
  }
  return false;
}

DtlsRecordKind handshake_kind(std::uint8_t message) {
  constexpr std::uint8_t client_hello = 1;
  constexpr std::uint8_t server_hello = 2;
  if (message == client_hello) return DtlsRecordKind::client_hello;
  return message == server_hello ? DtlsRecordKind::server_hello : DtlsRecordKind::handshake;
}

}  // namespace

bool is_dtls(Bytes datagram) {
  if (datagram.captured < dtls_record_header) return false;
  const std::uint8_t *data = datagram.data;
  const bool is_kind = data[0] >= change_cipher_spec_record && data[0] <= data_record;
  const bool is_version = data[1] == 0xfe && (data[2] == 0xfd || data[2] == 0xff);
  const std::size_t length = Cursor::load_be<std::uint16_t>(data + length_at);
  return is_kind && is_version && length > 0 && dtls_record_header + length <= datagram.reported;
}

bool DtlsFirstRecord::is_chacha20() const {
  constexpr std::uint16_t first = 0xcca8;  // ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
  constexpr std::uint16_t last = 0xccae;
  constexpr std::uint16_t of_1_3 = 0x1303;
  return (cipher_suite >= first && cipher_suite <= last) || cipher_suite == of_1_3;
}

DtlsFirstRecord read_dtls_first_record(Bytes datagram, bool may_be_unified) {
  DtlsFirstRecord start;
  if (!is_dtls(datagram)) {
    start.has_unified_header = may_be_unified && may_be_unified_dtls(datagram);
    if (start.has_unified_header) start.kind = DtlsRecordKind::data;
    return start;
  }
  if (datagram.data[0] == data_record) {
    start.kind = DtlsRecordKind::data;
    return start;
  }
  start.kind = DtlsRecordKind::handshake;
  start.has_change_cipher_spec = has_change_cipher_spec(datagram);
  const bool is_encrypted = datagram.data[4] != 0;  // the epoch
  if (datagram.data[0] != dtls_handshake_record || is_encrypted) return start;
  Cursor cursor = first_record_content(datagram);
  const std::uint8_t *header = cursor.take(handshake_header_size);
  if (header == nullptr) return start;
  start.kind = handshake_kind(header[0]);
  start.message_size = load_be24(header + 1);
  start.message_number = Cursor::load_be<std::uint16_t>(header + 4);
  start.fragment_offset = load_be24(header + 6);
  start.fragment_size = load_be24(header + 9);
  if (start.kind == DtlsRecordKind::server_hello) read_server_hello(cursor, start);
  return start;
}

ClientHello read_client_hello(Bytes datagram) {
  const DtlsFirstRecord start = read_dtls_first_record(datagram, false);
  if (start.kind != DtlsRecordKind::client_hello || start.message_number != 0) return {};
  Cursor cursor = first_record_content(datagram);
  cursor.take(handshake_header_size + hello_version_size + hello_random_size);
  cursor.take(cursor.read_be<std::uint8_t>());  // session ID
  const auto cookie_size = cursor.read_be<std::uint8_t>();
  if (!cursor.ok() || cookie_size != 0) return {};
  ClientHello hello;
  hello.is_client_hello = true;
  hello.record_number =
      Cursor::load_be<std::uint64_t>(datagram.data + number_at - sizeof(std::uint16_t)) & 0xffffffffffff;
  hello.is_from_mbed_tls = has_extensions_of_mbed_tls(cursor);
  return hello;
}

}  // namespace godot_codec
