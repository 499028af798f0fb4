// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Words about messages of the high-level multiplayer: peers, nodes, paths, methods, and how something went wrong. All
/// in the packet's memory.
#pragma once

#include <string_view>

#include "godot-codec/multiplayer/names.h"
#include "godot-codec/variant/text_buffer.h"
#include "plugin/multiplayer/packet.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// The room for a name or a path with its value: filters compare them.
inline constexpr std::size_t max_mp_text = 512;

/// A text that something appends.
template <typename Append>
const char *pool_text(const MpDrawing &drawing, Append append) {
  auto *memory = static_cast<char *>(wmem_alloc(drawing.pinfo->pool, max_mp_text));
  godot_codec::TextBuffer text({memory, max_mp_text});
  append(text);
  return memory;
}

/// "the server", "peer 3", "the client" where its id is not known.
const char *describe_peer(const MpDrawing &drawing, std::int32_t peer, bool begins_sentence);

/// A path and some words.
const char *of_path(const MpDrawing &drawing, const char *path, const char *words);

/// The path that fields name or mean; null if it is not known.
const char *path_of(const MpDrawing &drawing, const godot_codec::MpFields &fields,
                    const godot_codec::MpNumbering &numbering);

/// The path of an object: a spawned node's by its net id, another one's by its synchronizer's path; null if not known.
const char *node_of(const MpDrawing &drawing, const godot_codec::MpFields &fields,
                    const godot_codec::MpNumbering &numbering);

/// Finds a call's method in its source in the game's folder; null: not known.
const godot_codec::project::Function *called_function(const MpDrawing &drawing, const godot_codec::MpMessage &message,
                                                      const godot_codec::MpNumbering &numbering);

/// Describes a list of methods by the project: "those of res://world.gd"; null if the project does not say.
const char *describe_list(const MpDrawing &drawing, const godot_codec::MpName &name);

/// "The server has those of res://world.gd", or the list's MD5 where that is all that is known.
const char *describe_side(const MpDrawing &drawing, const godot_codec::MpName &name, std::int32_t peer,
                          bool begins_sentence);

/// " in res://main.tscn:7"; empty if it is not known.
const char *describe_line(const MpDrawing &drawing, const godot_codec::MpSourceLine &source);

/// A path that none of the project's scenes has: "no scene of the project has it, did you mean Main/World?"; null if
/// there is nothing to say.
const char *describe_similar(const MpDrawing &drawing, std::string_view path);

/// Why the receiver of a path seems to lack the node, if something tells: another name there, a scene that it loads too
/// late, a spawn that failed; null if nothing does.
/// @param advice is set where there is something special to do about it
const char *describe_lack(const MpDrawing &drawing, const godot_codec::MpName &name,
                          const godot_codec::MpNumbering &numbering, const char **advice);

/// True if a node of the path has a name that the engine made up: "@Ship@2", another at each peer.
[[nodiscard]] bool has_made_up_name(std::string_view path);

/// True if a node of the path is named by a peer's id.
[[nodiscard]] bool has_name_of(std::string_view path, std::int32_t peer);

/// Returns the finding of an authentication that failed, on the message that shows it: the first message, or the
/// rejected message. The rule is null for other messages. @param message an auth command
[[nodiscard]] Finding find_failed_authentication(const MpDrawing &drawing, const godot_codec::MpMessage &message);

}  // namespace godot_plugin
