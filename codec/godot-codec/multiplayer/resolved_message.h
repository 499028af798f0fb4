// SPDX-License-Identifier: MIT
/// @file
/// Resolves what a message refers to at the position of the message: paths, nodes, methods and properties. Each lookup
/// is made once per pass, when an output first needs it. Used by summary, tree, rules, tables and match page.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/fixed_list.h"
#include "godot-codec/layout/layout.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/game_names.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/session.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

class MpResolvedItem;

/// The property of a value in a spawn, sync or delta.
struct MpProperty {
  MpCommand list = MpCommand::spawn;  ///< spawn, sync or delta: see MpSynchronizedObject::list
  std::uint32_t index = 0;            ///< index in the list, from 0; for a delta, the bit in the mask
  MpResolvedName name;                ///< empty if the name is not known

  /// Appends the name, such as `position`; or `sync#2` if the name is not known.
  void append_to(TextBuffer &text) const;
};

/// The properties of the values of a message, in order. To iterate over them, copy this object.
class MpPropertyCursor {
 public:
  explicit MpPropertyCursor(const MpResolvedItem &resolved);

  /// Compares the values with the properties in the project folder.
  [[nodiscard]] MpPropertyMatch match_properties() const {
    return names_ == nullptr ? MpPropertyMatch::unknown : names_->match_properties(synchronized_);
  }

  /// Returns the number of values in the message.
  [[nodiscard]] std::uint32_t value_count() const { return synchronized_.values; }

  /// Returns the path of the scene that contains the node with the values; empty: not known.
  [[nodiscard]] std::string_view scene() const {
    return names_ == nullptr ? std::string_view{} : names_->scene(synchronized_);
  }

  /// Returns the property of the next value.
  MpProperty next();

  /// Appends the path of a property from the root of the multiplayer, such as `Main/Players/P1:position`. The text does
  /// not depend on whether the values were sent by net id or by path id.
  /// @returns false if the path is not known
  bool append_full_path(const MpProperty &property, TextBuffer &text) const;

 private:
  const MpGameNames *names_;
  MpSynchronizedObject synchronized_;
  std::uint32_t count_ = 0;
  std::uint64_t mask_;  // for a delta: bits of the values that follow
};

/// Appends object and property in the form of a NodePath, such as `P1:position` or `P1/Gun:ammo`; or `P1#6:delta#2` for
/// index 2 of the delta list of the synchronizer with net id 6, if the names are not known. If the root of the
/// synchronizer is known, the path begins at this root, such as `Main/Clock:seconds` for `Main/Clock/Sync`.
void append_mp_property_path(std::string_view object, const MpProperty &property, TextBuffer &text);

/// A command, or an object of a sync or delta, with the nodes and paths that its ids identify. Plain data that must not
/// be copied: longjmp may skip its destructor.
class MpResolvedItem : public MpPacketItem {
 public:
  using MpPacketItem::MpPacketItem;
  MpResolvedItem(const MpResolvedItem &) = delete;
  MpResolvedItem &operator=(const MpResolvedItem &) = delete;

  /// Returns the announcement of path_id() to the receiver, or otherwise to other receivers; null: not known.
  [[nodiscard]] const MpAnnouncedPath *announced_path() const;
  /// Returns a value if the receiver certainly does not know the path of path_id(): see
  /// MpPathTracker::find_unannounced().
  [[nodiscard]] const std::optional<MpAnnouncement> &unannounced_path_id() const;
  /// Returns the node of the net id, as announced to the receiver, or otherwise to other receivers; null: not known.
  [[nodiscard]] const MpNetIdTarget *node() const;
  /// Returns the path, as sent or as announced; empty: not known.
  [[nodiscard]] std::string_view path() const;
  /// Returns the properties of the values.
  [[nodiscard]] const MpPropertyCursor &properties() const;

