// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/dtls_reason.h"

namespace godot_plugin {
namespace {

using godot_codec::DtlsHandshake;

const char *reason_without_hello(const DtlsHandshake &handshake, packet_info *pinfo) {
  const std::uint32_t rest = handshake.server_hello != 0 ? handshake.server_hello : handshake.other;
  if (rest == 0) return "the DTLS handshake is not in the capture: start recording before the game connects";
  return wmem_strdup_printf(
      pinfo->pool,
      "the capture lacks the DTLS ClientHello, but has the rest of the handshake (frame %u): keys do not help without it",
      rest);
}

}  // namespace

bool has_decrypted(const packet_info *pinfo) { return pinfo->data_src != nullptr && pinfo->data_src->next != nullptr; }

const char *reason_for_undecrypted_dtls(const DtlsHandshake &handshake, packet_info *pinfo) {
  if (handshake.hello == 0) return reason_without_hello(handshake, pinfo);
  if (handshake.is_chacha20) return "encrypted with ChaCha20-Poly1305, which Wireshark does not decrypt in DTLS";
#if WIRESHARK_VERSION_MAJOR == 4 && WIRESHARK_VERSION_MINOR < 4
  if (handshake.is_1_3) {
    return wmem_strdup_printf(
        pinfo->pool,
        "DTLS 1.3 (since frame %u), which Wireshark %d.%d does not decrypt; use 4.4 or later with the keys",
        handshake.hello, WIRESHARK_VERSION_MAJOR, WIRESHARK_VERSION_MINOR);
  }
#endif
  if (!handshake.has_whole_hello()) {
    return wmem_strdup_printf(pinfo->pool,
                              "the capture lacks a part of the ClientHello in frame %u: keys do not help without it",
                              handshake.hello);
  }
  if (handshake.is_hello_reordered) {
    return wmem_strdup_printf(pinfo->pool,
                              "the fragments of the ClientHello in frame %u arrived out of order: keys do not help",
                              handshake.hello);
  }
  if (handshake.server_hello == 0) {
    return wmem_strdup_printf(pinfo->pool,
                              "the capture lacks the ServerHello that answers frame %u: keys do not help without it",
                              handshake.hello);
  }
  if (handshake.lacks_end_of_1_2()) {
    return wmem_strdup_printf(
        pinfo->pool,
        "the capture lacks the end of the DTLS 1.2 handshake in frame %u (ChangeCipherSpec): keys do not help without it",
        handshake.hello);
  }
  return nullptr;
}

}  // namespace godot_plugin
