// SPDX-License-Identifier: MIT
/// @file
/// Reads the packets between a pair of addresses and ports of WebRTC that are no data: ICE's checks (STUN), and how
/// DTLS begins there. Numbers are big-endian. After RFC 8489 (STUN), 8445 (ICE), 9147 and 8446 (DTLS and TLS 1.3), 7983
/// (which is which).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// A check of ICE: a binding request with a user name. Empty where a datagram is none.
struct IceCheck {
  std::string_view sender;    ///< the user fragment of who sends it
  std::string_view receiver;  ///< the name of the end that it is sent to

  [[nodiscard]] bool is_check() const { return !sender.empty() && !receiver.empty(); }
};

[[nodiscard]] IceCheck read_ice_check(Bytes datagram);

inline constexpr std::uint32_t stun_cookie = 0x2112a442;

/// True if a datagram is STUN's: two bits of zero, and the cookie, which hardly a Variant or a command of ENet has
/// there.
[[nodiscard]] inline bool is_stun(Bytes datagram) {
  constexpr std::size_t header_size = 20;
  constexpr std::size_t cookie_at = 4;
  constexpr std::uint8_t cookie[] = {stun_cookie >> 24U, stun_cookie >> 16U & 0xffU, stun_cookie >> 8U & 0xffU,
                                     stun_cookie & 0xffU};  // compared at once, which the value would not be
  return datagram.captured >= header_size && datagram.data[0] >> 6U == 0 &&
         std::memcmp(datagram.data + cookie_at, cookie, sizeof cookie) == 0;
}

inline constexpr std::uint16_t stun_binding_request = 1;

/// False for most that are no checks of ICE: two bytes tell.
[[nodiscard]] inline bool may_be_ice_check(Bytes datagram) {
  return datagram.captured > sizeof stun_binding_request &&
         Cursor::load_be<std::uint16_t>(datagram.data) == stun_binding_request;
}

/// False for all that has no header of DTLS 1.3 alone, which has few bits to know it by.
[[nodiscard]] inline bool may_be_unified_dtls(Bytes datagram) {
  constexpr std::uint8_t mask = 0xe0;
  constexpr std::uint8_t unified = 0x20;
  return datagram.captured > 0 && (datagram.data[0] & mask) == unified;
}

/// True if bytes begin with a client's request for an address at a relay (TURN, RFC 8656: Allocate), or its answer.
[[nodiscard]] bool is_turn_allocation(Bytes bytes);

/// The first record of a DTLS datagram.
enum class DtlsKind : std::uint8_t {
  none,
  client_hello,
  server_hello,
  handshake,  ///< another message of it, or an alert
  data,       ///< encrypted: a message's record, or of DTLS 1.3 any
};

struct DtlsStart {
  DtlsKind kind = DtlsKind::none;
  bool is_unified = false;      ///< a header of DTLS 1.3 alone
  bool is_1_3 = false;          ///< server_hello: DTLS 1.3 is chosen
  bool changes_cipher = false;  ///< handshake: a record of the datagram is a ChangeCipherSpec
  std::uint16_t cipher = 0;     ///< server_hello: the cipher suite that is chosen
  // A handshake's message that is not encrypted, and may come in fragments:
  std::uint16_t message_number = 0;
  std::uint32_t message_size = 0;
  std::uint32_t fragment_offset = 0;
  std::uint32_t fragment_size = 0;

  /// The cipher suite is one of ChaCha20-Poly1305's.
  [[nodiscard]] bool is_chacha20() const;
};

/// @param may_be_unified the datagram is on a pair of WebRTC: a header of DTLS 1.3 has few bits to know it by
[[nodiscard]] DtlsStart read_dtls_start(Bytes datagram, bool may_be_unified);

}  // namespace godot_codec
