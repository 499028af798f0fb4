// SPDX-License-Identifier: MIT
#include "godot-codec/encryption/tls.h"

#include <algorithm>
#include <array>
#include <span>

namespace godot_codec {
namespace {

constexpr std::uint8_t tls_alert = 21;
constexpr std::uint8_t tls_handshake = 22;
constexpr std::uint8_t tls_any_version = 3;  // SSL 3.0 and all versions of TLS
constexpr std::uint8_t tls_client_hello = 1;
constexpr std::size_t tls_version_and_random = 2 + 32;

enum TlsExtension : std::uint16_t {
  server_name = 0,
  supported_groups = 10,
  ec_point_formats = 11,
  signature_algorithms = 13,
  encrypt_then_mac = 22,
  extended_master_secret = 23,
  session_ticket = 35,
  supported_versions = 43,
  psk_key_exchange_modes = 45,
  key_share = 51,
};

// The extensions of TLS 1.3. They precede the other extensions.
constexpr std::array<std::uint16_t, 3> of_tls13 = {supported_versions, key_share, psk_key_exchange_modes};
constexpr std::size_t most_extensions = 7 + of_tls13.size();
// The extension orders of mbed TLS 2 (ssl_cli.c, ssl_write_client_hello()) and 3 (ssl_client.c,
// ssl_write_client_hello_body()). Other libraries use another order, or send more extensions: WebRTC sends use_srtp
// between these, OpenSSL sends its point formats first.
constexpr std::array<std::uint16_t, 6> mbed_tls_orders[] = {
    {signature_algorithms, supported_groups, ec_point_formats, encrypt_then_mac, extended_master_secret,
     session_ticket},
    {supported_groups, signature_algorithms, ec_point_formats, encrypt_then_mac, extended_master_secret,
     session_ticket},
};

// True if the extensions are in one of these orders. The server name precedes them if the game has set a name. The
// session ticket may be missing, because it is a build option of mbed TLS.
bool is_mbed_tls_order(std::span<const std::uint16_t> kinds) {
  if (!kinds.empty() && kinds.front() == server_name) kinds = kinds.subspan(1);
  const bool is_tls13 = kinds.size() > of_tls13.size() && std::equal(of_tls13.begin(), of_tls13.end(), kinds.begin());
  if (is_tls13) kinds = kinds.subspan(of_tls13.size());
  return std::ranges::any_of(mbed_tls_orders, [&](const auto &order) {
    const bool is_long_enough = kinds.size() == order.size() || kinds.size() + 1 == order.size();
    return is_long_enough && std::equal(kinds.begin(), kinds.end(), order.begin());
  });
}

// Skips a length field and the bytes that it counts.
template <typename Length>
void skip_tls_vector(Cursor &cursor) {
  cursor.take(cursor.read_be<Length>());
}

}  // namespace

bool has_extensions_of_mbed_tls(Cursor cursor) {
  skip_tls_vector<std::uint16_t>(cursor);  // cipher suites
  skip_tls_vector<std::uint8_t>(cursor);   // compression methods
  const std::size_t length = cursor.read_be<std::uint16_t>();
  std::array<std::uint16_t, most_extensions> kinds{};
  std::size_t count = 0;
  const std::size_t end = cursor.offset() + length;
  while (cursor.ok() && cursor.offset() < end) {
    if (count == kinds.size()) return false;
    kinds[count++] = cursor.read_be<std::uint16_t>();
    skip_tls_vector<std::uint16_t>(cursor);
  }
  return cursor.ok() && cursor.offset() == end && is_mbed_tls_order({kinds.data(), count});
}

TlsStreamStart read_tls_start(Bytes bytes) {
  if (read_tls_record_kind(bytes) != TlsRecordKind::client_hello) return {};
  Cursor cursor(bytes, tls_record_header);
  cursor.read_be<std::uint32_t>();  // message type and 3 bytes of length
  cursor.take(tls_version_and_random);
  skip_tls_vector<std::uint8_t>(cursor);  // session ID
  return {true, cursor.ok() && has_extensions_of_mbed_tls(cursor)};
}

TlsRecordKind read_tls_record_kind(Bytes bytes) {
  constexpr std::uint8_t tls_data = 23;
  constexpr std::uint8_t tls_server_hello = 2;
  if (bytes.captured <= tls_record_header || bytes.data[1] != tls_any_version) return TlsRecordKind::none;
  if (bytes.data[0] == tls_data) return TlsRecordKind::data;
  if (bytes.data[0] != tls_handshake) return TlsRecordKind::none;
  const std::uint8_t kind = bytes.data[tls_record_header];
  if (kind == tls_client_hello) return TlsRecordKind::client_hello;
  return kind == tls_server_hello ? TlsRecordKind::server_hello : TlsRecordKind::none;
}

bool is_tls_answer(Bytes bytes) {
  if (bytes.captured < tls_record_header) return false;
  return (bytes.data[0] == tls_alert || bytes.data[0] == tls_handshake) && bytes.data[1] == tls_any_version;
}

std::uint8_t read_fatal_tls_alert(Bytes bytes) {
  constexpr std::size_t size = 2;
  constexpr std::uint8_t fatal = 2;
  if (bytes.captured != tls_record_header + size || !is_tls_answer(bytes) || bytes.data[0] != tls_alert) return 0;
  Cursor cursor(bytes, tls_record_header - sizeof(std::uint16_t));
  if (cursor.read_be<std::uint16_t>() != size || cursor.read<std::uint8_t>() != fatal) return 0;
  return cursor.read<std::uint8_t>();
}

}  // namespace godot_codec
