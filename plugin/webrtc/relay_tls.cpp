// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/relay_tls.h"

#include "godot-codec/stream/tls_hello.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/dtls_reason.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/webrtc/ice.h"
#include "plugin/webrtc/undecrypted.h"

namespace godot_plugin {
namespace {

using godot_codec::TlsRecord;

// State of a TLS connection. Zero-initialised.
struct RelayTls {
  std::uint32_t hello;        // packet number of the ClientHello
  std::uint32_t answer;       // packet number of the ServerHello
  std::uint32_t gap;          // packet number of the first segment after a capture gap
  std::uint32_t undecrypted;  // number of segments with data that were not decrypted
  std::uint32_t reported_frame;
};
ConversationState<RelayTls> streams{ConversationSlot::relay_tls};

// Default port of TURN over TLS (IANA).
constexpr std::uint32_t turns_port = 5349;

bool is_at_relay(packet_info *pinfo) {
  if (pinfo->destport == turns_port || pinfo->srcport == turns_port) return true;
  return is_signalled_relay(pinfo->dst, pinfo) || is_signalled_relay(pinfo->src, pinfo);
}

void update_state(RelayTls &stream, packet_info *pinfo, TlsRecord record) {
  // The end of TLS 1.3's handshake looks like data. If one direction is decrypted, DTLS may report a better reason
  // first.
  constexpr std::uint32_t report_threshold = 24;
  if (record == TlsRecord::client_hello && stream.hello == 0) stream.hello = pinfo->num;
  if (record == TlsRecord::server_hello && stream.answer == 0) stream.answer = pinfo->num;
  if (stream.gap == 0 && has_gap_before_segment(pinfo)) stream.gap = pinfo->num;
  if (record == TlsRecord::data && !has_decrypted(pinfo) && ++stream.undecrypted == report_threshold)
    stream.reported_frame = pinfo->num;
}

const char *reason_for(const RelayTls &stream, packet_info *pinfo) {
  wmem_allocator_t *pool = pinfo->pool;
  const char *lacks = "is not in the capture: keys do not help without it";
  if (stream.hello == 0 && stream.answer == 0) {
    return "the TLS handshake with a relay (turns:) is not in the capture: start recording before the game connects";
  }
  if (stream.hello == 0 || stream.answer == 0) {
    return wmem_strdup_printf(pool, "the %s of the TLS connection to a relay (turns:) %s",
                              stream.hello == 0 ? "ClientHello" : "ServerHello", lacks);
  }
  if (stream.gap != 0) {
    return wmem_strdup_printf(pool, "the part before frame %u of the TLS connection to a relay (turns:) %s", stream.gap,
                              lacks);
  }
  return wmem_strdup_printf(
      pool, "no keys for the TLS connection to a relay (turns:) since frame %u: browsers write keys to SSLKEYLOGFILE",
      stream.hello);
}

}  // namespace

void inspect_relay_tls(godot_codec::Bytes payload, tvbuff_t *segment, packet_info *pinfo, proto_tree *tree) {
  if (!is_in_conversation(pinfo)) return;
  const TlsRecord record = godot_codec::read_tls_record(payload);
  if (record == TlsRecord::none) return;
  conversation_t *conversation = known_conversation_of(pinfo);
  if (conversation == nullptr) return;
  if (may_learn(pinfo)) update_state(streams.of(conversation), pinfo, record);
  const RelayTls *stream = streams.find(conversation);
  if (stream == nullptr || stream->reported_frame != pinfo->num || is_ice_pair_reported(conversation) ||
      !is_at_relay(pinfo))
    return;
  const char *reason = reason_for(*stream, pinfo);
  add_undecrypted_connection(segment, pinfo, tree, reason, reason);
}

}  // namespace godot_plugin
