// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/packets.h"

namespace godot_codec {

void record_mp_packet(MpConnection &connection, const MpPacket &packet, const MpReading &reading) {
  if (reading.has_prefix) connection.record_prefix(packet, reading.prefix);
  std::uint32_t relays = 0;
  for_each_command(packet, reading, [&](const MpMessage &message, const MpRoute &route) {
    // Engines reject commands that are nested deeper.
    if (relays < mp_max_relays) connection.record_message(packet, message, route, relays > 0);
    ++relays;
  });
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
  // Numbers of channels that Godot's clients request.
  constexpr std::uint32_t channels_of_godot3 = 3;
  constexpr std::uint32_t channels_of_godot4 = 255;
  const bool is_usual =
      connection.channel_count == channels_of_godot3 || connection.channel_count == channels_of_godot4;
  return connection.has_connect && is_usual && static_cast<std::int32_t>(connection.connect_data) > mp_server;
}

}  // namespace godot_codec
