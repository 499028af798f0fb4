// SPDX-License-Identifier: MIT
/// @file
/// ENet datagrams as plain data: a header, and the commands after it.
///
/// All integers are big-endian. Commands follow each other without gaps. Rules: ENet's protocol.h and, for the commands
/// that a receiver accepts, enet_protocol_handle_incoming_commands() in its protocol.c.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

/// Peer ID in a datagram to a peer that has not assigned a slot to the sender yet. The datagram's only command is a
/// connect.
inline constexpr std::uint16_t enet_no_peer = 0xfff;
/// Channel of ENet's control commands (connect, ping, …).
inline constexpr std::uint8_t enet_control_channel = 0xff;
/// Maximum number of commands that ENet sends in a datagram. A receiver does not check this number.
inline constexpr std::size_t enet_max_commands = 32;
/// Maximum MTU in bytes. ENet's buffer for a decompressed datagram and its header has the same size.
inline constexpr std::size_t enet_max_datagram = 4096;
/// Maximum number of fragments of a message (ENET_PROTOCOL_MAXIMUM_FRAGMENT_COUNT).
inline constexpr std::uint32_t enet_max_fragments = 1024 * 1024;
/// Size of a command's header, in bytes.
inline constexpr std::size_t enet_command_header_size = 4;

/// The header of a datagram. Fields that could not be read are 0.
struct EnetHeader {
  Outcome outcome = Outcome::ok;
  std::size_t offset = 0;  ///< size of the header, in bytes; after a failure, the offset of the failure
  std::uint16_t peer_id = 0;
  std::uint8_t session = 0;
  bool is_compressed = false;
  bool has_sent_time = false;
  std::uint16_t sent_time = 0;  ///< in milliseconds
  bool has_checksum = false;
  std::uint32_t checksum = 0;
};
static_assert(std::is_trivially_destructible_v<EnetHeader>);

/// Reads the header of a datagram.
/// @param has_checksum true if the host uses checksums; the datagram does not show this. Godot never uses checksums
[[nodiscard]] EnetHeader read_enet_header(Bytes datagram, bool has_checksum = false);

// All fields of commands, without the command header: enumerator, name, size in bytes, description.
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

/// A field of a command, after the command's header.
enum class EnetField : std::uint8_t {
#define GODOT_FIELD(id, name, size, description) id,
  GODOT_ENET_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

/// Name, size in bytes and description of an EnetField. The name follows "enet." in a display filter.
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

/// Command numbers on the wire.
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

/// Flags in bits 6 and 7 of a command's first byte. Bits 4 and 5 have no meaning, and ENet never sets them.
inline constexpr std::uint8_t enet_flag_acknowledge = 1U << 7;
inline constexpr std::uint8_t enet_flag_unsequenced = 1U << 6;
inline constexpr std::uint8_t enet_mask_type = 0x0f;

/// The channels on which ENet sends a command.
enum class EnetChannelKind : std::uint8_t { any, users, control };

/// The layout of a command.
struct EnetCommandLayout {
  EnetCommandType type;
  std::uint8_t flags;                 ///< the flags that ENet sets; a disconnect may have the opposite flag instead
  EnetChannelKind channels;           ///< the channels on which ENet sends it
  std::string_view name;              ///< name in ENet's headers
  std::string_view title;             ///< name in the Info column
  std::span<const EnetField> fields;  ///< in wire order; if data_length is one of the fields, data follows the fields
};

/// Returns the layouts of all commands, sorted by number, from 1.
[[nodiscard]] std::span<const EnetCommandLayout> enet_command_layouts();

/// Returns the layout of a command; nullptr for an unknown number.
[[nodiscard]] const EnetCommandLayout *find_enet_command_layout(std::uint8_t number);

/// A command. Plain data: it may be copied, and longjmp may skip its destructor.
struct EnetCommand {
  Outcome outcome = Outcome::ok;
  std::uint8_t number = 0;                    ///< command number on the wire, 0 to 15
  const EnetCommandLayout *layout = nullptr;  ///< null if the command number is unknown, or if the header is incomplete
  std::uint8_t flags = 0;                     ///< bits 4-7 of the first byte
  std::uint8_t channel = 0;
  std::uint16_t reliable_seq = 0;
  std::bitset<enet_field_count> readable_fields;  ///< by EnetField: true if the command has the field
  Range range;  ///< the whole command with its data; if its end is not known, up to the datagram's end
  Range data;   ///< the user data, clipped to the datagram; possibly not all of it was captured

  [[nodiscard]] bool is(EnetCommandType type) const { return number == static_cast<std::uint8_t>(type); }
  [[nodiscard]] bool is_fragment() const {
    return is(EnetCommandType::send_fragment) || is(EnetCommandType::send_unreliable_fragment);
  }
  [[nodiscard]] bool wants_acknowledgement() const { return (flags & enet_flag_acknowledge) != 0; }
  [[nodiscard]] bool has_all_fields() const {
    return layout != nullptr && (layout->fields.empty() || has(layout->fields.back()));
  }
  /// True if ENet could have sent these flags, this channel and these lengths, as far as they were captured.
  [[nodiscard]] bool is_plausible() const;
  /// True if the command has this field, and the field is readable.
  [[nodiscard]] bool has(EnetField field) const { return readable_fields[static_cast<std::size_t>(field)]; }
  /// Returns the value of a field; 0 if has() is false.
  [[nodiscard]] std::uint32_t value(EnetField field) const { return values_[static_cast<std::size_t>(field)]; }
  void set(EnetField field, std::uint32_t value) {
    readable_fields.set(static_cast<std::size_t>(field));
    values_[static_cast<std::size_t>(field)] = value;
  }

