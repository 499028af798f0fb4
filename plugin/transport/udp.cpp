// SPDX-License-Identifier: GPL-2.0-or-later
// UDP datagrams and DTLS records on ports that no preference names: detects ENet and Variants.
#include <algorithm>
#include <optional>
#include <vector>

#include "godot-codec/core/history.h"
#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/detection/weights.h"
#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/webrtc/ice.h"
#include "plugin/enet/capture_session.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/icmp.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/transport/transports.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Confidence;
using godot_codec::Evidence;
using godot_codec::is_checked_closely;
using godot_codec::PacketPosition;

// The candidates, in the order of evaluation.
enum Candidate : std::uint8_t { enet, variant, candidate_count, no_candidate = candidate_count };

// The state of a conversation. Zero-initialised.
struct DatagramConversation {
  godot_codec::ProtocolDetection<candidate_count> detection;
  std::vector<std::uint32_t> pre_detection_frames;  // frames offered before the decision, ascending, up to a limit
  godot_codec::History<std::optional<Candidate>> decisions;  // for DTLS: the decisions, from their first packet on
  std::uint32_t compressed_count;     // count of datagrams before the decision that may be compressed ENet
  std::uint32_t variant_check_count;  // count of datagrams before the decision that were evaluated as Variants
};

int protocols[candidate_count];

// A transport of datagrams: UDP or DTLS.
struct DatagramTransport {
  // False for DTLS, because pinning the conversation would replace the DTLS dissector itself. DTLS offers every record
  // to its heuristics in every pass, so pinning is not needed.
  bool can_pin;
  const heur_dtbl_entry_t *heuristic = nullptr;
  ConversationState<DatagramConversation> conversations{};
  // Dissectors that the heuristic calls. UDP conversations are pinned to them.
  dissector_handle_t handles[candidate_count]{};

  [[nodiscard]] bool is_candidate_enabled(Candidate candidate) const {
    return is_enabled(heuristic) && is_enabled(protocols[candidate]);
  }
};

DatagramTransport udp{.can_pin = true};
DatagramTransport dtls{.can_pin = false};

// Stores a frame that was offered before the decision. Later passes show it.
void add_pre_detection_frame(DatagramConversation &conversation, std::uint32_t frame) {
  constexpr std::size_t max_count = 1024;
  std::vector<std::uint32_t> &frames = conversation.pre_detection_frames;
  const bool is_known = !frames.empty() && frames.back() == frame;
  if (!is_known && frames.size() < max_count) frames.push_back(frame);
}

Candidate other_candidate(Candidate candidate) { return candidate == enet ? variant : enet; }

// ---- evidence from a datagram

Evidence evidence_for(Candidate candidate, Bytes datagram, packet_info *pinfo, bool may_decompress = true) {
  if (candidate == variant) {
    const auto evidence = may_decompress ? godot_codec::packet_evidence : godot_codec::variant_evidence;
    return evidence(datagram, preferred_read_options());
  }
  if (!godot_codec::may_be_enet_datagram(datagram)) return {};
  return godot_codec::enet_evidence(read_undetected_enet(datagram, pinfo, may_decompress));
}

// True for a datagram of SSDP, which begins with the letters "NO" or "M-". As ENet's flags, they mean that the rest is
// compressed, but compressed bytes are no text.
bool begins_with_text(Bytes datagram) {
  constexpr std::size_t size = 15;
  const auto is_printable = [](char letter) { return letter >= ' ' && letter <= '~'; };
  return datagram.captured >= size && std::ranges::all_of(datagram.text().substr(0, size), is_printable);
}

Evidence evaluate_enet(Bytes datagram, packet_info *pinfo, DatagramConversation &conversation) {
  if (godot_codec::is_stun(datagram) || !godot_codec::may_be_enet_datagram(datagram)) return {};
  if (godot_codec::read_enet_header(datagram).is_compressed) {
    if (begins_with_text(datagram)) return {};
    if (!is_checked_closely(++conversation.compressed_count)) return {Confidence::neutral};
  }
  return evidence_for(enet, datagram, pinfo);
}

// Evaluates a datagram of an undecided conversation.
Evidence evaluate_candidate(Candidate candidate, Bytes datagram, packet_info *pinfo,
                            DatagramConversation &conversation) {
  if (candidate == enet) return evaluate_enet(datagram, pinfo, conversation);
  const bool is_close = is_checked_closely(++conversation.variant_check_count) && !begins_with_text(datagram);
  return evidence_for(variant, datagram, pinfo, is_close);
}

// Records the dialect of a Variant before the protocol is decided.
void record_dialect(const Evidence &evidence, conversation_t *conversation, PacketPosition position) {
  dialects_of(conversation).add(position, evidence.detection);
}

