// SPDX-License-Identifier: MIT
/// @file
/// Writes a message of the high-level multiplayer as a sentence: `RPC Main/World.take_damage(5, "fall")`; and the
/// names in it, for whoever shows them otherwise.
#pragma once

#include <cstdint>

#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/variant/text.h"

namespace godot_codec {

/// Appends what a message says, as far as the buffer has room; for a relay `To 3: `, which the command inside
/// completes. The message is not read again: its Variants are walked once, for their text and for how they end.
/// @returns how reading the message ended, its Variants to their end, whatever the text has room for
Outcome append_mp_sentence(const MpPacket &packet, const MpMessage &message, const MpRoute &route, TextBuffer &text);

/// How reading a message ended, as append_mp_sentence() answers it, where nobody wants the text.
[[nodiscard]] Outcome check_mp_message(const MpPacket &packet, const MpMessage &message);

/// Appends the arguments that reach the method of a call with one that cannot be read: `(42, null, null)`.
/// @param loss of find_mp_loss()
void append_mp_received(const MpPacket &packet, const MpMessage &message, const MpLoss &loss, TextBuffer &text);

/// The name of the method that a call of Godot 4 has the number of; empty where nobody knows it.
[[nodiscard]] MpGivenName mp_method_name(const MpPacket &packet, const MpMessage &message,
                                         const MpNumbering &numbering);

/// The method that a call of Godot 4 has the number of, as names are asked for it.
[[nodiscard]] MpMethod mp_method_of(const MpPacket &packet, const MpMessage &message, const MpNumbering &numbering);

/// Appends which method a call calls, or which property an rset sets: `Main/World.hit`; numbers where no name is known:
/// `#3.#7`.
void append_mp_member(const MpPacket &packet, const MpMessage &message, const MpRoute &route, TextBuffer &text);

/// Appends what the object of a sync or delta belongs to: `P1`, of a node's second synchronizer `P1#6` with its net id,
/// `Main/Door/Sync` of one that was not spawned; the number where no name is known: `#5`.
/// @param fields the object's; for a spawn the message's, which gives the spawned node's name
void append_mp_object(const MpPacket &packet, const MpFields &fields, const MpNumbering &numbering, TextBuffer &text);

/// A property among the values of a spawn, sync or delta.
struct MpProperty {
  MpPropertyList list = MpPropertyList::spawn;
  std::uint32_t index = 0;  ///< in the list, from 0; for a delta, the bit in the mask
  MpGivenName name;         ///< empty: not known

  /// Appends `position`, or `sync#2` where no name is known.
  void append_to(TextBuffer &text) const;
};

/// Which properties values are, one after another.
class MpProperties {
 public:
  /// @param fields as for append_mp_object()
  /// @param variants the values
  MpProperties(const MpPacket &packet, const MpMessage &message, const MpFields &fields, const MpVariants &variants,
               const MpNumbering &numbering);

  /// Tells if names fit the values.
  [[nodiscard]] MpFit fit() const { return names_ == nullptr ? MpFit::unknown : names_->fit(synchronized_, list_); }

  /// Number of values in the message.
  [[nodiscard]] std::uint32_t value_count() const { return synchronized_.values; }

  /// The scene that the values' node is of; empty: not known.
  [[nodiscard]] std::string_view scene() const {
    return names_ == nullptr ? std::string_view{} : names_->scene(synchronized_, list_);
  }

  /// The property of the next value.
  MpProperty next();

  /// Appends a property's node and name from the multiplayer's root, `Main/Players/P1:position`: the same whether the
  /// values come by the node's net id or by the synchronizer's path.
  /// @returns whether that is known
  bool append_full_path(const MpProperty &property, TextBuffer &text) const;

 private:
  const MpNames *names_;
  MpPropertyList list_;
  MpSynchronized synchronized_;
  std::uint32_t count_ = 0;
  std::uint64_t mask_ = 0;  // a delta's bits for the values to come
};

/// Appends object and property as a NodePath writes it: `P1:position`, `P1/Gun:ammo`, `P1#6:delta#2`; where the
/// synchronizer's root is known, from that: `Main/Clock:seconds` of `Main/Clock/Sync`.
void append_mp_property_path(std::string_view object, const MpProperty &property, TextBuffer &text);

}  // namespace godot_codec
