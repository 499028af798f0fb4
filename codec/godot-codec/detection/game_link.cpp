// SPDX-License-Identifier: MIT
#include "godot-codec/detection/game_link.h"

#include "godot-codec/multiplayer/packets.h"

namespace godot_codec {

MpPacket GameLink::packet_of(MpReader &reader, const GameSources &sources) const {
  MpPacket packet{reader.message()};
  packet.connection = game;
  packet.options = sources.read;
  packet.names = sources.names;
  packet.layouts = sources.layouts;
  packet.values = &reader.values();
  packet.role = game->peers().role_of(packet.end);
  return packet;
}

PeerDecision GameLink::take(MpReader &reader, const PeerOptions &options, const GameSources &sources) {
  const Message &message = reader.message();
  game->record_sequence(message);
  const auto update = [&](MpReader &read, const PeerDecision &decision) {
    if (decision.protocol != PeerProtocol::multiplayer) return;
    if (read.message().transport == Transport::webrtc) game->update_role(read.message());
    record_mp_packet(*game, packet_of(read, sources), read.read(decision.framing, decision.generation));
  };
  const PeerDecision decision = conversation.offer(reader, options);
  PeerPrefix &prefix = conversation.prefix();
  if (conversation.is_game() && prefix.count() > 0) {
    for (std::size_t i = 0; i < prefix.count(); ++i) {
      MpReader earlier(prefix.message(i), sources.read);
      update(earlier, conversation.find(earlier, options));
    }
    prefix.clear();
  }
  update(reader, decision);
  return decision;
}

}  // namespace godot_codec
