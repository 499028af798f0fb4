// SPDX-License-Identifier: MIT
/// @file
/// Reads DTLS 1.0 and 1.2, to find ENet connections that fail because only one side uses DTLS. Integers are big-endian.
/// Sources: RFC 6347, sections 4.1 and 4.2, and RFC 5246, 7.4.1.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// True if a datagram begins with a DTLS record.
[[nodiscard]] bool is_dtls(Bytes datagram);

/// A client's first message, without a cookie. The client retransmits it until a server answers.
struct ClientHello {
  bool is_hello = false;     ///< if false, the other members are not set
  std::uint64_t number = 0;  ///< record number, which increases with each retransmission
  /// True if the extensions are in an order of mbed TLS, which Godot uses. Only read if the message is in a single
  /// record and completely captured.
  bool is_like_godots = false;
};

/// Reads a datagram. If it is not a ClientHello, all members of the result are false or 0.
[[nodiscard]] ClientHello read_client_hello(Bytes datagram);

}  // namespace godot_codec
