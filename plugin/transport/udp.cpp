// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/transport/udp.h"

#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/tried.h"
#include "godot-codec/detection/weights.h"
#include "godot-codec/variant/detect.h"
#include "godot-codec/webrtc/ice.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/enet/state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/found_lately.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/message.h"
#include "plugin/epan/quoted.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/preferences.h"
#include "plugin/transport/peers.h"
#include "plugin/transport/pins.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Confidence;
using godot_codec::Evidence;
using godot_codec::is_tried;
using godot_codec::PacketPosition;

// In the order in which they are evaluated.
enum Candidate : std::uint8_t { enet, variant, candidate_count, nobody = candidate_count };

struct Conversation : Pinned<candidate_count> {
  wmem_tree_t *owners;       // inside of DTLS: a Candidate, from a frame on
  std::uint32_t compressed;  // datagrams that might be compressed ones of ENet's, while it was nobody's
  std::uint32_t opened;      // datagrams that might hold a Variant, while it was nobody's
};

int protocols[candidate_count];

// A transport of datagrams: UDP or DTLS.
struct DatagramCarrier {
  // False for DTLS: it offers every record to its heuristics, in every pass, and pinning its conversation would replace
  // DTLS itself.
  bool can_pin;
  const heur_dtbl_entry_t *heuristic = nullptr;
  ByConversation<Conversation> conversations{};
  // Dissectors that the heuristic calls, and to which UDP's conversations are pinned.
  dissector_handle_t handles[candidate_count]{};

  [[nodiscard]] bool is_on(Candidate candidate) const {
    return is_enabled(heuristic) && is_enabled(protocols[candidate]);
  }
};

DatagramCarrier udp{.can_pin = true};
DatagramCarrier dtls{.can_pin = false};

Candidate other_than(Candidate candidate) { return candidate == enet ? variant : enet; }

// ---- what a datagram says

Evidence evidence_for(Candidate candidate, Bytes datagram, packet_info *pinfo, bool may_decompress = true) {
  if (candidate == variant) {
    const auto judge = may_decompress ? godot_codec::packet_evidence : godot_codec::variant_evidence;
    return judge(datagram, preferred_read_options());
  }
  if (!godot_codec::may_be_enet_datagram(datagram)) return {};
  return godot_codec::enet_evidence(read_stranger(datagram, pinfo, may_decompress));
}

// Judges a datagram of a conversation that has no owner yet.
Evidence evidence_of_stranger(Candidate candidate, Bytes datagram, packet_info *pinfo, Conversation &conversation) {
  if (candidate == variant) return evidence_for(variant, datagram, pinfo, is_tried(++conversation.opened));
  if (!godot_codec::read_enet_header(datagram).is_compressed) return evidence_for(enet, datagram, pinfo);
  if (!is_tried(++conversation.compressed)) return {Confidence::neutral};
  return evidence_for(enet, datagram, pinfo);
}

// A Variant teaches its dialect before it is known whose the conversation is.
void learn_early(const Evidence &evidence, conversation_t *conversation, PacketPosition moment) {
  dialects_of(conversation).add(moment, evidence.detection);
}

// Finds the owner of an undecided conversation, with one more datagram.
Candidate ask(const DatagramCarrier &carrier, Bytes datagram, packet_info *pinfo, conversation_t *epan,
              Conversation &conversation) {
  const PacketPosition moment{pinfo->num, 0};
  conversation.choice.begin(moment);
  for (const Candidate candidate : {enet, variant}) {
    if (!carrier.is_on(candidate)) continue;
    const Evidence evidence = evidence_of_stranger(candidate, datagram, pinfo, conversation);
    if (conversation.choice.add(candidate, evidence, moment)) return candidate;
    if (candidate == variant && evidence.confidence > Confidence::neutral) learn_early(evidence, epan, moment);
  }
  conversation.early.add(pinfo->num);
  return nobody;
}

// Judges a datagram by what takes little time: few have the header of a Variant and are none.
enum class Glance : std::uint8_t { nobodys, compressed, a_candidates };

