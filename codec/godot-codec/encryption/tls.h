// SPDX-License-Identifier: MIT
/// @file
/// The unencrypted part of TLS: the types of records, alerts, and which library wrote a ClientHello of TLS or DTLS.
/// Integers are big-endian. Sources: RFC 5246 and RFC 8446, section 4.1.2.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// True if the extensions of a ClientHello are in an order of mbed TLS, which is Godot's TLS library.
/// @param cursor at the cipher suites: after the session ID, and in DTLS after the cookie
[[nodiscard]] bool has_extensions_of_mbed_tls(Cursor cursor);

/// The beginning of a TLS stream.
struct TlsStreamStart {
  bool is_client_hello = false;
  bool is_from_mbed_tls = false;  ///< has_extensions_of_mbed_tls(); false if the ClientHello is incomplete
};

/// Size of a record header in bytes: type, version and length; in DTLS also epoch and sequence number.
inline constexpr std::size_t tls_record_header = 5;
inline constexpr std::size_t dtls_record_header = 13;

/// A quick check of the record type and the message type. True for every ClientHello of TLS, false for most other
/// bytes.
[[nodiscard]] inline bool may_be_client_hello(Bytes bytes) {
  constexpr std::uint8_t handshake_record = 22;
  constexpr std::uint8_t client_hello = 1;
  return bytes.captured > tls_record_header && bytes.data[0] == handshake_record &&
         bytes.data[tls_record_header] == client_hello;
}

/// Reads the first bytes of a stream.
[[nodiscard]] TlsStreamStart read_tls_start(Bytes bytes);

/// The type of the record at the start of a segment.
enum class TlsRecordKind : std::uint8_t { none, client_hello, server_hello, data };

[[nodiscard]] TlsRecordKind read_tls_record_kind(Bytes bytes);

/// True if a server's stream begins with a TLS record, that is, the answer to a ClientHello, or an alert.
[[nodiscard]] bool is_tls_answer(Bytes bytes);

/// Returns the description of an unencrypted fatal alert (RFC 8446, section 6). Returns 0 if @p bytes contain anything
/// else.
[[nodiscard]] std::uint8_t read_fatal_tls_alert(Bytes bytes);

}  // namespace godot_codec
