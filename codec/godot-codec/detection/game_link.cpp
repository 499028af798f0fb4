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

PeerVerdict GameLink::take(MpReader &reader, const PeerOptions &options, const GameSources &sources) {
  const Message &message = reader.message();
  game->learn_sequence(message);
  const auto learn = [&](MpReader &taught, const PeerVerdict &verdict) {
    if (verdict.protocol != PeerProtocol::multiplayer) return;
    if (taught.message().transport == Transport::webrtc) game->learn_role(taught.message());
    learn_mp_packet(*game, packet_of(taught, sources), taught.read(verdict.framing, verdict.generation));
  };
  const PeerVerdict verdict = conversation.offer(reader, options);
  PeerPrefix &prefix = conversation.prefix();
  if (conversation.is_game() && prefix.count() > 0) {
    for (std::size_t i = 0; i < prefix.count(); ++i) {
      MpReader early(prefix.message(i), sources.read);
      learn(early, conversation.find(early, options));
    }
    prefix.clear();
  }
  learn(reader, verdict);
  return verdict;
}

}  // namespace godot_codec
