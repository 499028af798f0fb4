// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/packet.h"

#include "plugin/epan/endpoints.h"
#include "plugin/godot/draw.h"

namespace godot_plugin {

using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpMessage;
using godot_codec::MpObject;
using godot_codec::Outcome;

// ---- who speaks to whom

bool is_from_client(const packet_info *pinfo, const MpGame &game) {
  return direction_of(pinfo) == game.client_direction;
}

MpRoute direct_route(const MpPacket &packet) {
  return is_from_client(packet.pinfo, *packet.game) ? MpRoute{mp_client, godot_codec::mp_server}
                                                    : MpRoute{godot_codec::mp_server, mp_client};
}

MpRoute relayed_route(const MpPacket &packet, const MpRoute &route, std::int32_t peer) {
  peer = peer_of(*packet.game, peer, packet.moment);
  return is_from_client(packet.pinfo, *packet.game) ? MpRoute{route.sender, peer} : MpRoute{peer, route.receiver};
}

std::int32_t listener_of(const MpPacket &packet, const MpRoute &route) {
  return is_from_client(packet.pinfo, *packet.game) ? route.receiver : mp_client;
}

MpNumbering numbering_of(const MpPacket &packet, const MpRoute &route, MpCommand command) {
  const std::int32_t listener = listener_of(packet, route);
  return command == MpCommand::confirm_path ? MpNumbering{listener, route.sender} : MpNumbering{route.sender, listener};
}

// ---- what a number stands for

MpName *name_of(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering) {
  const MpField number = fields.has(MpField::spawner) ? MpField::spawner : MpField::path_id;
  if (!fields.has(number)) return nullptr;
  return find_name(packet.game->paths, numbering.owner, numbering.listener, number_of(fields, number), packet.moment);
}

const char *path_of(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::path)) return printable(packet.pinfo->pool, fields.text(MpField::path));
  const MpName *name = name_of(packet, fields, numbering);
  return name == nullptr ? nullptr : name->text;
}

const char *node_of(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::name)) return printable(packet.pinfo->pool, fields.text(MpField::name));
  if (fields.has(MpField::path_id)) return path_of(packet, fields, numbering);
  if (!fields.has(MpField::net_id)) return nullptr;
  const MpName *name = find_name(packet.game->nodes, numbering.owner, numbering.listener,
                                 number_of(fields, MpField::net_id), packet.moment);
  return name == nullptr ? nullptr : name->text;
}

// ---- what a command says

namespace {

void learn_spawn(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const std::string_view name = message.fields.text(MpField::name);
  MpGame *game = packet.game;
  const auto define = [&](std::uint32_t id) {
    define_name(game->nodes, numbering.owner, numbering.listener, id, name, packet.moment);
  };
  define(number_of(message.fields, MpField::net_id));
  for (std::size_t i = 0; i < message.sync_ids.length / sizeof(std::uint32_t); ++i) {
    const auto id = static_cast<std::uint32_t>(godot_codec::read_mp_sync_id(packet.bytes, message, i).integer);
    define(id);
    forget_sync(game, {numbering.owner, numbering.listener, id});
  }
}

void learn_sync(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const auto time = static_cast<std::uint16_t>(number_of(message.fields, MpField::time));
  std::size_t offset = message.objects.offset;
  for (std::uint32_t index = 0; offset < message.objects.end(); ++index) {
    const MpObject object = godot_codec::read_mp_object(packet.bytes, offset, message.command);
    if (object.outcome != Outcome::ok) return;
    const std::uint32_t id = object.fields.has(MpField::path_id)
                                 ? number_of(object.fields, MpField::path_id) | godot_codec::mp_flag_other
                                 : number_of(object.fields, MpField::net_id);
    note_sync(packet.game, {numbering.owner, numbering.listener, id}, time, packet.moment, index);
    offset = object.offset;
  }
}

// Godot 4 confirms the number, Godot 3 the path.
void learn_confirmation(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering) {
  const MpFields &fields = message.fields;
  MpName *name = fields.has(MpField::path_id)
                     ? name_of(packet, fields, numbering)
                     : find_name_by_text(packet.game->paths, numbering.owner, numbering.listener,
                                         printable(packet.pinfo->pool, fields.text(MpField::path)), packet.moment);
  if (name != nullptr) confirm_name(name, numbering.listener, packet.moment);
}

}  // namespace

void learn_message(const MpPacket &packet, const MpMessage &message, const MpRoute &route) {
  if (message.outcome != Outcome::ok) return;
  const MpNumbering numbering = numbering_of(packet, route, message.command);
  switch (message.command) {
    case MpCommand::simplify_path:
      define_name(packet.game->paths, numbering.owner, numbering.listener, number_of(message.fields, MpField::path_id),
                  message.fields.text(MpField::path), packet.moment);
      break;
    case MpCommand::confirm_path:
      learn_confirmation(packet, message, numbering);
      break;
    case MpCommand::spawn:
      learn_spawn(packet, message, numbering);
      break;
    case MpCommand::sync:
      learn_sync(packet, message, numbering);
      break;
    default:
      break;
  }
}

void learn_connection(const MpPacket &packet, const MpMessage &message) {
  if (message.outcome != Outcome::ok) return;
  MpGame *game = packet.game;
  const std::int32_t peer = peer_in(message.fields, MpField::peer);
  const bool is_relay = message.command == MpCommand::relay;
  const godot_codec::Bytes inner = packet.bytes.slice(message.inner);
  if (is_from_client(packet.pinfo, *game)) {
    if (is_relay) note_relay_to_server(game, peer, inner);
    return;
  }
  if (is_relay) note_relay_from_server(game, peer, inner, packet.moment);
  if (message.command == MpCommand::add_peer) {
    note_peer(game, peer);
  } else {
    // The server tells a client first of all who is there.
    note_all_peers(game, packet.moment);
  }
}

void learn_connection(const MpPacket &packet, const godot_codec::MpPrefix &prefix) {
  if (prefix.outcome != Outcome::ok) return;
  MpGame *game = packet.game;
  const bool is_to_server = is_from_client(packet.pinfo, *game);
  if (prefix.has_message) {
    // Godot 3's server lets nobody send in another's name, and sends what is for one peer to that peer only.
    learn_client_id(game, peer_in(prefix.fields, is_to_server ? MpField::source : MpField::target), packet.moment);
  } else if (!is_to_server && prefix.is_known && prefix.command == MpCommand::peer_id) {
    learn_client_id(game, peer_in(prefix.fields, MpField::peer), packet.moment);
  }
}

}  // namespace godot_plugin
