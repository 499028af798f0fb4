// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/descriptions.h"

#include <array>
#include <charconv>
#include <optional>

#include "godot-codec/core/path.h"
#include "godot-codec/multiplayer/sentence.h"
#include "plugin/godot/variant_tree.h"

namespace godot_plugin {

using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpMessage;
using godot_codec::MpName;
using godot_codec::MpNode;
using godot_codec::MpNumbering;

const char *of_path(const MpDrawing &drawing, const char *path, const char *words) {
  return wmem_strdup_printf(drawing.pinfo->pool, "%s %s", path, words);
}

const char *describe_peer(const MpDrawing &drawing, std::int32_t peer, bool begins_sentence) {
  const godot_codec::MpPacket &packet = drawing.packet;
  const bool is_unknown_end = godot_codec::is_mp_end(peer) && !packet.has_roles();
  const std::optional<std::int32_t> id =
      is_unknown_end ? id_of_end(drawing, peer) : packet.connection->peers().id_of(peer, packet.moment);
  if (!id) return begins_sentence ? "The client" : "the client";
  if (*id == 0) return begins_sentence ? "One peer" : "the other peer";
  if (*id == godot_codec::mp_server) return begins_sentence ? "The server" : "the server";
  return wmem_strdup_printf(drawing.pinfo->pool, "%s %d", begins_sentence ? "Peer" : "peer", *id);
}

const char *path_of(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::path)) return printable(drawing.pinfo->pool, fields.text(MpField::path));
  const MpName *name = godot_codec::find_mp_name(drawing.packet, fields, numbering);
  return name == nullptr ? nullptr : name->text.data();
}

const char *node_of(const MpDrawing &drawing, const MpFields &fields, const MpNumbering &numbering) {
  if (fields.has(MpField::name)) return printable(drawing.pinfo->pool, fields.text(MpField::name));
  if (fields.has(MpField::path_id)) return path_of(drawing, fields, numbering);
  const MpNode *node = godot_codec::find_mp_node(drawing.packet, fields, numbering);
  return node == nullptr ? nullptr : node->spawn->name.data();
}

const godot_codec::project::Function *called_function(const MpDrawing &drawing, const MpMessage &message,
                                                      const MpNumbering &numbering) {
  const godot_codec::MpNames *names = drawing.packet.names;
  const bool is_call = message.command == MpCommand::rpc && message.fields.has(MpField::method_id);
  if (names == nullptr || !is_call) return nullptr;
  return names->function(godot_codec::mp_method_of(drawing.packet, message, numbering));
}

const char *describe_line(const MpDrawing &drawing, const godot_codec::MpSourceLine &source) {
  if (source.line == 0) return "";
  wmem_allocator_t *pool = drawing.pinfo->pool;
  return wmem_strdup_printf(pool, " in %s:%u", printable(pool, source.file), source.line);
}

bool has_made_up_name(std::string_view path) {
  return path.starts_with('@') || path.find("/@") != std::string_view::npos;
}

bool has_name_of(std::string_view path, std::int32_t peer) {
  std::array<char, 16> digits{};
  const char *end = std::to_chars(digits.data(), digits.data() + digits.size(), peer).ptr;
  const std::string_view name(digits.data(), static_cast<std::size_t>(end - digits.data()));
  while (!path.empty()) {
    if (godot_codec::last_name(path) == name) return true;
    path = godot_codec::mp_above(path, 1);
  }
  return false;
}

}  // namespace godot_plugin
