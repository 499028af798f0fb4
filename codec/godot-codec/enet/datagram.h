// SPDX-License-Identifier: MIT
/// @file
/// ENet's datagrams as plain data: the header, and the commands behind it.
///
/// Everything is big-endian, commands stand back to back. Rules: ENet's protocol.h and, for what a receiver accepts,
/// enet_protocol_handle_incoming_commands() in its protocol.c.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// The peer id of a datagram to a peer that has not given the sender a slot yet: its only command is a connect.
inline constexpr std::uint16_t enet_no_peer = 0xfff;
/// The channel of commands that are ENet's own (connect, ping, …).
inline constexpr std::uint8_t enet_control_channel = 0xff;
/// Commands that ENet puts into a datagram at most. A receiver does not count them.
inline constexpr std::size_t enet_max_commands = 32;
/// The largest MTU, and so the size of ENet's own buffer for a datagram, decompressed, with its header.
inline constexpr std::size_t enet_max_datagram = 4096;
/// Fragments of a message at most (ENET_PROTOCOL_MAXIMUM_FRAGMENT_COUNT).
inline constexpr std::uint32_t enet_max_fragments = 1024 * 1024;
/// Bytes of a command's header.
inline constexpr std::size_t enet_command_header_size = 4;

/// The header of a datagram. What could not be read is 0.
struct EnetHeader {
  Outcome outcome = Outcome::ok;
  std::size_t offset = 0;  ///< where the commands, or their compressed form, begin; after a failure, where it was
  std::uint16_t peer_id = 0;
  std::uint8_t session = 0;
  bool is_compressed = false;
  bool has_sent_time = false;
  std::uint16_t sent_time = 0;  ///< in milliseconds
  bool has_checksum = false;
  std::uint32_t checksum = 0;
  std::size_t size = 0;  ///< in bytes, as the flags say: 2 or 4, and 4 more with a checksum
};
static_assert(std::is_trivially_destructible_v<EnetHeader>);

/// Reads the header of a datagram.
/// @param has_checksum the host was told to use checksums, which the wire does not say; Godot never does
[[nodiscard]] EnetHeader read_enet_header(Bytes datagram, bool has_checksum = false);

// Every field of a command behind its header: enumerator, name, size in bytes, description.
#define GODOT_ENET_FIELDS(X)                                                                                          \
  X(ack_seq, "ack.seq", 2, "Reliable sequence number of the acknowledged command")                                    \
  X(ack_sent_time, "ack.sent_time", 2, "Sent time of the datagram with the acknowledged command, in milliseconds")    \
  X(connect_outgoing_peer_id, "connect.outgoing_peer_id", 2, "Peer slot that the sender assigned to its peer")        \
  X(connect_incoming_session, "connect.incoming_session", 1, "Session number of datagrams to the sender; 255: any")   \
  X(connect_outgoing_session, "connect.outgoing_session", 1, "Session number of datagrams from the sender; 255: any") \
  X(connect_mtu, "connect.mtu", 4, "Maximum datagram size, in bytes")                                                 \
  X(connect_window_size, "connect.window_size", 4, "Maximum unacknowledged reliable data, in bytes")                  \
  X(connect_channel_count, "connect.channel_count", 4, "Number of channels")                                          \
  X(connect_incoming_bandwidth, "connect.incoming_bandwidth", 4,                                                      \
    "Limit for incoming data, in bytes per second; 0: no limit")                                                      \
  X(connect_outgoing_bandwidth, "connect.outgoing_bandwidth", 4,                                                      \
    "Limit for outgoing data, in bytes per second; 0: no limit")                                                      \
  X(connect_throttle_interval, "connect.throttle_interval", 4,                                                        \
    "Interval between throttle adjustments, in milliseconds")                                                         \
  X(connect_throttle_acceleration, "connect.throttle_acceleration", 4, "Step by which the throttle increases")        \
  X(connect_throttle_deceleration, "connect.throttle_deceleration", 4, "Step by which the throttle decreases")        \
  X(connect_id, "connect.connect_id", 4, "Random number of the connection")                                           \
  X(connect_data, "connect.data", 4, "Application data; from Godot: unique ID of the client")                         \
  X(disconnect_data, "disconnect.data", 4, "Application data")                                                        \
  X(data_length, "data_length", 2, "Bytes of data after the command")                                                 \
  X(unreliable_seq, "unreliable_seq", 2,                                                                              \
    "Number of the unreliable command since the last reliable command of its channel")                                \
  X(unsequenced_group, "unsequenced_group", 2, "Number of the unsequenced command in the connection")                 \
  X(fragment_start_seq, "fragment.start_seq", 2, "Sequence number of the first fragment of the message")              \
  X(fragment_count, "fragment.fragment_count", 4, "Number of fragments of the message")                               \
  X(fragment_number, "fragment.number", 4, "Index of the fragment, from 0")                                           \
  X(fragment_total_length, "fragment.total_length", 4, "Length of the message, in bytes")                             \
  X(fragment_offset, "fragment.offset", 4, "Offset of the fragment in the message")                                   \
  X(bandwidth_incoming, "bandwidth.incoming", 4, "Limit for incoming data, in bytes per second; 0: no limit")         \
  X(bandwidth_outgoing, "bandwidth.outgoing", 4, "Limit for outgoing data, in bytes per second; 0: no limit")         \
  X(throttle_interval, "throttle.interval", 4, "Interval between throttle adjustments, in milliseconds")              \
  X(throttle_acceleration, "throttle.acceleration", 4, "Step by which the throttle increases")                        \
  X(throttle_deceleration, "throttle.deceleration", 4, "Step by which the throttle decreases")

