// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <utility>

#include "plugin/enet/capture_session.h"
#include "plugin/enet/packet-enet.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/peer_names.h"
#include "plugin/transport/transports.h"

namespace godot_plugin {
namespace {

// Finds the packet's connection to a game's server. For TCP, looks it up only if a column or a filter uses the names.
const PeerLink *link_of(packet_info *pinfo) {
  const EnetConnection *enet = enet_connection(pinfo);
  if (enet != nullptr) return find_enet_link(*enet);
  if (pinfo->ptype != PT_TCP || !is_any_peer_name_shown()) return nullptr;
  return find_websocket_link(existing_conversation_of(pinfo));
}

// On the first pass, a client's ID is not known before the first message that contains it.
PeerNames names_of(packet_info *pinfo, const PeerLink &link) {
  const godot_codec::MpPeerTracker &peers = link.mp_connection->peers();
  const bool is_known = peers.client_id() != 0;
  const char *client = is_known ? wmem_strdup_printf(pinfo->pool, "%d", peers.client_id()) : nullptr;
  PeerNames ends{client, server_name};
  if (peers.role_of(sending_end(pinfo, link)) == godot_codec::MpRole::server) std::swap(ends.from, ends.to);
  return ends;
}

bool has_plugin_layer(const packet_info *pinfo) {
  constexpr const char *ours[] = {"godot", "godot_mp", "godot_debug", "enet"};
  return std::ranges::any_of(ours, [&](const char *name) { return has_layer(pinfo, name); });
}

}  // namespace

void add_packet_peer_names(tvbuff_t *transport, packet_info *pinfo, proto_tree *tree) {
  constexpr unsigned ports_size = 4;
  if (!wants_peer_names(tree) || tvb_captured_length(transport) < ports_size) return;
  PeerNames &names = peer_names_of(pinfo);
  const PeerLink *link = names.from == nullptr || names.to == nullptr ? link_of(pinfo) : nullptr;
  if (link != nullptr && link->mp_connection->peers().has_roles() && link->detection.is_game()) {
    const PeerNames known = names_of(pinfo, *link);
    if (names.from == nullptr) names.from = known.from;
    if (names.to == nullptr) names.to = known.to;
  }
  const bool is_known = names.from != nullptr || names.to != nullptr || has_plugin_layer(pinfo);
  if (!is_known && !is_any_peer_name_shown()) return;
  add_peer_names(tree, transport, pinfo, tvb_get_ntohs(transport, 0), tvb_get_ntohs(transport, 2));
}

}  // namespace godot_plugin
