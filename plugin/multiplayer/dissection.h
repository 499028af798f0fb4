// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The dissection of a high-level multiplayer packet. The files of this folder add items, count messages, dissect
/// custom payloads, and support Follow Stream.
#pragma once

#include <cstdint>

#include "godot-codec/multiplayer/game_names.h"
#include "godot-codec/multiplayer/resolved_message.h"
#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

// Names that most files of this folder use.
using godot_codec::Generation;
using godot_codec::MpAnnouncedPath;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpGameNames;
using godot_codec::MpIdScope;
using godot_codec::MpMessage;
using godot_codec::MpPacket;
using godot_codec::MpParsedPacket;
using godot_codec::MpProperty;
using godot_codec::MpPropertyCursor;
using godot_codec::MpResolvedItem;
using godot_codec::MpResolvedMessage;
using godot_codec::MpResolvedObject;
using godot_codec::MpRoute;
using godot_codec::MpSpawnedNode;
using godot_codec::Outcome;
using godot_codec::PacketPosition;
using godot_codec::Range;
using godot_codec::TextBuffer;

/// Results of dissecting a message, for its summary and its delivery text.
struct MpDissectionResult {
  MpRoute route;                           ///< the message's route; for a relay, the route of the relayed command
  const char *custom_info_text = nullptr;  ///< Info text of the user's dissector for the custom payload; null: no text
  const char *mark = nullptr;              ///< a few words about a problem, for the Info column; null: no problem
  const char *drop_reason = nullptr;       ///< reason why the receiver drops the message; null: not dropped
};

/// The dissection of a multiplayer packet: the packet, and where it is shown.
struct MpDissection {
  packet_info *pinfo;
  tvbuff_t *tvb;
  proto_tree *tree;  ///< tree of the protocol; null if no tree is built
  proto_item *item;
  const MpPacket &packet;
  const MessageContext *context;
  MpDissectionResult *result;
  bool has_expert_items;  ///< true if an output needs expert items: see needs_expert_items()

  [[nodiscard]] const godot_codec::MpPeerTracker &peers() const { return packet.connection->peers(); }
  [[nodiscard]] const godot_codec::MpPathTracker &paths() const { return packet.connection->paths(); }
  [[nodiscard]] const godot_codec::MpNodeTracker &nodes() const { return packet.connection->nodes(); }
  /// Returns a text in the packet's memory. See wmem_strdup_printf().
  [[nodiscard]] const char *format(const char *pattern, ...) const G_GNUC_PRINTF(2, 3);
  /// Returns a text of the packet in the packet's memory. See the function printable().
  [[nodiscard]] const char *printable(std::string_view text) const;
};

/// Returns the ID of a peer of a connection where the server is not known. The ID comes from signalling or from the
/// game's scripts. 0: not known
[[nodiscard]] inline std::int32_t id_of_side(const MpDissection &dissection, std::int32_t peer) {
  const bool is_sender = peer == godot_codec::mp_side(dissection.packet.sender_side);
  const DataChannelInfo channel = dissection.context->data_channel();
  const std::int32_t signalled = is_sender ? channel.source_id : channel.destination_id;
  return signalled != 0 ? signalled
                        : dissection.packet.connection->authority().id_of_side(godot_codec::side_of_peer(peer));
}

// ---- items in Wireshark's tree (message_tree.cpp)

/// Adds the fields of the prefix of a command.
void add_mp_prefix_items(const MpDissection &dissection, const MpFields &fields);

/// Adds the command item of a system message, which has a prefix instead of a command.
proto_item *add_mp_command_item(const MpDissection &dissection, MpCommand command, Range range);

/// Adds the items of a command and its contents, and the expert items of its problems. Does not add the relayed
/// command, the route, or the remaining bytes.
void add_mp_message_items(const MpDissection &dissection, const MpResolvedMessage &message);

/// Adds sender and receiver, as far as they are known.
void add_mp_route_items(const MpDissection &dissection, const MpRoute &route);

/// Adds the remaining bytes of a range, and the reason why they were not decoded. If no byte remains, adds the reason
/// to the message's item. @param outcome ok if the bytes follow the message
void add_mp_remaining_bytes(const MpDissection &dissection, proto_tree *tree, Range rest, Outcome outcome);

/// Adds the remaining bytes of a message that exceeds a limit of this plugin.
void add_mp_limit_item(const MpDissection &dissection, proto_tree *tree, Range range);

// ---- record of the frame, for tables, match page and flow graph (frame_record.cpp, match_record.cpp)

/// Returns the ID of a peer, for example "872502711", "all" or "all but 3"; null if not known.
[[nodiscard]] const char *id_of_peer(const MpDissection &dissection, std::int32_t peer);

/// Returns the ID of a peer, or "server"; null if not known.
[[nodiscard]] const char *known_name_of_peer(const MpDissection &dissection, std::int32_t peer);

/// Returns the name of a peer for tables: its ID, or "client" or its address if the ID is not known.
[[nodiscard]] const char *name_of_peer(const MpDissection &dissection, std::int32_t peer);

/// Counts a command, a relayed command, or a system message.
void count_mp_message(const MpDissection &dissection, const MpResolvedMessage &message);

/// Adds an arrow for the packet to the flow graph if the command has the flag mp_arrow. Call after the route is stored.
void add_mp_arrow(const MpDissection &dissection, const MpParsedPacket &reading, const char *summary);

/// Adds a message to the frame's record for the match page, if a page is being collected. In match_record.cpp.
void record_match_message(const MpDissection &dissection, const MpResolvedMessage &message);

// ---- table of synchronizers (sync_table.cpp)

/// Registers the tap. Call while protocols are registered.
void register_sync_tap();

/// Passes the objects of a sync to the table, if the table is open.
void tap_syncs(const MpDissection &dissection, const MpResolvedMessage &message);

// ---- custom_payload.cpp

/// Passes the byte arrays in a message to a custom dissector. For a call, this is the dissector that is registered for
/// `node.method` or for the method. For a raw message or an authentication, it is the dissector of the server's port or
/// a heuristic dissector.
void dissect_custom_payloads(const MpDissection &dissection, const MpResolvedMessage &message);

/// Registers the tables. @param proto `godot_mp`
void register_mp_custom_payload(int proto);

// ---- Follow Stream, with sender and summary of each message in one line (follow_stream.cpp)

/// True if a stream is followed, so that each message must be passed as a line of text.
[[nodiscard]] bool is_mp_stream_followed();

/// Passes a message to `-z follow,godot_mp,utf8,N`.
/// @param line in the packet's memory, with a newline; null: do nothing
void tap_followed_message(packet_info *pinfo, tvbuff_t *message, const char *line);

/// Records the stream of a packet, because the window queries the stream of the selected packet.
/// @param is_from_server false also if it is not known which side is the server
void record_mp_stream(packet_info *pinfo, std::uint32_t stream, unsigned direction, bool is_from_server);

void register_mp_follow_stream(int proto);

}  // namespace godot_plugin