/// A field of a command, behind the command's header.
enum class EnetField : std::uint8_t {
#define GODOT_FIELD(id, name, size, description) id,
  GODOT_ENET_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

/// How an EnetField is presented, and its bytes. The name is what stands behind "enet." in a display filter.
struct EnetFieldInfo {
  const char *name;
  std::uint8_t size;
  const char *description;
};

inline constexpr EnetFieldInfo enet_field_infos[] = {
#define GODOT_FIELD(id, name, size, description) {name, size, description},
    GODOT_ENET_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

inline constexpr std::size_t enet_field_count = std::size(enet_field_infos);

[[nodiscard]] constexpr const EnetFieldInfo &enet_field_info(EnetField field) {
  return enet_field_infos[static_cast<std::size_t>(field)];
}

/// Numbers of the commands, as on the wire.
enum class EnetCommandType : std::uint8_t {
  none,
  acknowledge,
  connect,
  verify_connect,
  disconnect,
  ping,
  send_reliable,
  send_unreliable,
  send_fragment,
  send_unsequenced,
  bandwidth_limit,
  throttle_configure,
  send_unreliable_fragment,
};

/// Bits 6 and 7 of a command's first byte; 4 and 5 mean nothing, and ENet never sets them.
inline constexpr std::uint8_t enet_flag_acknowledge = 1U << 7;
inline constexpr std::uint8_t enet_flag_unsequenced = 1U << 6;
inline constexpr std::uint8_t enet_mask_type = 0x0f;

/// Which channels a command is sent on.
enum class EnetChannels : std::uint8_t { any, users, control };

/// The layout of a command.
struct EnetLayout {
  EnetCommandType type;
  std::uint8_t flags;                 ///< that ENet sets; a disconnect may have the other one instead
  EnetChannels channels;              ///< that ENet sends it on
  std::string_view name;              ///< the name in ENet's headers
  std::string_view title;             ///< the name in the Info column
  std::span<const EnetField> fields;  ///< in the order of the wire; where data_length is one of them, data follows
};

/// Fields of any command at most.
inline constexpr std::size_t enet_max_fields = 13;

/// The layouts of all commands, by rising number, the first of them 1.
[[nodiscard]] std::span<const EnetLayout> enet_layouts();

/// The layout of a command; nullptr of a number that is none.
[[nodiscard]] const EnetLayout *enet_layout(std::uint8_t number);

/// One command. Plain data: it may be copied, and jumped over by longjmp.
struct EnetCommand {
  Outcome outcome = Outcome::ok;
  std::size_t offset = 0;              ///< where the command ends; after a failure, where that was
  std::uint8_t number = 0;             ///< the number on the wire, 0 to 15
  const EnetLayout *layout = nullptr;  ///< nullptr where the number is none, or not all of the header could be read
  std::uint8_t flags = 0;              ///< bits 4-7 of the first byte
  std::uint8_t channel = 0;
  std::uint16_t reliable_seq = 0;
  std::array<std::uint32_t, enet_max_fields> values{};  ///< in the order of the layout's fields
  std::size_t value_count = 0;                          ///< number of fields that could be read
  Range range;  ///< the command on the wire, its data included; to the datagram's end where it is not known
  Range data;   ///< the user's data on the wire, cut at the datagram's end; less of it may be captured

  [[nodiscard]] bool is(EnetCommandType type) const { return number == static_cast<std::uint8_t>(type); }
  [[nodiscard]] bool is_fragment() const {
    return is(EnetCommandType::send_fragment) || is(EnetCommandType::send_unreliable_fragment);
  }
  [[nodiscard]] bool wants_acknowledgement() const { return (flags & enet_flag_acknowledge) != 0; }
  [[nodiscard]] bool is_unsequenced() const { return (flags & enet_flag_unsequenced) != 0; }
  [[nodiscard]] bool has_all_fields() const { return layout != nullptr && value_count == layout->fields.size(); }
  /// True if flags, channel and lengths are ones that ENet would send, as far as they were captured.
  [[nodiscard]] bool is_plausible() const;
  /// True if the command has this field, and it could be read.
  [[nodiscard]] bool has(EnetField field) const { return index_of(field) < value_count; }
  /// The value of a field; 0 where the command has none.
  [[nodiscard]] std::uint32_t value(EnetField field) const { return has(field) ? values[index_of(field)] : 0; }

 private:
  [[nodiscard]] std::size_t index_of(EnetField field) const {
    std::size_t index = 0;
    while (index < value_count && layout->fields[index] != field) ++index;
    return index;
  }
};
static_assert(std::is_trivially_destructible_v<EnetCommand>);

/// Reads the command at an offset of a datagram's uncompressed commands.
///
/// `truncated` where the capture ends within it, `malformed` where the datagram does, `unsupported` where its number
/// is none. After a failure there is no next command: a receiver leaves the rest of the datagram unread, too.
[[nodiscard]] EnetCommand read_enet_command(Bytes commands, std::size_t offset);

/// True if bytes may begin with a command as ENet sends it: by its number, flags and channel, as far as they are there.
/// Takes no time.
[[nodiscard]] bool may_begin_enet_command(std::span<const std::uint8_t> bytes);

/// True if a datagram may be ENet's: it is compressed, or commands follow its header, with a checksum or without. Takes
/// no time where the first one is none. No other datagram is plausible (EnetDatagram::is_plausible()).
[[nodiscard]] bool may_be_enet_datagram(Bytes datagram);

/// Checks a fragment by the rules by which ENet's receiver refuses it.
/// @returns what is wrong, as a phrase; empty where nothing is, and for other commands
[[nodiscard]] std::string_view enet_fragment_fault(const EnetCommand &command);

/// FastLZ as Godot uses it fills shorter input with zeros up to this size, so that zeros may trail the commands.
inline constexpr std::size_t enet_padded_size = 16;

/// True if all bytes from an offset on, after some command, are the filling of FastLZ's input.
[[nodiscard]] bool is_enet_padding(Bytes commands, std::size_t offset);

/// The result of reading a datagram's commands, one after the other.
struct EnetCommandRun {
  Outcome outcome = Outcome::ok;  ///< outcome of the first command that could not be read to its end
  Range padding;                  ///< zeros behind the last command
  Range undecoded;                ///< from where no command could be read, to the end
  /// True if ENet could have sent them: at least one command, all of them up to the exact end (as far as captured),
  /// each with flags and a channel that ENet uses for it, and no fragment that contradicts itself.
  bool is_plausible = false;
};

/// Reads commands, one behind the other.
/// @param may_be_padded bytes of enet_padded_size may end in a run of zeros
/// @param visit gets each EnetCommand whose fields could all be read; the last one's data may be incomplete
template <typename Visit>
EnetCommandRun read_enet_commands(Bytes commands, bool may_be_padded, Visit visit) {
  EnetCommandRun run;
  run.is_plausible = commands.reported > 0;
  std::size_t offset = 0;
  while (offset < commands.reported && run.outcome == Outcome::ok) {
    if (may_be_padded && is_enet_padding(commands, offset)) {
      run.padding = {offset, commands.reported - offset};
      break;
    }
    const EnetCommand command = read_enet_command(commands, offset);
    run.outcome = command.outcome;
    run.is_plausible = run.is_plausible && command.is_plausible();
    if (!command.has_all_fields()) {
      run.undecoded = {offset, commands.reported - offset};
      break;
    }
    visit(command);
    offset = command.range.end();
  }
  return run;
}

/// True if the bytes look like ENet's commands up to their exact end: see EnetCommandRun.
[[nodiscard]] bool looks_like_enet_commands(Bytes commands, bool may_be_padded = false);

/// How a datagram's commands are compressed. Which one a host uses is not on the wire.
enum class Compression : std::uint8_t {
  none,
  range_coder,  ///< ENet's own; what Godot 3.4 and later 3.x use unless told otherwise
  fastlz,
  zlib,
  zstd,
};

inline constexpr std::size_t compression_count = 5;

/// Facts about a datagram's sender that must be known, or told by the user, before it is read. None is on the wire.
struct EnetExpectation {
  bool has_checksum = false;                 ///< judged by earlier datagrams
  bool is_checksum_told = false;             ///< and there is no doubt of it
  std::optional<Compression> compression{};  ///< the compression of earlier datagrams: tried first
  bool is_compression_told = false;          ///< and nothing else is to be tried; `none` decompresses nothing
  bool may_decompress = true;                ///< decompressing takes time: not of what has shown to be something else
};

/// A datagram as it was read: once, by read_enet_datagram() of enet/reader.h, and handed on to whoever asks.
///
/// Plain data; what it points at is the datagram's own bytes and the memory that the reader was given.
struct EnetDatagram {
  EnetHeader header;
  /// ok; the header's, where that could not be read; `truncated` where the capture ends within compressed commands,
  /// `malformed` where none follow, `unsupported` where no compression was recognised; else how the row of commands
  /// ends.
  Outcome outcome = Outcome::ok;
  Compression compression = Compression::none;  ///< set if is_readable
  bool is_readable = false;                     ///< the commands could be got at: not compressed, or decompressed
  Bytes payload;                                ///< the bytes after the header, as sent; none without a header
  Bytes commands_bytes;                         ///< the commands without compression; none if not is_readable
  std::span<const EnetCommand> commands;        ///< offsets are of commands_bytes
  EnetCommandRun run;

  /// True if it reads like one of ENet's datagrams.
  [[nodiscard]] bool is_plausible() const { return header.outcome == Outcome::ok && is_readable && run.is_plausible; }
};
static_assert(std::is_trivially_destructible_v<EnetDatagram>);

}  // namespace godot_codec