// Evaluates one more datagram of an undecided conversation. @returns the candidate if the datagram decides
Candidate evaluate_datagram(const DatagramTransport &transport, Bytes datagram, packet_info *pinfo,
                            conversation_t *epan, DatagramConversation &conversation) {
  const PacketPosition position{pinfo->num, 0};
  conversation.detection.offer(position);
  for (const Candidate candidate : {enet, variant}) {
    const Evidence evidence = evaluate_candidate(candidate, datagram, pinfo, conversation);
    // Most datagrams do not change anything, because the candidate is contradicted already.
    const bool is_contradicted = evidence.confidence == Confidence::none &&
                                 conversation.detection.scores[candidate].bits <= godot_codec::weights::least;
    if (is_contradicted || !transport.is_candidate_enabled(candidate)) continue;
    if (conversation.detection.add(candidate, evidence, position)) return candidate;
    if (candidate == variant && evidence.confidence > Confidence::neutral) record_dialect(evidence, epan, position);
  }
  add_pre_detection_frame(conversation, pinfo->num);
  return no_candidate;
}

// True if the datagram proves that the other candidate now uses the same ports. The datagram must be impossible for the
// pinned candidate, and strong evidence for the other candidate.
bool proves_takeover(const DatagramTransport &transport, Candidate pinned, Bytes datagram, packet_info *pinfo) {
  // Few ENet datagrams begin like a Variant, because ENet's header begins with flags.
  const bool may_be_variant = godot_codec::has_variant_header(datagram);
  const Candidate other = other_candidate(pinned);
  if (may_be_variant != (other == variant) || !transport.is_candidate_enabled(other)) return false;
  return evidence_for(other, datagram, pinfo).confidence == Confidence::strong &&
         evidence_for(pinned, datagram, pinfo).confidence == Confidence::none;
}

// ---- the decision

CaptureState<std::uint32_t> decided_conversations;  // count of decided UDP conversations

// Stores the decision for a candidate, starting with a frame.
void pin_candidate(const DatagramTransport &transport, conversation_t *epan, DatagramConversation &conversation,
                   Candidate candidate, std::uint32_t frame) {
  if (transport.can_pin) {
    ++*decided_conversations;
    conversation_set_dissector_from_frame_number(epan, frame, transport.handles[candidate]);
    return;
  }
  conversation.decisions.record({frame, 0}, candidate);
}

// On the first pass, changes the decision from @p pinned to the other candidate if the datagram proves the change.
// @returns the candidate
Candidate change_if_taken_over(const DatagramTransport &transport, Candidate pinned, tvbuff_t *tvb, packet_info *pinfo,
                               conversation_t *epan, DatagramConversation &conversation) {
  if (!may_update_state(pinfo) || !proves_takeover(transport, pinned, bytes_of(tvb), pinfo)) return pinned;
  const Candidate other = other_candidate(pinned);
  conversation.detection.add(other, {Confidence::strong}, {pinfo->num, 0});
  pin_candidate(transport, epan, conversation, other, pinfo->num);
  return other;
}

bool is_pre_detection_packet(const packet_info *pinfo, const DatagramConversation &conversation) {
  return pinfo->num < conversation.detection.decided_since.packet &&
         std::ranges::binary_search(conversation.pre_detection_frames, pinfo->num);
}

// True on later passes if another dissector took the packet on the first pass, before the decision.
bool is_foreign_packet(Candidate candidate, const packet_info *pinfo, const DatagramConversation &conversation) {
  return PINFO_FD_VISITED(pinfo) && pinfo->num < conversation.detection.decided_since.packet &&
         !is_pre_detection_packet(pinfo, conversation) && conversation.detection.decided_candidate == candidate;
}

// False for packets after the packet that revoked the decision.
bool is_decided_at(const packet_info *pinfo, const DatagramConversation &conversation) {
  return conversation.detection.applies_at({pinfo->num, 0});
}

// ---- dissectors

// @param conversation the packet's conversation; null if not looked up
// @returns how well the datagram matches the candidate
Confidence dissect_as(Candidate candidate, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                      bool is_pre_detection_packet, conversation_t *conversation) {
  if (candidate == enet) return dissect_detected_enet(tvb, pinfo, tree, conversation);
  tvbuff_t *whole = with_original_length(tvb, pinfo);
  MessageContext context{pinfo, tree, whole, make_message(whole, pinfo, Transport::udp, next_datagram_position(pinfo))};
  context.conversation = conversation;
  context.is_pre_detection = is_pre_detection_packet;
  return dissect_variant_packet(context, 0);
}

