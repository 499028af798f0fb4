// SPDX-License-Identifier: MIT
#include "godot-codec/encryption/encrypted_flow.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace godot_codec {
namespace {

// Number of packets with undecrypted data that it takes to report a connection.
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

void EncryptedFlow::add_client_hello(const DtlsStart &start) {
  const bool is_new = covered == 0 && ahead_end == 0;
  if (is_new || start.message_number != message_number || start.message_size != message_size) {
    message_number = start.message_number;
    message_size = start.message_size;
    covered = ahead_begin = ahead_end = 0;
    is_hello_reordered = false;
  }
  const std::uint32_t end = start.fragment_offset + start.fragment_size;
  if (start.fragment_offset > covered) {
    is_hello_reordered = true;
    ahead_begin = start.fragment_offset;
    ahead_end = end;
    return;
  }
  covered = std::max(covered, end);
  if (ahead_begin <= covered) covered = std::max(covered, ahead_end);
}

void EncryptedFlow::add(const DtlsStart &start, std::uint32_t frame, unsigned sender) {
  if (start.changes_cipher) has_changed_cipher[sender] = true;
  switch (start.kind) {
    case DtlsKind::client_hello:
      if (client_hello == 0) client_hello = frame;
      add_client_hello(start);
      return;
    case DtlsKind::server_hello:
      if (server_hello == 0) server_hello = frame;
      is_1_3 = start.is_1_3;
      is_chacha20 = start.is_chacha20();
      return;
    case DtlsKind::handshake:
      if (other_handshake == 0) other_handshake = frame;
      return;
    case DtlsKind::data:
      is_1_3 = is_1_3 || start.is_unified;
      return;
    case DtlsKind::none:
      return;
  }
}

void EncryptedFlow::add(TlsRecord record, std::uint32_t frame, unsigned sender) {
  if (record == TlsRecord::client_hello && client_hello == 0) {
    client_hello = frame;
    client = sender;
  }
  if (record == TlsRecord::server_hello && server_hello == 0) server_hello = frame;
}

// In TLS, only the client's data counts, because the server's data may still be its handshake, which TLS 1.3 encrypts.
// The client sends data only after it has accepted the handshake.
bool EncryptedFlow::is_counted(unsigned sender) const { return is_dtls() || client_hello == 0 || sender == client; }

void EncryptedFlow::add_data(std::uint32_t frame, unsigned sender, bool was_decrypted, bool supports_dtls_1_3) {
  if (was_decrypted) is_decrypted[sender] = true;
  if (was_decrypted || reported != 0 || !is_counted(sender) || !may_be_undecryptable(sender)) return;
  if (++undecrypted < (is_1_3 ? report_threshold_of_dtls_1_3 : report_thresholds[static_cast<std::size_t>(kind)]))
    return;
  reported = frame;
  reason = find_reason(supports_dtls_1_3);
  reason_frame = frame_of(reason);
}

bool EncryptedFlow::is_reported_by(std::uint32_t frame, unsigned sender) const {
  return reported == frame && may_be_undecryptable(sender);
}

bool EncryptedFlow::lacks_change_cipher_spec() const {
  return is_dtls() && !is_1_3 && !(has_changed_cipher[0] && has_changed_cipher[1]);
}

// If the data of one end was decrypted, Wireshark has the keys. The other end's data is then undecryptable only if a
// part is missing.
bool EncryptedFlow::may_be_undecryptable(unsigned sender) const {
  return !is_decrypted[sender] && (!is_decrypted[1 - sender] || lacks_change_cipher_spec() || gap != 0);
}

UndecryptedReason EncryptedFlow::find_reason(bool supports_dtls_1_3) const {
  if (client_hello == 0) {
    const bool has_rest = server_hello != 0 || other_handshake != 0;
    return has_rest ? UndecryptedReason::no_client_hello : UndecryptedReason::no_handshake;
  }
  if (is_chacha20) return UndecryptedReason::cipher;
  if (is_1_3 && !supports_dtls_1_3) return UndecryptedReason::version;
  if (covered < message_size) return UndecryptedReason::client_hello_fragment;
  if (is_hello_reordered) return UndecryptedReason::client_hello_order;
  if (server_hello == 0) return UndecryptedReason::no_server_hello;
  if (lacks_change_cipher_spec()) return UndecryptedReason::no_change_cipher_spec;
  return gap != 0 ? UndecryptedReason::gap : UndecryptedReason::no_keys;
}

std::uint32_t EncryptedFlow::frame_of(UndecryptedReason why) const {
  if (why == UndecryptedReason::gap) return gap;
  if (why == UndecryptedReason::no_client_hello) return server_hello != 0 ? server_hello : other_handshake;
  return client_hello;
}

}  // namespace godot_codec
