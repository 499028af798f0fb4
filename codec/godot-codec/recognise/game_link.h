// SPDX-License-Identifier: MIT
/// @file
/// A connection of a game: whose its messages are, and what they have said. Whoever has a message's bytes, direction
/// and moment hands them here, whatever carried them.
#pragma once

#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/names.h"
#include "godot-codec/multiplayer/route.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/recognise/peer_messages.h"

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
  unsigned client_direction;  ///< number of the direction in which the client sends: 0 or 1
  bool has_roles = true;      ///< known from the beginning, or since a message has shown it
  bool is_turned = false;     ///< the end that client_direction takes for the client has turned out to be the server

  /// The message, as those need it who read what the multiplayer says in it.
  /// @param message its reader is never null
  [[nodiscard]] MpPacket packet_of(const PeerMessage &message, const GameSources &sources) const;

  /// Takes the next message: once for each, in the order of the capture. The multiplayer's teach the game, and so do,
  /// first, those from before it was recognised.
  /// @param message its reader is never null
  /// @param before_learning is called with each message that is about to teach the game; it may set the roles
  PeerVerdict take(const PeerMessage &message, const PeerOptions &options, const GameSources &sources,
                   void (*before_learning)(GameLink &, const PeerMessage &) = nullptr);
};

}  // namespace godot_codec
