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
  /// Called for each message; null: a note_ function below reports it.
  void (*check)(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);
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
void check_message(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message);

/// Registers the expert items of all rules for the protocol `godot_mp`.
void register_mp_rules(int proto);

// ---- for conditions

/// Adds a problem of a message: the expert item, the finding and its mark in the Info column.
/// @param peers the sender of the ids in the message, and the receiver @param item null: the item of the message
void note_problem(const MpDrawing &drawing, const godot_codec::MpNumbering &peers, Finding finding,
                  proto_item *item = nullptr);

/// Adds the expert item and the mark of a finding that is no problem of the game.
void note_harmless(const MpDrawing &drawing, const Finding &finding, proto_item *item = nullptr);

/// Notes that the receiver drops the message. @param rule of the receiver, as in "the node does not exist there"
void note_dropped(const MpDrawing &drawing, const char *rule);

/// True if the receiver drops the message because the sender is not authenticated.
[[nodiscard]] bool is_unauthenticated(const MpDrawing &drawing);

/// True if a message may have arrived before a message that it depends on. The first pass cannot know whether that one
/// arrives.
[[nodiscard]] bool may_have_overtaken(const MpDrawing &drawing);

/// Field with the path of a node, for Finding::subject_field.
inline constexpr const char *path_field = "godot_mp.path";

// ---- rules that are checked while the tree is built

/// True for a message that is relayed between two peers if neither is known to be the server: the peer that assigned
/// its ids is not known.
[[nodiscard]] bool is_of_nobody(const MpDrawing &drawing, const godot_codec::MpNumbering &numbering);

/// Notes a path id that the receiver has not got: MpResolvedPart::unannounced() has a value.
void note_unannounced(const MpDrawing &drawing, const godot_codec::MpResolvedPart &part);

/// Notes that the receiver does not have the node of a net id.
void note_presence(const MpDrawing &drawing, proto_item *item, const godot_codec::MpResolvedPart &part);

/// Notes values that do not match the properties of the project folder.
void note_fit(const MpDrawing &drawing, proto_item *item, const godot_codec::MpResolvedPart &part, const char *object);

/// Notes a call whose method gets null instead of an argument. @param received the arguments as they arrive
void note_loss(const MpDrawing &drawing, const godot_codec::MpResolvedMessage &message, const godot_codec::MpLoss &loss,
               const char *received);

/// True if note_value() has something to report about a value.
[[nodiscard]] bool is_odd_value(const MpDrawing &drawing, std::size_t offset, bool is_property);

/// Notes a NaN, and a property that is an Object.
/// @param name of the argument or property @param object of the property; null: an argument, or not known
void note_value(const MpDrawing &drawing, std::size_t offset, bool is_property, const char *name, const char *object);

/// Notes two peers that both send the values of an object. @returns whether they do
/// @param is_counted false if the message was counted for another object
bool note_rivalry(const MpDrawing &drawing, const godot_codec::MpResolvedPart &object, bool is_counted);

/// Checks the objects of a message. Later frames show the problems, so there are none on the first pass.
class MpObjectNotes {
 public:
  explicit MpObjectNotes(const MpDrawing &drawing) : drawing_(drawing) {}

  void add(const godot_codec::MpResolvedPart &object);
  /// All objects were added.
  void end();

 private:
  [[nodiscard]] const godot_codec::MpName *missing_spawner(const godot_codec::MpResolvedPart &object) const;

  const MpDrawing &drawing_;
  const godot_codec::MpName *spawner_ = nullptr;  // the first missing one
  std::uint32_t unspawned_ = 0;
  std::uint32_t count_ = 0;
  bool is_rivalry_told_ = false;
};

// ---- counts of the table of problems

/// True if the message is counted.
[[nodiscard]] bool are_checks_counted(const MpDrawing &drawing);

/// Counts a call, or the values of an object, if its node is not known.
void count_if_unknown(const MpDrawing &drawing, const godot_codec::MpResolvedPart &part);

}  // namespace godot_plugin
