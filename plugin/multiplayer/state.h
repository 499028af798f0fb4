// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What is remembered of a multiplayer game from message to message: which node a number stands for, who the client
/// is, how new the synchronized objects are. Written on the first pass; on every pass answered as it was known at that
/// point of the capture.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "godot-codec/multiplayer/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A point of the capture: a message of a frame.
struct MpMoment {
  std::uint32_t frame;
  std::uint32_t message;  ///< counted within the frame

  [[nodiscard]] bool is_after(const MpMoment &other) const {
    return frame > other.frame || (frame == other.frame && message > other.message);
  }
};

/// Stands for the client of a connection wherever a peer is meant: its id may become known late, or never.
inline constexpr std::int32_t mp_client = std::numeric_limits<std::int32_t>::min();

/// What a number was said to stand for: a node's path, or a spawned node's name. A newer one replaces it.
struct MpName {
  const char *text;
  MpMoment defined;
  wmem_tree_t *confirmations;  ///< MpMoment by peer: who has said that it knows the number, and when
};

/// Names by whom they are of, for whom, and by number or text. Everyone is told of a name by a message of its own.
struct MpNames {
  wmem_tree_t *by_number;
  wmem_map_t *by_text;
};

struct MpServer;

/// A client's connection to its server.
struct MpGame {
  MpServer *server;
  bool is_known;  ///< a message has shown that it is one of the high-level multiplayer
  godot_codec::Generation generation;
  bool has_messages;  ///< any, its own or not
  bool is_greeted;    ///< its connection began as those of games do
  bool has_client_id;
  std::int32_t client_id;
  MpMoment client_id_since;   ///< before that, nobody could know it
  unsigned client_direction;  ///< direction_of() what the client sends
  wmem_tree_t *others;        ///< by id: the peers that the server has told the client of
  bool has_all_others;        ///< all that were there when it came
  MpGame *next;               ///< of the same server
  MpNames paths;              ///< by sender and path id
  MpNames nodes;              ///< by sender and net id
  wmem_tree_t *syncs;         ///< time of the newest one by sender, receiver and id of the synchronizer
  wmem_tree_t *late_syncs;    ///< by frame, message and index of the object
};

/// The server that a packet comes from or goes to, by its address and port. @param scope outlives the call
[[nodiscard]] MpServer *find_or_create_server(const packet_info *pinfo, bool is_to_server);

/// Forgets all servers with the capture.
void register_mp_state();

[[nodiscard]] MpGame *new_game(MpServer *server, unsigned client_direction);

// ---- who the client is

/// Says that from a moment on the client's id is known. The first id stays.
void learn_client_id(MpGame *game, std::int32_t id, MpMoment moment);

/// Whether the client's id is known at a moment.
[[nodiscard]] bool is_client_known(const MpGame &game, MpMoment moment);

/// A peer as names have it: mp_client if it is that.
[[nodiscard]] std::int32_t peer_of(const MpGame &game, std::int32_t id, MpMoment moment);

/// A client has sent a command to be relayed.
void note_relay_to_server(MpGame *game, std::int32_t target, godot_codec::Bytes command);

/// A server has relayed a command: it may show who sent it to the server, and to whom.
void note_relay_from_server(MpGame *game, std::int32_t source, godot_codec::Bytes command, MpMoment moment);

/// A server has told a client of another.
void note_peer(MpGame *game, std::int32_t id);

/// A server has told a client of all that were there before it: who among them has no name yet may be the one that no
/// other is.
void note_all_peers(MpGame *game, MpMoment moment);

// ---- what numbers stand for

/// Says that from a moment on a sender's number stands for a name.
/// @param receiver who was told; mp_everyone or a negative peer where that is nobody in particular
void define_name(const MpNames &names, std::int32_t sender, std::int32_t receiver, std::uint32_t number,
                 std::string_view text, MpMoment moment);

/// What a sender's number stands for at a moment, as the receiver was told or, if it is not known to have been,
/// anybody; null if nobody was.
[[nodiscard]] MpName *find_name(const MpNames &names, std::int32_t sender, std::int32_t receiver, std::uint32_t number,
                                MpMoment moment);

/// The definition of a sender's name at a moment, likewise.
[[nodiscard]] MpName *find_name_by_text(const MpNames &names, std::int32_t sender, std::int32_t receiver,
                                        const char *text, MpMoment moment);

/// Says that a peer knows the number from a moment on.
void confirm_name(MpName *name, std::int32_t peer, MpMoment moment);

/// Whether a peer knows the number at a moment; of everyone (0) and everyone but one (negative): whether anybody does.
[[nodiscard]] bool is_confirmed(const MpName &name, std::int32_t peer, MpMoment moment);

// ---- how new a synchronizer's values are

/// A synchronizer, as a receiver sees it.
struct MpSynchronizer {
  std::int32_t sender;
  std::int32_t receiver;
  std::uint32_t id;  ///< as it is sent: bit 31 says that it is a path id
};

/// A sync has come for a synchronizer, as the index-th object of a message.
void note_sync(MpGame *game, const MpSynchronizer &synchronizer, std::uint16_t time, MpMoment moment,
               std::uint32_t index);

/// A synchronizer is a new one: any time is newer than none.
void forget_sync(MpGame *game, const MpSynchronizer &synchronizer);

/// Whether the index-th object of a message was dropped, because one as new had come before.
[[nodiscard]] bool is_late_sync(const MpGame &game, MpMoment moment, std::uint32_t index);

}  // namespace godot_plugin