// Dissects a datagram of a decided conversation. A match confirms the decision, and a mismatch may revoke it.
void dissect_decided_datagram(Candidate candidate, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                              conversation_t *epan, DatagramConversation &conversation) {
  const bool was_pre_detection = PINFO_FD_VISITED(pinfo) && is_pre_detection_packet(pinfo, conversation);
  const bool updates_detection = may_update_state(pinfo) && conversation.detection.decided_since.packet != pinfo->num;
  // This datagram is shown, so a revocation takes effect with the next packet.
  const PacketPosition position{pinfo->num + 1, 0};
  const Confidence confidence = dissect_as(candidate, tvb, pinfo, tree, was_pre_detection, epan);
  if (!updates_detection) return;
  // If the protocol was decided by weak evidence only, keep collecting evidence as before the decision, until the score
  // reaches its maximum.
  const godot_codec::EvidenceScore &sum = conversation.detection.scores[candidate];
  if (candidate == variant && !sum.has_strong_message && sum.bits < godot_codec::weights::most_of_weak) {
    conversation.detection.add(variant, evidence_for(variant, bytes_of(tvb), pinfo), position);
    return;
  }
  conversation.detection.add(candidate, {confidence}, position);
}

// Dissects a datagram of a pinned conversation. The decision may be later than the datagram.
template <Candidate pinned>
int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  conversation_t *epan = conversation_of(pinfo);
  DatagramConversation &conversation = udp.conversations.of(epan);
  if (!is_decided_at(pinfo, conversation) || is_foreign_packet(pinned, pinfo, conversation)) return 0;
  if (tvb_reported_length(tvb) == 0) return 0;
  const Candidate candidate = change_if_taken_over(udp, pinned, tvb, pinfo, epan, conversation);
  dissect_decided_datagram(candidate, tvb, pinfo, tree, epan, conversation);
  return static_cast<int>(tvb_captured_length(tvb));
}

// Dissects a datagram on a port that the user has named for Variants. Shows a datagram as ENet if it can only be ENet,
// because a game may use both on one port.
template <DatagramTransport &transport>
int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  conversation_t *epan = conversation_of(pinfo);
  const Candidate candidate =
      change_if_taken_over(transport, variant, tvb, pinfo, epan, transport.conversations.of(epan));
  dissect_as(candidate, tvb, pinfo, tree, false, epan);
  return static_cast<int>(tvb_captured_length(tvb));
}

// Returns the candidate for a datagram of a decided conversation, if UDP or DTLS offers the datagram to the heuristic.
Candidate choose_decided_candidate(const DatagramTransport &transport, tvbuff_t *tvb, packet_info *pinfo,
                                   conversation_t *epan, DatagramConversation &known) {
  if (transport.can_pin) {
    // On later passes, UDP again offers the datagrams that the heuristic accepted: the datagram that decided, and later
    // datagrams if the decision was revoked in between.
    if (may_update_state(pinfo)) return no_candidate;
    if (known.detection.decided_since.packet == pinfo->num)
      return static_cast<Candidate>(known.detection.first_decided_candidate);
    const auto decided = static_cast<Candidate>(known.detection.decided_candidate);
    return is_foreign_packet(decided, pinfo, known) ? no_candidate : decided;
  }
  const std::optional<Candidate> candidate = known.decisions.at({pinfo->num, 0});
  if (!candidate || is_foreign_packet(*candidate, pinfo, known)) return no_candidate;
  return change_if_taken_over(transport, *candidate, tvb, pinfo, epan, known);
}

Candidate choose_candidate(DatagramTransport &transport, tvbuff_t *tvb, packet_info *pinfo) {
  conversation_t *epan = conversation_of(pinfo);
  const bool is_new = transport.conversations.find(epan) == nullptr;
  if (is_new && transport.can_pin && is_dissector_chosen_by_user(pinfo)) return no_candidate;
  DatagramConversation &known = transport.conversations.of(epan);
  if (is_decided_at(pinfo, known)) return choose_decided_candidate(transport, tvb, pinfo, epan, known);
  if (!may_update_state(pinfo)) return no_candidate;
  const auto before = static_cast<Candidate>(known.detection.decided_candidate);
  const Candidate found = evaluate_datagram(transport, bytes_of(tvb), pinfo, epan, known);
  if (found == no_candidate) return no_candidate;
  // Pins from the first offered datagram on, so that later passes show all datagrams. Earlier datagrams of the other
  // candidate keep that candidate.
  const bool was_of_other = known.detection.revoked_at.packet != 0 && before != found;
  pin_candidate(transport, epan, known, found,
                was_of_other ? known.detection.revoked_at.packet : known.detection.first_offered.packet);
  return found;
}

