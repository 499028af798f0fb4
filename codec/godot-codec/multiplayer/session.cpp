// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/session.h"

#include "godot-codec/multiplayer/resolved_message.h"

namespace godot_codec {
namespace {

std::size_t wire_size_of(const MpPacket &packet) {
  return packet.wire_size > 0 ? packet.wire_size : packet.bytes.reported;
}

}  // namespace

// ---- connections

MpConnection::MpConnection(MpSession &session, MpServerState &server, std::size_t index, bool is_from_start,
                           bool has_roles, const MpTransmissionTrackers *transmissions)
    : session_(session),
      deliveries_(&session.memory_, transmissions),
      peers_(&session.memory_, {&session.connections_, index}, server, is_from_start, has_roles),
      paths_(&session.memory_, session.texts_, peers_),
      nodes_(&session.memory_, session.budget_, session.texts_, peers_, paths_),
      authority_(&session.memory_, session.texts_, peers_, paths_, nodes_),
      syncs_(&session.memory_, peers_),
      problems_(&session.memory_, session.texts_, peers_, paths_, nodes_) {}

void MpConnection::update_role(const Message &message) {
  const bool is_known = peers_.has_roles();
  const MpRole role = is_known ? MpRole::unknown : role_of_sender(message.bytes);
  if (!is_known && role == MpRole::unknown) return;
  MpServerState &server = session_.current_webrtc_server(message.time);
  if (is_known) return;
  peers_.record_server(role == MpRole::server ? message.sender_side : 1 - message.sender_side, server);
}

void MpConnection::record_sequence(const Message &message) {
  if (message.sequence.count == 0 || deliveries_.add_in_order(message)) return;
  const MemoryBudget::ChargeScope charge(session_.budget_, budget_share_, message.position, message.wire_size);
  if (session_.budget_.has_capacity()) deliveries_.add(message, peers_.is_from_start());
}

void MpConnection::record_prefix(const MpPacket &packet, const MpPrefix &prefix) {
  const MemoryBudget::ChargeScope charge(session_.budget_, budget_share_, packet.position, wire_size_of(packet));
  if (!session_.budget_.has_capacity()) return;
  if (prefix.outcome == Outcome::ok) peers_.record_prefix(packet, prefix);
}

// Records that the capture contains only a part of a message. The receiver may store content that the capture lacks.
void MpConnection::record_truncated_message(const MpPacket &packet, const MpMessage &message) {
  if (!message.is_known || !mp_command_info(message.command).has(mp_state)) return;
  const MemoryBudget::ChargeScope charge(session_.budget_, budget_share_, packet.position, wire_size_of(packet));
  if (session_.budget_.has_capacity()) deliveries_.add_truncated(packet.sender_side, packet.position, packet.time);
}

void MpConnection::record_capture_gap(unsigned end, PacketPosition position, std::int64_t time) {
  if (deliveries_.has_capture_gap(position)) return;
  const MemoryBudget::ChargeScope charge(session_.budget_, budget_share_, position, 0);
  if (session_.budget_.has_capacity()) deliveries_.add_truncated(end, position, time);
}

void MpConnection::record_message(const MpPacket &packet, const MpMessage &message, const MpRoute &route,
                                  bool is_relayed) {
  if (message.outcome == Outcome::truncated) return record_truncated_message(packet, message);
  if (message.outcome != Outcome::ok) return;
  // If the roles are not known, the peer of a relay may be the source or the target of the relay.
  if (is_relayed && !packet.has_roles()) return;
  const MemoryBudget::ChargeScope charge(session_.budget_, budget_share_, packet.position, wire_size_of(packet));
  if (!session_.budget_.has_capacity()) return;
  if (!is_relayed && packet.has_roles()) {
    if (packet.is_from_server()) syncs_.find_silent_synchronizers(packet);
    peers_.record_command(packet, message);
  }
  if (!is_relayed) problems_.record_message(packet, message);
  paths_.find_overdue_confirmations(packet);
  record_command({packet, message, id_scope_of(packet, route, message.command), message});
}

void MpConnection::record_command(const MpPacketItem &message) {
  switch (message.command.command) {
    case MpCommand::rpc:
      return record_call(message);
    case MpCommand::simplify_path:
      return record_path(message);
    case MpCommand::confirm_path:
      return paths_.record_confirmation(message);
    case MpCommand::spawn:
      return record_spawn(message);
    case MpCommand::despawn:
      return record_despawn(message);
    case MpCommand::sync:
    case MpCommand::delta:
      return record_objects(message);
    default:
      break;  // no update, or an update only by MpPeerTracker
  }
}

void MpConnection::record_call(const MpPacketItem &call) {
  const MpPacket &packet = call.packet;
  if (packet.names != nullptr) {
    const MpMethod method = resolve_mp_method({packet, call.command, call.ids, call.command});
    const bool is_only_for_authority =
        call.command.is_godot4() ? packet.names->has_mode(method, project::RpcMode::authority)
                                 : packet.names->find_remote_member(call.fields.text(MpField::method), false).callers ==
                                       project::RemoteCallers::master;
    if (is_only_for_authority && !method.path.empty()) authority_.record_call(packet, method.path, call.ids.sender);
  }
  paths_.record_call(call);
  problems_.record_call(call);
}

void MpConnection::record_path(const MpPacketItem &message) {
  MpAnnouncedPath &name = paths_.record_path(message);
  if (message.command.is_godot4() && message.ids.has_one_receiver()) {
    name.despawned_at = nodes_.find_last_despawn(name.text, message.ids, name.time, name.confirmation_timeout);
  }
}

void MpConnection::record_despawn(const MpPacketItem &message) {
  const MpSpawnedNode *spawn = nodes_.record_despawn(message);
  if (spawn == nullptr) return;
  paths_.record_despawn(message.packet, spawn->name, message.ids);
  problems_.record_despawn(message.packet, *spawn);
}

void MpConnection::record_spawn(const MpPacketItem &message) {
  paths_.record_spawn(message);
  MpSpawnedNode &spawn = nodes_.record_spawn(message);
  if (message.packet.names != nullptr) authority_.record_spawn(message.packet, nodes_.spawner_path_of(spawn));
  syncs_.record_spawn(message, spawn);
  problems_.record_spawn(message.packet, spawn);
}

// Each object of a sync or a delta contains values of one synchronizer.
void MpConnection::record_objects(const MpPacketItem &message) {
  const MpPacket &packet = message.packet;
  std::size_t offset = message.command.objects.offset;
  while (offset < message.command.objects.end() && session_.budget_.has_capacity()) {
    const MpItem item = read_mp_object(packet.bytes, offset, message.command.command);
    if (item.outcome != Outcome::ok) return;
    const MpPacketItem object(packet, message.command, message.ids, item);
    if (item.fields.has(MpField::path_id)) paths_.record_path_id_use(object);
    if (packet.names != nullptr) authority_.record_values(object);
    syncs_.record_values(object);
    problems_.record_values(object);
    offset = item.offset;
  }
}

// ---- sessions

MpSession::MpSession(std::pmr::memory_resource *upstream)
    : arena_(upstream),
      memory_(budget_, &arena_),
      relay_memory_(budget_, upstream),
      texts_(&memory_),
      servers_(&memory_),
      webrtc_servers_(&memory_),
      connections_(&memory_) {}

MpConnection &MpSession::add_connection(std::uint64_t server, bool is_from_start,
                                        const MpTransmissionTrackers *transmissions, bool has_roles) {
  MpServerState &state = servers_.try_emplace(server, &memory_, &relay_memory_).first->second;
  return connections_.emplace_back(*this, state, connections_.size(), is_from_start, has_roles, transmissions);
}

MpServerState &MpSession::current_webrtc_server(std::int64_t time) {
  // During a WebRTC game, its peers send at least one message in each period of this length.
  constexpr std::int64_t longest_pause = 60 * nanoseconds_per_second;
  const bool is_over = elapsed(webrtc_time_, time) > longest_pause;
  if (webrtc_servers_.empty() || is_over) webrtc_servers_.emplace_back(&memory_, &relay_memory_);
  webrtc_time_ = time;
  return webrtc_servers_.back();
}

void record_mp_packet(MpConnection &connection, const MpPacket &packet, const MpParsedPacket &reading) {
  if (reading.has_prefix) connection.record_prefix(packet, reading.prefix);
  std::uint32_t relays = 0;
  for_each_command(packet, reading, [&](const MpMessage &message, const MpRoute &route) {
    // Engines reject commands that are nested deeper.
    if (relays < mp_max_relays) connection.record_message(packet, message, route, relays > 0);
    ++relays;
  });
}

}  // namespace godot_codec