Glance glance_at(Bytes datagram) {
  if (godot_codec::is_stun(datagram)) return Glance::nobodys;
  if (godot_codec::may_be_enet_datagram(datagram)) {
    const bool is_plain =
        godot_codec::has_variant_header(datagram) || !godot_codec::read_enet_header(datagram).is_compressed;
    return is_plain ? Glance::a_candidates : Glance::compressed;
  }
  const bool is_variant =
      godot_codec::has_variant_header(datagram) &&
      godot_codec::variant_evidence(datagram, preferred_read_options()).confidence != Confidence::none;
  return is_variant ? Glance::a_candidates : Glance::nobodys;
}

// Another protocol has come to the same ports: bytes that cannot be the pinned one's, and are the other's for sure.
bool is_taken_over(const DatagramCarrier &carrier, Candidate pinned, Bytes datagram, packet_info *pinfo) {
  // Few datagrams of ENet begin so: it has the flags of its header there.
  const bool may_be_variant = godot_codec::has_variant_header(datagram);
  const Candidate other = other_than(pinned);
  if (may_be_variant != (other == variant) || !carrier.is_on(other)) return false;
  return evidence_for(other, datagram, pinfo).confidence == Confidence::strong &&
         evidence_for(pinned, datagram, pinfo).confidence == Confidence::none;
}

// ---- the owner of a conversation

std::uint32_t recognised_conversations;  // UDP's, in this capture

// Gives a conversation to a candidate from a frame on.
void pin(const DatagramCarrier &carrier, conversation_t *epan, Conversation &conversation, Candidate candidate,
         std::uint32_t frame) {
  if (carrier.can_pin) {
    ++recognised_conversations;
    conversation_set_dissector_from_frame_number(epan, frame, carrier.handles[candidate]);
    return;
  }
  if (conversation.owners == nullptr) conversation.owners = wmem_tree_new(wmem_file_scope());
  wmem_tree_insert32(conversation.owners, frame, GUINT_TO_POINTER(candidate + 1U));
}

// The owner at a frame, for conversations that epan does not pin.
Candidate owner_at(Conversation &conversation, std::uint32_t frame) {
  if (conversation.owners == nullptr) return nobody;
  const std::uint32_t found = GPOINTER_TO_UINT(wmem_tree_lookup32_le(conversation.owners, frame));
  return found == 0 ? nobody : static_cast<Candidate>(found - 1);
}

// On the first pass, gives a conversation that was @p pinned's to the other candidate if the datagram shows that.
// @returns the owner
Candidate take_over(const DatagramCarrier &carrier, Candidate pinned, tvbuff_t *tvb, packet_info *pinfo,
                    conversation_t *epan, Conversation &conversation) {
  if (!may_learn(pinfo) || !is_taken_over(carrier, pinned, bytes_of(tvb), pinfo)) return pinned;
  const Candidate other = other_than(pinned);
  conversation.choice.add(other, {Confidence::strong}, {pinfo->num, 0});
  pin(carrier, epan, conversation, other, pinfo->num);
  return other;
}

bool is_early(const packet_info *pinfo, const Conversation &conversation) {
  return pinfo->num < conversation.choice.since.packet && conversation.early.has(pinfo->num);
}

// A packet that we were not offered on the first pass belonged to another dissector; leave it there on later passes.
bool is_others(Candidate candidate, const packet_info *pinfo, const Conversation &conversation) {
  return PINFO_FD_VISITED(pinfo) && pinfo->num < conversation.choice.since.packet && !is_early(pinfo, conversation) &&
         conversation.choice.settled == candidate;
}

// False for packets after the one that took the recognition back.
bool is_recognised(const packet_info *pinfo, const Conversation &conversation) {
  return conversation.choice.holds_at({pinfo->num, 0});
}

// ---- dissectors

