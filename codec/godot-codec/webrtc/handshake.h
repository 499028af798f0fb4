// SPDX-License-Identifier: MIT
/// @file
/// How much of a DTLS handshake a capture holds: without its hellos nobody can decrypt what follows, whoever has the
/// keys. RFC 9147 and 6347.
#pragma once

#include <array>
#include <cstdint>

#include "godot-codec/webrtc/ice.h"

namespace godot_codec {

/// A handshake as far as it was in the capture. Zeros at first, so that it may be kept in any memory.
struct DtlsHandshake {
  std::uint32_t hello;         ///< the frame of the first ClientHello; 0: none was seen
  std::uint32_t server_hello;  ///< the frame of the ServerHello; 0: it was not seen
  std::uint32_t other;         ///< the first frame of anything else of it that is not encrypted
  unsigned hello_direction;    ///< direction in which the client sends
  bool is_1_3;
  bool is_chacha20;
  // The newest ClientHello, which may come in fragments: bytes from its beginning on without a gap, and a fragment
  // behind a gap.
  std::uint16_t message_number;
  std::uint32_t message_size;
  std::uint32_t covered;
  std::uint32_t ahead_begin;
  std::uint32_t ahead_end;
  bool is_disordered;  ///< a fragment has come before one in front of it
  bool has_random;     ///< the client's number is known
  std::array<std::uint8_t, 32> random;

  /// @param direction 0 or 1: who sends
  void add(const DtlsStart &start, std::uint32_t frame, unsigned direction);
  /// True if all fragments of the newest ClientHello were seen.
  [[nodiscard]] bool has_whole_hello() const { return hello != 0 && covered >= message_size; }
  /// True if a reader of fragments may not have put the ClientHello together.
  [[nodiscard]] bool lacks_hello_part() const { return hello != 0 && (is_disordered || !has_whole_hello()); }

 private:
  void add_hello(const DtlsStart &start);
};

/// A ServerHello of DTLS 1.3 as browsers answer each other: its cipher suite, TLS_AES_128_GCM_SHA256, is all that keys
/// depend on (RFC 8446, 7.1, where secrets are known).
extern const std::array<std::uint8_t, 71> browsers_server_hello;

using DtlsClientHello = std::array<std::uint8_t, 67>;

/// A ClientHello with the client's random number and little else: enough for keys that are known by that number.
[[nodiscard]] DtlsClientHello client_hello_with(const std::array<std::uint8_t, 32> &random);

/// The record of DTLS 1.2 after which its sender encrypts everything (RFC 5246, 7.1).
inline constexpr std::array<std::uint8_t, 14> dtls_change_cipher_spec = {20, 0xfe, 0xfd, 0, 0, 0, 0,
                                                                         0,  0,    0,    0, 0, 1, 1};

}  // namespace godot_codec
