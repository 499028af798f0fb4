// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Fields and subtrees of the protocol `godot_mp`: a table that maps the codec's fields to registered fields, and
/// further fields.
#pragma once

#include "godot-codec/multiplayer/message.h"
#include "plugin/epan/field_registration.h"

namespace godot_plugin {

inline constexpr value_string mp_peer_names[] = {{0, "all"}, {1, "server"}, {0, nullptr}};

/// Generated fields, which are not in the bytes of a message.
struct MpTreeFields {
  HeaderField command{FT_STRING, "godot_mp.command", "Command", "Command of the message"};
  HeaderField stream{FT_UINT32, "godot_mp.stream", "Stream",
                     "Index of the connection between two multiplayer peers, from 0"};
  HeaderField summary{FT_STRING, "godot_mp.summary", "Summary", "The message in one sentence, as in the Info column"};
  HeaderField length{FT_UINT32, "godot_mp.length", "Length", "Length of the message, in bytes"};
  HeaderField sender{FT_INT32, "godot_mp.sender", "Sender", "Peer that sent the message; 1: the server",
                     with_value_names(VALS(mp_peer_names), BASE_DEC | BASE_SPECIAL_VALS)};
  HeaderField receiver{FT_INT32, "godot_mp.receiver", "Receiver",
                       "Peer that receives the message; 0: all peers; negative: all peers except that one",
                       with_value_names(VALS(mp_peer_names), BASE_DEC | BASE_SPECIAL_VALS)};
  HeaderField header{FT_NONE, "godot_mp.header", "Header fields", "Flags, sizes and numbers of the message"};
  HeaderField path_defined_in{FT_FRAMENUM, "godot_mp.path.defined_in", "Path defined in",
                              "Frame that assigned the number to the path"};
  HeaderField path_confirmed{FT_BOOLEAN, "godot_mp.path.confirmed", "Path confirmed",
                             "The receiver had confirmed the number of the path, whether its methods match or not"};
  HeaderField node{FT_STRING, "godot_mp.node", "Node", "Name of the spawned node, or path of another node"};
  HeaderField spawner{FT_STRING, "godot_mp.spawn.spawner", "Spawner", "Path of the MultiplayerSpawner"};
  HeaderField object{
      FT_STRING, "godot_mp.object", "Object",
      "Node of the values that a synchronizer sends; with the net ID for the second synchronizer of a node"};
  HeaderField property{
      FT_STRING, "godot_mp.property", "Property",
      "Path of the property below the node, or its index in the list of spawned, synced or watched properties"};
  HeaderField property_path{FT_STRING, "godot_mp.property_path", "Property path", "Node and property"};
  HeaderField property_full_path{FT_STRING, "godot_mp.property_full_path", "Property path from the root",
                                 "Node and property from the root of the multiplayer; the same for every sender"};
  HeaderField property_with_value{FT_STRING, "godot_mp.property_with_value", "Property with value",
                                  "Node, property and value"};
  HeaderField property_source{FT_STRING, "godot_mp.property_source", "Source of the property's name",
                              "Source of the name of the property, such as project or script"};
  HeaderField method_source{FT_STRING, "godot_mp.rpc.method_source", "Source of the method's name",
                            "Source of the name of the method, such as project, table or wire"};
  HeaderField sync_interval{FT_RELATIVE_TIME, "godot_mp.sync.interval", "Since the last sync",
                            "Time since the previous sync of the same synchronizer to this receiver"};
  HeaderField delivery{
      FT_STRING, "godot_mp.delivery", "Delivery",
      "State of the message at its receiver: delivered, late (blocked by an earlier one), waiting (an earlier one was not captured), dropped (with the rule), or unknown (two-pass)"};
  HeaderField received_as{FT_STRING, "godot_mp.received_as", "Received as",
                          "Arguments that reach the method if the receiver cannot read one of them"};
  HeaderField data_guessed{FT_BOOLEAN, "godot_mp.data.guessed", "Decoded as a Variant, by guess",
                           "The custom payload is exactly one Variant, so it is shown as one"};
  HeaderField project_read{
      FT_STRING, "godot_mp.project_read", "Project folder",
      "Number of scripts, scenes and RPC methods read from the project folder; on one message per capture"};
  HeaderField undecoded{FT_BYTES, "godot_mp.undecoded", "Undecoded bytes", "Bytes that are not part of the message"};
};

struct MpSubtrees {
  Subtree packet;
  Subtree object;
  Subtree header;
  Subtree guess;
};

inline constexpr const char *mp_advice_about_bytes =
    "Godot does not send such messages. Check that no other code calls put_packet() on the same peer, and that Engine version in Edit > Preferences > Protocols > GodotMP is correct.";

struct MpExpertItems {
  ExpertItem malformed{
      {"godot_mp.malformed", PI_MALFORMED, PI_ERROR, "The sizes and counts in a multiplayer message do not match"},
      {.advice = mp_advice_about_bytes}};
  ExpertItem truncated{"godot_mp.truncated", PI_UNDECODED, PI_NOTE,
                       "The capture contains only the beginning of the message"};
  ExpertItem unsupported{
      {"godot_mp.unsupported", PI_UNDECODED, PI_WARN, "A message has a command that Godot's multiplayer does not have"},
      {.advice = mp_advice_about_bytes}};
  ExpertItem limit{"godot_mp.limit", PI_UNDECODED, PI_NOTE,
                   "Not all of the message is shown: a display limit was reached"};
  ExpertItem over_memory_limit{
      {"godot_mp.over_memory_limit", PI_PROTOCOL, PI_WARN,
       "The messages announce more nodes than the plugin keeps in memory, so the analysis of later paths, spawned nodes and syncs may be incomplete"},
      {.advice = "Check the sender, because games do not announce so many nodes in so few bytes."}};
  ExpertItem trailing{"godot_mp.trailing", PI_PROTOCOL, PI_NOTE, "Bytes after the end of the message"};
  ExpertItem unknown_path{"godot_mp.unknown_path", PI_SEQUENCE, PI_NOTE,
                          "The capture does not contain the path of this node"};
  ExpertItem oversized_sync{"godot_mp.oversized_sync", PI_PROTOCOL, PI_NOTE, "Sync larger than the sync MTU of Godot"};
  ExpertItem late_sync{"godot_mp.late_sync", PI_SEQUENCE, PI_NOTE,
                       "Not newer than a sync of the same object that has arrived: Godot drops it"};
  ExpertItem over_mtu{"godot_mp.over_mtu", PI_PROTOCOL, PI_NOTE,
                      "Unreliable message in fragments: one lost fragment loses the message"};
  ExpertItem unknown_flags{"godot_mp.unknown_flags", PI_PROTOCOL, PI_NOTE, "Unknown bits are set in the first byte"};
  ExpertItem project_unreadable{
      {"godot_mp.project_unreadable", PI_UNDECODED, PI_NOTE, "The project folder cannot be read"},
      {.weight = 50,
       .advice =
           "Set Edit > Preferences > Protocols > GodotMP > Project folder to the folder with project.godot, or to an export without encryption.",
       .marks_tree_items = false}};
  ExpertItem project_incomplete{"godot_mp.project_incomplete", PI_UNDECODED, PI_NOTE,
                                "Parts of the project folder were not read"};
  ExpertItem raw_text{
      {"godot_mp.raw_text", PI_PROTOCOL, PI_WARN,
       "Text instead of a multiplayer message: other code sends on the same peer"},
      {.weight = 200,
       .advice =
           "Replace multiplayer_peer.put_packet() by SceneMultiplayer.send_bytes() or an RPC, or send on a separate peer."}};
};

extern MpTreeFields mp_fields;
extern MpSubtrees mp_subtrees;
extern MpExpertItems mp_experts;

/// Returns the registered field for a message's field.
[[nodiscard]] int registered_field(godot_codec::MpField field);

/// Returns the registered field for a flag in a message's first byte.
[[nodiscard]] int registered_field(godot_codec::MpFlag flag);

}  // namespace godot_plugin
