// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/frame_record.h"

#include <cstring>
#include <string_view>

#include "godot-codec/multiplayer/name_types.h"
#include "plugin/epan/custom_dissectors.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/peer_names.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/multiplayer/packet-godot_mp.h"
#include "plugin/statistics/flow_graph.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

CountTable calls_table({GODOT_TABLE("calls: what costs bandwidth"), "godot_mp,calls", {"Call"}, "Nodes"});
CountTable objects_table(
    {GODOT_TABLE("nodes: what spawns and syncs cost"), "godot_mp,objects", {"Object", "Message"}, "Nodes"});
CountTable peers_table({GODOT_TABLE("peers: who sends how much to whom"),
                        "godot_mp,peers",
                        {"From", "To"},
                        nullptr,
                        {"godot_mp.sender", "godot_mp.receiver"},
                        true});

constexpr std::size_t max_name_size = 256;
// Maximum number of counted properties of an object. The mask of a delta has 64 bits, and a sync rarely has more
// values.
constexpr std::uint32_t max_properties = 1000;

// Returns the node of an object: "Ogre" for "Ogre#5". Named properties are counted for the node, because any of the
// node's synchronizers may send them.
std::string_view without_net_id(std::string_view object) {
  const std::size_t number = object.find_last_not_of("0123456789");
  const bool has_id = number != std::string_view::npos && number > 0 && object[number] == '#';
  return has_id && number + 1 < object.size() ? object.substr(0, number) : object;
}

const char *command_name(MpCommand command) { return godot_codec::mp_command_info(command).name; }

// An object in the tables. Objects of the same scene share a row.
struct CountedObject {
  const char *name;         // of the node
  const char *shared_name;  // name of the row: the scene or the spawner; the node's name if the node has its own row
  bool shares_scene_name =
      false;  // true if shared_name is the path of a scene; the names of properties are appended to it
};

// Returns the shared name of the nodes that a spawner creates from one scene. The scene's path may be unknown. Nodes
// from a spawn_function have no shared name.
const char *shared_name_of_spawned(const MpDissection &dissection, const MpResolvedItem &resolved, const char *name) {
  const godot_codec::MpNetIdTarget *node = resolved.node();
  if (node == nullptr || node->spawn->scene == godot_codec::mp_custom_scene) return name;
  const std::string_view spawner = dissection.nodes().spawner_path_of(*node->spawn);
  if (spawner.empty()) return name;
  return pool_text<max_name_size>(dissection.pinfo, [&](TextBuffer &text) {
    text.append(spawner);
    text.append(" ");
    text.append_unsigned(node->spawn->scene);
    text.append(" ");
    text.append_unsigned(node->synchronizer_index == godot_codec::MpNetIdTarget::itself ? 0 : node->synchronizer_index);
  });
}

// @param scene the object's scene; empty if not known
CountedObject make_counted_object(const MpDissection &dissection, const MpResolvedItem &resolved,
                                  std::string_view scene) {
  CountedObject object{};
  object.name = pool_text<max_name_size>(dissection.pinfo, [&](TextBuffer &text) { resolved.append_object(text); });
  object.shares_scene_name = !scene.empty();
  object.shared_name =
      object.shares_scene_name
          ? pool_text<max_name_size>(dissection.pinfo, [&](TextBuffer &text) { text.append_escaped(scene, false); })
          : shared_name_of_spawned(dissection, resolved, object.name);
  return object;
}

void count_object(const MpDissection &dissection, const CountedObject &object, MpCommand command, std::size_t bytes) {
  count_in(dissection.pinfo, objects_table,
           {object.shared_name, command_name(command), object.shares_scene_name ? nullptr : object.name, object.name},
           static_cast<std::uint32_t>(bytes));
}

// Counts the values of an object, each by the name or the index of its property.
void count_properties(const MpDissection &dissection, const MpResolvedItem &resolved, const CountedObject &object) {
  const char *what = resolved.is(MpCommand::sync)    ? property_of_sync
                     : resolved.is(MpCommand::delta) ? property_of_delta
                                                     : property_of_spawn;
  MpPropertyCursor properties = resolved.properties();
  godot_codec::MpVariantCursor cursor(*dissection.packet.values, resolved.variants, resolved.command.generation);
  while (cursor.count() < max_properties && cursor.next() && cursor.is_readable()) {
    const std::size_t size = cursor.walk().end - cursor.walk().offset;
    const MpProperty property = properties.next();
    const auto path_below = [&](std::string_view above, bool has_levels) {
      return pool_text<max_name_size>(dissection.pinfo, [&](TextBuffer &text) {
        MpProperty below = property;
        if (!has_levels) below.name.relative = {};
        godot_codec::append_mp_property_path(above, below, text);
      });
    };
    const char *node = property.name.text.empty()
                           ? object.name
                           : wmem_strndup(dissection.pinfo->pool, object.name, without_net_id(object.name).size());
    const char *shown = path_below(object.shares_scene_name ? object.shared_name : node, !object.shares_scene_name);
    const bool is_alone = object.shared_name == object.name;
    count_in(dissection.pinfo, objects_table,
             {object.shares_scene_name || is_alone ? shown : path_below(object.shared_name, false), what, shown, node},
             static_cast<std::uint32_t>(size), true);
    const bool is_named = !property.name.text.empty();
    count_name(dissection.pinfo, {node, value_row, is_named ? shown : nullptr});
  }
}

