// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/detection/message_detection.h"

#include <deque>
#include <new>

#include "godot-codec/multiplayer/session.h"
#include "godot-codec/multiplayer/summary.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/exception_guard.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/server_indexes.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/game_layouts.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/multiplayer/game_names.h"
#include "plugin/multiplayer/packet-godot_mp.h"

namespace godot_plugin {
namespace {

using godot_codec::MpPacketReader;
using godot_codec::PeerDetectionOptions;
using godot_codec::PeerProtocol;
using godot_codec::ProtocolDecision;
using godot_codec::ScriptTextCache;

int proto_godot = -1;
int proto_mp = -1;
dissector_handle_t multiplayer_handle;
dissector_handle_t variant_handle;

// The capture's connections. A deque, because pointers to its elements stay valid.
CaptureState<std::deque<PeerLink>> links;
CaptureState<std::deque<godot_codec::PeerServerFacts>> servers;
CaptureState<bool> has_many_layers;  // true after a packet with so many layers that epan's layer number may wrap

godot_codec::PeerServerFacts *server_at(std::size_t number) {
  while (servers->size() <= number) servers->emplace_back();
  return &(*servers)[number];
}

godot_codec::GameContext game_sources() { return {game_names(), game_layouts()}; }

// Creates a reader for the message, in the packet's memory.
MpPacketReader *new_reader(const MessageContext &context, const godot_codec::MpVariantCache::WantedTexts &wanted) {
  return new (wmem_alloc(context.pinfo->pool, sizeof(MpPacketReader)))
      MpPacketReader(context.message, preferred_read_options(), wanted);
}

MpPacketReader *new_reader(const MessageContext &context) {
  godot_codec::MpVariantCache::WantedTexts wanted;
  if (is_visible(context.tree)) {
    wanted.scripts =
        new (wmem_alloc(context.pinfo->pool, sizeof(ScriptTextCache))) ScriptTextCache(preferred_read_options());
  }
  wanted.texts = wanted.scripts != nullptr || wants_summary(context);
  return new_reader(context, wanted);
}

PeerDetectionOptions add_preferences(PeerDetectionOptions options) {
  options.read = preferred_read_options();
  options.generation = preferred_generation();
  return options;
}

// @param data a DetectedMessage
int dissect_multiplayer(tvbuff_t *tvb, packet_info *pinfo, proto_tree * /*tree*/, void *data) {
  if (data == nullptr) return 0;
  const auto &[context, decision, reader] = *static_cast<const DetectedMessage *>(data);
  godot_codec::MpPacket &packet = context.game_link->complete_packet(*reader, game_sources());
  packet.server_port = static_cast<std::uint16_t>(packet.is_from_server() ? pinfo->srcport : pinfo->destport);
  const godot_codec::MpParsedPacket &reading = reader->read(decision.framing);
  const char *text = dissect_mp_packet(context, packet, reading, decision.framing);
  if (!context.is_duplicate_or_quoted) tap_followed_message(pinfo, tvb, text);
  return static_cast<int>(tvb_captured_length(tvb));
}

int dissect_variants(tvbuff_t *tvb, packet_info * /*pinfo*/, proto_tree * /*tree*/, void *data) {
  if (data == nullptr) return 0;
  dissect_variant_packet(static_cast<const DetectedMessage *>(data)->context, 0);
  return static_cast<int>(tvb_captured_length(tvb));
}

// Returns the protocol's dissector; null if no protocol was detected.
dissector_handle_t handle_of(PeerProtocol protocol) {
  if (protocol == PeerProtocol::multiplayer) return multiplayer_handle;
  return protocol == PeerProtocol::variant ? variant_handle : nullptr;
}

}  // namespace

PeerLink *new_peer_link(const packet_info *pinfo, const PeerLinkStart &start) {
  unsigned server = start.server_index;
  if (server == 0) server = start.has_roles ? server_index_of(pinfo, start.is_to_server) : new_pair_index();
  PeerLink &link = links->emplace_back(
      PeerLink{godot_codec::PeerDetection(start.begins_like_game, server_at(server)),
               &mp_session().add_connection(server, start.is_from_start, start.transmissions, start.has_roles),
               start.is_to_server ? direction_of(pinfo) : 1 - direction_of(pinfo)});
  return &link;
}

unsigned sending_end(const packet_info *pinfo, const PeerLink &link) {
  return direction_of(pinfo) == link.client_direction ? 1 : 0;
}

DetectedMessage detect_message(MessageContext &context, PeerDetectionOptions options) {
  options = add_preferences(options);
  PeerLink &link = *context.game_link;
  DetectedMessage message{context, {}, new_reader(context)};
  ProtocolDecision &decision = message.decision;
  const bool is_new = may_update_state(context.pinfo) && !context.is_duplicate_or_quoted;
  decision = is_new ? link.read_next(*message.reader, options, game_sources())
                    : link.detection.find_decision(*message.reader, options);
  context.is_pre_detection = decision.is_before_decision;
  return message;
}

int dissect_detected_message(DetectedMessage &message, int running) {
  const MessageContext &context = message.context;
  dissector_handle_t handle = handle_of(message.decision.protocol);
  return handle == nullptr ? 0 : call_instead_of(running, handle, context.tvb, context.pinfo, context.tree, &message);
}

PeerDetectionOptions enabled_peer_protocols() {
  PeerDetectionOptions options;
  options.may_be_multiplayer = is_enabled(proto_mp);
  options.may_be_variant = is_enabled(proto_godot);
  return options;
}

bool append_peer_summary(const MessageContext &context, PeerDetectionOptions options, godot_codec::TextBuffer &text) {
  godot_codec::MpVariantCache::WantedTexts wanted;
  wanted.texts = true;
  MpPacketReader *reader = new_reader(context, wanted);
  const ProtocolDecision decision = context.game_link->detection.find_decision(*reader, add_preferences(options));
  if (decision.protocol != PeerProtocol::multiplayer) return false;
  const godot_codec::MpParsedPacket &reading = reader->read(decision.framing);
  if (reading.commands.size() == 0) return false;
  const godot_codec::MpPacket &packet = context.game_link->complete_packet(*reader, game_sources());
  godot_codec::for_each_command(packet, reading,
                                [&](const godot_codec::MpMessage &command, const godot_codec::MpRoute &route) {
                                  godot_codec::append_mp_summary({packet, command, route}, text);
                                });
  return true;
}

// A heuristic cannot count the messages of a packet, because epan does not call it for messages that another heuristic
// accepts. So use epan's layer number, which rises from message to message. In Wireshark 4.0, the layer number has 8
// bits and wraps.
godot_codec::PacketPosition heuristic_position(packet_info *pinfo) {
  constexpr std::uint32_t wrap = 256;
  struct LayerCounter {
    std::uint32_t last_layer;
    std::uint32_t wrapped_layers;  // 256 for each wrap-around so far
  };
  const auto layer = static_cast<std::uint32_t>(pinfo->curr_layer_num);
  // Few captures have a packet with many layers. For the others, no counter is created.
  *has_many_layers = *has_many_layers || layer >= wrap / 2;
  if (!*has_many_layers) return {pinfo->num, layer};
  LayerCounter &layers = packet_data<LayerCounter>(pinfo);
  if (layer < layers.last_layer) layers.wrapped_layers += wrap;
  layers.last_layer = layer;
  return {pinfo->num, layers.wrapped_layers + layer};
}

void register_message_detection() {
  proto_godot = proto_get_id_by_filter_name("godot");
  proto_mp = proto_get_id_by_filter_name("godot_mp");
  multiplayer_handle = create_dissector_handle(guarded<dissect_multiplayer>, proto_mp);
  variant_handle = create_dissector_handle(guarded<dissect_variants>, proto_godot);
}

}  // namespace godot_plugin
