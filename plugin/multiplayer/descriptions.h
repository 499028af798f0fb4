// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Descriptions of peers, nodes and paths, for the texts of findings. The returned texts are in the packet's memory.
#pragma once

#include <string_view>

#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/multiplayer/dissection.h"

namespace godot_plugin {

/// Returns "the server" or "peer 3"; "the client" or "the other peer" if the peer's ID is not known.
const char *describe_peer(const MpDissection &dissection, std::int32_t peer, bool begins_sentence);

/// Returns the path that a command or an object contains, or the path of its path ID; null if not known.
const char *path_of(const MpDissection &dissection, const MpResolvedItem &resolved);

/// Returns the path of an object's node: by net ID for a spawned node, otherwise by the path of the synchronizer. Null
/// if not known.
const char *node_of(const MpDissection &dissection, const MpResolvedItem &resolved);

/// Returns text such as " in res://main.tscn:7"; empty if the line is not known.
/// @param pattern a format with %s for the file and %u for the line
const char *describe_source_line(const MpDissection &dissection, const godot_codec::MpSourceLine &source,
                                 const char *pattern = " in %s:%u");

/// Advice about a node that the receiver does not have, if the cause is not known.
inline constexpr const char *add_node_before =
    "Add the node on the receiver before the first message, with the same name and parent.";

/// Returns advice about the cause if the receiver of a path does not have the node: another name, a scene that it loads
/// too late, a failed spawn. Null if nothing shows the cause. In missing_node_advice.cpp.
const char *advice_about_missing_node(const MpDissection &dissection, const MpAnnouncedPath &name,
                                      const MpIdScope &scope);

/// Describes which messages are lost because the receiver does not have the node; null if that is not worth a sentence.
/// @param advice result of advice_about_missing_node()
const char *describe_lost_messages(const MpAnnouncedPath &name, const char *advice);

/// True if a node of the path has an auto-generated name, "@Ship@2", which differs on each peer.
[[nodiscard]] bool has_auto_generated_name(std::string_view path);

/// True if the name of a node in the path is this peer's ID.
[[nodiscard]] bool has_peer_id_as_name(std::string_view path, std::int32_t peer);

}  // namespace godot_plugin
