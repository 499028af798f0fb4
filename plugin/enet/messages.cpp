// SPDX-License-Identifier: GPL-2.0-or-later
// Passes the messages of ENet connections to the multiplayer, to Variants, or to other dissectors of the user.
#include <algorithm>
#include <unordered_map>

#include "godot-codec/enet/connection_diagnosis.h"
#include "godot-codec/multiplayer/session.h"
#include "plugin/enet/capture_session.h"
#include "plugin/enet/datagram_dissection.h"
#include "plugin/enet/fields.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/custom_dissectors.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/statistics/findings.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandFindings;
using godot_codec::EnetCommandType;
using godot_codec::EnetField;
using godot_codec::EnetFragment;
using godot_codec::EnetFragmentedMessage;

int proto_mp = -1;
dissector_table_t port_table;
heur_dissector_list_t heuristics;
const heur_dtbl_entry_t *heuristic;
dissector_handle_t custom_handle;                                   // for custom payloads
CaptureState<std::unordered_map<std::uint32_t, PeerLink *>> links;  // by the number of the ENet connection

PeerLink *new_link(packet_info *pinfo, const EnetConnection &connection) {
  const auto client = static_cast<std::int32_t>(connection.connect_data);
  const bool begins_like_game = godot_codec::is_godot_connect(connection);
  PeerLink *link =
      new_peer_link(pinfo, {pinfo->destport == connection.server_port, connection.has_connect, begins_like_game});
  if (connection.has_connect) {
    link->client_direction = connection.client_direction;
    link->mp_connection->record_client_id(client, godot_codec::packet_position_zero);
  }
  link->detection.set_channel_count(connection.channel_count);
  return link;
}

PeerLink *link_of(packet_info *pinfo, const EnetConnection &connection) {
  PeerLink *&link = (*links)[connection.stream];
  if (link == nullptr) link = new_link(pinfo, connection);
  return link;
}

// Must not need a destructor, because epan's longjmp() may skip it.
class EnetDelivery final : public godot_codec::DeliveryInfo {
 public:
  EnetDelivery(const packet_info *pinfo, const EnetConnection &connection, unsigned sender)
      : pinfo_(pinfo), connection_(connection), sender_(sender) {}

  [[nodiscard]] bool is_delivered(std::uint32_t packet) const override {
    return enet_session().tracker().is_packet_acknowledged(packet);
  }
  [[nodiscard]] std::int64_t receiver_last_packet_time() const override {
    return connection_.facts.sides[1 - sender_].last_heard;
  }
  [[nodiscard]] godot_codec::UnreliableLosses count_unreliable_losses() const override {
    const godot_codec::EnetUnreliableCounts messages = enet_session().unreliable_counts(connection_, sender_);
    // Losses of the capture itself: estimate them from reliable commands, because ENet retransmits these until they
    // arrive. Unreliable messages probably have the same share of losses.
    const godot_codec::EnetReliableCounts counts = enet_session().tracker().reliable_counts(connection_.stream);
    const auto without_lacking = [&](std::uint64_t missed, std::uint64_t of) {
      const std::uint64_t lacking = counts.total == 0 ? 0 : (of * counts.missing + counts.total / 2) / counts.total;
      return missed - std::min(missed, lacking);
    };
    const godot_codec::EnetSequencedCounts ordered =
        enet_session().tracker().sequenced_counts(connection_.stream, sender_);
    const std::uint64_t all_ordered = ordered.arrived + ordered.missing;
    return {without_lacking(messages.missing, messages.total),
            messages.total,
            all_ordered,
            without_lacking(ordered.missing, all_ordered),
            ordered.late,
            is_link_lossy(),
            is_throttled(messages)};
  }
  [[nodiscard]] godot_codec::RoundTripRange round_trip_range() const override {
    constexpr unsigned high_percentile = 95;
    const godot_codec::RoundTripStatistics *times = connection_.facts.sides[sender_].round_trips;
    return times == nullptr
               ? godot_codec::RoundTripRange{}
               : godot_codec::RoundTripRange{times->least(), times->percentile(high_percentile), times->most()};
  }
  [[nodiscard]] bool has_acknowledged_uncaptured(bool by_sender, std::int64_t after,
                                                 std::int64_t until) const override {
    const unsigned side = by_sender ? sender_ : 1 - sender_;
    return enet_session().tracker().has_acknowledged_uncaptured(connection_.stream, side, after, until);
  }
  [[nodiscard]] godot_codec::DisconnectInfo disconnect_info() const override {
    const godot_codec::EnetConnectionFacts &facts = connection_.facts;
    const bool is_captured =
        facts.end.kind == godot_codec::EnetConnectionEndKind::disconnected && connection_.has_connect;
    return {is_captured && facts.is_connect_answered, facts.end.by == connection_.client_direction, facts.end.position,
            godot_codec::elapsed(facts.verify_connect_time, facts.end.time)};
  }

