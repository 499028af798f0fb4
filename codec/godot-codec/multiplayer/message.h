// SPDX-License-Identifier: MIT
/// @file
/// Views of the commands of the high-level multiplayer: Godot 4's SceneMultiplayer and Godot 3's MultiplayerAPI.
///
/// All integers are little-endian. The readers allocate, copy and store nothing. The caller must know which path a path
/// id stands for. Sources: Godot 4's modules/multiplayer (scene_multiplayer.cpp, scene_rpc_interface.cpp,
/// scene_cache_interface.cpp, scene_replication_interface.cpp), Godot 3's core/io/multiplayer_api.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/fixed_list.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

/// The generation of the multiplayer protocol. No message contains it.
enum class Generation : std::uint8_t { godot4, godot3 };

/// Peer id of the server.
inline constexpr std::int32_t mp_server = 1;
/// Target of a message to all peers. A negative target means all peers except one.
inline constexpr std::int32_t mp_everyone = 0;
/// Bit 31 of the id of a node. In a path id, this bit means that bits 0-30 are the offset of the path. In a net id, it
/// means that bits 0-30 are a path id.
inline constexpr std::uint32_t mp_flag_other = 1U << 31;
/// Scene index of a node that was made by the spawn_function of a spawner.
inline constexpr std::uint8_t mp_custom_scene = 255;
/// Maximum size of a sync message of Godot 4, in bytes. A message with only one object may be larger.
inline constexpr std::size_t mp_max_sync_size = 1350;
/// Size of the net id of a synchronizer in a spawn, in bytes.
inline constexpr std::size_t mp_sync_id_size = 4;
/// Number of hexadecimal digits in the MD5 of the methods of a node.
inline constexpr std::size_t mp_md5_digits = 32;

/// The category of a command. It selects the colour on the match page (`categories` of page/model.js has the same
/// order) and the byte count in the statistics.
enum class MpCommandCategory : std::uint8_t { calls, syncs, spawns, deltas, paths_and_peers, custom };

// Traits of a command, combined with |.
inline constexpr unsigned mp_no_trait = 0;
/// Godot 4 ignores such a command in a relay (SceneMultiplayer::_process_packet).
inline constexpr unsigned mp_system = 1;
/// The receiver stores the content, and later messages may refer to the content.
inline constexpr unsigned mp_state = 2;
/// The flow graph has an arrow for the command.
inline constexpr unsigned mp_arrow = 4;

// All commands of both generations and all messages of the transports: enumerator and name, category, traits,
// description.
#define GODOT_MP_COMMANDS(X)                                                                            \
  X(rpc, calls, mp_arrow, "Calls a method of a node")                                                   \
  X(rset, calls, mp_arrow, "Sets a property of a node (Godot 3)")                                       \
  X(simplify_path, paths_and_peers, mp_state, "Assigns a number to the path of a node")                 \
  X(confirm_path, paths_and_peers, mp_state, "Confirms the number of a path")                           \
  X(raw, custom, mp_no_trait, "Custom payload (send_bytes)")                                            \
  X(spawn, spawns, mp_state | mp_arrow, "Adds a node (MultiplayerSpawner)")                             \
  X(despawn, spawns, mp_state | mp_arrow, "Removes a node")                                             \
  X(sync, syncs, mp_no_trait, "Properties that are always synchronized (MultiplayerSynchronizer)")      \
  X(delta, deltas, mp_state, "Properties that have changed (MultiplayerSynchronizer)")                  \
  X(auth, custom, mp_system | mp_state | mp_arrow, "Authentication: custom payload; empty: completed")  \
  X(add_peer, paths_and_peers, mp_system | mp_state | mp_arrow, "A peer has connected")                 \
  X(remove_peer, paths_and_peers, mp_system | mp_state | mp_arrow, "A peer has disconnected")           \
  X(relay, paths_and_peers, mp_system | mp_state, "A command that the server relays to or from a peer") \
  X(peer_id, paths_and_peers, mp_state | mp_arrow, "The ID that a server assigns to its client (WebSocket)")

#define GODOT_ENUMERATOR(id, ...) id,
enum class MpCommand : std::uint8_t { GODOT_MP_COMMANDS(GODOT_ENUMERATOR) };

/// A row of the table of commands. `name` is the value of the field "godot_mp.command".
struct MpCommandInfo {
  const char *name;
  MpCommandCategory category;
  unsigned traits;
  const char *description;

