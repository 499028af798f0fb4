// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/peer_tracker.h"

#include <limits>

#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

// ---- identity of the client

MpPeerTracker::MpPeerTracker(std::pmr::memory_resource *memory, const ConnectionSlot &slot, MpServerState &server,
                             bool is_from_start, bool has_roles)
    : connections_(slot.all),
      connection_index_(slot.index),
      server_state_(&server),
      is_from_start_(is_from_start),
      announced_peers_(memory) {
  if (has_roles) record_server(0, server);
}

void MpPeerTracker::record_server(unsigned end, MpServerState &server) {
  server_side_ = static_cast<std::uint8_t>(end);
  server_state_ = &server;
  is_active_ = false;  // The next message counts the client at the new server.
  ++server.peers.unidentified_clients;
}

MpRole MpPeerTracker::role_of(unsigned end) const {
  if (!has_roles()) return MpRole::unknown;
  return end == server_side_ ? MpRole::server : MpRole::client;
}

MpConnection *MpPeerTracker::own_connection() const { return &(*connections_)[connection_index_]; }

void MpPeerTracker::record_client_id(std::int32_t id, PacketPosition position) {
  if (client_id_ != 0 || id <= mp_server) return;
  client_id_ = id;
  client_id_known_since_ = position;
  server_state_->peers.clients.insert_or_assign(id, own_connection());
  for (const std::int32_t peer : announced_peers_) {
    SharedState::Introduction &introduction = server_state_->peers.introductions[peer];
    --introduction.count;
    introduction.index_sum -= connection_index_;
  }
  if (--server_state_->peers.unidentified_clients == 0) server_state_->peers.relays.clear();
}

const MpConnection *MpPeerTracker::find_other_client(std::int32_t id) const {
  const auto known = server_state_->peers.clients.find(id);
  return known == server_state_->peers.clients.end() || known->second == own_connection() ? nullptr : known->second;
}

std::int32_t MpPeerTracker::peer_of(std::int32_t id, PacketPosition position) const {
  // A negative target means all peers except the peer -id. If id is one of the two values of mp_side(), -id is not a
  // valid id, or is the highest id. So such a target is treated as all peers.
  if (is_mp_side(id)) return mp_everyone;
  if (id == mp_server) return server();
  return is_client_id_known(position) && client_id_ == id ? client() : id;
}

std::optional<std::int32_t> MpPeerTracker::id_of(std::int32_t peer, PacketPosition position) const {
  if (!is_mp_side(peer)) return peer;
  if (peer == server()) return mp_server;
  if (!is_client_id_known(position)) return std::nullopt;
  return client_id_;
}

std::int64_t MpPeerTracker::unique_number_of(std::int32_t peer, PacketPosition position) const {
  const std::optional<std::int32_t> id = id_of(peer, position);
  if (id) return *id;
  return std::numeric_limits<std::int64_t>::min() + 2 * static_cast<std::int64_t>(connection_index_) +
         side_of_peer(peer);
}

// ---- updates from packets

void MpPeerTracker::count_client(PacketPosition position) {
  if (is_active_) return;
  is_active_ = true;
  if (++server_state_->peers.active_clients == 2) server_state_->peers.several_clients_since = position;
}

void MpPeerTracker::record_prefix(const MpPacket &packet, const MpPrefix &prefix) {
  count_client(packet.position);
  if (!packet.has_roles()) return;
  if (prefix.has_command) {
    // A Godot 3 server accepts only the client's own id as the source of a message from a client. It sends a message
    // for one peer only to this peer. So the prefix contains the id of the client.
    record_client_id(prefix.fields.peer(packet.is_from_client() ? MpField::source : MpField::target), packet.position);
  } else if (packet.is_from_server() && prefix.is_known && prefix.command == MpCommand::peer_id) {
    if (!is_from_start_) from_start_since_ = packet.position;
    is_from_start_ = true;
    record_client_id(prefix.fields.peer(MpField::peer), packet.position);
  } else if (packet.is_from_server() && prefix.is_known) {
    record_peer_change(prefix, packet.position);
  }
}

void MpPeerTracker::record_command(const MpPacket &packet, const MpMessage &message) {
  count_client(packet.position);
  record_authentication(packet, message);
  const Bytes inner = packet.bytes.slice(message.relayed);
  const bool is_whole = message.command == MpCommand::relay && inner.captured == inner.reported;
  const std::string_view relayed =
      is_whole ? std::string_view(reinterpret_cast<const char *>(inner.data), inner.captured) : std::string_view{};
  if (packet.is_from_server()) return record_server_message(message, relayed, packet.position);
  const bool is_clue = is_whole && server_state_->peers.unidentified_clients > 0;
  if (is_clue) server_state_->peers.relays.add(relayed, own_connection(), message.fields.peer(MpField::peer));
}