 private:
  // True if the link loses packets. A capture at the receiver shows losses as delayed messages; a capture at the sender
  // shows retransmissions.
  [[nodiscard]] bool is_link_lossy() const {
    constexpr std::uint32_t min_count = 4;
    constexpr std::uint64_t share = 20;
    const godot_codec::EnetSideFacts &side = connection_.facts.sides[sender_];
    const std::uint32_t retransmissions =
        side.retransmissions - std::min(side.retransmissions, side.spurious_retransmissions);
    const bool has_many_retransmissions = retransmissions >= min_count && share * retransmissions >= side.commands;
    return has_many_retransmissions || late_messages() >= min_count;
  }

  // Messages between programs on one host cannot get lost on a link. In other captures at the receiver, losses of
  // reliable messages may be invisible.
  [[nodiscard]] bool is_throttled(const godot_codec::EnetUnreliableCounts &messages) const {
    return addresses_equal(&pinfo_->src, &pinfo_->dst) &&
           godot_codec::is_throttled(connection_.facts.sides[sender_], messages, late_messages());
  }

  [[nodiscard]] std::uint32_t late_messages() const {
    return enet_session().tracker().delay_statistics(connection_.stream, sender_).late_messages;
  }

  const packet_info *pinfo_;
  const EnetConnection &connection_;
  unsigned sender_;
};

void count_raw_message(const DatagramDissection &datagram, const EnetCommand &command, unsigned size) {
  packet_info *pinfo = datagram.pinfo;
  if (frame_record_if_counted(pinfo) == nullptr) return;
  const char *endpoints = wmem_strdup_printf(pinfo->pool, "%s ch %u", endpoints_text(pinfo), command.channel);
  count_non_variant(pinfo, "Raw bytes", size, endpoints);
}

// Returns the sequence range of a message. Only acknowledged commands are certain to be delivered in order.
godot_codec::SequenceRange sequence_range_of(const EnetCommand &command) {
  godot_codec::SequenceRange range{command.channel, command.reliable_seq};
  range.may_overtake = !command.wants_acknowledgement();
  if (range.may_overtake) return range;
  range.count = 1;
  if (command.is_fragment()) {
    range.first_number = static_cast<std::uint16_t>(command.value(EnetField::fragment_start_seq));
    range.count = command.value(EnetField::fragment_count);
  }
  return range;
}

// Returns the context of a message of a known connection.
// @param number index among the packet's messages, equal on every pass
// @param delivery must live as long as the context is used
// @param info receives the summary for the Info column; null: not shown
MessageContext make_message_context(const DatagramDissection &datagram, const EnetCommand &command, tvbuff_t *tvb,
                                    std::uint32_t number, const EnetDelivery &delivery, godot_codec::TextBuffer *info) {
  packet_info *pinfo = datagram.pinfo;
  const EnetConnection &connection = *datagram.findings->connection;
  EnetPacket &packet = *datagram.packet;
  if (packet.conversation == nullptr) packet.conversation = conversation_of(pinfo);
  MessageContext context{pinfo, datagram.root, tvb};
  context.conversation = packet.conversation;
  context.transport_info = EnetMessageInfo{packet.state, connection.server_port,
                                           command.is(EnetCommandType::send_unreliable_fragment), info};
  context.game_link = link_of(pinfo, connection);
  context.is_duplicate_or_quoted = !is_counted(datagram);
  godot_codec::Message &message = context.message;
  message = make_message(tvb, pinfo, Transport::enet, {pinfo->num, number});
  message.sender_side = packet.sender == context.game_link->client_direction ? 1 : 0;
  message.sequence = sequence_range_of(command);
  message.delivery = &delivery;
  return context;
}

