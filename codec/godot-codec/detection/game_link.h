// SPDX-License-Identifier: MIT
/// @file
/// A connection of a game: whose its messages are, and what they have said. Whoever has a message's bytes, direction
/// and moment hands them here, whatever carried them.
#pragma once

#include "godot-codec/detection/peer_messages.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/session.h"

namespace godot_codec {

/// Knowledge that is not in the messages.
struct GameSources {
  ReadOptions read;                  ///< limits, and how reals are read
  const MpNames *names = nullptr;    ///< null: nobody has any
  const Layouts *layouts = nullptr;  ///< null: nobody has described any
};

struct GameLink {
  PeerConversation conversation;
  MpConnection *game;         ///< outlives the link
  unsigned client_direction;  ///< number of the direction in which end 1 sends, the client if it is known: 0 or 1

  /// Returns a message with what is known about its game.
  [[nodiscard]] MpPacket packet_of(MpReader &reader, const GameSources &sources) const;

  /// Takes the next message: once for each, in capture order. Updates the game's state from multiplayer messages, and
  /// first from those that were captured before the protocol was decided.
  PeerVerdict take(MpReader &reader, const PeerOptions &options, const GameSources &sources);
};

}  // namespace godot_codec
