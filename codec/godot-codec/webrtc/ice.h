// SPDX-License-Identifier: MIT
/// @file
/// Reads those packets of a WebRTC connection that contain no data: ICE connectivity checks (STUN), and the start of
/// DTLS. Integers are big-endian. Sources: RFC 8489 (STUN), 8445 (ICE), 9147 and 8446 (DTLS and TLS 1.3), and 7983 (how
/// to distinguish them).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// An ICE connectivity check, that is, a binding request with a user name. Empty if the datagram is something else.
struct IceCheck {
  std::string_view sender;    ///< the sender's ICE user fragment
  std::string_view receiver;  ///< the receiver's ICE user fragment

  [[nodiscard]] bool is_check() const { return !sender.empty() && !receiver.empty(); }
};

[[nodiscard]] IceCheck read_ice_check(Bytes datagram);

inline constexpr std::uint32_t stun_cookie = 0x2112a442;

/// True if a datagram is a STUN message: its first two bits are zero, and the magic cookie is at offset 4. Variants and
/// ENet commands hardly ever have the cookie's bytes at this offset.
[[nodiscard]] inline bool is_stun(Bytes datagram) {
  constexpr std::size_t header_size = 20;
  constexpr std::size_t cookie_at = 4;
  constexpr std::uint8_t cookie[] = {stun_cookie >> 24U, stun_cookie >> 16U & 0xffU, stun_cookie >> 8U & 0xffU,
                                     stun_cookie & 0xffU};  // an array: memcmp() is faster than comparing a u32
  return datagram.captured >= header_size && datagram.data[0] >> 6U == 0 &&
         std::memcmp(datagram.data + cookie_at, cookie, sizeof cookie) == 0;
}

inline constexpr std::uint16_t stun_binding_request = 1;

/// A quick check of two bytes. True for every ICE check, false for most other datagrams.
[[nodiscard]] inline bool may_be_ice_check(Bytes datagram) {
  return datagram.captured > sizeof stun_binding_request &&
         Cursor::load_be<std::uint16_t>(datagram.data) == stun_binding_request;
}

/// A quick check: true if the datagram may have the unified header of DTLS 1.3, which is identified by only three bits.
[[nodiscard]] inline bool may_be_unified_dtls(Bytes datagram) {
  constexpr std::uint8_t mask = 0xe0;
  constexpr std::uint8_t unified = 0x20;
  return datagram.captured > 0 && (datagram.data[0] & mask) == unified;
}

/// True if bytes begin with a TURN Allocate request (RFC 8656), by which a client requests an address at a relay. Also
/// true for the response.
[[nodiscard]] bool is_turn_allocation(Bytes bytes);

/// The type of the first record of a DTLS datagram.
enum class DtlsKind : std::uint8_t {
  none,
  client_hello,
  server_hello,
  handshake,  ///< another handshake message, or an alert
  data,       ///< encrypted: application data, or any encrypted record of DTLS 1.3
};

struct DtlsStart {
  DtlsKind kind = DtlsKind::none;
  bool is_unified = false;      ///< true for the unified header of DTLS 1.3
  bool is_1_3 = false;          ///< for a ServerHello: true if DTLS 1.3 was chosen
  bool changes_cipher = false;  ///< for a handshake message: true if a record of the datagram is a ChangeCipherSpec
  std::uint16_t cipher = 0;     ///< for a ServerHello: the chosen cipher suite
  // An unencrypted handshake message, which may be a fragment:
  std::uint16_t message_number = 0;
  std::uint32_t message_size = 0;
  std::uint32_t fragment_offset = 0;
  std::uint32_t fragment_size = 0;

  /// True for cipher suites with ChaCha20-Poly1305.
  [[nodiscard]] bool is_chacha20() const;
};

/// @param may_be_unified true if the datagram belongs to a WebRTC connection. Only then the unified header of DTLS 1.3
/// is accepted, because only three bits identify it
[[nodiscard]] DtlsStart read_dtls_start(Bytes datagram, bool may_be_unified);

}  // namespace godot_codec