// ---- dissectors of messages, which ENet calls with a MessageContext

// Detects the protocol of a message. Records in the packet's state whether the message proves a game.
DetectedMessage detect_in_packet(MessageContext &context, godot_codec::PeerDetectionOptions options) {
  DetectedMessage message = detect_message(context, options);
  context.enet()->packet_state->has_proven_game = message.decision.protocol == godot_codec::PeerProtocol::multiplayer &&
                                                  !context.is_duplicate_or_quoted &&
                                                  context.game_link->detection.has_proven_game();
  return message;
}

int dissect_custom(tvbuff_t *tvb, packet_info * /*pinfo*/, proto_tree * /*tree*/, void *data) {
  const MessageContext &context = *static_cast<const MessageContext *>(data);
  return dissect_custom_message(context, context.enet()->server_port) ? static_cast<int>(tvb_captured_length(tvb)) : 0;
}

ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr) return false;
  MessageContext &context = *static_cast<MessageContext *>(data);
  DetectedMessage message = detect_in_packet(context, enabled_peer_protocols());
  // If no protocol was detected and the connection does not belong to a game, a custom dissector may take the message.
  if (message.decision.protocol == godot_codec::PeerProtocol::unclaimed && !context.game_link->detection.is_game())
    return call_detected_dissector(custom_handle, tvb, pinfo, tree, data) > 0;
  return dissect_detected_message(message) > 0;
}

int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr) return 0;
  godot_codec::PeerDetectionOptions options = enabled_peer_protocols();
  options.is_multiplayer_configured = true;
  DetectedMessage message = detect_in_packet(*static_cast<MessageContext *>(data), options);
  const int size = dissect_detected_message(message, proto_mp);
  // If the result were 0, ENet would offer the message to the heuristic, which would evaluate it a second time.
  return size > 0 ? size : call_data_dissector(tvb, pinfo, tree);
}

