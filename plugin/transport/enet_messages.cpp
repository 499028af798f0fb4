// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <unordered_map>

#include "godot-codec/enet/connection_diagnosis.h"
#include "godot-codec/multiplayer/session.h"
#include "plugin/enet/capture_session.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/heuristics.h"
#include "plugin/epan/packet_info.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/transport/transports.h"

namespace godot_plugin {
namespace {

int proto_mp = -1;
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

std::int64_t round_trip_time(const packet_info *pinfo, const EnetConnection &connection) {
  const godot_codec::RoundTripStatistics *times = connection.facts.sides[direction_of(pinfo)].round_trips;
  return times == nullptr ? 0 : times->most();
}

// Must not need a destructor, because epan's longjmp() may skip it.
class EnetDelivery final : public godot_codec::DeliveryInfo {
 public:
  EnetDelivery(const packet_info *pinfo, const EnetConnection &connection)
      : connection_(connection),
        sender_(direction_of(pinfo)),
        receiver_(connection.facts.sides[1 - sender_]),
        is_same_host_(addresses_equal(&pinfo->src, &pinfo->dst)) {}

  [[nodiscard]] bool is_delivered(std::uint32_t packet) const override {
    return enet_session().tracker().is_packet_acknowledged(packet);
  }
  [[nodiscard]] std::int64_t receiver_last_packet_time() const override { return receiver_.last_heard; }
  [[nodiscard]] godot_codec::UnreliableLosses count_unreliable_losses() const override {
    const godot_codec::Side sender = sender_ == 0 ? godot_codec::Side::first : godot_codec::Side::second;
    const godot_codec::EnetUnreliableCounts messages = enet_session().unreliable_counts(connection_, sender);
    // Losses of the capture itself: estimate them from reliable commands, because ENet retransmits these until they
    // arrive. Unreliable messages probably have the same share of losses.
    const godot_codec::EnetReliableCounts counts = enet_session().tracker().reliable_counts(connection_.stream);
    const auto without_lacking = [&](std::uint64_t missed, std::uint64_t of) {
      const std::uint64_t lacking = counts.total == 0 ? 0 : (of * counts.missing + counts.total / 2) / counts.total;
      return missed - std::min(missed, lacking);
    };
    const godot_codec::EnetSequencedCounts ordered =
        enet_session().tracker().sequenced_counts(connection_.stream, sender);
    const std::uint64_t all_ordered = ordered.arrived + ordered.missing;
    return {without_lacking(messages.missing, messages.total),
            messages.total,
            all_ordered,
            without_lacking(ordered.missing, all_ordered),
            ordered.late,
            is_link_lossy(sender),
            is_throttled(sender, messages)};
  }
  [[nodiscard]] godot_codec::RoundTripRange round_trip_range() const override {
    constexpr unsigned high_percentile = 95;
    const godot_codec::RoundTripStatistics *times = connection_.facts.sides[sender_].round_trips;
    return times == nullptr ? godot_codec::RoundTripRange{}
                            : godot_codec::RoundTripRange{times->least(), times->percentile(high_percentile)};
  }
  [[nodiscard]] bool has_acknowledged_uncaptured(bool by_sender, std::int64_t after,
                                                 std::int64_t until) const override {
    const bool is_first = (sender_ == 0) == by_sender;
    const godot_codec::Side side = is_first ? godot_codec::Side::first : godot_codec::Side::second;
    return enet_session().tracker().has_acknowledged_uncaptured(connection_.stream, side, after, until);
  }
  [[nodiscard]] godot_codec::DisconnectInfo disconnect_info() const override {
    const godot_codec::EnetConnectionFacts &facts = connection_.facts;
    const bool is_captured =
        facts.end.kind == godot_codec::EnetConnectionEndKind::disconnected && connection_.has_connect;
    return {is_captured && facts.is_connect_answered,
            godot_codec::index_of(facts.end.by) == connection_.client_direction, facts.end.position,
            godot_codec::elapsed(facts.verify_connect_time, facts.end.time)};
  }

 private:
  // True if the link loses packets. A capture at the receiver shows losses as delayed messages; a capture at the sender
  // shows retransmissions.
  [[nodiscard]] bool is_link_lossy(godot_codec::Side sender) const {
    constexpr std::uint32_t min_count = 4;
    constexpr std::uint64_t share = 20;
    const godot_codec::EnetSideFacts &side = connection_.facts.of(sender);
    const std::uint32_t retransmissions =
        side.retransmissions - std::min(side.retransmissions, side.spurious_retransmissions);
    const bool has_many_retransmissions = retransmissions >= min_count && share * retransmissions >= side.commands;
    return has_many_retransmissions ||
           enet_session().tracker().delay_statistics(connection_.stream, sender).late_messages >= min_count;
  }