void MpPeerTracker::record_authentication(const MpPacket &packet, const MpMessage &message) {
  MpAuthentication &side = authentications_[packet.sender_side];
  const auto update = [&](PacketPosition &position) {
    if (position.packet == 0) position = packet.position;
  };
  if (message.command != MpCommand::auth) return update(side.first_other_command);
  update(side.first_command);
  if (message.fields.text(MpField::data).empty()) update(side.completed_at);
}

// @param relayed the relayed command, if the capture contains the whole command; else empty
void MpPeerTracker::record_server_message(const MpMessage &message, std::string_view relayed, PacketPosition position) {
  const std::int32_t peer = message.fields.peer(MpField::peer);
  if (!relayed.empty()) record_server_relay(peer, relayed, position);
  record_peer_change(message, position);
  if (message.command == MpCommand::add_peer) {
    record_announced_peer(peer);
  } else {
    // The server first announces the connected peers to a new client. Any other command ends this list.
    record_end_of_peer_list(position);
  }
}

// If a client had sent the same command to the server, the relay may reveal the ids of sender and receiver.
void MpPeerTracker::record_server_relay(std::int32_t source, std::string_view command, PacketPosition position) {
  const MpRelayCache::Relay *relay = server_state_->peers.relays.find(command);
  if (relay == nullptr || relay->is_ambiguous || relay->connection == own_connection()) return;
  MpConnection *sender = relay->connection;
  const std::int32_t target = relay->target;
  // Another client, with a connection that is not in the capture, may have sent the same command. So check that the
  // source is not known as another peer.
  const auto known = server_state_->peers.clients.find(source);
  const bool is_another = (known != server_state_->peers.clients.end() && known->second != sender) ||
                          sender->peers().announced_peers_.contains(source);
  const std::int32_t sender_id = sender->peers().client_id();
  if (is_another || (sender_id != 0 && sender_id != source)) return;
  // When both ids are known, the relay may be freed. So `relay` must not be used below.
  sender->record_client_id(source, position);
  record_client_id(target, position);
}

// ---- connected peers

void MpPeerTracker::record_peer_change(const MpMessage &message, PacketPosition position) {
  const bool is_added = message.command == MpCommand::add_peer;
  if (is_added || message.command == MpCommand::remove_peer)
    server_state_->peers.peer_changes.record(message.fields.peer(MpField::peer), position, is_added);
}

bool MpPeerTracker::has_several_clients(PacketPosition position) const {
  const PacketPosition since = server_state_->peers.several_clients_since;
  return since.packet != 0 && since <= position;
}

std::optional<PacketPosition> MpPeerTracker::find_disconnect(std::int32_t peer, PacketPosition position) const {
  const auto *last = server_state_->peers.peer_changes.find_last(peer, position);
  return last == nullptr || last->value ? std::nullopt : std::optional(last->key.position);
}

void MpPeerTracker::record_announced_peer(std::int32_t id) {
  // If the client is known, peers that are announced after the first list do not help to identify it.
  const bool is_decided = client_id_ != 0 && (has_complete_peer_list_ || !is_from_start_);
  if (id <= mp_server || is_decided) return;
  const bool is_new = announced_peers_.insert(id).second;
  if (!is_new || client_id_ != 0) return;
  SharedState::Introduction &introduction = server_state_->peers.introductions[id];
  ++introduction.count;
  introduction.index_sum += connection_index_;
}

// A server announces all connected clients to a new client (the list), and the new client to all connected clients. If
// exactly one connected client has an unknown id, its id is the only id in the list that belongs to no known client.
void MpPeerTracker::record_end_of_peer_list(PacketPosition position) {
  // If the beginning of the list may be missing, a peer that is not in the list may still be connected.
  if (has_complete_peer_list_ || !is_from_start_ || client_id_ == 0) return;
  has_complete_peer_list_ = true;
  const auto introduction = server_state_->peers.introductions.find(client_id_);
  if (introduction == server_state_->peers.introductions.end() || introduction->second.count != 1) return;
  (*connections_)[introduction->second.index_sum].record_client_id(find_only_unidentified_peer(), position);
}

// Returns the only peer of the list that is not a known client; 0 if the list has several such peers, or no such peer.
std::int32_t MpPeerTracker::find_only_unidentified_peer() const {
  std::int32_t unidentified = 0;
  for (const std::int32_t id : announced_peers_) {
    if (server_state_->peers.clients.contains(id)) continue;
    if (unidentified != 0) return 0;
    unidentified = id;
  }
  return unidentified;
}

}  // namespace godot_codec
