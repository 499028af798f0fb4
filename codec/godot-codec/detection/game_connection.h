// SPDX-License-Identifier: MIT
/// @file
/// A connection of a game: the protocol of its messages, and the state that they update. The input is each message's
/// bytes, direction and position, independent of the transport.
#pragma once

#include "godot-codec/detection/peer_detection.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

/// Information for decoding that is not in the messages.
struct GameContext {
  const MpGameNames *names = nullptr;   ///< null: no names are known
  const LayoutFile *layouts = nullptr;  ///< null: no formats are described
};

struct GameConnection {
  PeerDetection detection;
  MpConnection *mp_connection;  ///< outlives this object
  unsigned client_direction;    ///< direction (0 or 1) of side 1's messages; side 1 is the client, if it is known

  /// Fills in the state of the message's game: the connection, the names and the role of the sender.
  MpPacket &complete_packet(MpPacketReader &reader, const GameContext &sources) const {
    MpPacket &packet = reader.packet();
    packet.connection = mp_connection;
    packet.names = sources.names;
    packet.layouts = sources.layouts;
    packet.role = mp_connection->peers().role_of(packet.sender_side);
    return packet;
  }

  /// Reads the next message. Must be called once per message, in capture order. Updates the game's state from
  /// multiplayer messages. When the protocol is decided, first updates the state from the pending messages.
  ProtocolDecision read_next(MpPacketReader &reader, const PeerDetectionOptions &options, const GameContext &sources) {
    const Message &message = reader.message();
    mp_connection->record_sequence(message);
    const auto update = [&](MpPacketReader &read, const ProtocolDecision &decision) {
      if (decision.protocol != PeerProtocol::multiplayer) return;
      if (read.message().transport == Transport::webrtc) mp_connection->update_role(read.message());
      record_mp_packet(*mp_connection, complete_packet(read, sources), read.read(decision.framing));
    };
    const ProtocolDecision decision = detection.detect(reader, options);
    PendingPeerMessages &prefix = detection.pending_messages();
    if (detection.is_game() && prefix.count() > 0) {
      for (std::size_t i = 0; i < prefix.count(); ++i) {
        MpPacketReader earlier(prefix.message(i), options.read);
        update(earlier, detection.find_decision(earlier, options));
      }
      prefix.clear();
    }
    update(reader, decision);
    return decision;
  }
};

}  // namespace godot_codec
