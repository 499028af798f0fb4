// SPDX-License-Identifier: MIT
#include "godot-codec/webrtc/handshake.h"

#include <algorithm>

namespace godot_codec {

// The server's random number, behind the second version, is left zero.
constexpr std::array<std::uint8_t, 71> browsers_server_hello = {
    22,   0xfe, 0xfd, 0,  0, 0, 0,    0,   0, 0, 0, 0,  58,        // record: version, epoch, number, length
    2,    0,    0,    46, 0, 0, 0,    0,   0, 0, 0, 46,            // message: length, number, fragment
    0xfe, 0xfd, 0,    0,  0, 0, 0,    0,   0, 0, 0, 0,  0,  0, 0,  // version, random number
    0,    0,    0,    0,  0, 0, 0,    0,   0, 0, 0, 0,  0,  0, 0,  //
    0,    0,    0,    0,                                           //
    0,    0x13, 0x01, 0,                                           // no session id; cipher suite; no compression
    0,    6,    0,    43, 0, 2, 0xfe, 0xfc};                       // supported_versions: DTLS 1.3

DtlsClientHello client_hello_with(const std::array<std::uint8_t, 32> &random) {
  constexpr std::size_t random_at = 27;
  DtlsClientHello hello = {22,   0xfe, 0xfd, 0,  0, 0, 0, 0, 0, 0, 0, 0,  54,  // record: version, epoch, number, length
                           1,    0,    0,    42, 0, 0, 0, 0, 0, 0, 0, 42,      // message: length, number, fragment
                           0xfe, 0xfd};
  std::ranges::copy(random, hello.begin() + random_at);
  constexpr std::array<std::uint8_t, 8> rest = {0,    0,    0, 2,
                                                0x13, 0x01, 1, 0};  // no session, no cookie; one cipher suite
  std::ranges::copy(rest, hello.begin() + random_at + random.size());
  return hello;
}

void DtlsHandshake::add_hello(const DtlsStart &start) {
  if (start.client_random != nullptr) {
    std::copy_n(start.client_random, random.size(), random.begin());
    has_random = true;
  }
  const bool is_new = covered == 0 && ahead_end == 0;
  if (is_new || start.message_number != message_number || start.message_size != message_size) {
    message_number = start.message_number;
    message_size = start.message_size;
    covered = ahead_begin = ahead_end = 0;
  }
  const std::uint32_t end = start.fragment_offset + start.fragment_size;
  if (start.fragment_offset > covered) {
    is_disordered = true;
    ahead_begin = start.fragment_offset;
    ahead_end = end;
    return;
  }
  covered = std::max(covered, end);
  if (ahead_begin <= covered) covered = std::max(covered, ahead_end);
}

void DtlsHandshake::add(const DtlsStart &start, std::uint32_t frame, unsigned direction) {
  switch (start.kind) {
    case DtlsKind::client_hello:
      if (hello == 0) hello = frame;
      hello_direction = direction;
      add_hello(start);
      return;
    case DtlsKind::server_hello:
      if (server_hello == 0) server_hello = frame;
      is_1_3 = start.is_1_3;
      is_chacha20 = start.is_chacha20();
      return;
    case DtlsKind::handshake:
      if (other == 0) other = frame;
      return;
    case DtlsKind::data:
      is_1_3 = is_1_3 || start.is_unified;
      return;
    case DtlsKind::none:
      return;
  }
}

}  // namespace godot_codec
