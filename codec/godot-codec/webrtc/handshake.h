// SPDX-License-Identifier: MIT
/// @file
/// Records which messages of a DTLS handshake were captured. Without the hellos, Wireshark cannot decrypt the
/// connection, even with the keys. RFC 9147 and 6347.
#pragma once

#include <cstdint>

#include "godot-codec/webrtc/ice.h"

namespace godot_codec {

/// The captured messages of a handshake. Trivial and zero-initialised, so that it can be stored in any memory.
struct DtlsHandshake {
  std::uint32_t hello;         ///< packet number of the first ClientHello; 0: not captured
  std::uint32_t server_hello;  ///< packet number of the ServerHello; 0: not captured
  std::uint32_t other;         ///< packet number of the first other unencrypted record of the handshake
  bool is_1_3;
  bool is_chacha20;
  // The newest ClientHello, which may be fragmented. `covered` counts its bytes from the beginning up to the first gap.
  // `ahead_begin` and `ahead_end` are a fragment after the gap.
  std::uint16_t message_number;
  std::uint32_t message_size;
  std::uint32_t covered;
  std::uint32_t ahead_begin;
  std::uint32_t ahead_end;
  bool is_hello_reordered;     ///< true if a fragment arrived before the preceding fragment
  bool has_changed_cipher[2];  ///< by sender: true after its ChangeCipherSpec, after which it encrypts (RFC 5246, 7.1)

  /// @param sender 0 or 1: the side that sends the datagram
  void add(const DtlsStart &start, std::uint32_t frame, unsigned sender);
  /// True if all fragments of the newest ClientHello were captured.
  [[nodiscard]] bool has_whole_hello() const { return hello != 0 && covered >= message_size; }
  /// True if the ChangeCipherSpec of at least one side was not captured. DTLS 1.3 needs no ChangeCipherSpec.
  [[nodiscard]] bool lacks_end_of_1_2() const { return !is_1_3 && !(has_changed_cipher[0] && has_changed_cipher[1]); }

 private:
  void add_hello(const DtlsStart &start);
};

}  // namespace godot_codec
