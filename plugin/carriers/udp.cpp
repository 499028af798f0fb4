// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/udp.h"

#include "godot-codec/recognise/evidence.h"
#include "godot-codec/variant/detect.h"
#include "plugin/carriers/pins.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/enet/state.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/message.h"
#include "plugin/epan/user.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/preferences.h"

namespace godot_plugin {
namespace {

using godot_codec::Evidence;
using godot_codec::Likeness;
using godot_codec::Moment;

// In the order in which they are asked.
enum Candidate : std::uint8_t { enet, variant, candidate_count, nobody = candidate_count };

using Conversation = Pinned<candidate_count>;

ByConversation<Conversation> conversations;
Switch enet_switch("enet_udp");
Switch variant_switch("godot_udp");
int proto_godot = -1;
// Called for conversations that are pinned.
dissector_handle_t pinned_handles[candidate_count];

bool is_on(Candidate candidate) { return candidate == enet ? enet_switch.is_on() : variant_switch.is_on(); }

// ---- what a datagram says

Evidence evidence_for(Candidate candidate, tvbuff_t *datagram, packet_info *pinfo, const Conversation &conversation) {
  if (candidate == variant) return godot_codec::variant_evidence(bytes_of(datagram), preferred_read_options());
  const bool may_decompress = !conversation.choice.said[enet].has_misfit;
  Evidence evidence = godot_codec::enet_evidence(read_stranger(datagram, pinfo, may_decompress));
  // Each side has a slot of its own for the other.
  evidence.side = static_cast<std::uint8_t>(direction_of(pinfo));
  return evidence;
}

// A Variant teaches its dialect before it is known whose the conversation is.
void learn_early(const Evidence &evidence, conversation_t *conversation, Moment moment) {
  dialects_of(conversation).add(moment, evidence.detection);
}

// Whose an undecided conversation is, with one more datagram.
Candidate ask(tvbuff_t *datagram, packet_info *pinfo, conversation_t *key, Conversation &conversation) {
  const Moment moment{pinfo->num, 0};
  conversation.choice.begin(moment);
  for (const Candidate candidate : {enet, variant}) {
    if (!is_on(candidate)) continue;
    const Evidence evidence = evidence_for(candidate, datagram, pinfo, conversation);
    if (conversation.choice.add(candidate, evidence, moment)) return candidate;
    if (candidate == variant && evidence.likeness > Likeness::neutral) learn_early(evidence, key, moment);
  }
  conversation.early.add(pinfo->num);
  return nobody;
}

// Another protocol has come to the same ports: bytes that cannot be the pinned one's, and are the other's for sure.
bool is_taken_over(Candidate pinned, tvbuff_t *datagram, packet_info *pinfo, const Conversation &conversation) {
  // Few datagrams of ENet begin so: it has the flags of its header there.
  const bool may_be_variant = godot_codec::has_variant_header(bytes_of(datagram));
  const Candidate other = pinned == enet ? variant : enet;
  if (may_be_variant != (other == variant) || !is_on(other)) return false;
  return evidence_for(other, datagram, pinfo, conversation).likeness == Likeness::strong &&
         evidence_for(pinned, datagram, pinfo, conversation).likeness == Likeness::none;
}

// ---- dissectors

// @param conversation the packet's, if it was looked up
int show(Candidate candidate, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool is_early,
         conversation_t *conversation) {
  if (tvb_reported_length(tvb) == 0) return 0;
  if (candidate == enet) return dissect_enet(tvb, pinfo, tree, nullptr);
  const Moment moment = next_moment(pinfo, proto_godot);
  dissect_variant_packet({tvb, Carrier::udp, moment, is_early, conversation}, pinfo, tree, 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

// A datagram of a conversation that was recognised: at this one, before, or later.
int dissect_pinned(Candidate candidate, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  conversation_t *pinned = find_or_create_conversation(pinfo);
  Conversation &conversation = conversations.of(pinned);
  const bool is_early = pinfo->num < conversation.choice.since.packet && conversation.early.has(pinfo->num);
  if (PINFO_FD_VISITED(pinfo)) {
    // What was not offered in its turn was somebody else's, and is so still.
    const bool is_others =
        pinfo->num < conversation.choice.since.packet && !is_early && conversation.choice.is_of(candidate);
    return is_others ? 0 : show(candidate, tvb, pinfo, tree, is_early, pinned);
  }
  if (may_learn(pinfo) && is_taken_over(candidate, tvb, pinfo, conversation)) {
    candidate = candidate == enet ? variant : enet;
    conversation.choice.settle(candidate, {pinfo->num, 0});
    conversation_set_dissector_from_frame_number(pinned, pinfo->num, pinned_handles[candidate]);
  }
  return show(candidate, tvb, pinfo, tree, false, pinned);
}

int dissect_pinned_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return dissect_pinned(enet, tvb, pinfo, tree);
}

int dissect_pinned_variant(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return dissect_pinned(variant, tvb, pinfo, tree);
}

int dissect_datagram(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return show(variant, tvb, pinfo, tree, false, nullptr);
}

// What the chooser said of the packet that is dissected, for the second heuristic that epan asks about it.
struct Asked {
  const tvbuff_t *tvb;
  Candidate answer;
};

Candidate choose_first(tvbuff_t *tvb, packet_info *pinfo) {
  if (is_decided_by_user(pinfo)) return nobody;
  conversation_t *conversation = find_or_create_conversation(pinfo);
  Conversation &known = conversations.of(conversation);
  if (!may_learn(pinfo)) {
    // UDP asks again on later passes about the datagram that was recognised.
    const bool is_recognised = known.choice.is_settled && known.choice.since.packet == pinfo->num;
    return is_recognised ? static_cast<Candidate>(known.choice.recognised) : nobody;
  }
  const Candidate answer = ask(tvb, pinfo, conversation, known);
  if (answer == nobody) return nobody;
  // From the first datagram that was offered: later passes show them all.
  conversation_set_dissector_from_frame_number(conversation, known.choice.first.packet, pinned_handles[answer]);
  return answer;
}

Candidate choose(tvbuff_t *tvb, packet_info *pinfo) {
  constexpr std::uint32_t key = 2;
  auto *asked = static_cast<Asked *>(p_get_proto_data(pinfo->pool, pinfo, proto_godot, key));
  if (asked == nullptr) {
    asked = wmem_new0(pinfo->pool, Asked);
    p_add_proto_data(pinfo->pool, pinfo, proto_godot, key, asked);
  }
  if (asked->tvb != tvb) *asked = {tvb, choose_first(tvb, pinfo)};
  return asked->answer;
}

template <Candidate candidate>
ws_bool recognise(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void * /*data*/) {
  return choose(tvb, pinfo) == candidate && show(candidate, tvb, pinfo, tree, false, nullptr) > 0;
}

}  // namespace

void register_udp() { conversations.register_state(); }

void claim_datagram(tvbuff_t *datagram, packet_info *pinfo) {
  const conversation_t *known = find_conversation_pinfo(pinfo, 0);
  if (known != nullptr && conversations.of(known).choice.is_settled) return;
  const Candidate candidate = godot_codec::has_variant_header(bytes_of(datagram)) ? variant : enet;
  if (!is_on(candidate)) return;
  static const Conversation nothing_said{};
  if (evidence_for(candidate, datagram, pinfo, nothing_said).likeness != Likeness::strong) return;
  conversation_t *conversation = find_or_create_conversation(pinfo);
  conversations.of(conversation).choice.settle(candidate, {pinfo->num, 0});
  conversation_set_dissector_from_frame_number(conversation, pinfo->num, pinned_handles[candidate]);
}

void handoff_udp() {
  proto_godot = proto_get_id_by_filter_name("godot");
  dissector_handle_t enet_handle = find_dissector("enet");
  const int proto_enet = dissector_handle_get_protocol_index(enet_handle);
  pinned_handles[enet] = create_dissector_handle(dissect_pinned_enet, proto_enet);
  pinned_handles[variant] = create_dissector_handle(dissect_pinned_variant, proto_godot);
  dissector_add_uint_range_with_preference("udp.port", "", enet_handle);
  dissector_handle_t datagram = register_dissector("godot", dissect_datagram, proto_godot);
  dissector_add_uint_range_with_preference("udp.port", "", datagram);
  dissector_add_uint_range_with_preference("dtls.port", "", datagram);
  enet_switch.register_with("udp", recognise<enet>, "ENet over UDP", proto_enet);
  variant_switch.register_with("udp", recognise<variant>, "Godot Variants over UDP", proto_godot);
}

}  // namespace godot_plugin