template <Candidate candidate>
int dissect_dtls_record(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  conversation_t *epan = conversation_of(pinfo);
  dissect_decided_datagram(candidate, tvb, pinfo, tree, epan, dtls.conversations.of(epan));
  return static_cast<int>(tvb_captured_length(tvb));
}

template <DatagramTransport &transport>
ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  const bool is_any_decided = !transport.can_pin || *decided_conversations > 0;
  if (PINFO_FD_VISITED(pinfo) && !is_any_decided) return false;
  const Candidate candidate = choose_candidate(transport, tvb, pinfo);
  if (candidate == no_candidate || tvb_reported_length(tvb) == 0) return false;
  return call_detected_dissector(transport.handles[candidate], tvb, pinfo, tree, nullptr) > 0;
}

// ---- detection before UDP's dissector, on another dissector's port

// Returns the state of the packet's conversation; null if UDP has not created the conversation yet.
DatagramConversation *find_conversation_state(packet_info *pinfo) {
  conversation_t *epan = existing_conversation_of(pinfo);
  return epan == nullptr ? nullptr : &udp.conversations.of(epan);
}

// Checks ENet's header, which is never compressed. Random bytes usually contain a high peer ID, but few servers have so
// many peers, and a client has a single peer.
bool may_be_enet_of_game(Bytes datagram) {
  constexpr std::uint16_t usual_peers = 64;
  if (datagram.reported < godot_codec::least_strong_size || !godot_codec::may_begin_enet_datagram(datagram))
    return false;
  const godot_codec::EnetHeader header = godot_codec::read_enet_header(datagram);
  return !header.is_compressed || header.peer_id < usual_peers || header.peer_id == godot_codec::enet_no_peer;
}

Candidate candidate_of(Bytes datagram) {
  if (godot_codec::has_variant_header(datagram)) return variant;
  return may_be_enet_of_game(datagram) ? enet : no_candidate;
}

}  // namespace

bool is_enet_detection_enabled() { return udp.is_candidate_enabled(enet); }

bool may_detect_before_udp(Bytes datagram) { return candidate_of(datagram) != no_candidate; }

void detect_before_udp(Bytes datagram, packet_info *pinfo) {
  const Candidate candidate = candidate_of(datagram);
  if (candidate == no_candidate || !udp.is_candidate_enabled(candidate)) return;
  DatagramConversation *known = find_conversation_state(pinfo);
  if (known != nullptr) {
    if (known->detection.is_decided) return;
    const bool is_compressed = candidate == enet && godot_codec::read_enet_header(datagram).is_compressed;
    if (is_compressed && !is_checked_closely(++known->compressed_count)) return;
  }
  const Evidence evidence = evidence_for(candidate, datagram, pinfo, candidate == enet);
  godot_codec::EvidenceScore alone{};
  if (!alone.add(evidence, godot_codec::weights::registered_dissector)) return;
  conversation_t *epan = conversation_of(pinfo);
  DatagramConversation &conversation = udp.conversations.of(epan);
  const PacketPosition position{pinfo->num, 0};
  conversation.detection.offer(position);
  conversation.detection.add(candidate, evidence, position);
  pin_candidate(udp, epan, conversation, candidate, pinfo->num);
}

void handoff_udp_transport() {
  dissector_handle_t enet_handle = find_dissector("enet");
  const int proto_godot = protocols[variant] = proto_get_id_by_filter_name("godot");
  const int proto_enet = protocols[enet] = dissector_handle_get_protocol_index(enet_handle);
  udp.handles[enet] = create_dissector_handle(guarded<dissect_pinned<enet>>, proto_enet);
  udp.handles[variant] = create_dissector_handle(guarded<dissect_pinned<variant>>, proto_godot);
  dtls.handles[enet] = create_dissector_handle(guarded<dissect_dtls_record<enet>>, proto_enet);
  dtls.handles[variant] = create_dissector_handle(guarded<dissect_dtls_record<variant>>, proto_godot);
  dissector_add_uint_range_with_preference("udp.port", "", enet_handle);
  dissector_add_uint_range_with_preference("udp.port", "",
                                           register_dissector("godot", guarded<dissect_on_port<udp>>, proto_godot));
  dissector_add_uint_range_with_preference("dtls.port", "",
                                           create_dissector_handle(guarded<dissect_on_port<dtls>>, proto_godot));
  dissector_add_uint_range_with_preference("dtls.port", "", enet_handle);
  udp.heuristic = register_heuristic("udp", "godot_udp", guarded<detect<udp>>, "ENet and Godot Variants over UDP");
  dtls.heuristic = register_heuristic("dtls", "godot_dtls", guarded<detect<dtls>>, "ENet and Godot Variants over DTLS");
}

}  // namespace godot_plugin
