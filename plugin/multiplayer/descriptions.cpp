// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/descriptions.h"

#include <cstdarg>
#include <optional>
#include <string>

#include "godot-codec/core/path.h"
#include "plugin/godot/variant_tree.h"

namespace godot_plugin {

const char *MpDissection::format(const char *pattern, ...) const {
  va_list arguments;
  va_start(arguments, pattern);
  const char *text = wmem_strdup_vprintf(pinfo->pool, pattern, arguments);
  va_end(arguments);
  return text;
}

const char *MpDissection::printable(std::string_view text) const { return godot_plugin::printable(pinfo->pool, text); }

const char *describe_peer(const MpDissection &dissection, std::int32_t peer, bool begins_sentence) {
  const MpPacket &packet = dissection.packet;
  const bool is_unknown_end = godot_codec::is_mp_side(peer) && !packet.has_roles();
  const std::optional<std::int32_t> id =
      is_unknown_end ? id_of_side(dissection, peer) : packet.connection->peers().id_of(peer, packet.position);
  if (!id) return begins_sentence ? "The client" : "the client";
  if (*id == 0) return begins_sentence ? "One peer" : "the other peer";
  if (*id == godot_codec::mp_server) return begins_sentence ? "The server" : "the server";
  return dissection.format("%s %d", begins_sentence ? "Peer" : "peer", *id);
}

const char *path_of(const MpDissection &dissection, const MpResolvedItem &resolved) {
  if (resolved.fields.has(MpField::path)) return dissection.printable(resolved.path());
  return resolved.announced_path() == nullptr ? nullptr : resolved.announced_path()->text.data();
}

const char *node_of(const MpDissection &dissection, const MpResolvedItem &resolved) {
  if (resolved.fields.has(MpField::name)) return dissection.printable(resolved.fields.text(MpField::name));
  if (resolved.fields.has(MpField::path_id)) return path_of(dissection, resolved);
  return resolved.node() == nullptr ? nullptr : resolved.node()->spawn->name.data();
}

const char *describe_source_line(const MpDissection &dissection, const godot_codec::MpSourceLine &source,
                                 const char *pattern) {
  if (source.line == 0) return "";
  return dissection.format(pattern, dissection.printable(source.file), source.line);
}

bool has_auto_generated_name(std::string_view path) {
  return path.starts_with('@') || path.find("/@") != std::string_view::npos;
}

bool has_peer_id_as_name(std::string_view path, std::int32_t peer) {
  const std::string name = std::to_string(peer);
  while (!path.empty() && godot_codec::base_name(path) != name) path = godot_codec::parent_path(path);
  return !path.empty();
}

}  // namespace godot_plugin