  [[nodiscard]] constexpr bool has(unsigned trait) const { return (traits & trait) != 0; }
};

inline constexpr MpCommandInfo mp_command_infos[] = {
#define GODOT_COMMAND(id, category, traits, description) {#id, MpCommandCategory::category, traits, description},
    GODOT_MP_COMMANDS(GODOT_COMMAND)
#undef GODOT_COMMAND
};

inline constexpr std::size_t mp_command_count = std::size(mp_command_infos);

[[nodiscard]] constexpr const MpCommandInfo &mp_command_info(MpCommand command) {
  return mp_command_infos[static_cast<std::size_t>(command)];
}

// All fields: enumerator, name, title, kind, description.
#define GODOT_MP_FIELDS(X)                                                                                           \
  X(kind, "kind", "Message kind", uint8, "Kind of a system message, or of a WebSocket message of Godot 3")           \
  X(enet_kind, "enet_kind", "Message kind", uint32, "Kind of a system message of Godot 3 over ENet")                 \
  X(source, "source", "Source peer", int32, "Peer that sent the message")                                            \
  X(target, "target", "Target peer", int32,                                                                          \
    "Peer that receives the message; 0: all peers; negative: all peers except that one")                             \
  X(flags, "flags", "Flags", uint32, "Transfer mode (Godot 3.0 and 3.1); 0: ordered; 1: reliable; 2: unordered")     \
  X(peer, "peer", "Peer", int32,                                                                                     \
    "Peer that a system message refers to; for a relay: its target, or its source if the server sent it")            \
  X(path_id, "path_id", "Path ID", uint32, "Number of the path of a node, assigned by simplify_path")                \
  X(path_offset, "path_offset", "Path offset", uint32,                                                               \
    "Offset of the path in the command; used while the path has no number")                                          \
  X(path, "path", "Path", text, "Path of the node from the root of the multiplayer")                                 \
  X(method_id, "rpc.method_id", "Method ID", uint16,                                                                 \
    "Index of the method in the sorted list of RPC methods of the node")                                             \
  X(method, "rpc.method", "Method", text, "Name of the method")                                                      \
  X(argc, "rpc.argc", "Argument count", uint8, "Number of arguments of the call")                                    \
  X(md5, "rpc.md5", "MD5 of the methods", text,                                                                      \
    "MD5 of the names of the RPC methods of the node, in hexadecimal digits")                                        \
  X(property, "rset.property", "Property", text, "Name of the property that is set")                                 \
  X(valid, "confirm.valid", "Checksum valid", boolean, "True if the MD5 of the methods of the receiver is the same") \
  X(data, "data", "Data", opaque_bytes, "Custom payload; in a call: its only argument, a PackedByteArray")           \
  X(net_id, "net_id", "Net ID", uint32, "Number of a spawned node, or of a synchronizer below a spawned node")       \
  X(scene, "spawn.scene", "Scene index", uint8,                                                                      \
    "Index of the scene in the Auto Spawn List; 255: node of the spawn_function")                                    \
  X(spawner, "spawn.spawner_id", "Spawner path ID", uint32, "Path ID of the MultiplayerSpawner")                     \
  X(sync_count, "spawn.sync_count", "Synchronizer count", uint32, "Number of synchronizers below the spawned node")  \
  X(name_length, "spawn.name_length", "Name length", uint32,                                                         \
    "Length of the name of the node with its terminating zero, in bytes")                                            \
  X(sync_id, "spawn.sync_id", "Synchronizer net ID", uint32, "Net ID of a synchronizer")                             \
  X(name, "spawn.name", "Name", text, "Name of the spawned node")                                                    \
  X(custom_size, "spawn.custom_size", "Size of the spawn data", uint32,                                              \
    "Length of the argument of the spawn_function, in bytes")                                                        \
  X(time, "sync.time", "Time", uint16, "Number of the sync, counted per receiver")                                   \
  X(mask, "delta.mask", "Changed properties", uint64,                                                                \
    "Changed properties: bit i is the i-th property of mode \"on change\"")                                          \
  X(size, "sync.size", "Size of the values", uint32, "Length of the values of the object, in bytes")

enum class MpField : std::uint8_t { GODOT_MP_FIELDS(GODOT_ENUMERATOR) };

