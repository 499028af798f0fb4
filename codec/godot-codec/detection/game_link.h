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
  [[nodiscard]] MpPacket packet_of(MpReader &reader, const GameSources &sources) const;

  /// Reads the next message. Must be called once per message, in capture order. Updates the game's state from
  /// multiplayer messages. When the protocol is decided, first updates it from the messages that were captured before.
  PeerDecision take(MpReader &reader, const PeerOptions &options, const GameSources &sources);
};

}  // namespace godot_codec
