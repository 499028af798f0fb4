// SPDX-License-Identifier: MIT
/// @file
/// The unencrypted part of DTLS: the types of records, and the messages of a handshake. Numbers are big-endian.
/// Sources: RFC 6347, sections 4.1 and 4.2, RFC 5246, 7.4.1 (DTLS 1.2), RFC 9147 and 8446 (DTLS 1.3).
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// True if a datagram begins with a DTLS record that does not have the unified header of DTLS 1.3.
[[nodiscard]] bool is_dtls(Bytes datagram);

/// A quick check: true if the datagram may have the unified header of DTLS 1.3. Only three bits identify it.
[[nodiscard]] inline bool may_be_unified_dtls(Bytes datagram) {
  constexpr std::uint8_t mask = 0xe0;
  constexpr std::uint8_t unified = 0x20;
  return datagram.captured > 0 && (datagram.data[0] & mask) == unified;
}

/// The type of the first record of a DTLS datagram.
enum class DtlsRecordKind : std::uint8_t {
  none,
  client_hello,
  server_hello,
  handshake,  ///< another handshake message, or an alert
  data,       ///< encrypted: application data, or any record of DTLS 1.3
};

struct DtlsFirstRecord {
  DtlsRecordKind kind = DtlsRecordKind::none;
  bool has_unified_header = false;      ///< true for the unified header of DTLS 1.3
  bool is_dtls_1_3 = false;             ///< server_hello: DTLS 1.3 was chosen
  bool has_change_cipher_spec = false;  ///< handshake: one of the datagram's records is a ChangeCipherSpec
  std::uint16_t cipher_suite = 0;       ///< server_hello: the chosen cipher suite
  // An unencrypted handshake message, which may be a fragment:
  std::uint16_t message_number = 0;
  std::uint32_t message_size = 0;
  std::uint32_t fragment_offset = 0;
  std::uint32_t fragment_size = 0;

  /// True for cipher suites with ChaCha20-Poly1305.
  [[nodiscard]] bool is_chacha20() const;
};

/// Reads the first record of a datagram.
/// @param may_be_unified true if the datagram belongs to a WebRTC connection: only then may it have the unified header
/// of DTLS 1.3, which only three bits identify
[[nodiscard]] DtlsFirstRecord read_dtls_first_record(Bytes datagram, bool may_be_unified);

/// A client's first message, without a cookie, which the client retransmits until a server answers.
struct ClientHello {
  bool is_client_hello = false;     ///< if false, the other members are not set
  std::uint64_t record_number = 0;  ///< record number, which increases with each retransmission
  /// True if the extensions are those of mbed TLS, which Godot uses, in one of its orders. Only read if the message is
  /// in a single record and completely captured.
  bool is_from_mbed_tls = false;
};

/// Reads a ClientHello. Returns is_client_hello false if the datagram is something else.
[[nodiscard]] ClientHello read_client_hello(Bytes datagram);

}  // namespace godot_codec