// @param bytes size of the object in the message
void count_object_with_values(const MpDissection &dissection, const MpResolvedItem &resolved, std::size_t bytes) {
  const CountedObject counted = make_counted_object(dissection, resolved, resolved.properties().scene());
  count_properties(dissection, resolved, counted);
  count_object(dissection, counted, resolved.command.command, bytes);
}

// @returns the size of the values in bytes
std::size_t count_objects(const MpDissection &dissection, const MpResolvedMessage &message) {
  std::size_t values = 0;
  for (std::uint32_t i = 0; const MpResolvedObject *object = message.object(i); ++i) {
    if (object->object.outcome != Outcome::ok) {
      count_object(dissection, make_counted_object(dissection, *object, {}), message.command.command,
                   object->object.range.length);
      break;
    }
    count_object_with_values(dissection, *object, object->object.range.length);
    values += object->variants.range.length;
  }
  return values;
}

// Counts a call. Calls of the same script's method share a row, for example `res://player.gd::hit`. If the script is
// not known, nodes with the same list of methods share a row, with the name of the node that was called first.
void count_call(const MpDissection &dissection, const MpResolvedMessage &message) {
  packet_info *pinfo = dissection.pinfo;
  const char *node = pool_text<max_name_size>(pinfo, [&](TextBuffer &text) { message.append_node_path(text); });
  const char *method = pool_text<max_name_size>(pinfo, [&](TextBuffer &text) { message.append_member_name(text); });
  const char *member = pool_text<max_name_size>(pinfo, [&](TextBuffer &text) {
    text.append(node);
    text.append(".");
    text.append(method);
  });
  const bool is_value = message.is(MpCommand::rset);
  const bool is_named = is_value || !message.method_name().text.empty();
  count_name(pinfo, {node, is_value ? value_row : call_row, is_named ? method : nullptr});
  const std::string_view md5 = message.method().md5;
  const std::string_view script = dissection.packet.names == nullptr || md5.empty()
                                      ? std::string_view{}
                                      : dissection.packet.names->source_of_method_list(md5);
  CountedName name{member, nullptr, member, node};
  if (!script.empty()) {
    name.shown_name = name.key = wmem_strdup_printf(pinfo->pool, "%s::%s", printable(pinfo->pool, script), method);
  } else if (!md5.empty() && md5 != godot_codec::mp_md5_of_no_methods) {
    name.key = wmem_strdup_printf(pinfo->pool, "%s::%s", printable(pinfo->pool, md5), method);
  }
  count_in(pinfo, calls_table, name, static_cast<std::uint32_t>(message.command.range.length));
}

// Counts messages of send_bytes(), send_auth() and put_var(). Counts raw bytes by the first word of the custom
// dissector's Info text.
void count_custom_payload(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (message.command.is_bare_variant) {
    const godot_codec::Bytes value =
        godot_codec::mp_bytes_before(dissection.packet.bytes, message.variants.range.end());
    return count_variant(dissection.pinfo, value, message.variants.range.offset,
                         godot_codec::mp_encoding(message.command.generation), dissection.packet.options());
  }
  const char *function = message.is(MpCommand::raw)    ? "send_bytes()"
                         : message.is(MpCommand::auth) ? "send_auth()"
                                                       : command_name(message.command.command);
  const char *word = first_word(dissection.pinfo, dissection.result->custom_info_text);
  const char *name = word == nullptr ? function : dissection.format("%s: %s", function, word);
  const char *endpoints = dissection.format("%s → %s", name_of_peer(dissection, message.route.sender),
                                            name_of_peer(dissection, message.route.receiver));
  count_in(dissection.pinfo, calls_table, {name, nullptr, nullptr, endpoints},
           static_cast<std::uint32_t>(message.command.range.length));
}

