// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/capture_session.h"

#include "godot-codec/enet/datagram_reader.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/icmp.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/server_indexes.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::EnetDatagram;
using godot_codec::EnetDatagramFindings;
using godot_codec::EnetHostPair;
using godot_codec::EnetSession;
using godot_codec::PacketPosition;

CaptureState<EnetSession> session;
ConversationState<EnetHostPair *> hosts_of_conversations;

// Returns the hosts of a packet; adds them if they are new. @returns null if they are unknown and may not be added
EnetHostPair *find_or_add_hosts(EnetPacket &packet) {
  if (packet.hosts == nullptr && may_update_state(packet.pinfo)) {
    if (packet.conversation == nullptr) packet.conversation = conversation_of(packet.pinfo);
    packet.hosts = &session->add_host_pair();
    hosts_of_conversations.of(packet.conversation) = packet.hosts;
  }
  return packet.hosts;
}

}  // namespace

const EnetSession &enet_session() { return *session; }

EnetPacket find_enet_packet(packet_info *pinfo, conversation_t *conversation) {
  if (conversation == nullptr) conversation = existing_conversation_of(pinfo);
  EnetHostPair **hosts = hosts_of_conversations.find(conversation);
  return {pinfo, direction_of(pinfo), &packet_data<EnetPacketState>(pinfo), conversation,
          hosts == nullptr ? nullptr : *hosts};
}

EnetDatagram read_enet(const EnetPacket &packet, Bytes bytes, const godot_codec::EnetExpectedFormat &configured) {
  const PacketPosition position{packet.pinfo->num, packet.state->datagram_count};
  PacketMemory memory(packet.pinfo);
  return godot_codec::read_enet_datagram(
      bytes,
      packet.hosts == nullptr ? configured
                              : EnetSession::expected_format(*packet.hosts, packet.sender, position, configured),
      memory);
}

EnetDatagramFindings process_enet_datagram(EnetPacket &packet, Bytes whole, const EnetDatagram &datagram) {
  packet_info *pinfo = packet.pinfo;
  const PacketPosition position{pinfo->num, packet.state->datagram_count++};
  EnetHostPair *hosts = find_or_add_hosts(packet);
  if (hosts == nullptr) return {};
  if (!is_outside_icmp_error(pinfo) && !PINFO_FD_VISITED(pinfo)) {
    EnetSession::record_icmp_error(*hosts, packet.sender, position, icmp_error_reason(pinfo, whole));
  }
  if (may_update_state(pinfo)) {
    const unsigned destination =
        datagram.find(godot_codec::EnetCommandType::connect) != nullptr ? server_index_of(pinfo, true) : 0;
    session->update(*hosts,
                    {position, capture_time_of(pinfo), packet.sender, pinfo->destport, server_port_of(pinfo),
                     destination, pinfo->fd->pkt_len, pinfo->srcport},
                    whole, datagram);
  }
  const EnetDatagramFindings findings = session->find(*hosts, position);
  if (packet.state->connection == nullptr) packet.state->connection = findings.connection;
  return findings;
}

const EnetConnection *enet_connection(packet_info *pinfo) {
  const auto *state = find_packet_data<EnetPacketState>(pinfo);
  return state == nullptr ? nullptr : state->connection;
}

std::uint32_t enet_connection_count() {
  return session.find() == nullptr ? 0 : static_cast<std::uint32_t>(session->connections().size());
}

}  // namespace godot_plugin
