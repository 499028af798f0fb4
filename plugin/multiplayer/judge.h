// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Judges messages of the high-level multiplayer: expert items, rows of the table of problems, marks in the Info
/// column.
#pragma once

#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/sentence.h"
#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// True for a message that is relayed between two peers, if neither is known to be the server: its numbers have no
/// owner.
bool is_of_nobody(const MpDrawing &drawing, const godot_codec::MpNumbering &numbering);

/// Notes a path number that the receiver has not got. @param other see MpPaths::find_unannounced()
void note_unannounced(const MpDrawing &drawing, std::uint32_t number, const godot_codec::MpTelling &other,
                      const godot_codec::MpNumbering &numbering);

/// Notes if the receiver lacks the node that a net id stands for.
void note_presence(const MpDrawing &drawing, proto_item *item, const godot_codec::MpFields &fields,
                   const godot_codec::MpNumbering &numbering);

/// Names are kept back where they cannot be right.
void note_fit(const MpDrawing &drawing, proto_item *item, const godot_codec::MpProperties &properties,
              const char *object, const godot_codec::MpNumbering &numbering);

/// A call whose method gets null for what was sent. @param received the arguments as they are received
void note_loss(const MpDrawing &drawing, const godot_codec::MpMessage &message,
               const godot_codec::MpNumbering &numbering, const godot_codec::MpLoss &loss, const char *received);

/// True of a value for note_value().
[[nodiscard]] bool is_odd_value(const MpDrawing &drawing, std::size_t offset, bool is_property);

/// A value that does nothing good where it arrives.
/// @param name the argument's or property's @param object the property's; null for an argument, or where it is not
/// known
void note_value(const MpDrawing &drawing, std::size_t offset, bool is_property, const char *name, const char *object);

/// Everything else that is wrong with a message.
void note_message(const MpDrawing &drawing, const godot_codec::MpMessage &message, const godot_codec::MpRoute &route,
                  const godot_codec::MpNumbering &numbering);

/// Tells what is wrong with the values of a message's objects. Later frames say so: it tells nothing on the first pass.
class MpObjectNotes {
 public:
  MpObjectNotes(const MpDrawing &drawing, const godot_codec::MpMessage &message,
                const godot_codec::MpNumbering &numbering)
      : drawing_(drawing), message_(message), numbering_(numbering) {}

  void add(const godot_codec::MpFields &object);
  /// All objects were added.
  void end();

 private:
  [[nodiscard]] const godot_codec::MpName *missing_spawner(const godot_codec::MpFields &object) const;

  const MpDrawing &drawing_;
  const godot_codec::MpMessage &message_;
  const godot_codec::MpNumbering &numbering_;
  const godot_codec::MpName *spawner_ = nullptr;  // the first missing one
  std::uint32_t unspawned_ = 0;
  std::uint32_t count_ = 0;
  bool is_rivalry_told_ = false;
};

}  // namespace godot_plugin