/// How an MpField is presented.
struct MpFieldInfo {
  const char *filter;  ///< name in display filters
  const char *title;   ///< title for the user interface
  FieldKind kind;  ///< selects the member of MpFieldValue that holds the value; a number may be shorter in the packet
  const char *description;
};

inline constexpr MpFieldInfo mp_field_infos[] = {
#define GODOT_FIELD(id, name, title, kind, description) {"godot_mp." name, title, FieldKind::kind, description},
    GODOT_MP_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

inline constexpr std::size_t mp_field_count = std::size(mp_field_infos);

[[nodiscard]] constexpr const MpFieldInfo &mp_field_info(MpField field) {
  return mp_field_infos[static_cast<std::size_t>(field)];
}

// All flags in the first byte of a command of Godot 4: enumerator, name, title, bits, description.
#define GODOT_MP_FLAGS(X)                                                                                             \
  X(node_id_size, "rpc.flags.node_id_size", "Size of the node ID", 0x30, "Size of the path ID or net ID of the node") \
  X(method_id_size, "rpc.flags.method_id_size", "Size of the method ID", 0x40, "Bytes of the method ID in the call")  \
  X(raw_or_none, "rpc.flags.raw", "Raw bytes or no arguments", 0x80,                                                  \
    "No arguments, or one PackedByteArray without a header")                                                          \
  X(is_delta, "sync.flags.delta", "Delta", 0x10, "True for a delta, false for a sync")

enum class MpFlag : std::uint8_t { GODOT_MP_FLAGS(GODOT_ENUMERATOR) };
#undef GODOT_ENUMERATOR

/// How an MpFlag is presented, and its bits.
struct MpFlagInfo {
  const char *filter;  ///< name in display filters
  const char *title;   ///< title for the user interface
  std::uint8_t mask;
  const char *description;
};

inline constexpr MpFlagInfo mp_flag_infos[] = {
#define GODOT_FLAG(id, name, title, mask, description) {"godot_mp." name, title, mask, description},
    GODOT_MP_FLAGS(GODOT_FLAG)
#undef GODOT_FLAG
};

inline constexpr std::size_t mp_flag_count = std::size(mp_flag_infos);

[[nodiscard]] constexpr const MpFlagInfo &mp_flag_info(MpFlag flag) {
  return mp_flag_infos[static_cast<std::size_t>(flag)];
}

/// A field of a command, prefix or object.
struct MpFieldValue {
  MpField field = MpField::kind;
  Range range;                ///< the bytes of the field; for a text, without its zero terminator
  std::uint64_t integer = 0;  ///< value of an integer field; the type of the field determines its size
  std::string_view text;      ///< value of a text or of bytes; points into the packet

  [[nodiscard]] std::int64_t signed_integer() const { return static_cast<std::int64_t>(integer); }
};

/// The fields of a command, prefix or object, in packet order.
class MpFields {
 public:
  static constexpr std::size_t max_count = 8;

  [[nodiscard]] const MpFieldValue *begin() const { return values_.begin(); }
  [[nodiscard]] const MpFieldValue *end() const { return values_.end(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// Returns the field; null if the message does not have it.
  [[nodiscard]] const MpFieldValue *find(MpField field) const {
    for (const MpFieldValue &value : *this) {
      if (value.field == field) return &value;
    }
    return nullptr;
  }
  [[nodiscard]] bool has(MpField field) const { return find(field) != nullptr; }
  /// Returns the integer value of a field; 0 if the message does not have the field.
  [[nodiscard]] std::uint64_t integer(MpField field) const {
    const MpFieldValue *value = find(field);
    return value == nullptr ? 0 : value->integer;
  }
  /// Like integer(), for fields of up to 32 bits and for peer ids.
  [[nodiscard]] std::uint32_t number(MpField field) const { return static_cast<std::uint32_t>(integer(field)); }
  [[nodiscard]] std::int32_t peer(MpField field) const { return static_cast<std::int32_t>(integer(field)); }
  /// Returns the text or bytes of a field; empty if the message does not have the field.
  [[nodiscard]] std::string_view text(MpField field) const {
    const MpFieldValue *value = find(field);
    return value == nullptr ? std::string_view{} : value->text;
  }
  void add(const MpFieldValue &value) {
    if (!values_.is_full()) values_.add(value);
  }

 private:
  FixedList<MpFieldValue, max_count> values_;
};
static_assert(std::is_trivially_destructible_v<MpFields>);

/// Consecutive Variants. To walk them, use mp_encoding() of variant_cache.h, and mp_bytes_before(bytes, range.end()) as
/// the bytes.
struct MpVariants {
  static constexpr std::uint32_t all = UINT32_MAX;

  Range range;  ///< bytes of the Variants
  /// Number of Variants; `all`: the Variants fill the range. Engines ignore bytes after the last Variant.
  std::uint32_t count = 0;
};

/// A command, or an object of a sync or delta. Plain data: it may be copied, and longjmp may skip its destructor.
struct MpItem {
  Outcome outcome = Outcome::ok;
  std::size_t offset = 0;  ///< offset after the item; after a failure, the offset of the failure
  Range range;             ///< all bytes of the item; of a command, and after a failure, to the last byte of the packet
  MpFields fields;         ///< of an object: net_id or path_id, size; for a delta also mask
  /// Arguments of an rpc, value of an rset, state of a spawn, or the Variant of is_bare_variant. Of an object: values
  /// of the properties; for a delta, one value for each bit that is set in the mask.
  MpVariants variants;
};
static_assert(std::is_trivially_destructible_v<MpItem>);

/// A command.
struct MpMessage : MpItem {
  Generation generation = Generation::godot4;
  std::uint8_t first_byte = 0;
  /// True if the message is one Variant without a command (Godot 3). Then `variants` holds the Variant, and `command`
  /// is raw. Games send such messages with put_packet(var2bytes(value)), as the official WebSocket chat demo does.
  bool is_bare_variant = false;
  bool is_known = false;  ///< true if the bytes identify the command; if false, the members below are not set
  MpCommand command = MpCommand::raw;
  MpVariants spawn_argument;  ///< for a custom spawn: argument of the spawn_function
  Range sync_ids;             ///< for a spawn: net ids of the synchronizers; see read_mp_sync_id()
  Range objects;              ///< for a sync or delta: the objects; see read_mp_object()
  Range relayed;     ///< for a relay: the relayed command; pass its offset to read_mp_message(). Engines reject system
                     ///< commands in a relay, so relays do not nest
  Range rest_bytes;  ///< bytes of the message that belong to no member above: after the command, or after a failure

  [[nodiscard]] bool is_godot4() const { return generation == Generation::godot4; }
  /// Returns the value of a bit field in the first byte, shifted to bit 0.
  [[nodiscard]] std::uint8_t flag(MpFlag flag) const {
    const std::uint8_t mask = mp_flag_info(flag).mask;
    return static_cast<std::uint8_t>((first_byte & mask) / (mask & -mask));
  }
};
static_assert(std::is_trivially_destructible_v<MpMessage>);

/// Reads the command from @p offset to the last byte of @p bytes, but does not read its Variants.
///
/// Outcomes: `truncated` if the capture ends within the command; `malformed` if the message ends early, or if a length
/// or an offset is wrong; `unsupported` if the bytes are not a command. Fields before a failure are set.
[[nodiscard]] MpMessage read_mp_message(Bytes bytes, std::size_t offset, Generation generation);

/// Returns the flags in the first byte of a command. Empty for Godot 3, which has no flags.
[[nodiscard]] std::span<const MpFlag> mp_command_flags(Generation generation, MpCommand command);

/// Returns the bits of the first byte that have no meaning. Engines never set these bits, and Godot 4 ignores them.
[[nodiscard]] std::uint8_t mp_unknown_flags(const MpMessage &message);

/// True if a command of Godot 4 with this first byte is a system command (mp_system).
[[nodiscard]] bool is_mp_system_command(std::uint8_t first);

/// Returns the net id of a synchronizer of a spawn, as the field sync_id.
/// @param index less than message.sync_ids.length / mp_sync_id_size
[[nodiscard]] MpFieldValue read_mp_sync_id(Bytes bytes, const MpMessage &message, std::size_t index);

/// Reads the object of a sync or delta at @p offset. The first object is at message.objects.offset. Each following
/// object is at MpItem::offset of the previous object, up to message.objects.end(). No object follows a failure.
[[nodiscard]] MpItem read_mp_object(Bytes bytes, std::size_t offset, MpCommand command);

/// Returns the bytes before @p end. Offsets stay the same.
[[nodiscard]] constexpr Bytes mp_bytes_before(Bytes bytes, std::size_t end) { return bytes.slice({0, end}); }

}  // namespace godot_codec
