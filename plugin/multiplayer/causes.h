// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tells what is wrong with a game for longer than a message (codec: multiplayer/causes.h), in Godot's words.
#pragma once

#include "plugin/epan/fields.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// A fault of a message: for the expert item, the table of problems and the Info column.
struct MpProblem {
  ExpertItem *field;
  const char *what = nullptr;         ///< a node's path, or its name; null if it is not known
  const char *filter = nullptr;       ///< the field of the display filter that holds it
  const char *mark = nullptr;         ///< a few words for the Info column; null: none
  godot_codec::MpNumbering peers;     ///< the peer whose number it is, and the one who does not know it
  const char *detail = nullptr;       ///< see ProblemSubject
  const char *dropped = nullptr;      ///< the rule by which the receiver drops the message; null: it does not
  std::uint32_t count = 1;            ///< see ProblemSubject
  const char *advice = nullptr;       ///< see ProblemSubject
  const char *lead = nullptr;         ///< see ProblemSubject
  std::uint32_t disconnected_in = 0;  ///< see ProblemSubject
};

/// @param filter of the subject; null: none
void note_problem_with(const MpDrawing &drawing, proto_item *item, const MpProblem &problem, const char *filter,
                       const char *text);

/// With a filter for what the problem is about.
void note_problem(const MpDrawing &drawing, proto_item *item, const MpProblem &problem, const char *text);

/// Adds the expert item and the marks of a message that its receiver drops, but no row to the table of problems.
void note_harmless(const MpDrawing &drawing, proto_item *item, const MpProblem &problem, const char *text);

/// Two peers that both send an object's values.
/// @returns whether it is so @param is_counted false if the message was counted for another object
bool note_rivalry(const MpDrawing &drawing, const godot_codec::MpMessage &message, const godot_codec::MpFields &object,
                  const godot_codec::MpNumbering &numbering, bool is_counted);

/// The faults that a message shows.
void note_causes(const MpDrawing &drawing);

}  // namespace godot_plugin
