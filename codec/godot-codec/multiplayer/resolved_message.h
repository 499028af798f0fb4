// SPDX-License-Identifier: MIT
/// @file
/// What a message refers to: paths, nodes, methods and properties, as of the message's position. Each is looked up when
/// an output first needs it, and once per pass. Summary, tree, rules, tables and the match page read it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "godot-codec/multiplayer/arguments.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

class MpResolvedPart;

/// A property among the values of a spawn, sync or delta.
struct MpProperty {
  MpPropertyList list = MpPropertyList::spawn;
  std::uint32_t index = 0;  ///< in the list, from 0; for a delta, the bit in the mask
  MpGivenName name;         ///< empty: not known

  /// Appends `position`, or `sync#2` if no name is known.
  void append_to(TextBuffer &text) const;
};

/// The properties that values belong to. Copy it to iterate over them.
class MpProperties {
 public:
  explicit MpProperties(const MpResolvedPart &part);

  /// Compares the values with the properties in the project folder.
  [[nodiscard]] MpFit fit() const { return names_ == nullptr ? MpFit::unknown : names_->fit(synchronized_, list_); }

  /// Number of values in the message.
  [[nodiscard]] std::uint32_t value_count() const { return synchronized_.values; }

  /// Path of the scene of the node that has the values; empty: not known.
  [[nodiscard]] std::string_view scene() const {
    return names_ == nullptr ? std::string_view{} : names_->scene(synchronized_, list_);
  }

  /// The property of the next value.
  MpProperty next();

  /// Appends node and name of a property from the root of the multiplayer, `Main/Players/P1:position`: the same for
  /// values by net id and for values by the path of the synchronizer.
  /// @returns false if that is not known
  bool append_full_path(const MpProperty &property, TextBuffer &text) const;

 private:
  const MpNames *names_;
  MpPropertyList list_;
  MpSynchronized synchronized_;
  std::uint32_t count_ = 0;
  std::uint64_t mask_;  // bits of a delta for the values that follow
};

/// Appends object and property like a NodePath: `P1:position`, `P1/Gun:ammo`, `P1#6:delta#2`; if the root of the
/// synchronizer is known, from there: `Main/Clock:seconds` for `Main/Clock/Sync`.
void append_mp_property_path(std::string_view object, const MpProperty &property, TextBuffer &text);

/// A command, or one object of a sync or delta, and what its ids refer to. Plain data that must not be copied: a
/// longjmp may pass over it.
class MpResolvedPart {
 public:
  MpResolvedPart(const MpPacket &packet, const MpMessage &command, const MpNumbering &ids, const MpFields &fields,
                 const MpVariants &variants)
      : packet(packet), command(command), fields(fields), variants(variants), ids(ids) {}
  MpResolvedPart(const MpResolvedPart &) = delete;
  MpResolvedPart &operator=(const MpResolvedPart &) = delete;

  const MpPacket &packet;
  const MpMessage &command;  ///< the command that this is, or is part of
  const MpFields &fields;
  const MpVariants &variants;
  const MpNumbering ids;  ///< the peer that assigned the ids, and the receiver that must know them

  /// Number of the path of a node or a spawner.
  [[nodiscard]] std::optional<std::uint32_t> path_id() const;
  /// The announced path that path_id() stands for, as announced to the receiver or to others; null: not known.
  [[nodiscard]] const MpName *announced() const;
  /// A value if the receiver certainly lacks the path of path_id(): see MpPaths::find_unannounced().
  [[nodiscard]] const std::optional<MpTelling> &unannounced() const;
  /// The node of the net id, as announced to the receiver or to others; null: not known.
  [[nodiscard]] const MpNode *node() const;
  /// The path, as sent or as announced; empty: not known.
  [[nodiscard]] std::string_view path() const;
  /// The properties that the values belong to.
  [[nodiscard]] const MpProperties &properties() const;

  /// Appends the path. @returns false if it is not known
  bool append_path(TextBuffer &text) const;
  /// Appends the object that the values belong to: `P1`, for the second synchronizer of a node `P1#6` with its net id,
  /// `Main/Door/Sync` for a synchronizer that was not spawned, `#5` if no name is known.
  void append_object(TextBuffer &text) const;
  /// Appends the object as in a summary: `node 7`, because a name of digits alone would look like a number.
  void append_object_in_summary(TextBuffer &text) const;

 private:
  struct ObjectName;

  [[nodiscard]] ObjectName object_name() const;

  mutable bool has_announced_ = false;
  mutable bool has_unannounced_ = false;
  mutable bool has_node_ = false;
  mutable const MpName *announced_ = nullptr;
  mutable const MpNode *node_ = nullptr;
  mutable std::optional<MpTelling> unannounced_;
  mutable std::optional<MpProperties> properties_;
};

/// Holds the object that MpResolvedObject refers to: a base class, because bases are initialised in order.
struct MpHeldObject {
  MpObject object;
};

/// Returns the method that a call of Godot 4 names by number, as it is looked up in MpNames.
[[nodiscard]] MpMethod resolve_mp_method(const MpResolvedPart &call);

/// An object of a sync or delta.
class MpResolvedObject : public MpHeldObject, public MpResolvedPart {
 public:
  /// @param index in the message, from 0
  MpResolvedObject(const MpResolvedPart &message, const MpObject &object, std::uint32_t index)
      : MpHeldObject{object},
        MpResolvedPart(message.packet, message.command, message.ids, MpHeldObject::object.fields,
                       MpHeldObject::object.variants),
        index_(index) {}

  /// When the values of a sync arrived, compared with others of the synchronizer; null: not known, or no sync.
  [[nodiscard]] const MpSyncRecord *timing() const;

 private:
  std::uint32_t index_;
};

/// A command and what it refers to. About 12 KiB on the stack; the space for objects is not initialised.
class MpResolvedMessage : public MpResolvedPart {
 public:
  MpResolvedMessage(const MpPacket &packet, const MpMessage &command, const MpRoute &route)
      : MpResolvedPart(packet, command, numbering_of(packet, route, command.command), command.fields, command.variants),
        route(route) {}

  const MpRoute route;

  [[nodiscard]] bool is(MpCommand expected) const { return command.command == expected; }
  /// See resolve_mp_method().
  [[nodiscard]] const MpMethod &method() const {
    return method_ ? *method_ : method_.emplace(resolve_mp_method(*this));
  }
  /// The name of the method that is called, and where the name is from: `wire` if the message contains it.
  [[nodiscard]] MpGivenName method_name() const;
  /// The method in the source code of the project folder; null: not known.
  [[nodiscard]] const project::Function *function() const;
  /// An object of a sync or delta, by its index. Ask for index 0 first, then for the next until the answer is null.
  /// The object after one that cannot be read is null, too. The pointer is valid until the next call.
  [[nodiscard]] const MpResolvedObject *object(std::uint32_t index) const;

  /// Appends the node that a call or an rset is for: `Main/World`, `#3` if no path is known.
  void append_owner(TextBuffer &text) const;
  /// Appends the method that a call calls, or the property that an rset sets: `hit`, `#7` if no name is known.
  void append_member_name(TextBuffer &text) const;

 private:
  // Objects with a higher index are read and resolved again for each output.
  static constexpr std::size_t max_kept = 16;

  mutable std::optional<MpMethod> method_;
  mutable std::array<std::optional<MpResolvedObject>, max_kept> kept_;
  mutable std::optional<MpResolvedObject> last_;
};
static_assert(std::is_trivially_destructible_v<MpResolvedMessage>);

}  // namespace godot_codec
