// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/match_record.h"

#include <algorithm>
#include <cstring>

#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/dissection.h"

namespace godot_plugin {
namespace {

using godot_codec::MpCommandCategory;

// Maximum number of values of an object. A delta has at most 64 values, and a call at most 255.
constexpr std::uint32_t max_values = 256;

// Returns a peer for the match page. Only the endpoints of the connection have an address; other peers have only an ID.
MatchPeer make_match_peer(const MpDissection &dissection, std::int32_t peer, bool is_sender) {
  const MpRoute direct = godot_codec::direct_route(dissection.packet);
  const char *id = id_of_peer(dissection, peer);
  MatchPeer match{id != nullptr ? id : name_of_peer(dissection, peer), nullptr};
  const std::int32_t end = is_sender ? direct.sender : direct.receiver;
  const std::int32_t client = dissection.peers().client_id();
  const bool is_end =
      peer == end || (client != 0 && peer == client && dissection.packet.role_of(end) == godot_codec::MpRole::client);
  if (!is_end) return match;
  const DataChannelInfo channel = dissection.context->data_channel();
  const char *signalled = is_sender ? channel.source : channel.destination;
  match.endpoint = signalled != nullptr ? signalled : is_sender ? at_source : at_destination;
  return match;
}

// Returns the known part of the path of the values' node: "Main/Players/P1" with the project folder, "P1" without it.
const char *node_of_values(const MpDissection &dissection, const MpResolvedItem &resolved) {
  MpPropertyCursor properties = resolved.properties();
  MpProperty property = properties.next();
  if (!property.name.text.empty()) {
    property.name.text = "x";
    bool is_known = false;
    const char *full =
        pool_text(dissection.pinfo, [&](TextBuffer &text) { is_known = properties.append_full_path(property, text); });
    const char *colon = std::strrchr(full, ':');
    if (is_known && colon != nullptr) {
      return wmem_strndup(dissection.pinfo->pool, full, static_cast<std::size_t>(colon - full));
    }
  }
  const char *node = node_of(dissection, resolved);
  return node != nullptr ? node : pool_text(dissection.pinfo, [&](TextBuffer &text) { resolved.append_object(text); });
}

// Adds consecutive values. @param name_of_next returns the name of the next value
template <typename NameOfNext>
void add_values(const MpDissection &dissection, const MpResolvedItem &resolved, MatchObject &object,
                NameOfNext name_of_next) {
  const godot_codec::MpVariants &variants = resolved.variants;
  const godot_codec::Bytes bytes = godot_codec::mp_bytes_before(dissection.packet.bytes, variants.range.end());
  const godot_codec::Encoding encoding = godot_codec::mp_encoding(resolved.command.generation);
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < std::min(variants.count, max_values) && offset < variants.range.end(); ++i) {
    offset = add_match_value(dissection.pinfo, object, name_of_next(i), bytes, offset, encoding,
                             dissection.packet.options());
    if (offset == 0) return;
  }
}

MatchObject &add_object(const MpDissection &dissection, const MpResolvedItem &resolved, std::uint32_t bytes,
                        MatchMessage &match) {
  MatchObject *object = add_match_object(dissection.pinfo, match, node_of_values(dissection, resolved), bytes);
  MpPropertyCursor properties = resolved.properties();
  add_values(dissection, resolved, *object, [&](std::uint32_t) {
    const MpProperty property = properties.next();
    return pool_text(dissection.pinfo, [&](TextBuffer &text) { property.append_to(text); });
  });
  return *object;
}

void add_objects(const MpDissection &dissection, const MpResolvedMessage &message, MatchMessage &match) {
  for (std::uint32_t i = 0; const MpResolvedObject *sent = message.object(i); ++i) {
    if (sent->object.outcome != Outcome::ok) return;
    MatchObject &object = add_object(dissection, *sent, static_cast<std::uint32_t>(sent->object.range.length), match);
    const godot_codec::MpSyncRecord *record = sent->sync_record();
    object.name = pool_text(dissection.pinfo, [&](TextBuffer &text) { sent->append_object(text); });
    object.id = sent->synchronizer_key().id;
    object.is_order_known = record != nullptr;
    object.is_late = record != nullptr && record->is_late != 0;
    object.has_previous_sync = record != nullptr && record->has_interval != 0;
  }
}

void add_call(const MpDissection &dissection, const MpResolvedMessage &message, MatchMessage &match) {
  match.method_or_kind = pool_text(dissection.pinfo, [&](TextBuffer &text) { message.append_member_name(text); });
  const char *node = pool_text(dissection.pinfo, [&](TextBuffer &text) { message.append_node_path(text); });
  MatchObject *object = add_match_object(dissection.pinfo, match, node, match.bytes);
  const godot_codec::project::Function *function = message.find_function();
  add_values(dissection, message, *object, [&](std::uint32_t index) {
    const bool is_named = function != nullptr && index < function->parameters.size();
    if (message.is(MpCommand::rset)) return "value";
    return is_named ? dissection.printable(function->parameters[index].name)
                    : const_cast<const char *>(dissection.format("argument %u", index + 1));
  });
}

}  // namespace

void record_match_message(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (!is_collecting_match() || message.command.is_bare_variant) return;
  const godot_codec::MpCommandInfo &info = godot_codec::mp_command_info(message.command.command);
  MatchMessage *match = add_match_message(dissection.pinfo, info.name, message.command.range.length);
  if (match == nullptr) return;
  match->from = make_match_peer(dissection, message.route.sender, true);
  match->to = make_match_peer(dissection, message.route.receiver, false);
  match->has_relayed_copy =
      dissection.packet.is_from_client() && dissection.peers().find_other_client(message.route.receiver) != nullptr;
  switch (info.category) {
    case MpCommandCategory::calls:
      return add_call(dissection, message, *match);
    case MpCommandCategory::spawns:
      add_object(dissection, message, match->bytes, *match);
      return;
    case MpCommandCategory::syncs:
    case MpCommandCategory::deltas:
      match->has_sync_number = message.fields.has(MpField::time);
      match->sync_number = static_cast<std::uint16_t>(message.fields.integer(MpField::time));
      return add_objects(dissection, message, *match);
    case MpCommandCategory::paths_and_peers:
      if (const char *path = path_of(dissection, message); path != nullptr) match->method_or_kind = path;
      if (message.is(MpCommand::add_peer) || message.is(MpCommand::remove_peer)) {
        match->method_or_kind = dissection.format("%d", message.fields.peer(MpField::peer));
      }
      return;
    case MpCommandCategory::custom:
      return;
  }
}

}  // namespace godot_plugin
