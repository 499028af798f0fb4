// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/undecrypted_traffic.h"

#include <iterator>

#include "plugin/epan/conversation.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::EncryptedFlow;
using godot_codec::EncryptedKind;
using godot_codec::TlsRecordKind;
using godot_codec::UndecryptedReason;

constexpr bool supports_dtls_1_3 = WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 4;

ExpertItem enet_item{{"enet.undecrypted", PI_DECRYPTION, PI_NOTE, "DTLS traffic of a game that cannot be decrypted"},
                     {.weight = 20}};
ExpertItem webrtc_item{{"godot_webrtc.undecrypted", PI_DECRYPTION, PI_NOTE, "Data channels that cannot be decrypted"},
                       {.weight = 10}};
ExpertItem websocket_item{
    {"godot_websocket.undecrypted", PI_DECRYPTION, PI_NOTE, "TLS traffic of a game that cannot be decrypted"},
    {.weight = 30}};

// The protocol to which a report belongs.
struct ReportProtocol {
  const char *filter_name;
  const char *name;
  ExpertItem *item;
};
constexpr ReportProtocol enet{"enet", "ENet", &enet_item};
constexpr ReportProtocol webrtc{"godot_webrtc", "WebRTC", &webrtc_item};
constexpr ReportProtocol websocket{"godot_websocket", "WebSocket", &websocket_item};

// Properties of a report, by EncryptedKind.
struct EncryptedKindInfo {
  const char *subject;        // what cannot be decrypted
  const char *advice;         // how to get the keys, or to do without keys
  const char *cipher_advice;  // what to do if keys do not help because of the cipher suite, which only DTLS reports
  const ReportProtocol
      *protocol;  // null: the report is only shown if the capture contains no detected traffic of a game
};
constexpr const char *webrtc_advice =
    "Start Firefox with the environment variable SSLKEYLOGFILE set to a file, record again, and select this file in Edit > Preferences > Protocols > TLS. Chromium exports no such keys, but can log the decrypted packets. See " GODOT_PAGE(
        "browser.md") ".";
constexpr const char *dtls_advice =
    "Godot exports no keys. Leave out dtls_server_setup() and dtls_client_setup() while you debug, or preload a library that exports the keys. See " GODOT_PAGE(
        "recording.md") ".";
constexpr const char *webrtc_cipher_advice =
    "Record again without this cipher suite: in Firefox's about:config, set security.ssl3.*chacha20* to false. Chromium can log the decrypted packets instead. See " GODOT_PAGE(
        "browser.md") ".";
constexpr const char *dtls_cipher_advice =
    "Leave out dtls_server_setup() and dtls_client_setup() while you debug. See " GODOT_PAGE("recording.md") ".";
constexpr EncryptedKindInfo kind_infos[] = {
    {"the TLS traffic", "", "", nullptr},
    {"TLS of a Godot client (wss:// or StreamPeerTLS)",
     "Godot exports no keys. Use ws:// on both sides while you debug, or preload a library that exports the keys. See " GODOT_PAGE(
         "recording.md") ".",
     "", &websocket},
    {"TLS to a relay (turns:)",
     "Start the browser with the environment variable SSLKEYLOGFILE set to a file, record again, and select this file in Edit > Preferences > Protocols > TLS. See " GODOT_PAGE(
         "browser.md") ".",
     "", &webrtc},
    {"the DTLS traffic", "", "", nullptr},
    {"ENet over DTLS", dtls_advice, dtls_cipher_advice, &enet},
    {"DTLS of a Godot client (ENet or PacketPeerDTLS)", dtls_advice, dtls_cipher_advice, &enet},
    {"WebRTC", webrtc_advice, webrtc_cipher_advice, &webrtc},
    {"WebRTC, perhaps of a game,", webrtc_advice, webrtc_cipher_advice, &webrtc},
};
static_assert(std::size(kind_infos) == static_cast<std::size_t>(EncryptedKind::count));

const EncryptedKindInfo &info_of(EncryptedKind kind) { return kind_infos[static_cast<std::size_t>(kind)]; }

// Texts by UndecryptedReason.
struct UndecryptedReasonInfo {
  const char *text;    // %u: the frame to which the reason refers
  const char *advice;  // precedes the advice of the kind
};
constexpr const char *whole_handshake = "Record again, because keys do not help without the whole handshake. ";
constexpr UndecryptedReasonInfo reason_infos[] = {
    {"the capture does not contain its handshake", "Start recording before the game connects. "},
    {"the capture contains its handshake (frame %u), but not the ClientHello", whole_handshake},
    {"it uses ChaCha20-Poly1305, which Wireshark cannot decrypt in DTLS", ""},
    {"it uses DTLS 1.3 (since frame %u)", "Open the capture in Wireshark 4.4 or later. "},
    {"the capture does not contain all fragments of the ClientHello in frame %u", whole_handshake},
    {"the fragments of the ClientHello in frame %u arrived out of order",
     "Record again, because keys do not help with such a handshake. "},
    {"the capture does not contain the ServerHello that answers frame %u", whole_handshake},
    {"the capture does not contain the end (ChangeCipherSpec) of the handshake in frame %u", whole_handshake},
    {"the capture does not contain all bytes before frame %u",
     "Record again, because keys do not help without these bytes. "},
    {"Wireshark has no keys for the handshake in frame %u", ""},
};
static_assert(std::size(reason_infos) == static_cast<std::size_t>(UndecryptedReason::no_keys) + 1);

