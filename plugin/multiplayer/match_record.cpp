// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/match_record.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "godot-codec/multiplayer/arguments.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {
namespace {

using godot_codec::MpCategory;
using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpProperties;
using godot_codec::MpProperty;
using godot_codec::MpResolvedMessage;
using godot_codec::MpResolvedObject;
using godot_codec::MpResolvedPart;
using godot_codec::MpRoute;
using godot_codec::TextBuffer;

// Limit for the values of an object. A delta has at most 64, and a call at most 255.
constexpr std::uint32_t max_values = 256;

// Only the ends of the connection have an address. Peers whose messages are relayed have only an ID.
MatchPeer match_peer(const MpDrawing &drawing, std::int32_t peer, bool is_sender) {
  const MpRoute direct = godot_codec::direct_route(drawing.packet);
  const char *id = id_of_peer(drawing, peer);
  MatchPeer match{id != nullptr ? id : name_of_peer(drawing, peer), nullptr};
  const std::int32_t end = is_sender ? direct.sender : direct.receiver;
  const std::int32_t client = drawing.packet.connection->peers().client_id();
  const bool is_end =
      peer == end || (client != 0 && peer == client && drawing.packet.role_of(end) == godot_codec::MpRole::client);
  if (!is_end) return match;
  const DataChannelInfo &channel = drawing.context->channel;
  const char *told = is_sender ? channel.source : channel.destination;
  match.endpoint = told != nullptr ? told : is_sender ? at_source : at_destination;
  return match;
}

// Returns the path of the node that values belong to, as far as it is known: "Main/Players/P1" with the project folder,
// "P1" without.
const char *node_of_values(const MpDrawing &drawing, const MpResolvedPart &part) {
  MpProperties properties = part.properties();
  MpProperty place = properties.next();
  if (!place.name.text.empty()) {
    place.name.text = "x";
    bool is_known = false;
    const char *full =
        pool_text(drawing.pinfo, [&](TextBuffer &text) { is_known = properties.append_full_path(place, text); });
    const char *colon = std::strrchr(full, ':');
    if (is_known && colon != nullptr) {
      return wmem_strndup(drawing.pinfo->pool, full, static_cast<std::size_t>(colon - full));
    }
  }
  const char *node = node_of(drawing, part);
  return node != nullptr ? node : pool_text(drawing.pinfo, [&](TextBuffer &text) { part.append_object(text); });
}

// Adds consecutive values. @param name_next returns the name of the next value
template <typename NameNext>
void add_values(const MpDrawing &drawing, const MpResolvedPart &part, MatchObject &object, NameNext name_next) {
  const godot_codec::MpVariants &variants = part.variants;
  const godot_codec::Bytes bytes = godot_codec::mp_until(drawing.packet.bytes, variants.range.end());
  const godot_codec::Encoding encoding = godot_codec::mp_encoding(part.command.generation);
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < std::min(variants.count, max_values) && offset < variants.range.end(); ++i) {
    offset = add_match_value(drawing.pinfo, object, name_next(i), bytes, offset, encoding, drawing.packet.options);
    if (offset == 0) return;
  }
}

MatchObject &add_object(const MpDrawing &drawing, const MpResolvedPart &part, std::uint32_t bytes,
                        MatchMessage &match) {
  MatchObject *object = add_match_object(drawing.pinfo, match, node_of_values(drawing, part), bytes);
  MpProperties properties = part.properties();
  add_values(drawing, part, *object, [&](std::uint32_t) {
    const MpProperty property = properties.next();
    return pool_text(drawing.pinfo, [&](TextBuffer &text) { property.append_to(text); });
  });
  return *object;
}

void add_objects(const MpDrawing &drawing, const MpResolvedMessage &message, MatchMessage &match) {
  for (std::uint32_t i = 0; const MpResolvedObject *part = message.object(i); ++i) {
    if (part->object.outcome != godot_codec::Outcome::ok) return;
    MatchObject &object = add_object(drawing, *part, static_cast<std::uint32_t>(part->object.range.length), match);
    const godot_codec::MpSyncRecord *record = part->timing();
    object.name = pool_text(drawing.pinfo, [&](TextBuffer &text) { part->append_object(text); });
    // The number as sent: bit 31 is set for a path id.
    object.id = part->fields.has(MpField::net_id) ? part->fields.number(MpField::net_id)
                                                  : part->fields.number(MpField::path_id) | godot_codec::mp_flag_other;
    object.is_timed = record != nullptr;
    object.is_late = record != nullptr && record->is_late != 0;
    object.has_interval = record != nullptr && record->has_interval != 0;
  }
}

void add_call(const MpDrawing &drawing, const MpResolvedMessage &message, MatchMessage &match) {
  match.what = pool_text(drawing.pinfo, [&](TextBuffer &text) { message.append_member_name(text); });
  const char *node = pool_text(drawing.pinfo, [&](TextBuffer &text) { message.append_owner(text); });
  MatchObject *object = add_match_object(drawing.pinfo, match, node, match.bytes);
  const godot_codec::project::Function *function = message.function();
  add_values(drawing, message, *object, [&](std::uint32_t index) {
    const bool is_named = function != nullptr && index < function->parameters.size();
    if (message.is(MpCommand::rset)) return "value";
    return is_named ? printable(drawing.pinfo->pool, function->parameters[index].name)
                    : const_cast<const char *>(wmem_strdup_printf(drawing.pinfo->pool, "argument %u", index));
  });
}

}  // namespace

void tell_match(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (!is_match_wanted() || message.command.is_bare_variant) return;
  const godot_codec::MpCommandInfo &info = godot_codec::mp_command_info(message.command.command);
  MatchMessage *match =
      add_match_message(drawing.pinfo, info.name, static_cast<std::uint32_t>(message.command.range.length));
  if (match == nullptr) return;
  match->from = match_peer(drawing, message.route.sender, true);
  match->to = match_peer(drawing, message.route.receiver, false);
  const godot_codec::MpPeers &peers = drawing.packet.connection->peers();
  match->is_handed_on = drawing.packet.is_from_client() && peers.fellow(message.route.receiver) != nullptr;
  switch (info.category) {
    case MpCategory::calls:
      return add_call(drawing, message, *match);
    case MpCategory::spawns:
      add_object(drawing, message, match->bytes, *match);
      return;
    case MpCategory::syncs:
    case MpCategory::deltas:
      match->has_number = message.fields.has(MpField::time);
      match->number = static_cast<std::uint16_t>(message.fields.integer(MpField::time));
      return add_objects(drawing, message, *match);
    case MpCategory::paths_and_peers:
      if (const char *path = path_of(drawing, message); path != nullptr) match->what = path;
      if (message.is(MpCommand::add_peer) || message.is(MpCommand::remove_peer)) {
        match->what = wmem_strdup_printf(drawing.pinfo->pool, "%d", message.fields.peer(MpField::peer));
      }
      return;
    case MpCategory::custom:
      return;
  }
}

}  // namespace godot_plugin
