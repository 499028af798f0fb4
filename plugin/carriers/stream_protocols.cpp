// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/carriers/stream_protocols.h"

#include "godot-codec/debugger/message.h"
#include "plugin/debugger/packet-godot_debug.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/preferences.h"

namespace godot_plugin {
namespace {

using godot_codec::Confidence;
using godot_codec::StreamOwner;
using godot_codec::StreamRule;

// Godot's own buffer has so many bytes (RemoteDebuggerPeerTCP).
constexpr std::uint32_t max_debug_packet = 8U << 20;

Confidence dissect_debug(const Message &message, packet_info *pinfo, proto_tree *tree) {
  dissect_debug_message(message, pinfo, tree);
  return Confidence::neutral;
}

Confidence dissect_variant(const Message &message, packet_info *pinfo, proto_tree *tree) {
  return dissect_variant_packet(message, pinfo, tree, godot_codec::stream_prefix_size);
}

constexpr StreamProtocol debugger_protocol = {"GodotDebug", godot_codec::measure_debug_message, dissect_debug};
constexpr StreamProtocol variants_protocol = {"Godot", godot_codec::measure_packet, dissect_variant};

}  // namespace

const StreamProtocol &protocol_of(StreamOwner owner) {
  return owner == StreamOwner::debugger ? debugger_protocol : variants_protocol;
}

int proto_of(StreamOwner owner) {
  static const int godot = proto_get_id_by_filter_name("godot");
  static const int debugger = proto_get_id_by_filter_name("godot_debug");
  return owner == StreamOwner::debugger ? debugger : godot;
}

std::uint32_t max_length_of(StreamOwner owner) {
  return owner == StreamOwner::debugger ? max_debug_packet : preferred_max_length();
}

godot_codec::StreamRules stream_rules() {
  return {StreamRule{godot_codec::measure_debug_message, max_length_of(StreamOwner::debugger)},
          StreamRule{godot_codec::measure_packet, max_length_of(StreamOwner::variants)}};
}

godot_codec::StreamOptions options_of(StreamOwner owner) { return {max_length_of(owner), preferred_read_options()}; }

}  // namespace godot_plugin