 private:
  std::array<std::uint32_t, enet_field_count> values_{};
};
static_assert(std::is_trivially_destructible_v<EnetCommand>);

/// Reads the command at an offset of a datagram's uncompressed commands.
///
/// Outcomes: `truncated` if the capture ends within the command, `malformed` if the datagram ends within it,
/// `unsupported` if the command number is unknown. After a failure, no further command is read, because ENet's receiver
/// also ignores the rest of the datagram.
[[nodiscard]] EnetCommand read_enet_command(Bytes commands, std::size_t offset);

/// A quick check of number, flags and channel, as far as available. True if the bytes may begin with a command.
[[nodiscard]] bool may_begin_enet_command(std::span<const std::uint8_t> bytes);

/// A quick check for an ENet datagram. True if it is compressed, or if commands follow its header, with or without a
/// checksum. If false, EnetDatagram::is_plausible() is also false. Takes almost no time if the first command is
/// implausible.
[[nodiscard]] bool may_be_enet_datagram(Bytes datagram);
/// Quick check of the header and of the first byte of the first command.
[[nodiscard]] bool may_begin_enet_datagram(Bytes datagram);

/// Checks a fragment by the rules of ENet's receiver.
/// @returns a phrase about the problem; empty if there is no problem, or if the command is not a fragment
[[nodiscard]] std::string_view find_enet_fragment_error(const EnetCommand &command);

/// Minimum size of Godot's FastLZ input, in bytes. Godot appends zeros to shorter input, so zeros may follow the
/// commands.
inline constexpr std::size_t enet_padded_size = 16;

/// True if all bytes from an offset to the end are the zeros that Godot appends to FastLZ's input. At least one command
/// must precede the offset.
[[nodiscard]] bool is_enet_padding(Bytes commands, std::size_t offset);

/// The result of reading all commands of a datagram.
struct EnetCommandsResult {
  Outcome outcome = Outcome::ok;  ///< outcome of the first command that is not completely readable
  Range padding;                  ///< zeros after the last command
  Range undecoded;                ///< the bytes from the first unreadable command to the end
  /// True if ENet could have sent the commands, as far as captured. The bytes contain at least one command, and the
  /// last command ends exactly at the last byte. Flags and channels are valid, and no fragment contradicts itself.
  bool is_plausible = false;
};

/// Reads the commands in order.
/// @param may_be_padded true if input of enet_padded_size bytes may end with zeros
/// @param visit called with each EnetCommand that has all its fields; the data of the last command may be incomplete
template <typename Visit>
EnetCommandsResult read_enet_commands(Bytes commands, bool may_be_padded, Visit visit) {
  EnetCommandsResult run;
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

/// True if the bytes are plausible as ENet commands up to their exact end (EnetCommandsResult::is_plausible).
[[nodiscard]] bool looks_like_enet_commands(Bytes commands, bool may_be_padded = false);

/// The compression of a datagram's commands. The datagram does not name it, so it is detected.
enum class Compression : std::uint8_t {
  none,
  range_coder,  ///< ENet's own compression; the default of Godot 3.4 and later 3.x
  fastlz,
  zlib,
  zstd,
};

inline constexpr std::size_t compression_count = 5;

/// Facts that are needed to read a datagram, but that the datagram does not contain. They come from earlier datagrams
/// or from the user's preferences.
struct EnetExpectedFormat {
  bool has_checksum = false;                 ///< true if earlier datagrams have a checksum
  bool is_checksum_configured = false;       ///< true if the user has configured has_checksum
  std::optional<Compression> compression{};  ///< compression of earlier datagrams, which is tried first
  /// True if the user has configured the compression, so no other compression is tried. `none` decompresses nothing.
  bool is_compression_configured = false;
  /// False if the datagram is known to belong to another protocol, so that the slow decompression is avoided.
  bool may_decompress = true;
};

/// A datagram as read by read_enet_datagram() (enet/datagram_reader.h). It is read once, and then passed to all users.
///
/// Plain data. Points to the datagram's bytes, and to memory that the caller of the reader provides.
struct EnetDatagram {
  EnetHeader header;
  /// The outcome of the header, if it is unreadable. For compressed commands: `truncated` if the capture ends within
  /// them, `malformed` if there are none, `unsupported` if no compression was detected. Otherwise the outcome of the
  /// commands (EnetCommandsResult).
  Outcome outcome = Outcome::ok;
  Compression compression = Compression::none;  ///< set if is_readable
  bool is_readable = false;                     ///< true if the commands are not compressed, or were decompressed
  Bytes payload;                                ///< the bytes after the header, as sent; empty without a header
  Bytes commands_bytes;                         ///< the commands without compression; empty if not is_readable
  std::span<const EnetCommand> commands;        ///< the commands; their offsets refer to commands_bytes
  EnetCommandsResult run;

  /// Returns the first command of a type that a receiver would process; nullptr if there is none. A receiver drops a
  /// command that extends past the end of the datagram.
  [[nodiscard]] const EnetCommand *find(EnetCommandType type) const;
  /// True if ENet could have sent the datagram.
  [[nodiscard]] bool is_plausible() const { return header.outcome == Outcome::ok && is_readable && run.is_plausible; }
};
static_assert(std::is_trivially_destructible_v<EnetDatagram>);

}  // namespace godot_codec
