// SPDX-License-Identifier: MIT
/// @file
/// DTLS 1.0 and 1.2, as far as it tells why an ENet connection does not come about: one side speaks it, the other does
/// not. Numbers are big-endian. After RFC 6347, sections 4.1 and 4.2, and RFC 5246, 7.4.1.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// True if a datagram begins with a DTLS record.
[[nodiscard]] bool is_dtls(Bytes datagram);

/// A client's first message, as it is sent until a server answers: without a cookie.
struct ClientHello {
  bool is_hello = false;     ///< the rest is set only where it is one
  std::uint64_t number = 0;  ///< the record's: rises with each repetition
  /// Its extensions are those of mbed TLS, which Godot uses, in one of its orders. Read as long as it lies in one
  /// record, and whole in the capture.
  bool is_like_godots = false;
};

/// Reads a datagram. What cannot be one has all false.
[[nodiscard]] ClientHello read_client_hello(Bytes datagram);

}  // namespace godot_codec
