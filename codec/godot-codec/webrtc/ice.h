// SPDX-License-Identifier: MIT
/// @file
/// Reads the packets of a WebRTC connection that carry no data: ICE connectivity checks (STUN), and the start of DTLS.
/// Numbers are big-endian. After RFC 8489 (STUN), 8445 (ICE), 9147 and 8446 (DTLS and TLS 1.3), 7983 (how to
/// distinguish them).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// An ICE connectivity check: a binding request with a user name. Empty if the datagram is something else.
struct IceCheck {
  std::string_view sender;    ///< the sender's ICE user fragment
  std::string_view receiver;  ///< the receiver's ICE user fragment

  [[nodiscard]] bool is_check() const { return !sender.empty() && !receiver.empty(); }
};

[[nodiscard]] IceCheck read_ice_check(Bytes datagram);

inline constexpr std::uint32_t stun_cookie = 0x2112a442;

/// True if a datagram is a STUN message: the first two bits are zero, followed by the magic cookie. Variants and ENet
/// commands hardly ever have these bytes there.
[[nodiscard]] inline bool is_stun(Bytes datagram) {
  constexpr std::size_t header_size = 20;
  constexpr std::size_t cookie_at = 4;
  constexpr std::uint8_t cookie[] = {stun_cookie >> 24U, stun_cookie >> 16U & 0xffU, stun_cookie >> 8U & 0xffU,
                                     stun_cookie & 0xffU};  // an array: memcmp() is faster than comparing a u32
  return datagram.captured >= header_size && datagram.data[0] >> 6U == 0 &&
         std::memcmp(datagram.data + cookie_at, cookie, sizeof cookie) == 0;
}

inline constexpr std::uint16_t stun_binding_request = 1;

/// A quick check of two bytes: true for every ICE check, false for most other datagrams.
[[nodiscard]] inline bool may_be_ice_check(Bytes datagram) {
  return datagram.captured > sizeof stun_binding_request &&
         Cursor::load_be<std::uint16_t>(datagram.data) == stun_binding_request;
}

/// A quick check: true if the datagram may have the unified header of DTLS 1.3. Only three bits identify it.
[[nodiscard]] inline bool may_be_unified_dtls(Bytes datagram) {
  constexpr std::uint8_t mask = 0xe0;
  constexpr std::uint8_t unified = 0x20;
  return datagram.captured > 0 && (datagram.data[0] & mask) == unified;
}

/// True if bytes begin with a TURN Allocate request (RFC 8656), in which a client requests an address at a relay, or
/// with the response.
[[nodiscard]] bool is_turn_allocation(Bytes bytes);

/// The type of the first record of a DTLS datagram.
enum class DtlsKind : std::uint8_t {
  none,
  client_hello,
  server_hello,
  handshake,  ///< another handshake message, or an alert
  data,       ///< encrypted: application data, or any record of DTLS 1.3
};

struct DtlsStart {
  DtlsKind kind = DtlsKind::none;
  bool is_unified = false;      ///< true for the unified header of DTLS 1.3
  bool is_1_3 = false;          ///< server_hello: DTLS 1.3 was chosen
  bool changes_cipher = false;  ///< handshake: one of the datagram's records is a ChangeCipherSpec
  std::uint16_t cipher = 0;     ///< server_hello: the chosen cipher suite
  // An unencrypted handshake message, which may be a fragment:
  std::uint16_t message_number = 0;
  std::uint32_t message_size = 0;
  std::uint32_t fragment_offset = 0;
  std::uint32_t fragment_size = 0;

  /// True for cipher suites with ChaCha20-Poly1305.
  [[nodiscard]] bool is_chacha20() const;
};

/// @param may_be_unified true if the datagram belongs to a WebRTC connection: only then may it have the unified header
/// of DTLS 1.3, which only three bits identify
[[nodiscard]] DtlsStart read_dtls_start(Bytes datagram, bool may_be_unified);

}  // namespace godot_codec
