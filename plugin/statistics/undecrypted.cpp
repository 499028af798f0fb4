// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/undecrypted.h"

#include <iterator>

#include "plugin/epan/conversation.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/problems.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::EncryptedFlow;
using godot_codec::EncryptedKind;
using godot_codec::TlsRecord;
using godot_codec::UndecryptedReason;

constexpr bool supports_dtls_1_3 = WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR >= 4;

ExpertItem enet_item{
    {"enet.undecrypted", PI_DECRYPTION, PI_NOTE, "DTLS traffic of a game that cannot be decrypted"},
    {.weight = 20,
     .advice =
         "Record again with keys, or for a test without dtls_server_setup() and dtls_client_setup(). See " GODOT_PAGE(
             "recording.md") "."}};
ExpertItem webrtc_item{
    {"godot_webrtc.undecrypted", PI_DECRYPTION, PI_NOTE, "Data channels that cannot be decrypted"},
    {.weight = 10,
     .advice =
         "Start the browser with SSLKEYLOGFILE set, start recording before the game connects, and open the capture in Wireshark 4.4 or later; or use the log of Chromium. See " GODOT_PAGE(
             "browser.md") "."}};
ExpertItem websocket_item{
    {"godot_websocket.undecrypted", PI_DECRYPTION, PI_NOTE, "TLS traffic of a game that cannot be decrypted"},
    {.weight = 30,
     .advice =
         "Record again with keys (SSLKEYLOGFILE of a browser), or for a test with ws:// on both sides. See " GODOT_PAGE(
             "recording.md") "."}};

// The protocol to which a report belongs.
struct Protocol {
  const char *filter;
  const char *name;
  ExpertItem &item;
  int number = -1;
};
Protocol enet{"enet", "ENet", enet_item};
Protocol webrtc{"godot_webrtc", "WebRTC", webrtc_item};
Protocol websocket{"godot_websocket", "WebSocket", websocket_item};

constexpr const char *keys_of_godot =
    ": Godot exports no keys, so turn encryption off while you debug, or preload a library that exports them";
constexpr const char *keys_of_browser_dtls =
    ": Firefox writes keys to SSLKEYLOGFILE; Chromium writes no keys, but can log its SCTP packets";
constexpr const char *keys_of_browser = ": browsers write keys to SSLKEYLOGFILE";

// Properties of a report, by EncryptedKind.
struct Kind {
  const char *subject;  // what cannot be decrypted
  const char *keys;     // where this kind of program gets its keys
  Protocol *protocol;   // null: the report is only shown if the capture contains no detected traffic of a game
};
constexpr Kind kinds[] = {
    {"the TLS traffic", "", nullptr},
    {"TLS of a Godot client (wss:// or StreamPeerTLS)", keys_of_godot, &websocket},
    {"TLS to a relay (turns:)", keys_of_browser, &webrtc},
    {"the DTLS traffic", "", nullptr},
    {"ENet over DTLS", keys_of_godot, &enet},
    {"DTLS of a Godot client (ENet or PacketPeerDTLS)", keys_of_godot, &enet},
    {"WebRTC", keys_of_browser_dtls, &webrtc},
    {"WebRTC traffic, perhaps of a game,", keys_of_browser_dtls, &webrtc},
};
static_assert(std::size(kinds) == static_cast<std::size_t>(EncryptedKind::count));

const Kind &properties_of(EncryptedKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

// Texts by UndecryptedReason. The number is the frame to which the reason refers.
constexpr const char *reasons[] = {
    "the handshake is not in the capture: start recording before the game connects",
    "the capture lacks the ClientHello, but has the rest of the handshake (frame %u): keys do not help without it",
    "encrypted with ChaCha20-Poly1305, which Wireshark does not decrypt in DTLS",
    "DTLS 1.3 (since frame %u), which Wireshark decrypts from version 4.4 on",
    "the capture lacks a part of the ClientHello in frame %u: keys do not help without it",
    "the fragments of the ClientHello in frame %u arrived out of order: keys do not help",
    "the capture lacks the ServerHello that answers frame %u: keys do not help without it",
    "the capture lacks the end of the DTLS 1.2 handshake in frame %u (ChangeCipherSpec): keys do not help without it",
    "the capture lacks a part before frame %u: keys do not help without it",
    "no keys for the handshake in frame %u",
};
static_assert(std::size(reasons) == static_cast<std::size_t>(UndecryptedReason::no_keys) + 1);

ConversationState<EncryptedFlow> flows{ConversationSlot::encryption};

void update_tls(EncryptedFlow &flow, TlsRecord record, Bytes payload, bool is_at_relay, packet_info *pinfo) {
  flow.add(record, pinfo->num, direction_of(pinfo));
  if (flow.gap == 0 && has_gap_before_segment(pinfo)) flow.gap = pinfo->num;
  if (record == TlsRecord::client_hello && godot_codec::read_tls_start(payload).is_like_godots) {
    flow.kind = EncryptedKind::godot_tls;
  } else if (is_at_relay && flow.kind == EncryptedKind::other_tls) {
    flow.kind = EncryptedKind::relay_tls;
    flow.reported = 0;  // not in a frame
  }
}

}  // namespace

