// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/state.h"

#include <algorithm>

#include "godot-codec/enet/reader.h"
#include "plugin/epan/capture_time.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/icmp.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/of_capture.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/pool.h"
#include "plugin/epan/servers.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::EnetDatagram;
using godot_codec::EnetExpectation;
using godot_codec::EnetFindings;
using godot_codec::EnetHosts;
using godot_codec::EnetSession;
using godot_codec::PacketPosition;
using godot_codec::Side;

OfCapture<EnetSession> session;

void end_session() { session.forget(); }

// Counts of one pass over a packet.
struct PacketState {
  std::uint32_t datagrams;
  std::uint32_t messages;
  const EnetConnection *connection;
};

PacketState &state_of(int proto, packet_info *pinfo) {
  return of_packet<PacketState>(pinfo, proto, PacketDataKey::enet);
}

bool has_connect(const EnetDatagram &datagram) {
  return std::ranges::any_of(datagram.commands, [](const godot_codec::EnetCommand &command) {
    return command.is(godot_codec::EnetCommandType::connect);
  });
}

Side side_of(const packet_info *pinfo) { return direction_of(pinfo) == 0 ? Side::first : Side::second; }

// The hosts of a packet. @returns null if nothing is known of them
EnetHosts *find_hosts(int proto, packet_info *pinfo) {
  const conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
  return conversation == nullptr ? nullptr : static_cast<EnetHosts *>(conversation_get_proto_data(conversation, proto));
}

// Finds the hosts of a packet, and remembers them if they are new.
EnetHosts *take_hosts(int proto, packet_info *pinfo) {
  EnetHosts *hosts = find_hosts(proto, pinfo);
  if (hosts == nullptr && may_learn(pinfo)) {
    hosts = &session->add_hosts();
    conversation_add_proto_data(find_or_create_conversation(pinfo), proto, hosts);
  }
  return hosts;
}

}  // namespace

const EnetSession &enet_session() { return *session; }

EnetDatagram read_enet(int proto, packet_info *pinfo, Bytes bytes, const EnetExpectation &told) {
  const PacketPosition moment{pinfo->num, state_of(proto, pinfo).datagrams};
  const EnetHosts *hosts = find_hosts(proto, pinfo);
  PacketMemory memory(pinfo);
  return godot_codec::read_enet_datagram(
      bytes, hosts == nullptr ? told : EnetSession::expectation(*hosts, side_of(pinfo), moment, told), memory);
}

bool is_foreign_to_enet(int proto, packet_info *pinfo, Bytes whole, const EnetDatagram &datagram) {
  const EnetHosts *hosts = find_hosts(proto, pinfo);
  return hosts != nullptr && EnetSession::is_foreign(*hosts, side_of(pinfo), whole, datagram);
}

namespace {

godot_codec::EnetRefusal refusal_of(IcmpReason reason) {
  if (reason == IcmpReason::no_route) return godot_codec::EnetRefusal::no_route;
  return reason == IcmpReason::prohibited ? godot_codec::EnetRefusal::prohibited
                                          : godot_codec::EnetRefusal::unreachable;
}

}  // namespace

EnetFindings take_enet(int proto, packet_info *pinfo, Bytes whole, const EnetDatagram &datagram) {
  PacketState *state = &state_of(proto, pinfo);
  const PacketPosition moment{pinfo->num, state->datagrams++};
  EnetHosts *hosts = take_hosts(proto, pinfo);
  if (hosts == nullptr) return {};
  if (!is_in_conversation(pinfo) && !PINFO_FD_VISITED(pinfo)) {
    EnetSession::learn_refusal(*hosts, side_of(pinfo), moment, refusal_of(icmp_reason(pinfo, whole)));
  }
  if (may_learn(pinfo)) {
    const unsigned destination = has_connect(datagram) ? number_of_server(pinfo, true) : 0;
    session->learn(*hosts,
                   {moment, time_of(pinfo), side_of(pinfo), pinfo->destport, server_port_of(pinfo), destination,
                    pinfo->fd->pkt_len},
                   whole, datagram);
  }
  const EnetFindings findings = session->find(*hosts, moment);
  if (state->connection == nullptr) state->connection = findings.connection;
  return findings;
}

std::uint32_t next_enet_message(int proto, packet_info *pinfo) { return state_of(proto, pinfo).messages++; }

const EnetConnection *enet_connection(int proto, packet_info *pinfo) {
  const auto *state = find_of_packet<PacketState>(pinfo, proto, PacketDataKey::enet);
  return state == nullptr ? nullptr : state->connection;
}

std::uint32_t enet_connection_count() {
  return session.find() == nullptr ? 0 : static_cast<std::uint32_t>(session->connections().size());
}

void register_enet_state() { register_cleanup_routine(guarded<end_session>); }

}  // namespace godot_plugin
