// SPDX-License-Identifier: MIT
/// @file
/// Names that are not on the wire, asked of somebody who has them: a game's project folder, a table of the user's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "godot-codec/core/path.h"
#include "godot-codec/project/signature.h"
#include "godot-codec/variant/types.h"

namespace godot_codec {

class AnnouncedNodes;

/// The way from one node to another: so many levels up, then down a path.
struct MpWay {
  bool is_known = false;
  std::uint32_t levels = 0;
  std::string_view below;  ///< `Players`; empty: it is there already
};

/// The node so many levels above another one. @returns nothing for the multiplayer's root
[[nodiscard]] constexpr std::string_view mp_above(std::string_view path, std::uint32_t levels) {
  for (; levels > 0 && !path.empty(); --levels) path = parent_path(path);
  return path;
}

/// A name, and who says so.
struct MpGivenName {
  std::string_view text;    ///< empty: not known. For a property, its NodePath below the root: `position`, `Gun:ammo`
  std::string_view source;  ///< a word: `project`, `table`, `unverified`, `script`, `paths`, `preload`, `assumed`
  MpWay way = {};           ///< from the synchronizer that the path is of to its root
};

/// The source of a name that scripts may have made wrong at run time, or that is what is left of several.
inline constexpr std::string_view mp_assumed = "assumed";

/// The MD5 of a list without methods.
inline constexpr std::string_view mp_md5_of_no_methods = "d41d8cd98f00b204e9800998ecf8427e";

/// A method as a call of Godot 4 names it.
struct MpMethod {
  std::string_view md5;   ///< the methods' MD5, 32 lower-case digits; empty: nobody has said it in this capture
  std::string_view path;  ///< the node's path from the multiplayer's root, control characters escaped; empty: not known
  std::uint16_t id = 0;   ///< index in the node's list; with mp_method_of_node in the list of its rpc_config()
};

/// The types of values, each at its property's place in the list. The first ones alone: a delta has no more.
class MpTypes {
 public:
  static constexpr std::size_t max_count = 64;

  constexpr MpTypes() { types_.fill(unknown); }
  /// @param text what text() has said
  explicit constexpr MpTypes(std::string_view text) : MpTypes() {
    for (std::size_t i = 0; i < text.size() && i < max_count; ++i) types_[i] = text[i];
  }

  constexpr void set(std::size_t index, Type type) {
    if (index < max_count) types_[index] = static_cast<char>(type);
  }
  /// @returns nothing where there is no value, or it was not looked at
  [[nodiscard]] constexpr std::optional<Type> at(std::size_t index) const {
    if (index >= max_count || types_[index] == unknown) return std::nullopt;
    return static_cast<Type>(types_[index]);
  }
  /// A text that may be kept: equal for messages of one kind.
  [[nodiscard]] constexpr std::string_view text() const { return {types_.data(), types_.size()}; }

 private:
  static constexpr char unknown = '?';
  static_assert(type_count < unknown);

  std::array<char, max_count> types_{};
};

/// A synchronizer, or a spawned node whose synchronizers' first values come with it.
struct MpSynchronized {
  std::string_view path;            ///< path of a MultiplayerSynchronizer that was not spawned; else empty
  std::string_view spawner;         ///< else: path of the MultiplayerSpawner; empty: not known
  std::string_view node;            ///< and the spawned node's name
  std::uint8_t scene = 0;           ///< and its scene's index among the spawner's; mp_custom_scene: made by a function
  std::uint32_t place = 0;          ///< which of the spawned node's synchronizers, from 0; 0 for spawn values
  std::uint32_t synchronizers = 0;  ///< how many the spawned node's spawn command lists: not all that the scene has
  std::uint32_t spawn_values = 0;   ///< and how many values it has
  MpTypes spawn_types;              ///< and theirs
  std::uint32_t values = 0;         ///< how many the message has; for a delta, at least this many are in the list
  MpTypes types;                    ///< and theirs
  bool is_proven = false;           ///< a list of has_list() was seen on the connection: it is this game
  const AnnouncedNodes *told = nullptr;  ///< nodes of this game; null: nothing is known of other nodes
};

/// Which list of a SceneReplicationConfig the values of a message follow.
enum class MpPropertyList : std::uint8_t {
  spawn,  ///< properties with `spawn`, of all the node's synchronizers, one after another
  sync,   ///< mode "always"
  delta,  ///< mode "on change": the index is the bit in the mask
};

/// The result of comparing a message's values with a configuration's properties.
enum class MpFit : std::uint8_t {
  unknown,      ///< nobody has their configuration, or several that do not agree
  fitting,      ///< it has them
  other_count,  ///< its properties are not as many as the message has values
  other_types,  ///< they are as many, but a value has a type that its property cannot have
};

/// A line of a game's script or scene.
struct MpSourceLine {
  std::string_view file;   ///< `res://player.gd`
  std::uint32_t line = 0;  ///< counted from 1; 0: not known

