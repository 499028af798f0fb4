// SPDX-License-Identifier: MIT
/// @file
/// A client's first message of TLS and DTLS, as far as it shows which library wrote it. Numbers are big-endian. After
/// RFC 5246 and RFC 8446, section 4.1.2.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// True if the extensions of a ClientHello are those of mbed TLS, which Godot uses, in one of its orders.
/// @param cursor behind the session id, and DTLS' cookie: at the cipher suites
[[nodiscard]] bool has_extensions_of_mbed_tls(Cursor cursor);

/// The beginning of a stream of TLS.
struct TlsStart {
  bool is_client_hello = false;
  bool is_like_godots = false;  ///< has_extensions_of_mbed_tls(); read as long as it is whole in the bytes
};

/// The sizes of a record's header: kind, version, length; in DTLS epoch and number besides.
inline constexpr std::size_t tls_record_header = 5;
inline constexpr std::size_t dtls_record_header = 13;

/// False for most bytes that do not begin with a ClientHello: the kinds of the record and of its message tell.
/// @param record_header one of the sizes above
[[nodiscard]] inline bool may_be_client_hello(Bytes bytes, std::size_t record_header) {
  constexpr std::uint8_t handshake_record = 22;
  constexpr std::uint8_t client_hello = 1;
  return bytes.captured > record_header && bytes.data[0] == handshake_record &&
         bytes.data[record_header] == client_hello;
}

/// Reads a stream's first bytes.
[[nodiscard]] TlsStart read_tls_start(Bytes bytes);

/// The kind of record that a segment begins with.
enum class TlsRecord : std::uint8_t { none, client_hello, server_hello, data };

[[nodiscard]] TlsRecord read_tls_record(Bytes bytes);

/// True if a stream of a server begins with a record of TLS: the answer to a hello, or an alert.
[[nodiscard]] bool is_tls_answer(Bytes bytes);

/// The description of a fatal alert that is all of the bytes, and not encrypted (RFC 8446, section 6); 0: none.
[[nodiscard]] std::uint8_t read_tls_alert(Bytes bytes);

}  // namespace godot_codec
