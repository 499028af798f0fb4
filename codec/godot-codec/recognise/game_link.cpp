// SPDX-License-Identifier: MIT
#include "godot-codec/recognise/game_link.h"

#include "godot-codec/multiplayer/packets.h"

namespace godot_codec {

MpPacket GameLink::packet_of(const PeerMessage &message, const GameSources &sources) const {
  MpPacket packet;
  packet.connection = game;
  packet.is_from_client = message.is_from_client != is_turned;
  packet.has_roles = has_roles;
  packet.moment = message.moment;
  packet.turn = message.turn;
  packet.time = message.time;
  packet.round_trip_time = message.round_trip_time;
  packet.delivery = message.delivery;
  packet.wire_size = message.wire_size;
  packet.bytes = message.bytes;
  packet.options = sources.read;
  packet.values = &message.reader->values();
  packet.names = sources.names;
  packet.layouts = sources.layouts;
  return packet;
}

PeerVerdict GameLink::take(const PeerMessage &message, const PeerOptions &options, const GameSources &sources,
                           void (*before_learning)(GameLink &, const PeerMessage &)) {
  game->learn_turn(message.is_from_client != is_turned, message.turn, message.moment, message.time, message.wire_size);
  const auto learn = [&](const PeerMessage &taught, const PeerVerdict &verdict) {
    if (verdict.protocol != PeerProtocol::multiplayer) return;
    if (before_learning != nullptr) before_learning(*this, taught);
    learn_mp_packet(*game, packet_of(taught, sources), taught.reader->read(verdict.framing, verdict.generation));
  };
  const PeerVerdict verdict = conversation.offer(message, options);
  PeerPrefix &prefix = conversation.prefix();
  if (conversation.is_game() && prefix.count() > 0) {
    for (std::size_t i = 0; i < prefix.count(); ++i) {
      PeerMessage early = prefix.message(i);
      MpReader reader(early.bytes, sources.read);
      early.reader = &reader;
      learn(early, conversation.find(early, options));
    }
    prefix.clear();
  }
  learn(message, verdict);
  return verdict;
}

}  // namespace godot_codec
