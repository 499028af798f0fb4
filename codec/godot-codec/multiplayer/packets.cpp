// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/packets.h"

namespace godot_codec {

void learn_mp_packet(MpConnection &connection, const MpPacket &packet, MpFraming framing, Generation generation) {
  MpRoute route = direct_route(packet);
  std::size_t offset = 0;
  if (framing != MpFraming::none) {
    const MpPrefix prefix = read_mp_prefix(packet.bytes, framing);
    connection.learn_prefix(packet, prefix);
    if (!prefix.has_message) return;
    route = prefixed_route(packet, prefix);
    offset = prefix.range.end();
  }
  for (unsigned relays = 0; relays < mp_max_relays; ++relays) {
    const MpMessage message = read_mp_message(packet.bytes, offset, generation);
    connection.learn_message(packet, message, route, relays > 0);
    if (message.inner.length == 0) return;
    route = relayed_route(packet, route, message.fields.peer(MpField::peer));
    offset = message.inner.offset;
  }
}

MpMessage mp_message_of(const MpPrefix &prefix, Generation generation) {
  MpMessage message;
  message.generation = generation;
  message.command = prefix.command;
  message.is_known = prefix.is_known;
  message.fields = prefix.fields;
  message.outcome = prefix.outcome;
  return message;
}

bool is_godot_connect(const EnetConnection &connection) {
  // Godot's clients ask for one of these.
  constexpr std::uint32_t channels_of_godot3 = 3;
  constexpr std::uint32_t channels_of_godot4 = 255;
  const bool is_usual =
      connection.channel_count == channels_of_godot3 || connection.channel_count == channels_of_godot4;
  return connection.has_connect && is_usual && static_cast<std::int32_t>(connection.connect_data) > mp_server;
}

}  // namespace godot_codec
