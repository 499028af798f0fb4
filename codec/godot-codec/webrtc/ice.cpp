// SPDX-License-Identifier: MIT
#include "godot-codec/webrtc/ice.h"

namespace godot_codec {
namespace {

constexpr std::size_t transaction_size = 12;
constexpr std::uint16_t username_attribute = 6;
constexpr std::size_t alignment = 4;

IceCheck split_username(std::string_view username) {
  const std::size_t colon = username.find(':');
  if (colon == std::string_view::npos) return {};
  // The receiver's user fragment precedes the colon.
  return {username.substr(colon + 1), username.substr(0, colon)};
}

}  // namespace

IceCheck read_ice_check(Bytes datagram) {
  Cursor cursor(datagram);
  const auto kind = cursor.read_be<std::uint16_t>();
  const std::size_t length = cursor.read_be<std::uint16_t>();
  const auto cookie = cursor.read_be<std::uint32_t>();
  cursor.take(transaction_size);
  if (!cursor.ok() || kind != stun_binding_request || cookie != stun_cookie || length > cursor.remaining()) return {};
  while (cursor.ok() && cursor.remaining() > 0) {
    const auto attribute = cursor.read_be<std::uint16_t>();
    const std::size_t size = cursor.read_be<std::uint16_t>();
    const std::uint8_t *value = cursor.take(size);
    if (value == nullptr) break;
    if (attribute == username_attribute) return split_username({reinterpret_cast<const char *>(value), size});
    cursor.take((alignment - size % alignment) % alignment);
  }
  return {};
}

bool is_turn_allocation(Bytes bytes) {
  constexpr std::uint16_t allocate = 3;
  constexpr std::uint16_t success = 0x100;
  constexpr std::uint16_t error = 0x110;
  Cursor cursor(bytes);
  const auto kind = cursor.read_be<std::uint16_t>();
  cursor.read_be<std::uint16_t>();
  const auto cookie = cursor.read_be<std::uint32_t>();
  const bool is_one = kind == allocate || kind == (allocate | success) || kind == (allocate | error);
  return cursor.ok() && is_one && cookie == stun_cookie;
}

}  // namespace godot_codec
