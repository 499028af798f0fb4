// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tells what is wrong with a game for longer than a message (codec: multiplayer/causes.h), in Godot's words.
#pragma once

#include "plugin/multiplayer/packet.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// Adds a problem of a message: the expert item, the finding and its mark in the Info column.
/// @param peers the sender of the ids in the message, and the receiver @param item null: the item of the message
void note_problem(const MpDrawing &drawing, const godot_codec::MpNumbering &peers, Finding finding,
                  proto_item *item = nullptr);

/// Adds the expert item and the mark of a finding that is no problem of the game.
void note_harmless(const MpDrawing &drawing, const Finding &finding, proto_item *item = nullptr);

/// Notes that the receiver drops the message. @param rule of the receiver, as in "the node does not exist there"
void note_dropped(const MpDrawing &drawing, const char *rule);

/// Two peers that both send an object's values.
/// @returns whether it is so @param is_counted false if the message was counted for another object
bool note_rivalry(const MpDrawing &drawing, const godot_codec::MpMessage &message, const godot_codec::MpFields &object,
                  const godot_codec::MpNumbering &numbering, bool is_counted);

/// The faults that a message shows.
void note_causes(const MpDrawing &drawing);

}  // namespace godot_plugin