// @param conversation the packet's, if it was looked up
// @returns how well the datagram fits
Confidence show(Candidate candidate, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_early,
                conversation_t *conversation) {
  if (candidate == enet) {
    // Calls of a game outweigh damaged datagrams between them: tests/data/damaged_pong.pcapng.
    const Confidence confidence = dissect_stranger(tvb, pinfo, tree, conversation);
    return is_of_shown_game(pinfo) ? Confidence::strong : confidence;
  }
  tvbuff_t *whole = with_sent_length(tvb, pinfo);
  MessageContext context{pinfo, tree, whole, message_from(whole, pinfo, Transport::udp, next_moment(pinfo))};
  context.conversation = conversation;
  context.is_early = is_early;
  return dissect_variant_packet(context, 0);
}

// Shows a datagram of a recognised conversation. How well it fits confirms the recognition, or takes it back.
void show_of(Candidate candidate, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, conversation_t *epan,
             Conversation &conversation) {
  const bool was_early = PINFO_FD_VISITED(pinfo) && is_early(pinfo, conversation);
  const bool teaches = may_learn(pinfo) && conversation.choice.since.packet != pinfo->num;
  // This datagram is shown, so if it takes the recognition back, that holds only after it.
  const PacketPosition moment{pinfo->num + 1, 0};
  const Confidence confidence = show(candidate, tvb, pinfo, tree, was_early, epan);
  if (!teaches) return;
  // If only weak datagrams have settled the conversation, judges further ones as closely as before, until their sum is
  // at its highest.
  const godot_codec::EvidenceScore &sum = conversation.choice.said[candidate];
  if (candidate == variant && !sum.has_strong && sum.bits < godot_codec::weights::most_of_weak) {
    conversation.choice.add(variant, evidence_for(variant, bytes_of(tvb), pinfo), moment);
    return;
  }
  conversation.choice.add(candidate, {confidence}, moment);
}

// Dissects a datagram of a conversation that was recognised by this datagram, before it, or later.
template <Candidate pinned>
int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  conversation_t *epan = conversation_of(pinfo);
  Conversation &conversation = udp.conversations.of(epan);
  if (!is_recognised(pinfo, conversation) || is_others(pinned, pinfo, conversation)) return 0;
  if (tvb_reported_length(tvb) == 0) return 0;
  const Candidate candidate = take_over(udp, pinned, tvb, pinfo, epan, conversation);
  show_of(candidate, tvb, pinfo, tree, epan, conversation);
  return static_cast<int>(tvb_captured_length(tvb));
}

// For a port that the user has named for Variants. A datagram that can only be ENet's is shown as ENet all the same: a
// game may use both on one port, and naming the port for one must not hide the other.
int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  conversation_t *epan = conversation_of(pinfo);
  const Candidate candidate = take_over(udp, variant, tvb, pinfo, epan, udp.conversations.of(epan));
  show(candidate, tvb, pinfo, tree, false, epan);
  return static_cast<int>(tvb_captured_length(tvb));
}

// Like dissect_on_port(), but pins no conversation: that would replace DTLS itself.
int dissect_on_dtls_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  if (tvb_reported_length(tvb) == 0) return 0;
  show(variant, tvb, pinfo, tree, false, nullptr);
  return static_cast<int>(tvb_captured_length(tvb));
}

// The answer for a datagram of a conversation that is recognised.
Candidate answer_known(const DatagramCarrier &carrier, tvbuff_t *tvb, packet_info *pinfo, conversation_t *epan,
                       Conversation &known) {
  if (carrier.can_pin) {
    // UDP asks again on later passes about the datagrams by which it was recognised: the first, and others if it was
    // taken back in between.
    if (may_learn(pinfo)) return nobody;
    if (known.choice.since.packet == pinfo->num) return static_cast<Candidate>(known.choice.recognised);
    return is_others(static_cast<Candidate>(known.choice.settled), pinfo, known)
               ? nobody
               : static_cast<Candidate>(known.choice.settled);
  }
  const Candidate owner = owner_at(known, pinfo->num);
  if (owner == nobody || is_others(owner, pinfo, known)) return nobody;
  return take_over(carrier, owner, tvb, pinfo, epan, known);
}

