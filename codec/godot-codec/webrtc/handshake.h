// SPDX-License-Identifier: MIT
/// @file
/// How much of a DTLS handshake a capture holds: without its hellos nobody can decrypt what follows, whoever has the
/// keys. RFC 9147 and 6347.
#pragma once

#include <cstdint>

#include "godot-codec/webrtc/ice.h"

namespace godot_codec {

/// A handshake as far as it was in the capture. Zeros at first, so that it may be kept in any memory.
struct DtlsHandshake {
  std::uint32_t hello;         ///< the frame of the first ClientHello; 0: none was seen
  std::uint32_t server_hello;  ///< the frame of the ServerHello; 0: it was not seen
  std::uint32_t other;         ///< the first frame of anything else of it that is not encrypted
  bool is_1_3;
  bool is_chacha20;
  // The newest ClientHello, which may come in fragments: bytes from its beginning on without a gap, and a fragment
  // behind a gap.
  std::uint16_t message_number;
  std::uint32_t message_size;
  std::uint32_t covered;
  std::uint32_t ahead_begin;
  std::uint32_t ahead_end;
  bool is_hello_reordered;     ///< a fragment arrived before the one that precedes it
  bool has_changed_cipher[2];  ///< by sender: its ChangeCipherSpec was seen, after which it encrypts (RFC 5246, 7.1)

  /// @param sender 0 or 1: the end that sends the datagram
  void add(const DtlsStart &start, std::uint32_t frame, unsigned sender);
  /// True if all fragments of the newest ClientHello were seen.
  [[nodiscard]] bool has_whole_hello() const { return hello != 0 && covered >= message_size; }
  /// True if an end's ChangeCipherSpec was not seen. DTLS 1.3 has none.
  [[nodiscard]] bool lacks_end_of_1_2() const { return !is_1_3 && !(has_changed_cipher[0] && has_changed_cipher[1]); }

 private:
  void add_hello(const DtlsStart &start);
};

}  // namespace godot_codec