// The overhead category of a message's contents, and the size of the contents in bytes.
struct CountedContent {
  ByteCategory category;
  std::size_t size;
};

CountedContent count_content(const MpDissection &dissection, const MpResolvedMessage &message) {
  using godot_codec::MpCommandCategory;
  const std::size_t own = message.fields.text(MpField::data).size();
  const std::size_t values = message.variants.range.length + message.command.spawn_argument.range.length;
  switch (godot_codec::mp_command_info(message.command.command).category) {
    case MpCommandCategory::calls:
      count_call(dissection, message);
      return {ByteCategory::arguments, values + own};
    case MpCommandCategory::spawns:
      count_object_with_values(dissection, message, message.command.range.length);
      return {ByteCategory::state, values};
    case MpCommandCategory::syncs:
    case MpCommandCategory::deltas:
      return {ByteCategory::state, count_objects(dissection, message)};
    case MpCommandCategory::custom:
      count_custom_payload(dissection, message);
      break;
    case MpCommandCategory::paths_and_peers:
      break;
  }
  return {ByteCategory::custom_payload, values + own};
}

// True if the message was relayed by the server, and the capture also contains the client's message to the server.
bool is_relayed_copy(const MpPacket &packet, const MpRoute &route) {
  const bool is_relayed = packet.is_from_server() && packet.role_of(route.sender) != godot_codec::MpRole::server;
  return is_relayed && packet.connection->peers().find_other_client(route.sender) != nullptr;
}

}  // namespace

const char *id_of_peer(const MpDissection &dissection, std::int32_t peer) {
  if (godot_codec::is_mp_side(peer)) {
    peer = dissection.peers().has_roles()
               ? dissection.peers().id_of(peer, godot_codec::packet_position_last).value_or(0)
               : id_of_side(dissection, peer);
    if (peer == 0) return nullptr;
  }
  if (peer == godot_codec::mp_everyone) return "all";
  if (peer < 0) return dissection.format("all but %u", 0U - static_cast<std::uint32_t>(peer));
  // Each message has several IDs, and printf takes ten times as long.
  return pool_text<max_name_size>(dissection.pinfo, [peer](TextBuffer &text) { text.append_integer(peer); });
}

const char *known_name_of_peer(const MpDissection &dissection, std::int32_t peer) {
  const char *id = id_of_peer(dissection, peer);
  return id != nullptr && std::strcmp(id, "1") == 0 ? server_name : id;
}

const char *name_of_peer(const MpDissection &dissection, std::int32_t peer) {
  const char *known = known_name_of_peer(dissection, peer);
  if (known != nullptr) return known;
  if (dissection.packet.has_roles()) return "client";
  const DataChannelInfo channel = dissection.context->data_channel();
  const bool is_source = peer == godot_codec::mp_side(dissection.packet.sender_side);
  const char *end = is_source ? channel.source : channel.destination;
  return end == nullptr ? "peer" : end;
}

void count_mp_message(const MpDissection &dissection, const MpResolvedMessage &message) {
  tap_syncs(dissection, message);
  FrameRecord *record = frame_record_if_counted(dissection.pinfo);
  if (record == nullptr) return;
  if (!is_relayed_copy(dissection.packet, message.route)) {
    count_in(dissection.pinfo, peers_table,
             {name_of_peer(dissection, message.route.sender), name_of_peer(dissection, message.route.receiver)},
             tvb_reported_length(dissection.tvb));
  }
  if (!message.command.is_known) return;
  record_match_message(dissection, message);
  const CountedContent content = count_content(dissection, message);
  if (record->counting == FrameRecord::MessageCounting::split) return;
  const auto size = static_cast<std::int64_t>(content.size);
  record->bytes_in(ByteCategory::mp_headers) -= size;
  record->bytes_in(content.category) += size;
}

void add_mp_arrow(const MpDissection &dissection, const MpParsedPacket &reading, const char *summary) {
  packet_info *pinfo = dissection.pinfo;
  if (!wants_arrows(pinfo)) return;
  const MpMessage &last = reading.commands.size() == 0 ? reading.prefix : reading.commands[reading.commands.size() - 1];
  if (!last.is_known || !godot_codec::mp_command_info(last.command).has(godot_codec::mp_arrow)) return;
  const char *comment =
      wmem_strdup_printf(pinfo->pool, "%s to %s: %s", name_of_peer(dissection, dissection.result->route.sender),
                         name_of_peer(dissection, dissection.result->route.receiver), summary);
  const DataChannelInfo channel = dissection.context->data_channel();
  add_arrow(pinfo, summary, comment, channel.source, channel.destination);
}

}  // namespace godot_plugin
