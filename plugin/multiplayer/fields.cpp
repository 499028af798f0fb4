// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/fields.h"

#include <array>

namespace godot_plugin {

MpTreeFields mp_fields;
MpSubtrees mp_subtrees;
MpExperts mp_experts;

namespace {

using godot_codec::mp_field_count;
using godot_codec::mp_flag_count;
using godot_codec::MpField;
using godot_codec::MpFlag;
using godot_codec::MpKind;

constexpr const char *field_filters[] = {
#define GODOT_FIELD(id, name, title, kind, description) "godot_mp." name,
    GODOT_MP_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

constexpr const char *flag_filters[] = {
#define GODOT_FLAG(id, name, title, mask, description) "godot_mp." name,
    GODOT_MP_FLAGS(GODOT_FLAG)
#undef GODOT_FLAG
};

ftenum epan_type(MpKind kind) {
  switch (kind) {
    case MpKind::boolean:
      return FT_BOOLEAN;
    case MpKind::uint8:
      return FT_UINT8;
    case MpKind::uint16:
      return FT_UINT16;
    case MpKind::uint32:
      return FT_UINT32;
    case MpKind::uint64:
      return FT_UINT64;
    case MpKind::int32:
      return FT_INT32;
    case MpKind::text:
      return FT_STRING;
    case MpKind::opaque_bytes:
      return FT_BYTES;
  }
  return FT_NONE;
}

int epan_display(MpField field, MpKind kind) {
  if (field == MpField::mask) return BASE_HEX;
  return kind == MpKind::boolean || kind == MpKind::text || kind == MpKind::opaque_bytes ? BASE_NONE : BASE_DEC;
}

std::array<int, mp_field_count> message_fields;
std::array<hf_register_info, mp_field_count> message_registrations;
std::array<int, mp_flag_count> flag_fields;
std::array<hf_register_info, mp_flag_count> flag_registrations;

constexpr value_string id_sizes[] = {{0, "u8"}, {1, "u16"}, {2, "u32"}, {0, nullptr}};

header_field_info flag_registration(MpFlag flag) {
  const godot_codec::MpFlagInfo &info = godot_codec::mp_flag_info(flag);
  const char *filter = flag_filters[static_cast<std::size_t>(flag)];
  const bool is_size = flag == MpFlag::node_id_size || flag == MpFlag::method_id_size;
  if (!is_size) return {info.title, filter, FT_BOOLEAN, 8, nullptr, info.mask, info.description, HFILL};
  return {info.title, filter, FT_UINT8, BASE_DEC, VALS(id_sizes), info.mask, info.description, HFILL};
}

void register_message_fields(int proto) {
  message_fields.fill(-1);
  for (std::size_t i = 0; i < mp_field_count; ++i) {
    const godot_codec::MpFieldInfo &info = godot_codec::mp_field_infos[i];
    message_registrations[i] = {
        &message_fields[i],
        {info.title, field_filters[i], epan_type(info.kind), epan_display(static_cast<MpField>(i), info.kind), nullptr,
         0, info.description, HFILL}};
  }
  proto_register_field_array(proto, message_registrations.data(), static_cast<int>(message_registrations.size()));
  flag_fields.fill(-1);
  for (std::size_t i = 0; i < mp_flag_count; ++i) {
    flag_registrations[i] = {&flag_fields[i], flag_registration(static_cast<MpFlag>(i))};
  }
  proto_register_field_array(proto, flag_registrations.data(), static_cast<int>(flag_registrations.size()));
}

constexpr value_string peer_names[] = {{0, "all"}, {1, "server"}, {0, nullptr}};

void register_tree_fields(int proto) {
  static hf_register_info registrations[] = {
      {&mp_fields.command,
       {"Command", "godot_mp.command", FT_STRING, BASE_NONE, nullptr, 0, "What the sender wants", HFILL}},
      {&mp_fields.stream,
       {"Stream", "godot_mp.stream", FT_UINT32, BASE_DEC, nullptr, 0, "Counts connections of multiplayer peers, from 0",
        HFILL}},
      {&mp_fields.summary,
       {"Summary", "godot_mp.summary", FT_STRING, BASE_NONE, nullptr, 0, "What the message says", HFILL}},
      {&mp_fields.length,
       {"Length", "godot_mp.length", FT_UINT32, BASE_DEC, nullptr, 0, "Bytes of the message", HFILL}},
      {&mp_fields.sender,
       {"Sender", "godot_mp.sender", FT_INT32, BASE_DEC | BASE_SPECIAL_VALS, VALS(peer_names), 0,
        "Peer that the message comes from; 1: the server", HFILL}},
      {&mp_fields.receiver,
       {"Receiver", "godot_mp.receiver", FT_INT32, BASE_DEC | BASE_SPECIAL_VALS, VALS(peer_names), 0,
        "Peer that the message is for; 0: everyone; negative: everyone but that one", HFILL}},
      {&mp_fields.header,
       {"Numbers of the wire", "godot_mp.header", FT_NONE, BASE_NONE, nullptr, 0,
        "Flags, sizes and numbers of the message", HFILL}},
      {&mp_fields.path_defined_in,
       {"Path defined in", "godot_mp.path.defined_in", FT_FRAMENUM, BASE_NONE, nullptr, 0,
        "Frame that gave the path its number", HFILL}},
      {&mp_fields.path_confirmed,
       {"Path confirmed", "godot_mp.path.confirmed", FT_BOOLEAN, BASE_NONE, nullptr, 0,
        "The receiver had said that it knows the number, whether its methods are the same or not", HFILL}},
      {&mp_fields.node,
       {"Node", "godot_mp.node", FT_STRING, BASE_NONE, nullptr, 0, "Name of the spawned node, or path of another",
        HFILL}},
      {&mp_fields.spawner,
       {"Spawner", "godot_mp.spawn.spawner", FT_STRING, BASE_NONE, nullptr, 0, "Path of the MultiplayerSpawner",
        HFILL}},
      {&mp_fields.object,
       {"Object", "godot_mp.object", FT_STRING, BASE_NONE, nullptr, 0,
        "Node that the values of one synchronizer are for; of a node's second synchronizer with its net id", HFILL}},
      {&mp_fields.property,
       {"Property", "godot_mp.property", FT_STRING, BASE_NONE, nullptr, 0,
        "Path of the property below the node, or its place in the list of those that are spawned, synced or watched, "
        "from 0",
        HFILL}},
      {&mp_fields.property_path,
       {"Property path", "godot_mp.property_path", FT_STRING, BASE_NONE, nullptr, 0, "Node and property", HFILL}},
      {&mp_fields.property_full_path,
       {"Property path from the root", "godot_mp.property_full_path", FT_STRING, BASE_NONE, nullptr, 0,
        "Node and property, from the multiplayer's root: the same whoever sends it", HFILL}},
      {&mp_fields.property_with_value,
       {"Property with value", "godot_mp.property_with_value", FT_STRING, BASE_NONE, nullptr, 0,
        "Node, property and value", HFILL}},
      {&mp_fields.property_source,
       {"Source of the property's name", "godot_mp.property_source", FT_STRING, BASE_NONE, nullptr, 0,
        "Who says what the property is called", HFILL}},
      {&mp_fields.method_source,
       {"Source of the method's name", "godot_mp.rpc.method_source", FT_STRING, BASE_NONE, nullptr, 0,
        "Who says what the method is called", HFILL}},
      {&mp_fields.sync_interval,
       {"Since the last sync", "godot_mp.sync.interval", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "Time since this receiver's last sync of the same synchronizer", HFILL}},
      {&mp_fields.delivery,
       {"Delivery", "godot_mp.delivery", FT_STRING, BASE_NONE, nullptr, 0,
        "What becomes of the message at its receiver: delivered, late (it waited for an earlier one), waiting (an "
        "earlier one was not captured), dropped with the rule that does so, or unknown (nothing tells that it came); "
        "later frames tell, so a display filter finds it once the capture is loaded",
        HFILL}},
      {&mp_fields.received,
       {"Received as", "godot_mp.received", FT_STRING, BASE_NONE, nullptr, 0,
        "Arguments that reach the method of a call with one that the receiver cannot read", HFILL}},
      {&mp_fields.data_guessed,
       {"Opened as a Variant, by guess", "godot_mp.data.guessed", FT_BOOLEAN, BASE_NONE, nullptr, 0,
        "The bytes are the game's own, but exactly one Variant: most likely that is what they mean", HFILL}},
      {&mp_fields.project_read,
       {"The game's folder", "godot_mp.project_read", FT_STRING, BASE_NONE, nullptr, 0,
        "What the game's folder gave; on one message of a capture", HFILL}},
      {&mp_fields.undecoded,
       {"Undecoded bytes", "godot_mp.undecoded", FT_BYTES, BASE_NONE, nullptr, 0, "What is not part of the message",
        HFILL}},
  };
  static_assert(array_length(registrations) == sizeof(MpTreeFields) / sizeof(int), "a row for each field");
  proto_register_field_array(proto, registrations, static_cast<int>(array_length(registrations)));
  static int *const trees[] = {&mp_subtrees.packet, &mp_subtrees.object, &mp_subtrees.header, &mp_subtrees.guess};
  static_assert(array_length(trees) == sizeof(MpSubtrees) / sizeof(int), "a row for each subtree");
  proto_register_subtree_array(trees, static_cast<int>(array_length(trees)));
}

void register_experts(int proto) {
  static ei_register_info registrations[] = {
      {&mp_experts.malformed,
       {"godot_mp.malformed", PI_MALFORMED, PI_ERROR, "The message contradicts itself", EXPFILL}},
      {&mp_experts.truncated,
       {"godot_mp.truncated", PI_UNDECODED, PI_NOTE, "The capture holds only the beginning of the message", EXPFILL}},
      {&mp_experts.unsupported, {"godot_mp.unsupported", PI_UNDECODED, PI_WARN, "No command of Godot's", EXPFILL}},
      {&mp_experts.limit, {"godot_mp.limit", PI_UNDECODED, PI_NOTE, "More than is shown", EXPFILL}},
      {&mp_experts.left_out,
       {"godot_mp.left_out", PI_PROTOCOL, PI_WARN,
        "The capture's messages say far more than games do in so few bytes: from here on not all of it is remembered, "
        "and paths, spawned nodes and syncs may be missing",
        EXPFILL}},
      {&mp_experts.trailing,
       {"godot_mp.trailing", PI_PROTOCOL, PI_NOTE, "Bytes behind the end of the message", EXPFILL}},
      {&mp_experts.checksum_failed,
       {"godot_mp.checksum_failed", PI_PROTOCOL, PI_WARN,
        "The node's RPC methods differ between the two games; which methods the other one has, later frames may tell, "
        "so "
        "a display filter finds it once the capture is loaded",
        EXPFILL}},
      {&mp_experts.unknown_path,
       {"godot_mp.unknown_path", PI_SEQUENCE, PI_NOTE, "Nobody has said in this capture which node this is", EXPFILL}},
      {&mp_experts.untold_path,
       {"godot_mp.untold_path", PI_SEQUENCE, PI_WARN, "The receiver was never told which node this is, others were",
        EXPFILL}},
      {&mp_experts.authentication,
       {"godot_mp.authentication", PI_SEQUENCE, PI_WARN,
        "An authentication that does not end, or a message that is dropped because of it; of the first, later frames "
        "tell, so a display filter finds it once the capture is loaded",
        EXPFILL}},
      {&mp_experts.unlisted_scene,
       {"godot_mp.unlisted_scene", PI_SEQUENCE, PI_WARN,
        "A spawned scene that the spawner of the game's folder has not in its list", EXPFILL}},
      {&mp_experts.unconfirmed_path,
       {"godot_mp.unconfirmed_path", PI_SEQUENCE, PI_WARN,
        "The receiver probably lacks the node: it has not confirmed the path; of the message that told the path, later "
        "frames tell, so a display filter finds it once the capture is loaded",
        EXPFILL}},
      {&mp_experts.unknown_node,
       {"godot_mp.unknown_node", PI_SEQUENCE, PI_NOTE, "The receiver has no such node", EXPFILL}},
      {&mp_experts.after_checksum_failure,
       {"godot_mp.after_checksum_failure", PI_PROTOCOL, PI_WARN,
        "The node's RPC methods differ between the two games: another one may be called", EXPFILL}},
      {&mp_experts.oversized_sync,
       {"godot_mp.oversized_sync", PI_PROTOCOL, PI_NOTE, "A sync of more bytes than Godot likes to send", EXPFILL}},
      {&mp_experts.late_sync,
       {"godot_mp.late_sync", PI_SEQUENCE, PI_NOTE,
        "No newer than a sync of the same object that has arrived: Godot drops it", EXPFILL}},
      {&mp_experts.over_mtu,
       {"godot_mp.over_mtu", PI_PROTOCOL, PI_NOTE, "An unreliable message in fragments: it is lost if any of them is",
        EXPFILL}},
      {&mp_experts.unknown_flags,
       {"godot_mp.unknown_flags", PI_PROTOCOL, PI_NOTE, "Bits of the first byte are set that mean nothing", EXPFILL}},
      {&mp_experts.project_unreadable,
       {"godot_mp.project_unreadable", PI_UNDECODED, PI_NOTE, "The game's folder cannot be read", EXPFILL}},
      {&mp_experts.project_left_out,
       {"godot_mp.project_left_out", PI_UNDECODED, PI_NOTE, "Of the game's folder, something is not read", EXPFILL}},
      {&mp_experts.unknown_methods,
       {"godot_mp.unknown_methods", PI_PROTOCOL, PI_NOTE, "No script of the project has these methods", EXPFILL}},
      {&mp_experts.after_unknown_methods,
       {"godot_mp.after_unknown_methods", PI_PROTOCOL, PI_NOTE,
        "No script of the project has the methods of the node that is called", EXPFILL}},
      {&mp_experts.other_properties,
       {"godot_mp.other_properties", PI_PROTOCOL, PI_NOTE, "The values cannot be those of the project's properties",
        EXPFILL}},
      {&mp_experts.signature_mismatch,
       {"godot_mp.signature_mismatch", PI_PROTOCOL, PI_WARN,
        "The method takes other arguments, as the game's folder says: Godot does not call it", EXPFILL}},
      {&mp_experts.absent_peer,
       {"godot_mp.absent_peer", PI_SEQUENCE, PI_NOTE,
        "The server has no longer the peer that this is to be relayed to: it gets lost", EXPFILL}},
      {&mp_experts.unsynchronized,
       {"godot_mp.unsynchronized", PI_SEQUENCE, PI_NOTE,
        "A synchronizer of the node goes to other peers and never to this one; later frames tell, so a display filter "
        "finds it once the capture is loaded",
        EXPFILL}},
      {&mp_experts.not_allowed,
       {"godot_mp.not_allowed", PI_SECURITY, PI_NOTE, "Only the node's authority may call this method", EXPFILL}},
      {&mp_experts.refused,
       {"godot_mp.refused", PI_SECURITY, PI_WARN,
        "Only the node's authority may call this method, which the sender is not: no script makes it one", EXPFILL}},
      {&mp_experts.arguments_lost,
       {"godot_mp.arguments_lost", PI_PROTOCOL, PI_WARN,
        "The receiver cannot read an argument: the method gets null for it and for all behind it", EXPFILL}},
      // Who sends Objects in full allows them, and a game's other side mostly has the same script.
      {&mp_experts.arguments_refusable,
       {"godot_mp.arguments_refusable", PI_SECURITY, PI_NOTE,
        "The receiver cannot read an argument unless it allows objects, as its sender does", EXPFILL}},
      {&mp_experts.two_senders,
       {"godot_mp.two_senders", PI_SEQUENCE, PI_WARN,
        "Two peers send the values of one synchronizer, and go on doing so; told once, of the message that shows it",
        EXPFILL}},
      {&mp_experts.values_end,
       {"godot_mp.values_end", PI_SEQUENCE, PI_WARN,
        "The values of a node have ended, and the receiver still has it; told once, of a later message", EXPFILL}},
      {&mp_experts.short_lives,
       {"godot_mp.short_lives", PI_SEQUENCE, PI_WARN,
        "A node is spawned and despawned over and over; told once, of the message that shows it", EXPFILL}},
      {&mp_experts.flood,
       {"godot_mp.flood", PI_SEQUENCE, PI_WARN,
        "A method is called hundreds of times a second; told once, of the message that shows it", EXPFILL}},
      {&mp_experts.stood_still,
       {"godot_mp.stood_still", PI_SEQUENCE, PI_WARN,
        "A side of a WebSocket said nothing for much longer than ever before", EXPFILL}},
      {&mp_experts.mute,
       {"godot_mp.mute", PI_SEQUENCE, PI_WARN,
        "A side takes what is sent and never says anything; told once, of the message that shows it", EXPFILL}},
      {&mp_experts.calls_lost,
       {"godot_mp.calls_lost", PI_SEQUENCE, PI_WARN,
        "Unreliable calls, of a side whose unreliable messages often do not come; told once, of the first such call",
        EXPFILL}},
      {&mp_experts.made_up_name,
       {"godot_mp.made_up_name", PI_PROTOCOL, PI_WARN,
        "A path has a name that the engine made up, which is another one at each peer", EXPFILL}},
      {&mp_experts.not_remote,
       {"godot_mp.not_remote", PI_SECURITY, PI_WARN,
        "Godot 3: no script of the game's folder lets other peers call a method of this name", EXPFILL}},
      {&mp_experts.nan, {"godot_mp.nan", PI_PROTOCOL, PI_WARN, "A number that is none (NaN)", EXPFILL}},
      {&mp_experts.object_property,
       {"godot_mp.object_property", PI_PROTOCOL, PI_WARN, "A synchronized property holds an Object", EXPFILL}},
  };
  static_assert(array_length(registrations) == sizeof(MpExperts) / sizeof(expert_field), "a row for each expert item");
  expert_register_field_array(expert_register_protocol(proto), registrations,
                              static_cast<int>(array_length(registrations)));
}

}  // namespace

int registered(MpField field) { return message_fields[static_cast<std::size_t>(field)]; }

int registered(MpFlag flag) { return flag_fields[static_cast<std::size_t>(flag)]; }

void register_mp_fields(int proto) {
  register_message_fields(proto);
  register_tree_fields(proto);
  register_experts(proto);
}

}  // namespace godot_plugin