  [[nodiscard]] bool operator==(const MpSourceLine &) const = default;
};

/// The answer of Godot 3's scripts about all functions of a name, or all variables.
struct MpRemoteMember {
  bool is_known = false;    ///< there are some
  bool is_lacking = false;  ///< there is no function of that name in the scripts, which are GDScript and whole
  /// Who may call or set them; anyone where they differ.
  project::RemoteCallers callers = project::RemoteCallers::none;
  std::size_t least = 0;                        ///< arguments that one of them takes at least
  std::size_t most = 0;                         ///< and at most
  const project::Function *function = nullptr;  ///< where there is one alone
  MpSourceLine source = {};                     ///< the first one's
};

/// Whoever has names. The texts that it answers with live as long as it does; they need not be printable.
///
/// A founder of the project room derives from this and hands it on in MpPacket::names. It is asked while a packet is
/// read, once for each name that is shown: it must answer from memory, and allocate nothing.
class MpNames {
 public:
  [[nodiscard]] virtual MpGivenName method(const MpMethod &method) const = 0;
  /// @param index in the list, from 0
  [[nodiscard]] virtual MpGivenName property(const MpSynchronized &synchronized, MpPropertyList list,
                                             std::uint32_t index) const = 0;

  /// Compares the values with the configuration's properties.
  [[nodiscard]] virtual MpFit fit(const MpSynchronized & /*synchronized*/, MpPropertyList /*list*/) const {
    return MpFit::unknown;
  }
  /// The path of the scene that a spawned node is of, or a synchronizer; empty: not known.
  [[nodiscard]] virtual std::string_view scene(const MpSynchronized & /*synchronized*/, MpPropertyList /*list*/) const {
    return {};
  }
  /// True if only the node's authority may call a method, by the method's source.
  [[nodiscard]] virtual bool is_for_authority(const MpMethod & /*method*/) const { return false; }
  /// True if nobody may call a method, by the method's source.
  [[nodiscard]] virtual bool is_disabled(const MpMethod & /*method*/) const { return false; }
  /// Finds the parameters of a method in its source; null: not known.
  [[nodiscard]] virtual const project::Function *function(const MpMethod & /*method*/) const { return nullptr; }
  /// Finds where a node is in a scene.
  [[nodiscard]] virtual MpSourceLine node_line(std::string_view /*path*/) const { return {}; }
  /// Finds where a method is.
  [[nodiscard]] virtual MpSourceLine source_line(const MpMethod & /*method*/) const { return {}; }
  /// Finds what may be called by a name, or set, on the wire of Godot 3.
  [[nodiscard]] virtual MpRemoteMember remote_member(std::string_view /*name*/, bool /*is_variable*/) const {
    return {};
  }
  /// True if scripts may make another peer than the server the authority of a node.
  [[nodiscard]] virtual bool may_move_authority() const { return false; }
  /// The peer that has authority over a node, where scripts prove it; 0: not known. @param path as on the wire
  [[nodiscard]] virtual std::int32_t authority_of(std::string_view /*path*/) const { return 0; }
  /// The peer that has authority over a method's node, where scripts prove it: the node's script is known, too.
  [[nodiscard]] virtual std::int32_t authority_of_method(const MpMethod &method) const {
    return authority_of(method.path);
  }
  /// True if a list of methods, which is not empty, is in the game that the names come from.
  [[nodiscard]] virtual bool has_list(std::string_view /*md5*/) const { return false; }
  /// True if a list of methods, which is not empty, is from another game, or from another version of this one.
  [[nodiscard]] virtual bool lacks_list(std::string_view /*md5*/) const { return false; }
  /// The place where a list of methods comes from: a script's path, `the table of names`; empty if there is none.
  [[nodiscard]] virtual std::string_view owner_of_list(std::string_view /*md5*/) const { return {}; }
  /// From a MultiplayerSynchronizer to its root, or to itself if it sends its own properties alone; from a
  /// MultiplayerSpawner to the node that it puts nodes under.
  [[nodiscard]] virtual MpWay way_to_root(std::string_view /*path*/) const { return {}; }
  /// The path of a node of the game that is most like one that none of its scenes has; empty if one has it, or none is
  /// like it.
  [[nodiscard]] virtual std::string_view similar_path(std::string_view /*path*/) const { return {}; }
  /// How many scenes a MultiplayerSpawner has in its list; nothing where it is not known, or several may be meant.
  [[nodiscard]] virtual std::optional<std::size_t> spawnable_scenes(std::string_view /*spawner*/) const {
    return std::nullopt;
  }
  /// True if a scene of a spawner has a synchronizer that always sends something, wherever the spawner is.
  [[nodiscard]] virtual bool is_always_synchronized(std::string_view /*spawner*/, std::uint8_t /*scene*/) const {
    return false;
  }
  /// The path of a script that may change which properties any synchronizer sends; empty: no script does.
  [[nodiscard]] virtual std::string_view config_script() const { return {}; }
  /// A sentence on the lists that are nearest to one that is not known; empty if there is nothing to say.
  /// @param path of the node
  [[nodiscard]] virtual std::string_view mismatch(std::string_view /*md5*/, std::string_view /*path*/) const {
    return {};
  }

 protected:
  ~MpNames() = default;
};

/// The word for a list: "sync" in "sync#2", which stands for the property at index 2 where nobody has its name.
[[nodiscard]] constexpr std::string_view mp_list_name(MpPropertyList list) {
  switch (list) {
    case MpPropertyList::spawn:
      return "spawn";
    case MpPropertyList::sync:
      return "sync";
    case MpPropertyList::delta:
      break;
  }
  return "delta";
}

}  // namespace godot_codec
