// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What is remembered of a multiplayer game from message to message: which node a number stands for. Written on the
/// first pass; on every pass answered as it was known at that point of the capture.
#pragma once

#include <cstdint>
#include <string_view>

#include "multiplayer.h"
#include "ws_compat.h"

namespace godot_plugin {

/// A point of the capture: a message of a frame.
struct MpMoment {
  std::uint32_t frame;
  std::uint32_t message;  ///< counted within the frame

  [[nodiscard]] bool is_after(const MpMoment &other) const {
    return frame > other.frame || (frame == other.frame && message > other.message);
  }
};

/// What a number was said to stand for: a node's path, or a spawned node's name. A newer one replaces it.
struct MpName {
  const char *text;
  MpMoment defined;
  wmem_tree_t *confirmations;  ///< MpMoment by peer: who has said that it knows the number, and when
  MpName *before;              ///< what the number stood for until then
};

/// Names by whom they are of, and by number or text: each a tree by frame.
struct MpNames {
  wmem_map_t *by_number;
  wmem_map_t *by_text;
};

/// A client's connection to its server.
struct MpGame {
  bool is_known;  ///< a message has shown that it is one of the high-level multiplayer
  godot::Generation generation;
  bool has_client_id;
  std::int32_t client_id;
  unsigned client_direction;  ///< direction_of() what the client sends
  bool has_sync[2];           ///< by direction: newest_sync is known
  std::uint16_t newest_sync[2];
  MpNames paths;  ///< by sender and path id
  MpNames nodes;  ///< by sender and net id
};

[[nodiscard]] MpGame *new_game(unsigned client_direction);

/// Says that from a moment on a sender's number stands for a name.
void define_name(const MpNames &names, std::int32_t sender, std::uint32_t number, std::string_view text,
                 MpMoment moment);

/// What a sender's number stands for at a moment; null if nobody has said.
[[nodiscard]] MpName *find_name(const MpNames &names, std::int32_t sender, std::uint32_t number, MpMoment moment);

/// The definition of a sender's name at a moment; null if nobody has said.
[[nodiscard]] MpName *find_name_by_text(const MpNames &names, std::int32_t sender, const char *text, MpMoment moment);

/// Says that a peer knows the number from a moment on.
void confirm_name(MpName *name, std::int32_t peer, MpMoment moment);

/// Whether a peer knows the number at a moment; of everyone (0) and everyone but one (negative): whether anybody does.
[[nodiscard]] bool is_confirmed(const MpName &name, std::int32_t peer, MpMoment moment);

}  // namespace godot_plugin
