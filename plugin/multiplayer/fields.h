// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot_mp` tree is made of: one table from the codec's fields to registered ones, and the rest.
#pragma once

#include "godot-codec/multiplayer/message.h"
#include "plugin/epan/fields.h"

namespace godot_plugin {

inline constexpr value_string mp_peer_names[] = {{0, "all"}, {1, "server"}, {0, nullptr}};

/// Fields that no message has on the wire, and nodes of the tree.
struct MpTreeFields {
  HeaderField command{FT_STRING, "godot_mp.command", "Command", "Command of the message"};
  HeaderField stream{FT_UINT32, "godot_mp.stream", "Stream",
                     "Index of the connection between two multiplayer peers, from 0"};
  HeaderField summary{FT_STRING, "godot_mp.summary", "Summary", "The message in one sentence, as in the Info column"};
  HeaderField length{FT_UINT32, "godot_mp.length", "Length", "Length of the message, in bytes"};
  HeaderField sender{FT_INT32, "godot_mp.sender", "Sender", "Peer that sent the message; 1: the server",
                     named(VALS(mp_peer_names), BASE_DEC | BASE_SPECIAL_VALS)};
  HeaderField receiver{FT_INT32, "godot_mp.receiver", "Receiver",
                       "Peer that receives the message; 0: all peers; negative: all peers except that one",
                       named(VALS(mp_peer_names), BASE_DEC | BASE_SPECIAL_VALS)};
  HeaderField header{FT_NONE, "godot_mp.header", "Header fields", "Flags, sizes and numbers of the message"};
  HeaderField path_defined_in{FT_FRAMENUM, "godot_mp.path.defined_in", "Path defined in",
                              "Frame that assigned the number to the path"};
  HeaderField path_confirmed{FT_BOOLEAN, "godot_mp.path.confirmed", "Path confirmed",
                             "The receiver had confirmed the number of the path, whether its methods match or not"};
  HeaderField node{FT_STRING, "godot_mp.node", "Node", "Name of the spawned node, or path of another node"};
  HeaderField spawner{FT_STRING, "godot_mp.spawn.spawner", "Spawner", "Path of the MultiplayerSpawner"};
  HeaderField object{FT_STRING, "godot_mp.object", "Object",
                     "Node whose values a synchronizer sends; with the net ID for the second synchronizer of a node"};
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
      "Number of scripts, scenes and methods read from the project folder; on one message per capture"};
  HeaderField undecoded{FT_BYTES, "godot_mp.undecoded", "Undecoded bytes", "Bytes that are not part of the message"};
};

struct MpSubtrees {
  int packet = -1;
  int object = -1;
  int header = -1;
  int guess = -1;
};

