// SPDX-License-Identifier: MIT
#include "godot-codec/encryption/encrypted_flow.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace godot_codec {
namespace {

// Minimum number of packets with undecrypted data before a connection is reported.
constexpr std::uint32_t report_thresholds[] = {
    2,   // other_tls: packets of the client, of which the first may belong to its handshake
    2,   // godot_tls
    12,  // relay_tls: DTLS may soon give a better reason
    1,   // other_dtls
    1,   // enet
    1,   // godot_dtls
    1,   // webrtc
    1,   // other_webrtc
};
// In DTLS 1.3, the end of the handshake looks like data, too.
constexpr std::uint32_t report_threshold_of_dtls_1_3 = 12;
static_assert(std::size(report_thresholds) == static_cast<std::size_t>(EncryptedKind::count));

}  // namespace

void EncryptedFlow::add_client_hello(const DtlsFirstRecord &start) {
  const bool is_new = hello_covered_size == 0 && hello_ahead_end == 0;
  if (is_new || start.message_number != message_number || start.message_size != message_size) {
    message_number = start.message_number;
    message_size = start.message_size;
    hello_covered_size = hello_ahead_begin = hello_ahead_end = 0;
    is_hello_reordered = false;
  }
  const std::uint32_t end = start.fragment_offset + start.fragment_size;
  if (start.fragment_offset > hello_covered_size) {
    is_hello_reordered = true;
    hello_ahead_begin = start.fragment_offset;
    hello_ahead_end = end;
    return;
  }
  hello_covered_size = std::max(hello_covered_size, end);
  if (hello_ahead_begin <= hello_covered_size) hello_covered_size = std::max(hello_covered_size, hello_ahead_end);
}

void EncryptedFlow::add(const DtlsFirstRecord &start, std::uint32_t frame, unsigned sender) {
  if (start.has_change_cipher_spec) has_changed_cipher[sender] = true;
  switch (start.kind) {
    case DtlsRecordKind::client_hello:
      if (client_hello_frame == 0) client_hello_frame = frame;
      add_client_hello(start);
      return;
    case DtlsRecordKind::server_hello:
      if (server_hello_frame == 0) server_hello_frame = frame;
      is_dtls_1_3 = start.is_dtls_1_3;
      is_chacha20 = start.is_chacha20();
      return;
    case DtlsRecordKind::handshake:
      if (other_handshake_frame == 0) other_handshake_frame = frame;
      return;
    case DtlsRecordKind::data:
      is_dtls_1_3 = is_dtls_1_3 || start.has_unified_header;
      return;
    case DtlsRecordKind::none:
      return;
  }
}

void EncryptedFlow::add(TlsRecordKind record, std::uint32_t frame, unsigned sender) {
  if (record == TlsRecordKind::client_hello && client_hello_frame == 0) {
    client_hello_frame = frame;
    client_side = sender;
  }
  if (record == TlsRecordKind::server_hello && server_hello_frame == 0) server_hello_frame = frame;
}

// In TLS, only the client's data counts, because the server's data may still be its handshake, which TLS 1.3 encrypts.
// The client sends data only after it has accepted the handshake.
bool EncryptedFlow::counts_data_of(unsigned sender) const {
  return is_dtls() || client_hello_frame == 0 || sender == client_side;
}

void EncryptedFlow::add_data_packet(std::uint32_t frame, unsigned sender, bool was_decrypted, bool supports_dtls_1_3) {
  if (was_decrypted) has_decrypted_data[sender] = true;
  if (was_decrypted || report_frame != 0 || !counts_data_of(sender) || !may_be_undecryptable(sender)) return;
  if (++undecrypted_packets <
      (is_dtls_1_3 ? report_threshold_of_dtls_1_3 : report_thresholds[static_cast<std::size_t>(kind)]))
    return;
  report_frame = frame;
  reason = find_reason(supports_dtls_1_3);
  reason_frame = find_reason_frame(reason);
}

bool EncryptedFlow::is_reported_by(std::uint32_t frame, unsigned sender) const {
  return report_frame == frame && may_be_undecryptable(sender);
}

bool EncryptedFlow::lacks_change_cipher_spec() const {
  return is_dtls() && !is_dtls_1_3 && !(has_changed_cipher[0] && has_changed_cipher[1]);
}

// If data of one side was decrypted, Wireshark has the keys. Then data of the other side is undecryptable only if part
// of the connection was not captured.
bool EncryptedFlow::may_be_undecryptable(unsigned sender) const {
  return !has_decrypted_data[sender] &&
         (!has_decrypted_data[1 - sender] || lacks_change_cipher_spec() || gap_frame != 0);
}

UndecryptedReason EncryptedFlow::find_reason(bool supports_dtls_1_3) const {
  if (client_hello_frame == 0) {
    const bool has_rest = server_hello_frame != 0 || other_handshake_frame != 0;
    return has_rest ? UndecryptedReason::no_client_hello : UndecryptedReason::no_handshake;
  }
  if (is_chacha20) return UndecryptedReason::unsupported_cipher;
  if (is_dtls_1_3 && !supports_dtls_1_3) return UndecryptedReason::unsupported_version;
  if (hello_covered_size < message_size) return UndecryptedReason::client_hello_incomplete;
  if (is_hello_reordered) return UndecryptedReason::client_hello_reordered;
  if (server_hello_frame == 0) return UndecryptedReason::no_server_hello;
  if (lacks_change_cipher_spec()) return UndecryptedReason::no_change_cipher_spec;
  return gap_frame != 0 ? UndecryptedReason::capture_gap : UndecryptedReason::no_keys;
}

std::uint32_t EncryptedFlow::find_reason_frame(UndecryptedReason why) const {
  if (why == UndecryptedReason::capture_gap) return gap_frame;
  if (why == UndecryptedReason::no_client_hello)
    return server_hello_frame != 0 ? server_hello_frame : other_handshake_frame;
  return client_hello_frame;
}

}  // namespace godot_codec
