// SPDX-License-Identifier: MIT
/// @file
/// Reads ICE connectivity checks (STUN), with which a WebRTC connection begins, and detects a relay's clients. Integers
/// are big-endian. Sources: RFC 8489 (STUN), 8445 (ICE) and 8656 (TURN).
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// An ICE connectivity check, that is, a binding request with a user name. Empty if the datagram is something else.
struct IceCheck {
  std::string_view sender_fragment;    ///< the sender's ICE user fragment
  std::string_view receiver_fragment;  ///< the receiver's ICE user fragment

  [[nodiscard]] bool is_ice_check() const { return !sender_fragment.empty() && !receiver_fragment.empty(); }
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

/// True if bytes begin with a TURN Allocate request (RFC 8656), by which a client requests an address at a relay. Also
/// true for the response.
[[nodiscard]] bool is_turn_allocation(Bytes bytes);

}  // namespace godot_codec