struct MpExperts {
  ExpertItem malformed{"godot_mp.malformed", PI_MALFORMED, PI_ERROR, "The message contradicts itself"};
  ExpertItem truncated{"godot_mp.truncated", PI_UNDECODED, PI_NOTE,
                       "The capture contains only the beginning of the message"};
  ExpertItem unsupported{"godot_mp.unsupported", PI_UNDECODED, PI_WARN, "Unknown multiplayer command"};
  ExpertItem limit{"godot_mp.limit", PI_UNDECODED, PI_NOTE,
                   "Not all of the message is shown: a display limit was reached"};
  ExpertItem over_memory_limit{
      "godot_mp.over_memory_limit", PI_PROTOCOL, PI_WARN,
      "The messages exceeded the memory limit: paths, spawned nodes and syncs may be missing from here on"};
  ExpertItem trailing{"godot_mp.trailing", PI_PROTOCOL, PI_NOTE, "Bytes after the end of the message"};
  ExpertItem checksum_failed{
      {"godot_mp.checksum_failed", PI_PROTOCOL, PI_WARN,
       "The RPC methods of the node differ between the two sides (two-pass: which methods the other side has)"},
      {.weight = 220,
       .text = "The RPC methods of %s differ between the two sides: both need the same scripts",
       .advice = "Export server and client from the same project: each node needs the same @rpc methods on both sides.",
       .filter = "(godot_mp.checksum_failed or godot_mp.after_checksum_failure)"}};
  ExpertItem unknown_path{"godot_mp.unknown_path", PI_SEQUENCE, PI_NOTE,
                          "The capture does not contain the path of this node"};
  ExpertItem unannounced_path{
      {"godot_mp.unannounced_path", PI_SEQUENCE, PI_NOTE,
       "The receiver has not got the path of this number: Godot drops the message"},
      {.weight = 300,
       .text = "The receiver never got the path of %s: Godot drops messages for it",
       .advice =
           "Did the receiver connect, or get the node, later than the others? Call the node again once the receiver has it."}};
  ExpertItem authentication{
      {"godot_mp.authentication", PI_SEQUENCE, PI_WARN,
       "Authentication that is never completed, or a message dropped because of it (two-pass)"},
      {.weight = 180,
       .advice =
           "Both sides need an auth_callback; each calls send_auth(), and complete_auth() if the received data is right."}};
  ExpertItem unlisted_scene{
      {"godot_mp.unlisted_scene", PI_SEQUENCE, PI_WARN,
       "Spawned scene that is not in the Auto Spawn List of the spawner in the project folder"},
      {.weight = 230,
       .text =
           "%s spawns a scene that is not in its Auto Spawn List in the project folder: peers with that list cannot spawn it",
       .advice =
           "Add the scene to the Auto Spawn List, or call add_spawnable_scene() on both sides, in the same order."}};
  ExpertItem unconfirmed_path{
      {"godot_mp.unconfirmed_path", PI_SEQUENCE, PI_WARN,
       "The receiver has not confirmed the path: it probably has no such node (two-pass)"},
      {.weight = 240,
       .text = "The receiver had no node %s when its path arrived: what was sent with the path is lost",
       .plural = "The receiver had no nodes %s when their paths arrived: what was sent with the paths is lost",
       .advice =
           "The receiver needs a node of this path before the first call. Is the node added later there, or with another parent or name?",
       .merge = Merge::peers}};
  ExpertItem unconfirmed_call{
      "godot_mp.unconfirmed_call", PI_SEQUENCE, PI_NOTE,
      "The receiver had not confirmed the path: the call arrives only if the node has been added there since"};
  ExpertItem unknown_node{
      {"godot_mp.unknown_node", PI_SEQUENCE, PI_NOTE, "The receiver has no such node"},
      {.weight = 310,
       .text = "%s does not exist on the receiver (not spawned yet, or already despawned): Godot drops messages for it",
       .advice = "Call the node only while the receiver has it: after its spawn, before its queue_free()."}};
  ExpertItem after_checksum_failure{
      {"godot_mp.after_checksum_failure", PI_PROTOCOL, PI_WARN,
       "The RPC methods of the node differ between the two sides: another method may be called"},
      {.row = &checksum_failed}};
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
           "Set the preference godot_mp.project to the folder with project.godot, or to an export without encryption.",
       .is_marked = false}};
  ExpertItem project_incomplete{"godot_mp.project_incomplete", PI_UNDECODED, PI_NOTE,
                                "Parts of the project folder were not read"};
  ExpertItem unknown_methods{"godot_mp.unknown_methods", PI_PROTOCOL, PI_NOTE,
                             "No script in the project folder has these methods"};
  ExpertItem after_unknown_methods{"godot_mp.after_unknown_methods", PI_PROTOCOL, PI_NOTE,
                                   "No script in the project folder has the methods of the called node"};
  ExpertItem property_mismatch{
      {"godot_mp.property_mismatch", PI_PROTOCOL, PI_NOTE,
       "The values do not match the properties in the project folder"},
      {.weight = 250,
       .text =
           "The synchronized values of %s do not match the project folder: one side has another version of the scene and assigns them to the wrong properties, or drops them",
       .advice =
           "Export server and client from the same project: the replication config of the synchronizer must be the same on both sides."}};
  ExpertItem signature_mismatch{
      {"godot_mp.signature_mismatch", PI_PROTOCOL, PI_WARN,
       "The arguments do not match the signature of the method in the project folder: Godot does not call it"},
      {.weight = 340,
       .text = "Arguments do not match the signature of the method (%s): Godot does not call it",
       .advice = "Pass the arguments that the script of the receiver declares. Do both sides have the same script?"}};
  ExpertItem absent_peer{"godot_mp.absent_peer", PI_SEQUENCE, PI_NOTE,
                         "The server no longer has the target of this relayed message: the message is lost"};
  ExpertItem unsynchronized{
      {"godot_mp.unsynchronized", PI_SEQUENCE, PI_NOTE,
       "A synchronizer of the node sends to other peers, but never to this one (two-pass)"},
      {.weight = 420, .advice = "Call set_visibility_for() with this peer and true, or set public_visibility."}};
  ExpertItem not_allowed{
      {"godot_mp.not_allowed", PI_SECURITY, PI_NOTE, "Only the authority of the node may call this method"},
      {.row = &refused}};
  ExpertItem refused{
      {"godot_mp.refused", PI_SECURITY, PI_WARN,
       "Only the authority of the node may call this method, and no script makes the sender the authority"},
      {.weight = 320,
       .text = "Only the authority may call these methods of %s: Godot rejects the calls",
       .advice = "Declare the method @rpc(\"any_peer\"), or call it from the authority of the node.",
       .filter = "(godot_mp.refused or godot_mp.not_allowed)"}};
  ExpertItem unreadable_argument{
      {"godot_mp.unreadable_argument", PI_PROTOCOL, PI_WARN,
       "The receiver cannot read an argument: the method gets null for this argument and all later ones"},
      {.weight = 350,
       .text =
           "Calls of %s have an argument that the receiver cannot decode: this argument and all later ones arrive as null",
       .advice = "Send plain values (an ID, a path, a Dictionary) instead of an object."}};
  // Who sends Objects in full allows them, and a game's other side mostly has the same script.
  ExpertItem arguments_refusable{
      {"godot_mp.arguments_refusable", PI_SECURITY, PI_NOTE,
       "The receiver can read an argument only if it allows objects, as the sender does"},
      {.weight = 360,
       .text =
           "Calls of %s have an object as an argument: this argument and all later ones arrive as null, unless SceneMultiplayer.allow_object_decoding is true on the receiver, too",
       .advice = "Send plain values (an ID, a path, a Dictionary) instead of an object."}};
  ExpertItem object_id_argument{
      {"godot_mp.object_id_argument", PI_PROTOCOL, PI_WARN,
       "An argument is an Object: the receiver gets only its ID (EncodedObjectAsID)"},
      {.weight = 370,
       .text = "Calls or spawns of %s have an object as an argument: the receiver gets only its ID (EncodedObjectAsID)",
       .advice = "Send a reference that the receiver can resolve: get_path() of a node, an ID, a resource_path."}};
  ExpertItem authority_conflict{
      {"godot_mp.authority_conflict", PI_SEQUENCE, PI_WARN,
       "Two peers keep sending the values of one synchronizer (reported once)"},
      {.weight = 260,
       .text = "Two peers both act as the authority of %s: Godot ignores the updates of one of them",
       .plural = "Several peers act as the authority of %s: Godot ignores the updates of all except one",
       .advice =
           "Call set_multiplayer_authority() with the ID of the same peer on all peers, not with get_unique_id().",
       .merge = Merge::all}};
  ExpertItem sync_stopped{
      {"godot_mp.sync_stopped", PI_SEQUENCE, PI_WARN,
       "The values of a node have stopped, but the receiver still has the node (reported once)"},
      {.weight = 280,
       .advice = "Call set_multiplayer_authority() on all peers, for example in an RPC with \"call_local\"."}};
  ExpertItem spawn_churn{
      {"godot_mp.spawn_churn", PI_SEQUENCE, PI_WARN, "A node is spawned and despawned again and again (reported once)"},
      {.weight = 410,
       .advice = "Keep the node and hide it, and call set_visibility_for() only on changes, not every frame."}};
  ExpertItem call_flood{
      {"godot_mp.call_flood", PI_SEQUENCE, PI_WARN, "A method is called hundreds of times per second (reported once)"},
      {.weight = 210,
       .advice = "Call it on changes or a few times per second only, and do not let two methods call each other."}};
  ExpertItem stall{
      {"godot_mp.stall", PI_SEQUENCE, PI_WARN, "A side of a WebSocket sent nothing for much longer than before"},
      {.weight = 480,
       .advice =
           "What was the game doing at that time? ResourceLoader.load_threaded_request() loads without stopping the game."}};
  ExpertItem unresponsive{
      {"godot_mp.unresponsive", PI_SEQUENCE, PI_WARN, "A side receives messages and never sends one (reported once)"},
      {.weight = 190,
       .advice = "Set multiplayer.multiplayer_peer on that side, and make sure that the SceneTree polls the peer."}};
  ExpertItem no_sync{
      {"godot_mp.no_sync", PI_SEQUENCE, PI_WARN,
       "No peer sends values for a synchronizer of a spawned node (reported once)"},
      {.weight = 270, .advice = "Call set_multiplayer_authority() with the same ID on all peers, in _enter_tree()."}};
  ExpertItem raw_text{
      {"godot_mp.raw_text", PI_PROTOCOL, PI_WARN,
       "Text in place of a multiplayer message: other code sends on the same peer"},
      {.weight = 200,
       .advice =
           "Send it with SceneMultiplayer.send_bytes() or an RPC, or on a separate peer without a MultiplayerAPI."}};
  ExpertItem calls_lost{
      {"godot_mp.calls_lost", PI_SEQUENCE, PI_WARN,
       "Unreliable calls of a side that loses many unreliable messages (reported once)"},
      {.weight = 470,
       .advice =
           "Use \"reliable\" for calls that must arrive. If most messages are lost, send less, or allow more bandwidth in create_server() and create_client()."}};
  ExpertItem auto_generated_name{
      {"godot_mp.auto_generated_name", PI_PROTOCOL, PI_WARN,
       "The path contains an auto-generated name, which differs on each peer"},
      {.weight = 290,
       .advice = "Give the node the same name on all peers before add_child(), or call add_child(node, true).",
       .merge = Merge::peers}};
  ExpertItem not_remote{
      {"godot_mp.not_remote", PI_SECURITY, PI_WARN,
       "Godot 3: no script in the project folder lets other peers call a method of this name"},
      {.weight = 330,
       .advice = "Write \"remote\", \"master\" or \"puppet\" before the func, or call rpc_config(), on the receiver."}};
  ExpertItem nan{
      {"godot_mp.nan", PI_PROTOCOL, PI_WARN, "Value is NaN"},
      {.weight = 390,
       .advice =
           "Find where the sender sets it: normalized() of a zero-length vector, or a division by zero; is_finite() detects it."}};
  ExpertItem object_property{
      {"godot_mp.object_property", PI_PROTOCOL, PI_WARN, "A synchronized property contains an Object"},
      {.weight = 380, .advice = "Synchronize the resource_path of the object, or plain values."}};
};

extern MpTreeFields mp_fields;
extern MpSubtrees mp_subtrees;
extern MpExperts mp_experts;

/// The registered field of a field of a message.
[[nodiscard]] int registered(godot_codec::MpField field);

/// The registered field of a flag in a message's first byte.
[[nodiscard]] int registered(godot_codec::MpFlag flag);

/// Registers all of the above for the protocol `godot_mp`.
void register_mp_fields(int proto);

}  // namespace godot_plugin