int dissect_variant_on_port(tvbuff_t *tvb, packet_info * /*pinfo*/, proto_tree * /*tree*/, void *data) {
  if (data == nullptr || tvb_reported_length(tvb) == 0) return 0;
  dissect_variant_packet(*static_cast<const MessageContext *>(data), 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

// Offers a message to the subdissectors. A message that no subdissector accepts is shown as data.
// @param index of the command that contains or completes the message
// @returns true if a subdissector accepted the message
bool dissect_message(const DatagramDissection &datagram, const EnetCommand &command, std::size_t index,
                     tvbuff_t *message) {
  packet_info *pinfo = datagram.pinfo;
  if (tvb_reported_length(message) == 0) return false;
  if (is_counted(datagram)) tap_message(pinfo, message);
  // Prevents the subdissector from replacing the text of earlier commands.
  if (index > 0) col_set_fence(pinfo->cinfo, COL_INFO);
  const std::uint32_t number = datagram.packet->state->message_count++;
  // Subdissectors need a connection to store any state.
  if (const EnetConnection *connection = datagram.findings->connection; connection != nullptr) {
    const EnetDelivery delivery(pinfo, *connection, datagram.packet->sender);
    MessageContext context =
        make_message_context(datagram, command, message, number, delivery, info_buffer_of(datagram, index));
    if (ws_try_port(port_table, connection->server_port, message, pinfo, datagram.root, &context) > 0) return true;
    // The connection of a game is decided. As on a pinned UDP conversation, no other heuristic gets its messages.
    const bool is_game = context.game_link->detection.is_game() && is_enabled(heuristic);
    heur_dtbl_entry_t *entry = nullptr;
    if (is_game ? guarded<detect>(message, pinfo, datagram.root, &context)
                : dissector_try_heuristic(heuristics, message, pinfo, datagram.root, &entry, &context))
      return true;
  }
  if (is_counted(datagram)) add_message_counts(pinfo, {.messages = 1});
  if (is_counted(datagram)) count_raw_message(datagram, command, tvb_reported_length(message));
  call_data_dissector(message, pinfo, datagram.root);
  return false;
}

// Returns the server port of the packet's connection, for Decode As; 0 if there is no connection.
std::uint32_t server_port_of_connection(packet_info *pinfo) {
  const EnetConnection *connection = enet_connection(pinfo);
  return connection == nullptr ? 0 : connection->server_port;
}

// ---- fragments

// Maximum number of fragments that a message's tree lists.
constexpr unsigned max_listed_fragments = 500;

// Adds a fragment of a complete message. @param tvb the reassembled message
void add_fragment_item(const EnetFragmentedMessage &message, const EnetFragment &fragment, tvbuff_t *tvb,
                       proto_tree *tree) {
  const bool is_other_end =
      fragment.offset + fragment.length == message.total_length && fragment.number + 1 != message.fragment_count;
  const int hf = fragment.is_conflicting || is_other_end ? enet_fields.fragment_error : enet_fields.fragment;
  proto_item *item = proto_tree_add_uint_format(
      tree, hf, tvb, static_cast<int>(fragment.offset), fragment.length, fragment.packet,
      "Frame: %u, payload: %u-%u (%u byte%s)", fragment.packet, fragment.offset, fragment.offset + fragment.length - 1U,
      static_cast<unsigned>(fragment.length), fragment.length == 1 ? "" : "s");
  proto_item_set_generated(item);
  if (!fragment.is_overlapping && !is_other_end) return;
  proto_tree *flags = proto_item_add_subtree(item, enet_subtrees.fragment);
  add_flag_if_set(flags, tvb, enet_fields.fragment_overlap, fragment.is_overlapping);
  add_flag_if_set(flags, tvb, enet_fields.fragment_overlap_conflict, fragment.is_conflicting);
  add_flag_if_set(flags, tvb, enet_fields.fragment_multiple_tails, is_other_end);
}

// Adds the fragments of a complete message. If there are very many fragments, adds only the first fragments.
// @param tvb the reassembled message
void add_fragment_items(packet_info *pinfo, const EnetFragmentedMessage &message, tvbuff_t *tvb, proto_tree *tree) {
  const auto count = static_cast<unsigned>(message.fragments.size());
  const unsigned listed = std::min(count, max_listed_fragments);
  for (const EnetFragment &fragment : message.fragments) ws_mark_frame_as_depended_upon(pinfo, fragment.packet);
  proto_item *item = proto_tree_add_item(tree, enet_fields.fragments, tvb, 0, -1, ENC_NA);
  proto_item_set_generated(item);
  if (item == nullptr) return;
  proto_tree *fragments = proto_item_add_subtree(item, enet_subtrees.fragments);
  proto_item_set_text(item, "%u Fragments (%u byte%s): ", count, message.total_length,
                      message.total_length == 1 ? "" : "s");
  for (unsigned i = 0; i < listed; ++i) {
    const EnetFragment &fragment = message.fragments[i];
    proto_item_append_text(item, i == 0 ? "#%u(%u)" : ", #%u(%u)", fragment.packet,
                           static_cast<unsigned>(fragment.length));
    add_fragment_item(message, fragment, tvb, fragments);
  }
  if (listed < count) proto_item_append_text(item, ", %u more", count - listed);
  proto_item_set_generated(proto_tree_add_uint(fragments, enet_fields.fragment_total, tvb, 0, 0, count));
  proto_item_set_generated(
      proto_tree_add_uint(fragments, enet_fields.reassembled_length, tvb, 0, 0, message.total_length));
  proto_item_set_generated(proto_tree_add_item(fragments, enet_fields.reassembled_data, tvb, 0, -1, ENC_NA));
}

// Returns the whole message that a fragment completes; null if the fragment does not complete one.
tvbuff_t *reassemble_fragments(const DatagramDissection &datagram, const EnetCommandFindings &known, proto_tree *tree,
                               proto_item *item) {
  const EnetFragmentedMessage *message = known.message;
  if (message == nullptr || message->completed.packet == 0) return nullptr;
  packet_info *pinfo = datagram.pinfo;
  if (message->has_gap) {
    if (known.is_last_fragment) {
      add_expert(pinfo, item, &enet_experts.malformed, "The fragments of a message do not cover all of it");
    }
    return nullptr;
  }
  if (!known.is_last_fragment || datagram.findings->duplicate_of.packet != 0) {
    if (message->completed.packet != pinfo->num) {
      add_frame_link(tree, enet_fields.reassembled_in, datagram.commands, message->completed.packet);
    }
    return nullptr;
  }
  const auto size = static_cast<unsigned>(message->bytes.size());
  tvbuff_t *whole = tvb_new_child_real_data(datagram.commands, message->bytes.data(), size, static_cast<int>(size));
  add_new_data_source(pinfo, whole, "Reassembled ENet message");
  add_fragment_items(pinfo, *message, whole, tree);
  return whole;
}

}  // namespace

bool dissect_data(const DatagramDissection &datagram, const EnetCommand &command, std::size_t index,
                  const EnetCommandFindings &known, proto_tree *tree, proto_item *item, bool is_passed_on) {
  if (tree != nullptr) add_captured(tree, enet_fields.data, datagram.commands, command.data);
  if (!is_passed_on) return false;
  if (command.is_fragment()) {
    tvbuff_t *whole = reassemble_fragments(datagram, known, tree, item);
    if (whole == nullptr) return false;
    const FrameRecord::MessageCounting before =
        set_message_counting(datagram.pinfo, FrameRecord::MessageCounting::split);
    const bool is_accepted = dissect_message(datagram, command, index, whole);
    set_message_counting(datagram.pinfo, before);
    return is_accepted;
  }
  return dissect_message(datagram, command, index, subset_of(datagram.commands, command.data));
}

const char *message_summary(const DatagramDissection &datagram, const EnetCommand &command) {
  const EnetConnection *connection = datagram.findings->connection;
  const bool is_whole = has_data(command) && !command.is_fragment() && command.outcome == godot_codec::Outcome::ok;
  if (!is_whole || connection == nullptr) return nullptr;
  const EnetDelivery delivery(datagram.pinfo, *connection, datagram.packet->sender);
  const MessageContext context = make_message_context(datagram, command, subset_of(datagram.commands, command.data),
                                                      datagram.packet->state->message_count, delivery, nullptr);
  constexpr std::size_t max_summary = 240;
  bool has_summary = false;
  const char *summary = pool_text<max_summary>(datagram.pinfo, [&](godot_codec::TextBuffer &text) {
    has_summary = append_peer_summary(context, enabled_peer_protocols(), text);
  });
  return has_summary ? summary : nullptr;
}

const PeerLink *find_enet_link(const EnetConnection &connection) {
  const auto found = links->find(connection.stream);
  return found == links->end() ? nullptr : found->second;
}

void register_enet_messages(int proto) {
  port_table = register_server_port_table<server_port_of_connection>("enet.port", "ENet server port", proto, "enet");
  heuristics = register_heur_dissector_list("enet", proto);
}

void handoff_enet_messages() {
  proto_mp = proto_get_id_by_filter_name("godot_mp");
  const int proto_godot = proto_get_id_by_filter_name("godot");
  custom_handle = create_dissector_handle(guarded<dissect_custom>, proto_godot);
  heuristic = register_heuristic("enet", "godot_enet", guarded<detect>, "Godot multiplayer and Variants over ENet");
  dissector_add_uint_range_with_preference("enet.port", "",
                                           register_dissector("godot_mp.enet", guarded<dissect_on_port>, proto_mp));
  dissector_add_for_decode_as("enet.port",
                              register_dissector("godot.enet", guarded<dissect_variant_on_port>, proto_godot));
}

}  // namespace godot_plugin
