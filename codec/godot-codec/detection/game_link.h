// SPDX-License-Identifier: MIT
/// @file
/// A connection of a game: the protocol of its messages, and the state that they update. The input is each message's
/// bytes, direction and position, independent of the transport.
#pragma once

#include "godot-codec/detection/peer_messages.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

/// Information that is not in the messages.
struct GameSources {
  ReadOptions read;                  ///< limits, and how reals are read
  const MpNames *names = nullptr;    ///< null: no names are known
  const Layouts *layouts = nullptr;  ///< null: no formats are described
};

struct GameLink {
  PeerDetection conversation;
  MpConnection *game;         ///< outlives the link
  unsigned client_direction;  ///< direction (0 or 1) of side 1's messages; side 1 is the client, if it is known

  /// Returns a message together with the known facts about its game.
  [[nodiscard]] MpPacket packet_of(MpReader &reader, const GameSources &sources) const {
    MpPacket packet{reader.message()};
    packet.connection = game;
    packet.options = sources.read;
    packet.names = sources.names;
    packet.layouts = sources.layouts;
    packet.values = &reader.values();
    packet.role = game->peers().role_of(packet.end);
    return packet;
  }

  /// Reads the next message. Must be called once per message, in capture order. Updates the game's state from
  /// multiplayer messages. When the protocol is decided, first updates it from the messages that were captured before.
  PeerDecision take(MpReader &reader, const PeerOptions &options, const GameSources &sources) {
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
};

}  // namespace godot_codec
