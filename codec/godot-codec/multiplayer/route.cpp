// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/route.h"

#include <algorithm>

#include "godot-codec/multiplayer/session.h"

namespace godot_codec {
namespace {

// Returns the peer that represents an id in routes.
std::int32_t peer_of(const MpPacket &packet, std::int32_t id) {
  return packet.connection == nullptr ? id : packet.connection->peers().peer_of(id, packet.position);
}

}  // namespace

MpRole MpPacket::role_of(std::int32_t peer) const {
  if (!is_mp_side(peer) || !has_roles()) return MpRole::unknown;
  return (peer == mp_side(sender_side)) == is_from_server() ? MpRole::server : MpRole::client;
}

std::optional<std::uint32_t> MpPacketItem::path_id() const {
  const MpFieldValue *id = fields.find(MpField::spawner);
  if (id == nullptr) id = fields.find(MpField::path_id);
  return id == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(id->integer));
}

MpSynchronizerKey MpPacketItem::synchronizer_key() const {
  const std::uint32_t id =
      fields.has(MpField::path_id) ? fields.number(MpField::path_id) | mp_flag_other : fields.number(MpField::net_id);
  return {ids.sender, ids.one_receiver(), id};
}

bool may_have_capture_gap(const MpPacket &packet, unsigned end, const MpPeriod &period) {
  if (packet.connection->deliveries().has_capture_gap(end, period.after, period.until)) return true;
  const bool is_acknowledged_by_sender = packet.sender_side != end;
  return packet.delivery->has_acknowledged_uncaptured(is_acknowledged_by_sender, period.since, period.until);
}

bool may_have_capture_gap_before(const MpPacket &packet, PacketPosition after, std::int64_t after_time) {
  constexpr std::int64_t longest_way_back = nanoseconds_per_second;  // maximum time until a message is acknowledged
  // An ordered message is delivered only after all earlier messages of its channel. has_acknowledged_uncaptured() below
  // finds those that were not captured.
  const bool is_in_order = packet.sequence.count > 0 && !packet.sequence.may_overtake;
  if (!is_in_order && packet.connection->deliveries().has_capture_gap(packet.sender_side, after, packet.time))
    return true;
  const std::int64_t until = is_in_order ? packet.time : std::min(packet.time, mp_max_time) + longest_way_back;
  return packet.delivery->has_acknowledged_uncaptured(false, after_time, until);
}

MpRoute direct_route(const MpPacket &packet) { return {mp_side(packet.sender_side), mp_side(1 - packet.sender_side)}; }

MpRoute prefixed_route(const MpPacket &packet, const MpPrefix &prefix) {
  return {peer_of(packet, prefix.fields.peer(MpField::source)), peer_of(packet, prefix.fields.peer(MpField::target))};
}

MpRoute relayed_route(const MpPacket &packet, const MpRoute &route, std::int32_t peer) {
  peer = peer_of(packet, peer);
  if (!packet.has_roles()) return {peer, peer};
  return packet.is_from_client() ? MpRoute{route.sender, peer} : MpRoute{peer, route.receiver};
}

MpIdScope id_scope_of(const MpPacket &packet, const MpRoute &route, MpCommand command) {
  const std::int32_t receiver = packet.is_from_server() ? direct_route(packet).receiver : route.receiver;
  return command == MpCommand::confirm_path ? MpIdScope{receiver, route.sender} : MpIdScope{route.sender, receiver};
}

MpRole role_of_sender(Bytes packet) {
  const MpMessage message = read_mp_message(packet, 0, Generation::godot4);
  if (message.outcome != Outcome::ok) return MpRole::unknown;
  if (message.command == MpCommand::add_peer || message.command == MpCommand::remove_peer) return MpRole::server;
  const bool is_to_many = message.command == MpCommand::relay && message.fields.peer(MpField::peer) <= mp_everyone;
  return is_to_many ? MpRole::client : MpRole::unknown;
}

}  // namespace godot_codec