Candidate choose(DatagramCarrier &carrier, tvbuff_t *tvb, packet_info *pinfo) {
  if (carrier.can_pin && is_decided_by_user(pinfo)) return nobody;
  conversation_t *epan = conversation_of(pinfo);
  Conversation &known = carrier.conversations.of(epan);
  if (is_recognised(pinfo, known)) return answer_known(carrier, tvb, pinfo, epan, known);
  if (!may_learn(pinfo)) return nobody;
  const auto before = static_cast<Candidate>(known.choice.settled);
  const Candidate answer = ask(carrier, bytes_of(tvb), pinfo, epan, known);
  if (answer == nobody) return nobody;
  // Pins from the first datagram that was offered, so that later passes show them all. Datagrams that were the other
  // candidate's stay so.
  const bool was_others = known.choice.until.packet != 0 && before != answer;
  pin(carrier, epan, known, answer, was_others ? known.choice.until.packet : known.choice.first.packet);
  return answer;
}

// Conversations found lately: most datagrams are refused, or belong to the owner of their port.
FoundLately<Conversation *> known_lately;

void forget_refused() {
  known_lately.clear();
  recognised_conversations = 0;
}

// @returns null where the user has decided whose it is
Conversation *conversation_of_refused(packet_info *pinfo) {
  if (const auto known = known_lately.find(pinfo)) return *known;
  if (is_decided_by_user(pinfo)) return nullptr;
  Conversation &known = udp.conversations.of(conversation_of(pinfo));
  known_lately.add(pinfo, &known);
  return &known;
}

// Adds a datagram that does not fit, unless the sum is at its lowest already.
void add_misfit(Candidate candidate, Conversation &known, PacketPosition moment) {
  if (known.choice.said[candidate].bits <= godot_codec::weights::least || !udp.is_on(candidate)) return;
  known.choice.add(candidate, {}, moment);
}

// Refuses a datagram after a glance. Lets some of them through, to be searched for a Variant inside or to be
// decompressed.
bool refuse(Glance glance, packet_info *pinfo, Conversation &known) {
  const bool may_be_enet = glance == Glance::compressed;
  if (is_tried(known.opened + 1) && udp.is_on(variant)) return false;
  if (may_be_enet && is_tried(known.compressed + 1) && udp.is_on(enet)) return false;
  ++known.opened;
  known.compressed += may_be_enet ? 1 : 0;
  const PacketPosition moment{pinfo->num, 0};
  known.choice.begin(moment);
  if (!may_be_enet) add_misfit(enet, known, moment);
  add_misfit(variant, known, moment);
  if (!known.early.is_full()) known.early.add(pinfo->num);
  return true;
}

[[gnu::noinline]] bool is_refused_at_first(tvbuff_t *tvb, packet_info *pinfo) {
  const Glance glance = glance_at(bytes_of(tvb));
  if (glance == Glance::a_candidates) return false;
  Conversation *const known = conversation_of_refused(pinfo);
  return known == nullptr || known->choice.is_settled || refuse(glance, pinfo, *known);
}

// Most datagrams are refused by a quick check.
inline bool is_refused(const DatagramCarrier &carrier, tvbuff_t *tvb, packet_info *pinfo) {
  if (!carrier.can_pin) return false;
  if (!may_learn(pinfo)) return PINFO_FD_VISITED(pinfo) && recognised_conversations == 0;
  return is_refused_at_first(tvb, pinfo);
}

template <Candidate candidate>
int dissect_record(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  conversation_t *epan = conversation_of(pinfo);
  show_of(candidate, tvb, pinfo, tree, epan, dtls.conversations.of(epan));
  return static_cast<int>(tvb_captured_length(tvb));
}

template <DatagramCarrier &carrier>
[[gnu::noinline]] bool take(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  const Candidate candidate = choose(carrier, tvb, pinfo);
  if (candidate == nobody || tvb_reported_length(tvb) == 0) return false;
  return call_detected(carrier.handles[candidate], tvb, pinfo, tree, nullptr) > 0;
}

template <DatagramCarrier &carrier>
ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return !is_refused(carrier, tvb, pinfo) && take<carrier>(tvb, pinfo, tree);
}

// ---- before UDP, on a port that another dissector has registered

