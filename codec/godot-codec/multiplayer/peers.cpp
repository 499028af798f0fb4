// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/peers.h"

#include <limits>

#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

// ---- identity of the client

MpPeers::MpPeers(std::pmr::memory_resource *memory, const Place &place, MpServer &server, bool is_from_start,
                 bool has_roles)
    : all_(place.all), index_(place.index), shared_(&server), is_from_start_(is_from_start), told_of_(memory) {
  if (has_roles) learn_server(0, server);
}

void MpPeers::learn_server(unsigned end, MpServer &server) {
  server_end_ = static_cast<std::uint8_t>(end);
  shared_ = &server;
  is_active_ = false;  // false, so that the next message counts the client at the new server
  ++server.peers.strangers_;
}

MpRole MpPeers::role_of(unsigned end) const {
  if (!has_roles()) return MpRole::unknown;
  return end == server_end_ ? MpRole::server : MpRole::client;
}

void MpPeers::learn_client(std::int32_t id, PacketPosition moment) {
  if (client_id_ != 0 || id <= mp_server) return;
  client_id_ = id;
  client_known_since_ = moment;
  shared_->peers.clients_.insert_or_assign(id, &(*all_)[index_]);
  for (const std::int32_t peer : told_of_) {
    Shared::Introduction &introduction = shared_->peers.introductions_[peer];
    --introduction.count;
    introduction.sum_of_indices -= index_;
  }
  if (--shared_->peers.strangers_ == 0) shared_->peers.relays_.clear();
}

const MpConnection *MpPeers::fellow(std::int32_t id) const {
  const auto known = shared_->peers.clients_.find(id);
  return known == shared_->peers.clients_.end() || known->second == &(*all_)[index_] ? nullptr : known->second;
}

std::int32_t MpPeers::peer_of(std::int32_t id, PacketPosition moment) const {
  // A negative target means all peers except the peer -id. For the two numbers of mp_end(), -id is no valid id or the
  // highest id, so treat them as all peers.
  if (is_mp_end(id)) return mp_everyone;
  if (id == mp_server) return server();
  return is_client_known(moment) && client_id_ == id ? client() : id;
}

std::optional<std::int32_t> MpPeers::id_of(std::int32_t peer, PacketPosition moment) const {
  if (!is_mp_end(peer)) return peer;
  if (peer == server()) return mp_server;
  if (!is_client_known(moment)) return std::nullopt;
  return client_id_;
}

std::int64_t MpPeers::number_of(std::int32_t peer, PacketPosition moment) const {
  const std::optional<std::int32_t> id = id_of(peer, moment);
  if (id) return *id;
  return std::numeric_limits<std::int64_t>::min() + 2 * static_cast<std::int64_t>(index_) + end_of_peer(peer);
}

// ---- updates from packets

void MpPeers::count_client(PacketPosition position) {
  if (is_active_) return;
  is_active_ = true;
  if (++shared_->peers.active_ == 2) shared_->peers.several_since_ = position;
}

void MpPeers::learn_prefix(const MpPacket &packet, const MpPrefix &prefix) {
  count_client(packet.moment);
  if (!packet.has_roles()) return;
  if (prefix.has_message) {
    // Godot 3's server rejects another source from a client, and it sends messages for one peer only to that peer. So
    // the prefix contains the id of the client.
    learn_client(prefix.fields.peer(packet.is_from_client() ? MpField::source : MpField::target), packet.moment);
  } else if (packet.is_from_server() && prefix.is_known && prefix.command == MpCommand::peer_id) {
    if (!is_from_start_) from_start_since_ = packet.moment;
    is_from_start_ = true;
    learn_client(prefix.fields.peer(MpField::peer), packet.moment);
  } else if (packet.is_from_server() && prefix.is_known) {
    if (prefix.command == MpCommand::add_peer || prefix.command == MpCommand::remove_peer) {
      learn_coming(prefix.fields.peer(MpField::peer), prefix.command == MpCommand::add_peer, packet.moment);
    }
  }
}

void MpPeers::learn_command(const MpPacket &packet, const MpMessage &message) {
  count_client(packet.moment);
  learn_authentication(packet, message);
  const Bytes inner = packet.bytes.slice(message.inner);
  const bool is_whole = message.command == MpCommand::relay && inner.captured == inner.reported;
  const std::string_view relayed =
      is_whole ? std::string_view(reinterpret_cast<const char *>(inner.data), inner.captured) : std::string_view{};
  if (packet.is_from_server()) return learn_from_server(message, relayed, packet.moment);
  const bool is_clue = is_whole && shared_->peers.strangers_ > 0;
  if (is_clue) shared_->peers.relays_.add(relayed, &(*all_)[index_], message.fields.peer(MpField::peer));
}