  /// Appends the path. @returns false if it is not known
  bool append_path(TextBuffer &text) const;
  /// Appends the object that has the values:
  /// - `P1` for a spawned node or its first synchronizer,
  /// - `P1#6` with the net id for other synchronizers of the node,
  /// - `Main/Door/Sync` for a synchronizer that was not spawned,
  /// - `#5` if no name is known.
  void append_object(TextBuffer &text) const;
  /// Like append_object(), for a summary. If the name consists of digits, writes `node 7`, because the name alone would
  /// look like a number.
  void append_object_in_summary(TextBuffer &text) const;

 private:
  struct ObjectName;

  [[nodiscard]] ObjectName object_name() const;

  // Results of the functions above; nullopt: not requested yet.
  mutable std::optional<const MpAnnouncedPath *> announced_path_;
  mutable std::optional<const MpNetIdTarget *> node_;
  mutable std::optional<std::optional<MpAnnouncement>> unannounced_path_id_;
  mutable std::optional<MpPropertyCursor> properties_;
};

/// Holds the object that MpResolvedObject refers to. It is a base class so that it is initialised before
/// MpResolvedItem.
struct MpObjectHolder {
  MpItem object;
};

/// Returns the method that a call of Godot 4 identifies by its method id, in the form that MpGameNames needs.
[[nodiscard]] MpMethod resolve_mp_method(const MpResolvedItem &call);

/// An object of a sync or delta.
class MpResolvedObject : public MpObjectHolder, public MpResolvedItem {
 public:
  /// @param index index in the message, from 0
  MpResolvedObject(const MpResolvedItem &message, const MpItem &object, std::uint32_t index)
      : MpObjectHolder{object},
        MpResolvedItem(message.packet, message.command, message.ids, MpObjectHolder::object),
        index_(index) {}

  /// Returns when the values of a sync arrived, compared with other values of the synchronizer. Null for a delta, or if
  /// the arrival time is not known.
  [[nodiscard]] const MpSyncRecord *sync_record() const;

 private:
  std::uint32_t index_;
};

/// A command with the nodes and paths that its ids identify. About 12 KiB on the stack. The space for objects is not
/// initialised, because initialising it would take a third of the time of a call.
class MpResolvedMessage : public MpResolvedItem {
 public:
  MpResolvedMessage(const MpPacket &packet, const MpMessage &command, const MpRoute &route)
      : MpResolvedItem(packet, command, id_scope_of(packet, route, command.command), command), route(route) {}

  const MpRoute route;

  /// See resolve_mp_method().
  [[nodiscard]] const MpMethod &method() const {
    return method_ ? *method_ : method_.emplace(resolve_mp_method(*this));
  }
  /// Returns the name of the called method and the source of the name. The source is `wire` if the message contains the
  /// name.
  [[nodiscard]] MpResolvedName method_name() const;
  /// Returns the method in the source code of the project folder; null: not known.
  [[nodiscard]] const project::Function *find_function() const;
  /// Returns an object of a sync or delta, by its index. Must be called with index 0 first, then with the next index
  /// until the result is null. After an unreadable object, the result is also null. The pointer is valid until the next
  /// call.
  [[nodiscard]] const MpResolvedObject *object(std::uint32_t index) const;

  /// Appends the path of the node of a call or an rset: `Main/World`, or `#3` if the path is not known.
  void append_node_path(TextBuffer &text) const;
  /// Appends the called method, or the property that an rset sets: `hit`, or `#7` if the name is not known.
  void append_member_name(TextBuffer &text) const;

 private:
  // Objects with a higher index share the last item, so they are resolved again for each output.
  static constexpr std::size_t max_cached_objects = 17;

  mutable std::optional<MpMethod> method_;
  mutable FixedList<MpResolvedObject, max_cached_objects> objects_;
};
static_assert(std::is_trivially_destructible_v<MpResolvedMessage>);

/// Finds the layout of a call argument that is a PackedByteArray.
/// @returns null if no layout describes the argument
[[nodiscard]] const Layout *find_call_layout(const MpResolvedMessage &call, std::uint32_t argument, Range bytes);

/// Finds the layout of a raw message or of an authentication.
[[nodiscard]] const Layout *find_raw_layout(const MpResolvedMessage &message, Range bytes);

}  // namespace godot_codec