ConversationState<EncryptedFlow> flows;

void update_tls_flow(EncryptedFlow &flow, TlsRecordKind record, Bytes payload, bool is_relay_packet, packet_info *pinfo,
                     conversation_t *conversation) {
  flow.add(record, pinfo->num, direction_of(pinfo));
  if (flow.gap_frame == 0 && has_gap_before_segment(tcp_analysis_of(conversation))) flow.gap_frame = pinfo->num;
  if (record == TlsRecordKind::client_hello && godot_codec::read_tls_start(payload).is_from_mbed_tls) {
    flow.kind = EncryptedKind::godot_tls;
  } else if (is_relay_packet && flow.kind == EncryptedKind::other_tls) {
    flow.kind = EncryptedKind::relay_tls;
    flow.report_frame = 0;  // not in a frame
  }
}

}  // namespace

bool has_decrypted_data(const packet_info *pinfo) {
  return pinfo->data_src != nullptr && pinfo->data_src->next != nullptr;
}

void inspect_encrypted_data(EncryptedFlow &flow, unsigned sender, bool was_decrypted, tvbuff_t *tvb, packet_info *pinfo,
                            proto_tree *tree) {
  if (may_update_state(pinfo)) flow.add_data_packet(pinfo->num, sender, was_decrypted, supports_dtls_1_3);
  if (!flow.is_reported_by(pinfo->num, sender)) return;
  wmem_allocator_t *pool = pinfo->pool;
  const EncryptedKindInfo &kind = info_of(flow.kind);
  const UndecryptedReasonInfo &reason = reason_infos[static_cast<std::size_t>(flow.reason)];
  const char *why = wmem_strdup_printf(pool, reason.text, flow.reason_frame);
  if (kind.protocol != nullptr) {
    const char *text = wmem_strdup_printf(pool, "%s cannot be decrypted, because %s", kind.subject, why);
    const bool is_cipher = flow.reason == UndecryptedReason::unsupported_cipher;
    const char *advice = wmem_strdup_printf(pool, "%s%s", reason.advice, is_cipher ? kind.cipher_advice : kind.advice);
    return report_undecrypted(flow.kind, text, advice, tvb, pinfo, tree);
  }
  record_undecrypted_traffic(
      wmem_strdup_printf(pool, "%s of frame %u cannot be decrypted, because %s", kind.subject, flow.report_frame, why));
}

void report_undecrypted(EncryptedKind kind, const char *text, const char *advice, tvbuff_t *tvb, packet_info *pinfo,
                        proto_tree *tree) {
  const ReportProtocol &protocol = *info_of(kind).protocol;
  const int proto = proto_get_id_by_filter_name(protocol.filter_name);
  proto_item *item = proto_tree_add_protocol_format(tree, proto, tvb, 0, 0, "%s", text);
  proto_item_set_generated(item);
  add_problem(pinfo, item, {.expert = protocol.item, .text = text, .advice = advice, .protocol = protocol.name});
  append_info(pinfo, wmem_strdup_printf(pinfo->pool, " [%s]", text));
}

void inspect_dtls(Bytes payload, EncryptedKind kind, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  const godot_codec::DtlsFirstRecord start = godot_codec::read_dtls_first_record(payload, false);
  if (start.kind == godot_codec::DtlsRecordKind::none || !is_outside_icmp_error(pinfo)) return;
  conversation_t *conversation = existing_conversation_of(pinfo);
  if (conversation == nullptr) return;
  EncryptedFlow &flow = flows.of(conversation);
  const unsigned sender = direction_of(pinfo);
  if (may_update_state(pinfo)) {
    flow.kind = kind;
    flow.add(start, pinfo->num, sender);
  }
  if (start.kind == godot_codec::DtlsRecordKind::data)
    inspect_encrypted_data(flow, sender, has_decrypted_data(pinfo), tvb, pinfo, tree);
}

void inspect_tls(Bytes payload, bool is_relay_packet, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  const TlsRecordKind record = godot_codec::read_tls_record_kind(payload);
  if (record == TlsRecordKind::none || !is_outside_icmp_error(pinfo)) return;
  conversation_t *conversation = existing_conversation_of(pinfo);
  if (conversation == nullptr) return;
  EncryptedFlow &flow = flows.of(conversation);
  if (may_update_state(pinfo)) update_tls_flow(flow, record, payload, is_relay_packet, pinfo, conversation);
  if (record == TlsRecordKind::data)
    inspect_encrypted_data(flow, direction_of(pinfo), has_decrypted_data(pinfo), tvb, pinfo, tree);
}

const EncryptedFlow *find_encrypted_flow(const conversation_t *conversation) { return flows.find(conversation); }

}  // namespace godot_plugin