void MpPeers::learn_authentication(const MpPacket &packet, const MpMessage &message) {
  MpAuthentication &side = authentications_[packet.end];
  const auto learn = [&](PacketPosition &moment) {
    if (moment.packet == 0) moment = packet.moment;
  };
  if (message.command != MpCommand::auth) return learn(side.others);
  learn(side.asked);
  if (message.fields.text(MpField::data).empty()) learn(side.completed);
}

// @param relayed the relayed command, if all of it is in the capture; else empty
void MpPeers::learn_from_server(const MpMessage &message, std::string_view relayed, PacketPosition moment) {
  const std::int32_t peer = message.fields.peer(MpField::peer);
  if (!relayed.empty()) learn_relay_from_server(peer, relayed, moment);
  const bool is_removed = message.command == MpCommand::remove_peer;
  if (message.command == MpCommand::add_peer || is_removed) learn_coming(peer, !is_removed, moment);
  if (message.command == MpCommand::add_peer) {
    learn_peer(peer);
  } else {
    // The server first announces the connected peers to a new client. Any other command ends that list.
    learn_all_peers(moment);
  }
}

// A relayed command that a client sent to the server before may reveal the ids of sender and receiver.
void MpPeers::learn_relay_from_server(std::int32_t source, std::string_view command, PacketPosition moment) {
  const MpRelays::Relay *relay = shared_->peers.relays_.find(command);
  if (relay == nullptr || relay->is_ambiguous || relay->connection == &(*all_)[index_]) return;
  MpConnection *sender = relay->connection;
  const std::int32_t target = relay->target;
  // A client on a connection outside the capture may have sent the same bytes.
  const auto known = shared_->peers.clients_.find(source);
  const bool is_another =
      (known != shared_->peers.clients_.end() && known->second != sender) || sender->peers().told_of_.contains(source);
  const std::int32_t sender_id = sender->peers().client_id();
  if (is_another || (sender_id != 0 && sender_id != source)) return;
  // Once both ids are known, the relay may be freed: do not use it below.
  sender->learn_client(source, moment);
  learn_client(target, moment);
}

// ---- connected peers

void MpPeers::learn_coming(std::int32_t id, bool is_here, PacketPosition moment) {
  auto &comings = shared_->peers.comings_;
  const auto *last = comings.last_until({id, moment});
  const bool is_known = last != nullptr && last->key.peer == id && last->value == is_here;
  if (!is_known) comings[{id, moment}] = is_here;
}

bool MpPeers::has_several_clients(PacketPosition position) const {
  const PacketPosition since = shared_->peers.several_since_;
  return since.packet != 0 && since <= position;
}

MpWhereabouts MpPeers::whereabouts(std::int32_t peer, PacketPosition moment) const {
  using State = MpWhereabouts::State;
  const auto *last = shared_->peers.comings_.last_until({peer, moment});
  if (last == nullptr || last->key.peer != peer || last->value) return {};
  return {State::gone, last->key.moment};
}

void MpPeers::learn_peer(std::int32_t id) {
  // If the client is known, peers that are announced after the first list do not help to identify it.
  const bool is_settled = client_id_ != 0 && (has_all_peers_ || !is_from_start_);
  if (id <= mp_server || is_settled) return;
  const bool is_new = told_of_.insert(id).second;
  if (!is_new || client_id_ != 0) return;
  Shared::Introduction &introduction = shared_->peers.introductions_[id];
  ++introduction.count;
  introduction.sum_of_indices += index_;
}

// A server announces all connected clients to a new client (the list), and the new client to all of them. If exactly
// one of them has an unknown id, its id is the only id in the list that belongs to no known client.
void MpPeers::learn_all_peers(PacketPosition moment) {
  // If the beginning of the list may be missing, absence from the list proves nothing.
  if (has_all_peers_ || !is_from_start_ || client_id_ == 0) return;
  has_all_peers_ = true;
  const auto introduction = shared_->peers.introductions_.find(client_id_);
  if (introduction == shared_->peers.introductions_.end() || introduction->second.count != 1) return;
  (*all_)[introduction->second.sum_of_indices].learn_client(only_stranger(), moment);
}

// Returns the only peer of the list that is not a known client; 0 if there are several, or none.
std::int32_t MpPeers::only_stranger() const {
  std::int32_t stranger = 0;
  for (const std::int32_t id : told_of_) {
    if (shared_->peers.clients_.contains(id)) continue;
    if (stranger != 0) return 0;
    stranger = id;
  }
  return stranger;
}

}  // namespace godot_codec
