// SPDX-License-Identifier: MIT
#include "godot-codec/enet/datagram.h"

#include <algorithm>

namespace godot_codec {
namespace {

constexpr std::uint16_t header_flag_sent_time = 1U << 15;
constexpr std::uint16_t header_flag_compressed = 1U << 14;
constexpr unsigned header_session_shift = 12;
constexpr std::uint16_t header_mask_session = 3;

using enum EnetField;

constexpr EnetField acknowledge_fields[] = {ack_seq, ack_sent_time};
constexpr EnetField connect_fields[] = {
    connect_outgoing_peer_id,
    connect_incoming_session,
    connect_outgoing_session,
    connect_mtu,
    connect_window_size,
    connect_channel_count,
    connect_incoming_bandwidth,
    connect_outgoing_bandwidth,
    connect_throttle_interval,
    connect_throttle_acceleration,
    connect_throttle_deceleration,
    connect_id,
    connect_data,
};
// A verify connect has the same fields as a connect, except the last field.
constexpr std::span<const EnetField> verify_connect_fields{connect_fields, std::size(connect_fields) - 1};
constexpr EnetField disconnect_fields[] = {disconnect_data};
constexpr EnetField reliable_fields[] = {data_length};
constexpr EnetField unreliable_fields[] = {unreliable_seq, data_length};
constexpr EnetField fragment_fields[] = {fragment_start_seq, data_length,           fragment_count,
                                         fragment_number,    fragment_total_length, fragment_offset};
constexpr EnetField unsequenced_fields[] = {unsequenced_group, data_length};
constexpr EnetField bandwidth_fields[] = {bandwidth_incoming, bandwidth_outgoing};
constexpr EnetField throttle_fields[] = {throttle_interval, throttle_acceleration, throttle_deceleration};

using Command = EnetCommandType;
constexpr std::uint8_t ack = enet_flag_acknowledge;
constexpr std::uint8_t loose = enet_flag_unsequenced;
constexpr EnetChannelKind any = EnetChannelKind::any;
constexpr EnetChannelKind users = EnetChannelKind::users;
constexpr EnetChannelKind control = EnetChannelKind::control;

constexpr EnetCommandLayout layouts[] = {
    {Command::acknowledge, 0, any, "acknowledge", "Ack", acknowledge_fields},
    {Command::connect, ack, control, "connect", "Connect", connect_fields},
    {Command::verify_connect, ack, control, "verify connect", "Verify connect", verify_connect_fields},
    {Command::disconnect, ack, control, "disconnect", "Disconnect", disconnect_fields},
    {Command::ping, ack, control, "ping", "Ping", {}},
    {Command::send_reliable, ack, users, "send reliable", "Reliable", reliable_fields},
    {Command::send_unreliable, 0, users, "send unreliable", "Unreliable", unreliable_fields},
    {Command::send_fragment, ack, users, "send fragment", "Fragment", fragment_fields},
    {Command::send_unsequenced, loose, users, "send unsequenced", "Unsequenced", unsequenced_fields},
    {Command::bandwidth_limit, ack, control, "bandwidth limit", "Bandwidth limit", bandwidth_fields},
    {Command::throttle_configure, ack, control, "throttle configure", "Throttle configure", throttle_fields},
    {Command::send_unreliable_fragment, 0, users, "send unreliable fragment", "Unreliable fragment", fragment_fields},
};

constexpr bool layouts_are_in_order() {
  for (std::size_t i = 0; i < std::size(layouts); ++i) {
    if (static_cast<std::size_t>(layouts[i].type) != i + 1) return false;
  }
  return true;
}
static_assert(layouts_are_in_order());

// Offsets in a command, in bytes.
struct CommandOffsets {
  std::uint8_t size;    // size of the command up to the end of its fields
  std::uint8_t length;  // offset of the field with the length of the data; 0 if the command has no data
};

// Indexed by the command number.
constexpr auto places_by_number = [] {
  std::array<CommandOffsets, std::size(layouts) + 1> all{};
  for (const EnetCommandLayout &layout : layouts) {
    CommandOffsets &places = all[static_cast<std::size_t>(layout.type)];
    places.size = enet_command_header_size;
    for (const EnetField field : layout.fields) {
      if (field == data_length) places.length = places.size;
      places.size = static_cast<std::uint8_t>(places.size + enet_field_info(field).size);
    }
  }
  return all;
}();

std::uint32_t read_value(Cursor &cursor, EnetField field) {
  switch (enet_field_info(field).size) {
    case 1:
      return cursor.read_be<std::uint8_t>();
    case 2:
      return cursor.read_be<std::uint16_t>();
    default:
      return cursor.read_be<std::uint32_t>();
  }
}

void read_fields(Cursor &cursor, EnetCommand &command) {
  for (const EnetField field : command.layout->fields) {
    const std::uint32_t value = read_value(cursor, field);
    if (!cursor.ok()) return;
    command.set(field, value);
  }
}

// Moves to the end of the command. Data may follow its fields.
void read_data(Cursor &cursor, EnetCommand &command) {
  const std::size_t length = command.value(data_length);
  command.data = {cursor.offset(), std::min(length, cursor.remaining())};
  command.range.length = command.data.end() - command.range.offset;
  cursor.take(length);
}

constexpr bool has_usual_flags(const EnetCommandLayout &layout, std::uint8_t flags) {
  // enet_peer_disconnect_now() sends an unsequenced disconnect, because the sender then does not wait for an answer.
  const bool may_be_unsequenced = layout.type == EnetCommandType::disconnect;
  return flags == layout.flags || (may_be_unsequenced && flags == enet_flag_unsequenced);
}

// Layouts by the first byte of a command; null if no command begins with this byte.
constexpr auto layouts_by_first_byte = [] {
  std::array<const EnetCommandLayout *, UINT8_MAX + 1> all{};
  for (const EnetCommandLayout &layout : layouts) {
    for (unsigned flags = 0; flags <= UINT8_MAX; flags += enet_mask_type + 1) {
      if (!has_usual_flags(layout, static_cast<std::uint8_t>(flags))) continue;
      all[flags | static_cast<unsigned>(layout.type)] = &layout;
    }
  }
  return all;
}();

bool is_on_usual_channel(const EnetCommandLayout &layout, std::uint8_t channel) {
  const bool is_control = channel == enet_control_channel;
  return layout.channels == EnetChannelKind::any || is_control == (layout.channels == EnetChannelKind::control);
}

}  // namespace

EnetHeader read_enet_header(Bytes datagram, bool has_checksum) {
  EnetHeader header;
  Cursor cursor(datagram);
  const auto word = cursor.read_be<std::uint16_t>();
  header.peer_id = word & enet_no_peer;
  header.session = static_cast<std::uint8_t>(word >> header_session_shift & header_mask_session);
  header.is_compressed = (word & header_flag_compressed) != 0;
  header.has_sent_time = (word & header_flag_sent_time) != 0;
  header.has_checksum = has_checksum;
  if (header.has_sent_time) header.sent_time = cursor.read_be<std::uint16_t>();
  if (has_checksum) header.checksum = cursor.read_be<std::uint32_t>();
  header.outcome = cursor.outcome();
  header.offset = cursor.offset();
  return header;
}

std::span<const EnetCommandLayout> enet_command_layouts() { return layouts; }

const EnetCommandLayout *find_enet_command_layout(std::uint8_t number) {
  return number >= 1 && number <= std::size(layouts) ? &layouts[number - 1] : nullptr;
}

EnetCommand read_enet_command(Bytes commands, std::size_t offset) {
  EnetCommand command;
  Cursor cursor(commands, offset);
  command.range = {offset, cursor.remaining()};
  const auto first = cursor.read_be<std::uint8_t>();
  command.number = first & enet_mask_type;
  command.flags = first & static_cast<std::uint8_t>(~enet_mask_type);
  command.channel = cursor.read_be<std::uint8_t>();
  command.reliable_seq = cursor.read_be<std::uint16_t>();

  if (cursor.ok()) {
    command.layout = find_enet_command_layout(command.number);
    if (command.layout == nullptr) {
      command.outcome = Outcome::unsupported;
      return command;
    }
    read_fields(cursor, command);
    if (cursor.ok()) read_data(cursor, command);
  }
  command.outcome = cursor.outcome();
  return command;
}

std::string_view find_enet_fragment_error(const EnetCommand &command) {
  if (!command.is_fragment() || !command.has(fragment_offset)) return {};
  const std::uint32_t length = command.value(data_length);
  const std::uint32_t count = command.value(fragment_count);
  const std::uint32_t total = command.value(fragment_total_length);
  const std::uint32_t start = command.value(fragment_offset);
  if (length == 0) return "it holds no data";
  if (count > enet_max_fragments) return "the message has more fragments than ENet allows";
  if (command.value(fragment_number) >= count) return "its number is not below the count";
  if (total < count) return "the message has fewer bytes than fragments";
  if (start >= total) return "it begins after the end of the message";
  if (length > total - start) return "it runs past the end of the message";
  return {};
}

bool EnetCommand::is_plausible() const {
  // A command without its first bytes may be any command, so it is only plausible after another command.
  if (layout == nullptr) return outcome == Outcome::truncated && range.offset > 0;
  return outcome != Outcome::malformed && has_usual_flags(*layout, flags) && is_on_usual_channel(*layout, channel) &&
         find_enet_fragment_error(*this).empty();
}

const EnetCommand *EnetDatagram::find(EnetCommandType type) const {
  const auto found = std::ranges::find_if(commands, [type](const EnetCommand &command) { return command.is(type); });
  return found == commands.end() || found->outcome == Outcome::malformed ? nullptr : &*found;
}

bool may_begin_enet_command(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return true;
  const EnetCommandLayout *layout = layouts_by_first_byte[bytes[0]];
  return layout != nullptr && (bytes.size() < 2 || is_on_usual_channel(*layout, bytes[1]));
}

namespace {

// True if the bytes after the first command cannot be a command. Detects most foreign data that only begins like a
// command. Faster than reading the command.
// @param bytes for which may_begin_enet_command() is true
bool cannot_have_second_command(Bytes bytes) {
  const CommandOffsets places = places_by_number[bytes.data[0] & enet_mask_type];
  if (places.size > bytes.captured || bytes.captured == enet_padded_size) return false;
  const std::size_t data = places.length == 0 ? 0 : Cursor::load_be<std::uint16_t>(bytes.data + places.length);
  const std::size_t end = places.size + data;
  if (end > bytes.reported) return true;
  if (end + enet_command_header_size > bytes.captured) return false;
  return !may_begin_enet_command({bytes.data + end, bytes.captured - end});
}

[[gnu::noinline]] bool are_commands_at(Bytes datagram, std::size_t offset) {
  const Bytes commands = datagram.slice({offset, datagram.reported - offset});
  return may_begin_enet_command({commands.data, commands.captured}) && !cannot_have_second_command(commands) &&
         looks_like_enet_commands(commands);
}

// True if the datagram is compressed, or if commands may begin after its header, with or without a checksum.
// @param is_possible called with the offset of a byte that may begin a command
template <typename IsPossible>
bool may_contain_commands(Bytes datagram, IsPossible is_possible) {
  constexpr std::size_t checksum_size = 4;
  if (datagram.captured < sizeof(std::uint16_t)) return false;
  const auto word = static_cast<std::uint16_t>(datagram.data[0] << 8 | datagram.data[1]);
  if ((word & header_flag_compressed) != 0) return true;
  const bool has_sent_time = (word & header_flag_sent_time) != 0;
  const std::size_t header = sizeof word + (has_sent_time ? sizeof(std::uint16_t) : 0);
  // This check is fast, because in most foreign datagrams this byte cannot begin a command.
  const auto may_be_commands_at = [&](std::size_t offset) {
    return offset < datagram.captured && layouts_by_first_byte[datagram.data[offset]] != nullptr && is_possible(offset);
  };
  return may_be_commands_at(header) || may_be_commands_at(header + checksum_size);
}

}  // namespace

bool may_begin_enet_datagram(Bytes datagram) {
  return may_contain_commands(datagram, [](std::size_t /*offset*/) { return true; });
}

bool may_be_enet_datagram(Bytes datagram) {
  return may_contain_commands(datagram, [&](std::size_t offset) { return are_commands_at(datagram, offset); });
}

bool is_enet_padding(Bytes commands, std::size_t offset) {
  const bool may_be = offset > 0 && offset <= commands.captured && commands.captured == enet_padded_size &&
                      commands.reported == enet_padded_size;
  return may_be && std::all_of(commands.data + offset, commands.data + commands.captured,
                               [](std::uint8_t byte) { return byte == 0; });
}

bool looks_like_enet_commands(Bytes commands, bool may_be_padded) {
  return read_enet_commands(commands, may_be_padded, [](const EnetCommand & /*command*/) {}).is_plausible;
}

}  // namespace godot_codec
