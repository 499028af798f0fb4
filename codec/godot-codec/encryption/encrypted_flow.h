// SPDX-License-Identifier: MIT
/// @file
/// What is known about an encrypted connection: which messages of its handshake were captured, and whether its data was
/// decrypted. Decides when to report that the data cannot be decrypted, and why. Sources: RFC 6347 and 5246 (DTLS 1.2),
/// RFC 9147 and 8446 (DTLS and TLS 1.3).
#pragma once

#include <cstdint>

#include "godot-codec/encryption/dtls.h"
#include "godot-codec/encryption/tls.h"

namespace godot_codec {

/// What an encrypted connection may contain, by the evidence of its unencrypted bytes.
enum class EncryptedKind : std::uint8_t {
  other_tls,     ///< TLS of any other program, for example a browser
  godot_tls,     ///< TLS of a Godot client
  relay_tls,     ///< TLS to a relay (TURN), which may carry WebRTC
  other_dtls,    ///< DTLS of any other program
  enet,          ///< DTLS to a port that is configured as ENet
  godot_dtls,    ///< DTLS of a Godot client: ENet or PacketPeerDTLS
  webrtc,        ///< DTLS of WebRTC in a capture with a game
  other_webrtc,  ///< DTLS of WebRTC in any other capture
  count
};

/// Why data cannot be decrypted.
enum class UndecryptedReason : std::uint8_t {
  no_handshake,             ///< no part of the handshake was captured
  no_client_hello,          ///< only the rest of the handshake was captured
  unsupported_cipher,       ///< Wireshark does not support the cipher suite
  unsupported_version,      ///< this Wireshark does not support the version
  client_hello_incomplete,  ///< a fragment of the ClientHello is missing
  client_hello_reordered,   ///< the fragments of the ClientHello arrived out of order
  no_server_hello,          ///< the ServerHello is missing
  no_change_cipher_spec,    ///< DTLS 1.2: the ChangeCipherSpec of one side is missing
  capture_gap,              ///< TLS: a part of the stream was not captured
  no_keys,                  ///< the handshake is complete, so only the keys are missing
};

/// The state of an encrypted connection. Trivial, and zero-initialised, so that it can be stored in any memory. Frames
/// are packet numbers; 0: none. Senders are 0 or 1.
struct EncryptedFlow {
  EncryptedKind kind;
  std::uint32_t client_hello_frame;     ///< frame with the first ClientHello
  std::uint32_t server_hello_frame;     ///< frame with the ServerHello
  std::uint32_t other_handshake_frame;  ///< DTLS: first frame with another unencrypted record of the handshake
  std::uint32_t gap_frame;              ///< TLS: first frame after a capture gap
  unsigned client_side;                 ///< TLS: sender of the ClientHello
  bool is_dtls_1_3;                     ///< DTLS
  bool is_chacha20;                     ///< DTLS
  // The newest DTLS ClientHello, which may be fragmented: number of bytes from its beginning without a gap, and the
  // range of one fragment after a gap.
  std::uint16_t message_number;
  std::uint32_t message_size;
  std::uint32_t hello_covered_size;
  std::uint32_t hello_ahead_begin;
  std::uint32_t hello_ahead_end;
  bool is_hello_reordered;     ///< true if a fragment was captured before a preceding fragment
  bool has_changed_cipher[2];  ///< by sender: true after its ChangeCipherSpec, as it then encrypts (RFC 5246, 7.1)
  bool has_decrypted_data[2];  ///< by sender: true if some of its data was decrypted
  std::uint32_t undecrypted_packets;  ///< number of packets with data that was not decrypted
  std::uint32_t report_frame;         ///< frame that reports the connection
  UndecryptedReason reason;           ///< of the report
  std::uint32_t reason_frame;         ///< frame to which the reason refers

  /// Adds a datagram of DTLS.
  void add(const DtlsFirstRecord &start, std::uint32_t frame, unsigned sender);
  /// Adds a segment of TLS.
  void add(TlsRecordKind record, std::uint32_t frame, unsigned sender);
  /// Adds a packet with data, in capture order. The packet reports the connection if it reaches the threshold for
  /// undecrypted data.
  /// @param supports_dtls_1_3 true if this Wireshark can decrypt DTLS 1.3
  void add_data_packet(std::uint32_t frame, unsigned sender, bool was_decrypted, bool supports_dtls_1_3);
  /// True if this packet reports that the connection cannot be decrypted. A report is withdrawn if the connection was
  /// decrypted later.
  [[nodiscard]] bool is_reported_by(std::uint32_t frame, unsigned sender) const;
  /// True if some data was decrypted, or the connection was reported.
  [[nodiscard]] bool is_decrypted_or_reported() const {
    return has_decrypted_data[0] || has_decrypted_data[1] || report_frame != 0;
  }

 private:
  [[nodiscard]] bool is_dtls() const { return kind >= EncryptedKind::other_dtls; }
  void add_client_hello(const DtlsFirstRecord &start);
  [[nodiscard]] bool counts_data_of(unsigned sender) const;
  [[nodiscard]] bool lacks_change_cipher_spec() const;
  [[nodiscard]] bool may_be_undecryptable(unsigned sender) const;
  [[nodiscard]] UndecryptedReason find_reason(bool supports_dtls_1_3) const;
  [[nodiscard]] std::uint32_t find_reason_frame(UndecryptedReason why) const;
};

}  // namespace godot_codec
