// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Rules: what can be wrong with a message of the high-level multiplayer. A rule is an expert item, with the texts of
/// the table of problems, and a condition, with the text of its finding. Both are next to each other in rules_*.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "godot-codec/multiplayer/resolved_message.h"
#include "plugin/multiplayer/packet.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// A condition, and the expert items of its findings.
struct MpRule {
  /// Called for each message; null: a report_ function below reports it.
  void (*check)(const MpDissection &dissection, const godot_codec::MpResolvedMessage &message);
  std::array<ExpertItem *, 8> items;  ///< the rest is null
};
using MpRules = std::span<const MpRule>;

// The rules of each file, in the order in which they are checked. Of several findings, the first sets the mark in the
// Info column.
[[nodiscard]] MpRules connection_rules();
[[nodiscard]] MpRules authentication_rules();
[[nodiscard]] MpRules path_rules();
[[nodiscard]] MpRules node_rules();
[[nodiscard]] MpRules call_rules();

/// Checks a message by all rules, and counts it for the table of problems.
void check_message(const MpDissection &dissection, const godot_codec::MpResolvedMessage &message);

/// Registers the expert items of all rules for the protocol `godot_mp`.
void register_mp_rules(int proto);

// ---- for conditions

/// Adds a problem of a message: the expert item, the finding and its mark in the Info column.
/// @param peers the sender of the ids in the message, and the receiver @param item null: the item of the message
void report_problem(const MpDissection &dissection, const godot_codec::MpIdScope &peers, Finding finding,
                    proto_item *item = nullptr);

/// Adds the expert item and the mark of a finding that is no problem of the game.
void report_harmless(const MpDissection &dissection, const Finding &finding, proto_item *item = nullptr);

/// Records that the receiver drops the message. @param rule of the receiver, as in "the node does not exist there"
void set_dropped(const MpDissection &dissection, const char *rule);

/// True if the receiver drops the message because the sender is not authenticated.
[[nodiscard]] bool is_unauthenticated(const MpDissection &dissection);

/// True if a message may have arrived before a message that it depends on. The first pass cannot know whether that one
/// arrives.
[[nodiscard]] bool may_have_overtaken(const MpDissection &dissection);

/// Field with the path of a node, for Finding::subject_field.
inline constexpr const char *path_field = "godot_mp.path";

// ---- rules that are checked while the tree is built

/// True for a message that is relayed between two peers if neither is known to be the server: the peer that assigned
/// its ids is not known.
[[nodiscard]] bool is_id_scope_unknown(const MpDissection &dissection, const godot_codec::MpIdScope &scope);

/// Reports a path id that was not announced to the receiver: MpResolvedPart::unannounced() has a value.
void report_unannounced_path(const MpDissection &dissection, const godot_codec::MpResolvedPart &part);

/// Reports that the receiver does not have the node of a net id.
void report_missing_node(const MpDissection &dissection, proto_item *item, const godot_codec::MpResolvedPart &part);

/// Reports values that do not match the properties of the project folder.
void report_property_mismatch(const MpDissection &dissection, proto_item *item, const godot_codec::MpResolvedPart &part,
                              const char *object);

/// Reports a call with an argument that arrives as null.
void report_unreadable_argument(const MpDissection &dissection, const godot_codec::MpResolvedMessage &message,
                                const godot_codec::MpUnreadableArgument &loss);

/// True if report_value_problem() has something to report about a value.
[[nodiscard]] bool has_value_problem(const MpDissection &dissection, std::size_t offset, bool is_property);

/// Reports a NaN, and a property that is an Object.
/// @param name of the argument or property @param object of the property; null: an argument, or not known
void report_value_problem(const MpDissection &dissection, std::size_t offset, bool is_property, const char *name,
                          const char *object);

/// Reports two peers that both send the values of an object. @returns whether they do
/// @param is_counted false if the message was counted for another object
bool report_authority_conflict(const MpDissection &dissection, const godot_codec::MpResolvedPart &object,
                               bool is_counted);

/// Checks the objects of a message. Later frames show the problems, so there are none on the first pass.
class MpObjectChecks {
 public:
  explicit MpObjectChecks(const MpDissection &dissection) : dissection_(dissection) {}

  void add(const godot_codec::MpResolvedPart &object);
  /// All objects were added.
  void end();

 private:
  [[nodiscard]] const godot_codec::MpAnnouncedPath *missing_spawner(const godot_codec::MpResolvedPart &object) const;

  const MpDissection &dissection_;
  const godot_codec::MpAnnouncedPath *spawner_ = nullptr;  // the first missing one
  std::uint32_t unspawned_ = 0;
  std::uint32_t count_ = 0;
  bool is_conflict_reported_ = false;
};

// ---- counts of the table of problems

/// True if the message is counted.
[[nodiscard]] bool are_checks_counted(const MpDissection &dissection);

/// Counts a call, or the values of an object, if its node is not known.
void count_if_unknown(const MpDissection &dissection, const godot_codec::MpResolvedPart &part);

}  // namespace godot_plugin