  // Messages between programs on one host cannot get lost on a link. In other captures at the receiver, losses of
  // reliable messages may be invisible.
  [[nodiscard]] bool is_throttled(godot_codec::Side sender, const godot_codec::EnetUnreliableCounts &messages) const {
    const std::uint32_t late = enet_session().tracker().delay_statistics(connection_.stream, sender).late_messages;
    return is_same_host_ && godot_codec::is_throttled(connection_.facts.of(sender), messages, late);
  }

  const EnetConnection &connection_;
  unsigned sender_;
  const godot_codec::EnetSideFacts &receiver_;
  bool is_same_host_;
};

// Adds the facts about the message's connection to the context. @param delivery must live as long as the context is
// used
void complete_context(MessageContext &context, const EnetDelivery &delivery) {
  packet_info *pinfo = context.pinfo;
  if (context.conversation == nullptr) context.conversation = conversation_of(pinfo);
  context.game_link = link_of(pinfo, *context.enet_connection);
  context.message.sender_side = sending_end(pinfo, *context.game_link);
  context.message.round_trip_time = round_trip_time(pinfo, *context.enet_connection);
  context.message.delivery = &delivery;
}

int dissect_custom(tvbuff_t *tvb, packet_info * /*pinfo*/, proto_tree * /*tree*/, void *data) {
  const MessageContext &context = *static_cast<const MessageContext *>(data);
  return dissect_custom_message(context, context.enet_connection->server_port)
             ? static_cast<int>(tvb_captured_length(tvb))
             : 0;
}

ws_bool detect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr) return false;
  MessageContext context = *static_cast<const MessageContext *>(data);
  const EnetDelivery delivery(context.pinfo, *context.enet_connection);
  complete_context(context, delivery);
  DetectedMessage message = detect_message(context, enabled_peer_protocols());
  // If no protocol was detected and the connection does not belong to a game, a custom dissector may take the message.
  if (message.decision.protocol == godot_codec::PeerProtocol::unclaimed && !context.game_link->detection.is_game())
    return call_detected_dissector(custom_handle, tvb, pinfo, tree, &context) > 0;
  return dissect_detected_message(message) > 0;
}

bool append_summary(MessageContext context, godot_codec::TextBuffer &text) {
  const EnetDelivery delivery(context.pinfo, *context.enet_connection);
  complete_context(context, delivery);
  return append_peer_summary(context, enabled_peer_protocols(), text);
}

int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
  if (data == nullptr) return 0;
  MessageContext context = *static_cast<const MessageContext *>(data);
  const EnetDelivery delivery(context.pinfo, *context.enet_connection);
  complete_context(context, delivery);
  godot_codec::PeerDetectionOptions options = enabled_peer_protocols();
  options.is_multiplayer_configured = true;
  DetectedMessage message = detect_message(context, options);
  const int size = dissect_detected_message(message, proto_mp);
  // If the result were 0, ENet would offer the message to the heuristic, which would evaluate it a second time.
  return size > 0 ? size : call_data_dissector(tvb, pinfo, tree);
}

int dissect_variant_on_port(tvbuff_t *tvb, packet_info * /*pinfo*/, proto_tree * /*tree*/, void *data) {
  if (data == nullptr || tvb_reported_length(tvb) == 0) return 0;
  dissect_variant_packet(*static_cast<const MessageContext *>(data), 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

}  // namespace

const PeerLink *find_enet_link(const EnetConnection &connection) {
  const auto found = links->find(connection.stream);
  return found == links->end() ? nullptr : found->second;
}

void handoff_enet_transport() {
  set_enet_summary_function(append_summary);
  proto_mp = proto_get_id_by_filter_name("godot_mp");
  const int proto_godot = proto_get_id_by_filter_name("godot");
  custom_handle = create_dissector_handle(guarded<dissect_custom>, proto_godot);
  register_heuristic("enet", "godot_enet", guarded<detect>, "Godot multiplayer and Variants over ENet");
  dissector_add_uint_range_with_preference("enet.port", "",
                                           register_dissector("godot_mp.enet", guarded<dissect_on_port>, proto_mp));
  dissector_add_for_decode_as("enet.port",
                              register_dissector("godot.enet", guarded<dissect_variant_on_port>, proto_godot));
}

}  // namespace godot_plugin
