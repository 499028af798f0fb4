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

MpConnection::MpConnection(const Parts &parts)
    : session_(parts.session),
      budget_(parts.budget),
      deliveries_(parts.memory, parts.transmissions),
      peers_(parts.memory, parts.place, *parts.server, parts.is_from_start, parts.has_roles),
      paths_(parts.memory, *parts.texts, deliveries_, peers_),
      nodes_(parts.memory, *parts.budget, *parts.texts, deliveries_, peers_, paths_),
      authority_(parts.memory, *parts.texts, peers_, paths_, nodes_),
      syncs_(parts.memory, peers_),
      causes_(parts.memory, *parts.texts, deliveries_, peers_, paths_, nodes_) {}

void MpConnection::learn_role(const Message &message) {
  const bool is_known = peers_.has_roles();
  const MpRole role = is_known ? MpRole::unknown : role_of_sender(message.bytes);
  if (!is_known && role == MpRole::unknown) return;
  MpServer &server = session_->webrtc_server(message.time);
  if (is_known) return;
  peers_.learn_server(role == MpRole::server ? message.end : 1 - message.end, server);
}

void MpConnection::learn_sequence(const Message &message) {
  if (message.sequence.count == 0 || deliveries_.add_in_order(message)) return;
  const Budget::ChargeScope charge(*budget_, account_, message.moment, message.wire_size);
  if (budget_->has_room()) deliveries_.add(message, peers_.is_from_start());
}

void MpConnection::learn_prefix(const MpPacket &packet, const MpPrefix &prefix) {
  const Budget::ChargeScope charge(*budget_, account_, packet.moment, wire_size_of(packet));
  if (!budget_->has_room()) return;
  if (prefix.outcome == Outcome::ok) peers_.learn_prefix(packet, prefix);
}

// Records that the capture contains only a part of a message. The receiver may store content that is not in the
// capture.
void MpConnection::learn_truncated(const MpPacket &packet, const MpMessage &message) {
  if (!message.is_known || !mp_command_info(message.command).has(mp_state)) return;
  const Budget::ChargeScope charge(*budget_, account_, packet.moment, wire_size_of(packet));
  if (budget_->has_room()) deliveries_.add_truncated(packet.end, packet.moment, packet.time);
}

void MpConnection::learn_capture_gap(unsigned end, PacketPosition moment, std::int64_t time) {
  if (deliveries_.has_capture_gap(moment)) return;
  const Budget::ChargeScope charge(*budget_, account_, moment, 0);
  if (budget_->has_room()) deliveries_.add_truncated(end, moment, time);
}

void MpConnection::learn_message(const MpPacket &packet, const MpMessage &message, const MpRoute &route,
                                 bool is_relayed) {
  if (message.outcome == Outcome::truncated) return learn_truncated(packet, message);
  if (message.outcome != Outcome::ok) return;
  // If the roles are not known, the peer of a relay may be its source or its target.
  if (is_relayed && !packet.has_roles()) return;
  const Budget::ChargeScope charge(*budget_, account_, packet.moment, wire_size_of(packet));
  if (!budget_->has_room()) return;
  if (!is_relayed && packet.has_roles()) {
    if (packet.is_from_server()) syncs_.learn_of_server(packet);
    peers_.learn_command(packet, message);
  }
  if (!is_relayed) causes_.learn_message(packet, message);
  paths_.learn_overdue(packet);
  learn_command(packet, message, numbering_of(packet, route, message.command));
}

void MpConnection::learn_command(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  switch (message.command) {
    case MpCommand::rpc:
      return learn_call(packet, message, numbering);
    case MpCommand::simplify_path:
      return learn_path(packet, message, numbering);
    case MpCommand::confirm_path:
      return paths_.learn_confirmation(packet, message, numbering);
    case MpCommand::spawn:
      return learn_spawn(packet, message, numbering);
    case MpCommand::despawn:
      return learn_despawn(packet, message, numbering);
    case MpCommand::sync:
    case MpCommand::delta:
      return learn_objects(packet, message, numbering);
    default:
      break;  // no update, or only by MpPeers
  }
}

void MpConnection::learn_call(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  if (packet.names != nullptr) {
    const MpMethod method = resolve_mp_method({packet, message, numbering, message.fields, message.variants});
    authority_.learn_call(packet, method, numbering.owner);
    const bool has_name = message.generation == Generation::godot3 && message.outcome == Outcome::ok;
    const MpRemoteMember member =
        has_name ? packet.names->remote_member(message.fields.text(MpField::method), false) : MpRemoteMember{};
    if (member.is_known && member.callers == project::RemoteCallers::master && !method.path.empty()) {
      authority_.learn_caller(packet, method.path, numbering.owner);
    }
  }
  paths_.learn_call(packet, message, numbering);
  causes_.learn_call(packet, message, numbering);
}

void MpConnection::learn_path(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  MpName &name = paths_.learn_path(packet, message, numbering);
  if (message.generation == Generation::godot4 && numbering.is_for_one()) {
    name.despawned = nodes_.last_despawn(name.text, numbering, name.time, name.patience);
  }
}

void MpConnection::learn_despawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const MpSpawn *spawn = nodes_.learn_despawn(packet, message, numbering);
  if (spawn == nullptr) return;
  paths_.learn_despawn(packet, spawn->name, numbering);
  causes_.learn_despawn(packet, *spawn);
}

void MpConnection::learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  paths_.learn_spawn(packet, message, numbering);
  MpSpawn &spawn = nodes_.learn_spawn(packet, message, numbering);
  if (packet.names != nullptr) authority_.learn_spawn(packet, nodes_.spawner_of(spawn));
  syncs_.learn_spawn(packet, message, numbering, spawn);
  causes_.learn_spawn(packet, spawn);
}

// Each object of a sync or a delta contains values of one synchronizer.
void MpConnection::learn_objects(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end() && budget_->has_room()) {
    const MpObject object = read_mp_object(packet.bytes, offset, message.command);
    if (object.outcome != Outcome::ok) return;
    if (object.fields.has(MpField::path_id)) {
      paths_.learn_use(packet, numbering, object.fields.number(MpField::path_id));
    }
    if (packet.names != nullptr) authority_.learn_values(packet, object.fields, numbering);
    syncs_.learn_values(packet, message, object.fields, numbering);
    causes_.learn_values(packet, message, object, numbering);
    offset = object.offset;
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

MpConnection &MpSession::add_connection(std::uint64_t server, bool is_from_start, const MpTransmissions *transmissions,
                                        bool has_roles) {
  return connections_.emplace_back(
      MpConnection::Parts{&budget_,
                          &memory_,
                          &texts_,
                          &servers_.try_emplace(server, &memory_, &relay_memory_).first->second,
                          this,
                          {&connections_, connections_.size()},
                          is_from_start,
                          has_roles,
                          transmissions});
}

MpServer &MpSession::webrtc_server(std::int64_t time) {
  // Peers of one game send something at least once in this time.
  constexpr std::int64_t longest_pause = 60 * nanoseconds_per_second;
  const bool is_over = elapsed(webrtc_time_, time) > longest_pause;
  if (webrtc_servers_.empty() || is_over) webrtc_servers_.emplace_back(&memory_, &relay_memory_);
  webrtc_time_ = time;
  return webrtc_servers_.back();
}

const MpServer *MpSession::find_server(std::uint64_t server) const {
  const auto found = servers_.find(server);
  return found == servers_.end() ? nullptr : &found->second;
}

}  // namespace godot_codec
