// SPDX-License-Identifier: MIT
// Feeds hostile games of the high-level multiplayer: packets of both generations on three connections to one server,
// first passed in order. Aborts if a later pass gives another result for a position, or if a text cannot be displayed.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/multiplayer/summary.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::MpAnnouncedPath;
using godot_codec::MpConnection;
using godot_codec::MpField;
using godot_codec::MpFraming;
using godot_codec::MpIdScope;
using godot_codec::MpMessage;
using godot_codec::MpPacket;
using godot_codec::MpPrefix;
using godot_codec::MpRoute;
using godot_codec::Outcome;
using godot_codec::PacketPosition;

// A message and the results of the first pass for it.
struct FirstPassResult {
  MpPacket packet;
  MpMessage message;
  MpRoute route;
  std::string description;
  bool is_unconfirmed = false;  // a call with a path whose confirmation was due
};

bool is_unconfirmed(const MpPacket &packet, const MpMessage &message, const MpRoute &route) {
  const MpIdScope scope = godot_codec::id_scope_of(packet, route, message.command);
  return packet.connection->paths().find_unconfirmed_path({packet, message, scope, message}) != nullptr;
}

// Returns true if a path or a spawn may be announced after this packet. Then later passes know its name, so that their
// results may differ from the first pass.
bool is_named_late(const MpPacket &packet, const MpMessage &message, const MpRoute &route) {
  const MpAnnouncedPath *name = godot_codec::MpResolvedMessage(packet, message, route).announced_path();
  return message.objects.length > 0 || (name != nullptr && name->position > packet.position);
}

std::string describe(MpPacket packet, const MpMessage &message, const MpRoute &route) {
  godot_codec::MpVariantCache values(packet.bytes, {});
  packet.values = &values;
  std::array<char, 512> memory{};
  godot_codec::TextBuffer text(memory);
  const Outcome outcome = godot_codec::append_mp_summary({packet, message, route}, text);
  require(godot_codec::is_valid_utf8(text.view()));
  for (const char c : text.view()) require(static_cast<unsigned char>(c) >= ' ');
  std::array<char, 16> small{};
  godot_codec::TextBuffer little(small);
  require(godot_codec::append_mp_summary({packet, message, route}, little) == outcome);

  std::string description = std::string(text.view()) + godot_codec::outcome_mark(outcome);
  const MpConnection &connection = *packet.connection;
  const MpIdScope scope = godot_codec::id_scope_of(packet, route, message.command);
  const MpAnnouncedPath *name = godot_codec::MpResolvedMessage(packet, message, route).announced_path();
  if (name != nullptr) {
    require(name->text.data()[name->text.size()] == '\0' && godot_codec::is_valid_utf8(name->text));
    require(name->first_announcement->text == name->text);
    description += connection.paths().is_confirmed(*name, scope.receiver, packet.position) ? " confirmed" : "";
    description += connection.paths().find_checksum_failure(*name, scope.receiver, packet.position) ? " failed" : "";
  }
  const std::uint32_t net_id = message.fields.number(MpField::net_id);
  const godot_codec::MpNodePresence presence = connection.nodes().find_presence(packet, scope, net_id);
  description += " " + std::to_string(static_cast<int>(presence.state));
  for (std::size_t i = 0; i < 3; ++i) {
    const godot_codec::MpSyncRecord *record = connection.syncs().find(packet.position, i);
    if (record != nullptr) description += record->is_late ? " late" : " new";
  }
  return description;
}

MpRoute route_of(const MpPacket &packet, MpFraming framing, const MpPrefix &prefix) {
  return framing == MpFraming::none ? godot_codec::direct_route(packet) : godot_codec::prefixed_route(packet, prefix);
}

// Records all messages of a packet before their results are saved, because they have one position.
void update(MpConnection &connection, const MpPacket &packet, MpFraming framing, std::vector<FirstPassResult> &all) {
  const std::size_t first = all.size();
  godot_codec::MpVariantCache values(packet.bytes, {});
  MpPacket read = packet;
  read.values = &values;
  const MpPrefix prefix = godot_codec::read_mp_prefix(packet.bytes, framing);
  connection.record_prefix(packet, prefix);
  if (!prefix.has_command) return;
  MpRoute route = route_of(packet, framing, prefix);
  std::size_t offset = prefix.prefix_range.end();
  for (const bool is_relayed : {false, true}) {
    const MpMessage message = godot_codec::read_mp_message(packet.bytes, offset, godot_codec::mp_generation(framing));
    connection.record_message(read, message, route, is_relayed);
    all.push_back({packet, message, route, {}, false});
    if (message.relayed.length == 0) break;
    offset = message.relayed.offset;
    route = godot_codec::relayed_route(packet, route, message.fields.peer(MpField::peer));
  }
  for (std::size_t i = first; i < all.size(); ++i) {
    all[i].description = describe(packet, all[i].message, all[i].route);
    all[i].is_unconfirmed = is_unconfirmed(packet, all[i].message, all[i].route);
  }
}

}  // namespace

// Each packet: a byte with connection, direction and framing, a length byte, and that many bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr MpFraming framings[] = {MpFraming::none,         MpFraming::none,       MpFraming::enet3,
                                    MpFraming::enet3_flags,  MpFraming::websocket3, MpFraming::websocket_id,
                                    MpFraming::enet3_system, MpFraming::none};
  constexpr std::uint64_t server = 1;
  godot_codec::MpSession session;
  MpConnection *const connections[] = {&session.add_connection(server, true), &session.add_connection(server, true),
                                       &session.add_connection(server, false)};
  connections[0]->record_client_id(2, godot_codec::packet_position_zero);
  std::vector<FirstPassResult> all;
  std::size_t offset = 0;
  for (std::uint32_t number = 1; offset + 2 <= size; ++number) {
    const std::uint8_t kind = data[offset];
    const std::size_t length = std::min<std::size_t>(data[offset + 1], size - offset - 2);
    MpConnection &connection = *connections[(kind & 3) % 3];
    MpPacket packet;
    packet.connection = &connection;
    packet.sender_side = (kind & 4) != 0 ? 1 : 0;
    packet.role = connection.peers().role_of(packet.sender_side);
    packet.position = PacketPosition{number / 2 + 1, number % 2};
    packet.time = std::int64_t{number} * ((kind & 8) != 0 ? 700'000'000 : 1'000'000);
    packet.bytes = Bytes(data + offset + 2, length);
    update(connection, packet, framings[kind >> 5], all);
    offset += 2 + length;
  }
  for (const FirstPassResult &each : all) {
    const std::string description = describe(each.packet, each.message, each.route);
    require(description == each.description || is_named_late(each.packet, each.message, each.route));
    // A later message may confirm the path. Then the finding is revoked; no finding is added.
    require(each.is_unconfirmed || !is_unconfirmed(each.packet, each.message, each.route));
  }
  return 0;
}
