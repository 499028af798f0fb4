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
  HeaderField command{FT_STRING, "godot_mp.command", "Command", "What the sender wants"};
  HeaderField stream{FT_UINT32, "godot_mp.stream", "Stream", "Counts connections of multiplayer peers, from 0"};
  HeaderField summary{FT_STRING, "godot_mp.summary", "Summary", "What the message says"};
  HeaderField length{FT_UINT32, "godot_mp.length", "Length", "Bytes of the message"};
  HeaderField sender{FT_INT32, "godot_mp.sender", "Sender", "Peer that the message comes from; 1: the server",
                     named(VALS(mp_peer_names), BASE_DEC | BASE_SPECIAL_VALS)};
  HeaderField receiver{FT_INT32, "godot_mp.receiver", "Receiver",
                       "Peer that the message is for; 0: everyone; negative: everyone but that one",
                       named(VALS(mp_peer_names), BASE_DEC | BASE_SPECIAL_VALS)};
  HeaderField header{FT_NONE, "godot_mp.header", "Numbers of the wire", "Flags, sizes and numbers of the message"};
  HeaderField path_defined_in{FT_FRAMENUM, "godot_mp.path.defined_in", "Path defined in",
                              "Frame that gave the path its number"};
  HeaderField path_confirmed{FT_BOOLEAN, "godot_mp.path.confirmed", "Path confirmed",
                             "The receiver had said that it knows the number, whether its methods are the same or not"};
  HeaderField node{FT_STRING, "godot_mp.node", "Node", "Name of the spawned node, or path of another"};
  HeaderField spawner{FT_STRING, "godot_mp.spawn.spawner", "Spawner", "Path of the MultiplayerSpawner"};
  HeaderField object{
      FT_STRING, "godot_mp.object", "Object",
      "Node that the values of one synchronizer are for; of a node's second synchronizer with its net id"};
  HeaderField property{FT_STRING, "godot_mp.property", "Property",
                       "Path of the property below the node, or its place in the list of those that are spawned, "
                       "synced or watched, from 0"};
  HeaderField property_path{FT_STRING, "godot_mp.property_path", "Property path", "Node and property"};
  HeaderField property_full_path{FT_STRING, "godot_mp.property_full_path", "Property path from the root",
                                 "Node and property, from the multiplayer's root: the same whoever sends it"};
  HeaderField property_with_value{FT_STRING, "godot_mp.property_with_value", "Property with value",
                                  "Node, property and value"};
  HeaderField property_source{FT_STRING, "godot_mp.property_source", "Source of the property's name",
                              "Where the property's name comes from: project, table, script, paths or preload; "
                              "unverified until a list of this game's methods was seen; assumed if a script may change "
                              "it at run time or if it is all that is left (marked by ?= in the column Info)"};
  HeaderField method_source{FT_STRING, "godot_mp.rpc.method_source", "Source of the method's name",
                            "Who says what the method is called"};
  HeaderField sync_interval{FT_RELATIVE_TIME, "godot_mp.sync.interval", "Since the last sync",
                            "Time since this receiver's last sync of the same synchronizer"};
  HeaderField delivery{
      FT_STRING, "godot_mp.delivery", "Delivery",
      "What becomes of the message at its receiver: delivered, late (it waited for an earlier one), waiting (an "
      "earlier one was not captured), dropped with the rule that does so, or unknown (nothing tells that it came); "
      "later frames tell, so a display filter finds it once the capture is loaded"};
  HeaderField received_as{FT_STRING, "godot_mp.received_as", "Received as",
                          "Arguments that reach the method of a call with one that the receiver cannot read"};
  HeaderField data_guessed{FT_BOOLEAN, "godot_mp.data.guessed", "Opened as a Variant, by guess",
                           "The bytes are the game's own, but exactly one Variant: most likely that is what they mean"};
  HeaderField project_read{FT_STRING, "godot_mp.project_read", "The game's folder",
                           "What the game's folder gave; on one message of a capture"};
  HeaderField undecoded{FT_BYTES, "godot_mp.undecoded", "Undecoded bytes", "What is not part of the message"};
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
                       "The capture holds only the beginning of the message"};
  ExpertItem unsupported{"godot_mp.unsupported", PI_UNDECODED, PI_WARN, "No command of Godot's"};
  ExpertItem limit{"godot_mp.limit", PI_UNDECODED, PI_NOTE, "More than is shown"};
  ExpertItem over_memory_limit{
      "godot_mp.over_memory_limit", PI_PROTOCOL, PI_WARN,
      "The capture's messages say far more than games do in so few bytes: from here on not all of it "
      "is remembered, and paths, spawned nodes and syncs may be missing"};
  ExpertItem trailing{"godot_mp.trailing", PI_PROTOCOL, PI_NOTE, "Bytes behind the end of the message"};
  ExpertItem checksum_failed{"godot_mp.checksum_failed", PI_PROTOCOL, PI_WARN,
                             "The node's RPC methods differ between the two games; which methods the other one has, "
                             "later frames may tell, so a display filter finds it once the capture is loaded"};
  ExpertItem unknown_path{"godot_mp.unknown_path", PI_SEQUENCE, PI_NOTE,
                          "Nobody has said in this capture which node this is"};
  ExpertItem unannounced_path{"godot_mp.unannounced_path", PI_SEQUENCE, PI_NOTE,
                              "The receiver has not got the path of this number: Godot drops the message"};
  ExpertItem authentication{"godot_mp.authentication", PI_SEQUENCE, PI_WARN,
                            "An authentication that does not end, or a message that is dropped because of it; of the "
                            "first, later frames tell, so a display filter finds it once the capture is loaded"};
  ExpertItem unlisted_scene{"godot_mp.unlisted_scene", PI_SEQUENCE, PI_WARN,
                            "A spawned scene that the spawner of the game's folder has not in its list"};
  ExpertItem unconfirmed_path{"godot_mp.unconfirmed_path", PI_SEQUENCE, PI_WARN,
                              "The receiver probably lacked the node when the path arrived: it never confirms the "
                              "path, and the message is lost; "
                              "this shows in later frames, so a display filter finds it once the capture is loaded"};
  ExpertItem unconfirmed_call{
      "godot_mp.unconfirmed_call", PI_SEQUENCE, PI_NOTE,
      "The receiver had not confirmed the path: the call arrives only if the node has been added there since"};
  ExpertItem unknown_node{"godot_mp.unknown_node", PI_SEQUENCE, PI_NOTE, "The receiver has no such node"};
  ExpertItem after_checksum_failure{"godot_mp.after_checksum_failure", PI_PROTOCOL, PI_WARN,
                                    "The node's RPC methods differ between the two games: another one may be called"};
  ExpertItem oversized_sync{"godot_mp.oversized_sync", PI_PROTOCOL, PI_NOTE,
                            "A sync of more bytes than Godot likes to send"};
  ExpertItem late_sync{"godot_mp.late_sync", PI_SEQUENCE, PI_NOTE,
                       "No newer than a sync of the same object that has arrived: Godot drops it"};
  ExpertItem over_mtu{"godot_mp.over_mtu", PI_PROTOCOL, PI_NOTE,
                      "An unreliable message in fragments: it is lost if any of them is"};
  ExpertItem unknown_flags{"godot_mp.unknown_flags", PI_PROTOCOL, PI_NOTE,
                           "Bits of the first byte are set that mean nothing"};
  ExpertItem project_unreadable{"godot_mp.project_unreadable", PI_UNDECODED, PI_NOTE,
                                "The game's folder cannot be read"};
  ExpertItem project_incomplete{"godot_mp.project_incomplete", PI_UNDECODED, PI_NOTE,
                                "Of the game's folder, something is not read"};
  ExpertItem unknown_methods{"godot_mp.unknown_methods", PI_PROTOCOL, PI_NOTE,
                             "No script of the project has these methods"};
  ExpertItem after_unknown_methods{"godot_mp.after_unknown_methods", PI_PROTOCOL, PI_NOTE,
                                   "No script of the project has the methods of the node that is called"};
  ExpertItem property_mismatch{"godot_mp.property_mismatch", PI_PROTOCOL, PI_NOTE,
                               "The values cannot be those of the project's properties"};
  ExpertItem signature_mismatch{"godot_mp.signature_mismatch", PI_PROTOCOL, PI_WARN,
                                "The method takes other arguments, as the game's folder says: Godot does not call it"};
  ExpertItem absent_peer{"godot_mp.absent_peer", PI_SEQUENCE, PI_NOTE,
                         "The server has no longer the peer that this is to be relayed to: it gets lost"};
  ExpertItem unsynchronized{"godot_mp.unsynchronized", PI_SEQUENCE, PI_NOTE,
                            "A synchronizer of the node goes to other peers and never to this one; later frames tell, "
                            "so a display filter finds it once the capture is loaded"};
  ExpertItem not_allowed{"godot_mp.not_allowed", PI_SECURITY, PI_NOTE,
                         "Only the node's authority may call this method"};
  ExpertItem refused{"godot_mp.refused", PI_SECURITY, PI_WARN,
                     "Only the node's authority may call this method, which the sender is not: no script makes it one"};
  ExpertItem unreadable_argument{
      "godot_mp.unreadable_argument", PI_PROTOCOL, PI_WARN,
      "The receiver cannot read an argument: the method gets null for it and for all behind it"};
  // Who sends Objects in full allows them, and a game's other side mostly has the same script.
  ExpertItem arguments_refusable{"godot_mp.arguments_refusable", PI_SECURITY, PI_NOTE,
                                 "The receiver cannot read an argument unless it allows objects, as its sender does"};
  ExpertItem object_id_argument{"godot_mp.object_id_argument", PI_PROTOCOL, PI_WARN,
                                "An argument is an Object: the receiver gets a number that stands for the sender's"};
  ExpertItem authority_conflict{
      "godot_mp.authority_conflict", PI_SEQUENCE, PI_WARN,
      "Two peers send the values of one synchronizer, and go on doing so; told once, of the message that shows it"};
  ExpertItem sync_stopped{
      "godot_mp.sync_stopped", PI_SEQUENCE, PI_WARN,
      "The values of a node have ended, and the receiver still has it; told once, of a later message"};
  ExpertItem spawn_churn{"godot_mp.spawn_churn", PI_SEQUENCE, PI_WARN,
                         "A node is spawned and despawned over and over; told once, of the message that shows it"};
  ExpertItem call_flood{"godot_mp.call_flood", PI_SEQUENCE, PI_WARN,
                        "A method is called hundreds of times a second; told once, of the message that shows it"};
  ExpertItem stall{"godot_mp.stall", PI_SEQUENCE, PI_WARN,
                   "A side of a WebSocket said nothing for much longer than ever before"};
  ExpertItem unresponsive{"godot_mp.unresponsive", PI_SEQUENCE, PI_WARN,
                          "A side takes what is sent and never says anything; told once, of the message that shows it"};
  ExpertItem no_sync{"godot_mp.no_sync", PI_SEQUENCE, PI_WARN,
                     "A spawned node's synchronizer that no peer sends values for; told once"};
  ExpertItem raw_text{"godot_mp.raw_text", PI_PROTOCOL, PI_WARN,
                      "Text where a message of the multiplayer should be: something else sends on its peer"};
  ExpertItem calls_lost{
      "godot_mp.calls_lost", PI_SEQUENCE, PI_WARN,
      "Unreliable calls, of a side whose unreliable messages often do not come; told once, of the first such call"};
  ExpertItem auto_generated_name{"godot_mp.auto_generated_name", PI_PROTOCOL, PI_WARN,
                                 "A path has a name that the engine made up, which is another one at each peer"};
  ExpertItem not_remote{"godot_mp.not_remote", PI_SECURITY, PI_WARN,
                        "Godot 3: no script of the game's folder lets other peers call a method of this name"};
  ExpertItem nan{"godot_mp.nan", PI_PROTOCOL, PI_WARN, "A number that is none (NaN)"};
  ExpertItem object_property{"godot_mp.object_property", PI_PROTOCOL, PI_WARN,
                             "A synchronized property holds an Object"};
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