// Returns the state of the packet's conversation; null if UDP has made no conversation yet.
Conversation *find_known(packet_info *pinfo) {
  if (const auto known = known_lately.find(pinfo)) return *known;
  conversation_t *epan = known_conversation_of(pinfo);
  if (epan == nullptr) return nullptr;
  Conversation &known = udp.conversations.of(epan);
  known_lately.add(pinfo, &known);
  return &known;
}

// Only the header of a compressed datagram can be read without decompressing it. Few servers have room for so many
// peers as a random header names, and the answers go to the client's only peer.
bool may_be_enet_of_game(Bytes datagram) {
  constexpr std::uint16_t usual_peers = 64;
  if (datagram.reported < godot_codec::least_strong_size || !godot_codec::may_be_enet_datagram(datagram)) return false;
  const godot_codec::EnetHeader header = godot_codec::read_enet_header(datagram);
  return !header.is_compressed || header.peer_id < usual_peers || header.peer_id == godot_codec::enet_no_peer;
}

Candidate candidate_of(Bytes datagram) {
  if (godot_codec::has_variant_header(datagram)) return variant;
  return may_be_enet_of_game(datagram) ? enet : nobody;
}

}  // namespace

void register_udp() {
  udp.conversations.register_state();
  dtls.conversations.register_state();
  register_init_routine(guarded<forget_refused>);
}

bool is_enet_recognised() { return udp.is_on(enet); }

bool may_detect_before_udp(Bytes datagram) { return candidate_of(datagram) != nobody; }

void detect_before_udp(Bytes datagram, packet_info *pinfo) {
  const Candidate candidate = candidate_of(datagram);
  if (candidate == nobody || !udp.is_on(candidate)) return;
  Conversation *known = find_known(pinfo);
  if (known != nullptr) {
    if (known->choice.is_settled) return;
    const bool is_compressed = candidate == enet && godot_codec::read_enet_header(datagram).is_compressed;
    if (is_compressed && !is_tried(++known->compressed)) return;
  }
  const Evidence evidence = evidence_for(candidate, datagram, pinfo, candidate == enet);
  godot_codec::EvidenceScore alone{};
  if (!alone.add(evidence, godot_codec::weights::registered_dissector)) return;
  conversation_t *epan = conversation_of(pinfo);
  Conversation &conversation = udp.conversations.of(epan);
  const PacketPosition position{pinfo->num, 0};
  conversation.choice.begin(position);
  conversation.choice.add(candidate, evidence, position);
  pin(udp, epan, conversation, candidate, pinfo->num);
}

void handoff_udp() {
  dissector_handle_t enet_handle = find_dissector("enet");
  const int proto_godot = protocols[variant] = proto_get_id_by_filter_name("godot");
  const int proto_enet = protocols[enet] = dissector_handle_get_protocol_index(enet_handle);
  udp.handles[enet] = create_dissector_handle(guarded<dissect_pinned<enet>>, proto_enet);
  udp.handles[variant] = create_dissector_handle(guarded<dissect_pinned<variant>>, proto_godot);
  dtls.handles[enet] = create_dissector_handle(guarded<dissect_record<enet>>, proto_enet);
  dtls.handles[variant] = create_dissector_handle(guarded<dissect_record<variant>>, proto_godot);
  dissector_add_uint_range_with_preference("udp.port", "", enet_handle);
  dissector_add_uint_range_with_preference("udp.port", "",
                                           register_dissector("godot", guarded<dissect_on_port>, proto_godot));
  dissector_add_uint_range_with_preference("dtls.port", "",
                                           create_dissector_handle(guarded<dissect_on_dtls_port>, proto_godot));
  dissector_add_uint_range_with_preference("dtls.port", "", enet_handle);
  udp.heuristic = register_heuristic("udp", "godot_udp", guarded<detect<udp>>, "ENet and Godot Variants over UDP");
  dtls.heuristic = register_heuristic("dtls", "godot_dtls", guarded<detect<dtls>>, "ENet and Godot Variants over DTLS");
}

}  // namespace godot_plugin
