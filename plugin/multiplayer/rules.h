// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Rules: checks for problems of high-level multiplayer messages. A rule consists of an expert item, with the texts for
/// the Problems table, and of a condition, with the text of the finding. The files rules_*.cpp contain the rules.
#pragma once

#include <cstdint>
#include <span>

#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/multiplayer/dissection.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

using MpCommands = godot_codec::EnumSet<MpCommand>;

/// A rule: the commands that it applies to, and the function that checks its condition and reports its findings.
struct MpRule {
  MpCommands commands;
  /// Called for each message with one of the commands.
  void (*check)(const MpDissection &dissection, const MpResolvedMessage &message);
};
using MpRules = std::span<const MpRule>;

inline constexpr MpCommands all_commands = MpCommands::all();

// Return the rules of each file, in the order of checking. If there are several findings, the first finding sets the
// mark in the Info column.
[[nodiscard]] MpRules connection_rules();
[[nodiscard]] MpRules authentication_rules();
[[nodiscard]] MpRules path_rules();
[[nodiscard]] MpRules node_rules();
[[nodiscard]] MpRules call_rules();

/// Checks a message by all rules, and counts the message for the Problems table.
void check_message(const MpDissection &dissection, const MpResolvedMessage &message);

/// Stores the checks of all rules by command, for check_message().
void register_mp_rules();

// ---- functions for the checks

/// Adds a problem of a message: the expert item, the finding, and the mark in the Info column.
/// @param peers the sender of the IDs in the message, and the receiver @param item null: the message's item
void report_problem(const MpDissection &dissection, const MpIdScope &peers, Finding finding,
                    proto_item *item = nullptr);

/// Adds the expert item and the mark of a finding that is not a problem of the game.
void report_harmless(const MpDissection &dissection, const Finding &finding, proto_item *item = nullptr);

/// Records that the receiver drops the message. @param rule the receiver's rule, for example "the node does not exist
/// there"
void set_drop_reason(const MpDissection &dissection, const char *rule);

/// True if the receiver drops the message because the sender is not authenticated.
[[nodiscard]] bool is_dropped_as_unauthenticated(const MpDissection &dissection);

/// True if the message may have arrived before a message on which it depends. The first pass cannot know whether the
/// other message arrives.
[[nodiscard]] bool may_have_overtaken(const MpDissection &dissection);

// Fields with the path or the name of a node, for FindingSubject::field.
inline constexpr const char *path_field = "godot_mp.path";
inline constexpr const char *node_field = "godot_mp.node";

// ---- rules that are checked while the tree is being built

/// True if it is not known which peer assigned the message's IDs. This happens if the message is relayed and neither
/// peer is known to be the server.
[[nodiscard]] bool is_id_scope_unknown(const MpDissection &dissection, const MpIdScope &scope);

/// Reports a path ID that was not announced to the receiver. Call if MpResolvedItem::unannounced_path_id() has a value.
void report_unannounced_path(const MpDissection &dissection, const MpResolvedItem &resolved);

/// Reports that the receiver does not have the node of a net ID.
void report_missing_node(const MpDissection &dissection, proto_item *item, const MpResolvedItem &resolved);

/// Reports values that do not match the properties in the project folder.
void report_property_mismatch(const MpDissection &dissection, proto_item *item, const MpResolvedItem &resolved,
                              const char *object);

/// Returns "Argument 1 of Main/World.take_damage()". @param index index of the argument, from 0
[[nodiscard]] const char *describe_argument(const MpDissection &dissection, const MpResolvedMessage &message,
                                            std::uint32_t index);

/// Reports a call with an argument that arrives as null.
void report_unreadable_argument(const MpDissection &dissection, const MpResolvedMessage &message,
                                const godot_codec::MpUnreadableArgument &loss);

/// True if report_value_problem() has something to report about a value.
[[nodiscard]] bool has_value_problem(const MpDissection &dissection, std::size_t offset, bool is_property);

/// Reports a NaN, and a property that is an Object.
/// @param name name of the value, for the text @param object object of the property; null for an argument, or if not
/// known
void report_value_problem(const MpDissection &dissection, std::size_t offset, bool is_property, const char *name,
                          const char *object);

/// Reports that two peers both send the values of an object. @returns true if this was reported
/// @param is_counted false if the message was already counted, for another object
bool report_authority_conflict(const MpDissection &dissection, const MpResolvedItem &object, bool is_counted);

/// Checks the objects of a message.
void check_objects(const MpDissection &dissection, const MpResolvedMessage &message);

// ---- counts for the Problems table

/// True if the Problems table counts the message.
[[nodiscard]] bool are_checks_counted(const MpDissection &dissection);

/// Counts a call, or the values of an object, if its node is not known.
void count_unknown_reference(const MpDissection &dissection, const MpResolvedItem &resolved);

}  // namespace godot_plugin