bool has_decrypted(const packet_info *pinfo) { return pinfo->data_src != nullptr && pinfo->data_src->next != nullptr; }

bool is_report_due(EncryptedFlow &flow, unsigned sender, bool was_decrypted, const packet_info *pinfo) {
  if (may_update_state(pinfo)) flow.add_data(pinfo->num, sender, was_decrypted, supports_dtls_1_3);
  return flow.is_reported_by(pinfo->num, sender);
}

void report_undecrypted(const EncryptedFlow &flow, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  wmem_allocator_t *pool = pinfo->pool;
  const Kind &kind = properties_of(flow.kind);
  const char *keys = flow.reason == UndecryptedReason::no_keys ? kind.keys : "";
  const char *reason = wmem_strdup_printf(pool, reasons[static_cast<std::size_t>(flow.reason)], flow.reason_frame);
  if (kind.protocol != nullptr) {
    const char *text = wmem_strdup_printf(pool, "%s cannot be decrypted: %s%s", kind.subject, reason, keys);
    return report_undecrypted(flow.kind, text, nullptr, tvb, pinfo, tree);
  }
  record_undecrypted_traffic(
      wmem_strdup_printf(pool, "%s of frame %u cannot be decrypted: %s", kind.subject, flow.reported, reason));
}

void report_undecrypted(EncryptedKind kind, const char *text, const char *advice, tvbuff_t *tvb, packet_info *pinfo,
                        proto_tree *tree) {
  const Protocol &protocol = *properties_of(kind).protocol;
  proto_item *item = proto_tree_add_protocol_format(tree, protocol.number, tvb, 0, 0, "%s", text);
  proto_item_set_generated(item);
  add_problem(pinfo, item, {.rule = &protocol.item, .text = text, .advice = advice, .protocol = protocol.name});
  append_info(pinfo, wmem_strdup_printf(pinfo->pool, " [%s]", text));
}

void inspect_dtls(Bytes payload, EncryptedKind kind, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  const godot_codec::DtlsStart start = godot_codec::read_dtls_start(payload, false);
  if (start.kind == godot_codec::DtlsKind::none || !is_in_conversation(pinfo)) return;
  conversation_t *conversation = known_conversation_of(pinfo);
  if (conversation == nullptr) return;
  EncryptedFlow &flow = flows.of(conversation);
  const unsigned sender = direction_of(pinfo);
  if (may_update_state(pinfo)) {
    flow.kind = kind;
    flow.add(start, pinfo->num, sender);
  }
  if (start.kind != godot_codec::DtlsKind::data || !is_report_due(flow, sender, has_decrypted(pinfo), pinfo)) return;
  report_undecrypted(flow, tvb, pinfo, tree);
}

void inspect_tls(Bytes payload, bool is_at_relay, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  const TlsRecord record = godot_codec::read_tls_record(payload);
  if (record == TlsRecord::none || !is_in_conversation(pinfo)) return;
  conversation_t *conversation = known_conversation_of(pinfo);
  if (conversation == nullptr) return;
  EncryptedFlow &flow = flows.of(conversation);
  if (may_update_state(pinfo)) update_tls(flow, record, payload, is_at_relay, pinfo);
  if (record != TlsRecord::data || !is_report_due(flow, direction_of(pinfo), has_decrypted(pinfo), pinfo)) return;
  report_undecrypted(flow, tvb, pinfo, tree);
}

const EncryptedFlow *find_encrypted_flow(const conversation_t *conversation) { return flows.find(conversation); }

void register_undecrypted() {
  for (Protocol *protocol : {&enet, &webrtc, &websocket}) {
    protocol->number = proto_get_id_by_filter_name(protocol->filter);
    protocol->item.register_for(expert_register_protocol(protocol->number));
  }
}

}  // namespace godot_plugin
