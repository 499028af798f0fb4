// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/state.h"

#include <algorithm>
#include <array>

#include "plugin/epan/endpoints.h"

namespace godot_plugin {
namespace {

using godot_codec::AckMatch;
using godot_codec::Bytes;
using godot_codec::Compression;
using godot_codec::EnetCommand;
using godot_codec::EnetCommandType;
using godot_codec::EnetField;
using godot_codec::Side;

// A message whose fragments are still awaited, or came last.
struct FragmentedMessage {
  std::uint32_t id;
  std::uint32_t total_length;
  std::uint32_t fragment_count;
  std::int64_t last_time;
};

// Everything of two hosts' UDP ports.
struct Hosts {
  EnetConnection *connection;  // the newest
  bool has_checksum;           // as far as the newest readable datagram tells
  bool is_compression_known[2];
  Compression compression[2];  // by direction
};

std::uint32_t connection_count;
std::uint32_t message_count;

std::int64_t time_of(const packet_info *pinfo) {
  return static_cast<std::int64_t>(pinfo->abs_ts.secs) * godot_codec::nanoseconds_per_second + pinfo->abs_ts.nsecs;
}

Side side_of(const packet_info *pinfo) { return direction_of(pinfo) == 0 ? Side::first : Side::second; }

Hosts *hosts_of(int proto, packet_info *pinfo) {
  conversation_t *conversation = find_or_create_conversation(pinfo);
  auto *hosts = static_cast<Hosts *>(conversation_get_proto_data(conversation, proto));
  if (hosts == nullptr) {
    hosts = wmem_new0(wmem_file_scope(), Hosts);
    conversation_add_proto_data(conversation, proto, hosts);
  }
  return hosts;
}

using CallbackResult = std::invoke_result_t<wmem_user_cb_t, wmem_allocator_t *, wmem_cb_event_t, void *>;

// The tracker is the codec's and has a destructor: it goes with the capture.
CallbackResult delete_tracker(wmem_allocator_t * /*scope*/, wmem_cb_event_t /*event*/, void *tracker) {
  delete static_cast<godot_codec::AckTracker *>(tracker);
  return false;
}

EnetConnection *begin_connection(packet_info *pinfo, Hosts *hosts) {
  EnetConnection *connection = wmem_new0(wmem_file_scope(), EnetConnection);
  connection->stream = connection_count++;
  connection->server_port = server_port_of(pinfo);
  connection->tracker = new godot_codec::AckTracker;
  wmem_register_callback(wmem_file_scope(), delete_tracker, connection->tracker);
  connection->messages = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
  hosts->connection = connection;
  return connection;
}

// The connection that a command belongs to: a connect with an id of its own begins a new one.
EnetConnection *connection_of(packet_info *pinfo, Hosts *hosts, const EnetCommand &command) {
  EnetConnection *connection = hosts->connection;
  const std::uint32_t id = command.value(EnetField::connect_id);
  const bool is_connect = command.is(EnetCommandType::connect) && command.has(EnetField::connect_id);
  // A random id is no protection: hosts have been seen to use one twice.
  const bool is_same =
      connection != nullptr && connection->has_connect_id && connection->connect_id == id && !connection->is_closed;
  if (is_connect && !is_same) {
    connection = begin_connection(pinfo, hosts);
    connection->server_port = pinfo->destport;
    connection->has_connect = true;
    connection->tracker->reset();  // numbers begin here: what is missing before the first one is missing
    connection->client_direction = direction_of(pinfo);
    connection->connect_data = command.value(EnetField::connect_data);
    connection->channel_count = command.value(EnetField::connect_channel_count);
  }
  if (connection == nullptr) connection = begin_connection(pinfo, hosts);
  if (command.is(EnetCommandType::disconnect)) connection->is_closed = true;
  if (!connection->has_connect_id && command.has(EnetField::connect_id)) {
    connection->has_connect_id = true;
    connection->connect_id = id;
  }
  return connection;
}

// The message that a fragment is of: another one where the number was used before, for a message of another size, or
// so long ago that ENet would have given up.
std::uint32_t message_of(packet_info *pinfo, EnetConnection *connection, const godot_codec::EnetHeader &header,
                         const EnetCommand &command) {
  const std::uint32_t total = command.value(EnetField::fragment_total_length);
  const std::uint32_t count = command.value(EnetField::fragment_count);
  const std::uint64_t key = std::uint64_t{direction_of(pinfo)} << 40 | std::uint64_t{header.session} << 32 |
                            std::uint64_t{command.channel} << 24 | std::uint64_t{command.number} << 16 |
                            command.value(EnetField::fragment_start_seq);
  auto *message = static_cast<FragmentedMessage *>(wmem_map_lookup(connection->messages, &key));
  const std::int64_t now = time_of(pinfo);
  const bool is_new = message == nullptr || message->total_length != total || message->fragment_count != count ||
                      now - message->last_time > godot_codec::longest_wait;
  if (message == nullptr) {
    auto *lasting_key = static_cast<std::uint64_t *>(wmem_memdup(wmem_file_scope(), &key, sizeof key));
    message = wmem_new0(wmem_file_scope(), FragmentedMessage);
    wmem_map_insert(connection->messages, lasting_key, message);
  }
  if (is_new) *message = {++message_count, total, count, now};
  message->last_time = now;
  return message->id;
}

void take_match(EnetCommandAnalysis &analysis, const AckMatch &match) {
  analysis.acknowledged = match.transmission;
  analysis.round_trip_time = match.round_trip_time;
}

EnetCommandAnalysis analyse_command(packet_info *pinfo, EnetConnection *connection,
                                    const godot_codec::EnetHeader &header, const EnetCommand &command) {
  EnetCommandAnalysis analysis = {};
  godot_codec::AckTracker &tracker = *connection->tracker;
  const Side side = side_of(pinfo);
  const std::int64_t now = time_of(pinfo);
  if (command.wants_acknowledgement()) {
    analysis.transmission =
        &tracker.on_reliable({side, command.channel, command.reliable_seq, header.sent_time, pinfo->num, now});
  }
  const bool is_repeated = analysis.transmission != nullptr && analysis.transmission->is_retransmission();
  switch (static_cast<EnetCommandType>(command.number)) {
    case EnetCommandType::acknowledge:
      take_match(analysis, tracker.on_acknowledge(
                               {side, command.channel, static_cast<std::uint16_t>(command.value(EnetField::ack_seq)),
                                static_cast<std::uint16_t>(command.value(EnetField::ack_sent_time)), pinfo->num, now}));
      break;
    case EnetCommandType::verify_connect:
      if (!is_repeated) take_match(analysis, tracker.on_verify_connect(side, pinfo->num, now));
      break;
    case EnetCommandType::send_unreliable:
      analysis.missing = tracker.on_unreliable(side, command.channel, command.reliable_seq,
                                               static_cast<std::uint16_t>(command.value(EnetField::unreliable_seq)));
      break;
    case EnetCommandType::send_unreliable_fragment:
      analysis.missing =
          tracker.on_unreliable(side, command.channel, command.reliable_seq,
                                static_cast<std::uint16_t>(command.value(EnetField::fragment_start_seq)));
      break;
    case EnetCommandType::send_unsequenced:
      analysis.missing =
          tracker.on_unsequenced(side, static_cast<std::uint16_t>(command.value(EnetField::unsequenced_group)));
      break;
    default:
      break;
  }
  if (analysis.missing > 0) analysis.all_missing = tracker.missing_unreliable(side) + tracker.missing_unsequenced(side);
  const bool is_whole =
      command.outcome == godot_codec::Outcome::ok && godot_codec::enet_fragment_fault(command).empty();
  if (command.is_fragment() && is_whole && !is_repeated) {
    analysis.message_id = message_of(pinfo, connection, header, command);
  }
  return analysis;
}

// A datagram, read with a checksum or without.
struct Reading {
  godot_codec::EnetHeader header;
  bool is_readable;  // not compressed, or the compression is known
  Compression compression;
  Bytes commands;
};

Reading read_datagram(packet_info *pinfo, const Hosts *hosts, Bytes datagram, bool has_checksum,
                      std::optional<Compression> forced) {
  Reading reading{godot_codec::read_enet_header(datagram, has_checksum), true, Compression::none, {}};
  reading.commands = datagram.slice({reading.header.offset, datagram.reported});
  if (!reading.header.is_compressed) return reading;
  const unsigned direction = direction_of(pinfo);
  std::optional<Compression> remembered = forced;
  if (!remembered && hosts->is_compression_known[direction]) remembered = hosts->compression[direction];
  std::optional<Compression> found = godot_codec::recognise_compression(reading.commands, remembered);
  if (forced) found = forced == Compression::none ? std::nullopt : forced;
  reading.is_readable = found.has_value();
  reading.compression = found.value_or(Compression::none);
  reading.commands = reading.is_readable ? decompress_commands(pinfo, reading.commands, reading.compression) : Bytes();
  return reading;
}

// Nothing says whether there is a checksum: where it is taken for commands, or commands for it, little makes sense.
Reading find_reading(packet_info *pinfo, Hosts *hosts, Bytes datagram, const EnetOptions &options) {
  const auto is_sensible = [](const Reading &reading) {
    return reading.header.outcome == godot_codec::Outcome::ok && reading.is_readable &&
           godot_codec::looks_like_enet_commands(reading.commands, reading.compression == Compression::fastlz);
  };
  const bool is_expected = options.has_checksum || hosts->has_checksum;
  Reading reading = read_datagram(pinfo, hosts, datagram, is_expected, options.compression);
  if (!options.has_checksum && !is_sensible(reading)) {
    const Reading other = read_datagram(pinfo, hosts, datagram, !is_expected, options.compression);
    if (is_sensible(other)) reading = other;
  }
  if (is_sensible(reading)) hosts->has_checksum = reading.header.has_checksum;
  if (reading.header.is_compressed && reading.is_readable) {
    hosts->is_compression_known[direction_of(pinfo)] = true;
    hosts->compression[direction_of(pinfo)] = reading.compression;
  }
  return reading;
}

void analyse_commands(packet_info *pinfo, Hosts *hosts, const godot_codec::EnetHeader &header, Bytes commands,
                      EnetFrame &frame) {
  const std::size_t most = commands.captured / godot_codec::enet_command_header_size;
  frame.commands = wmem_alloc_array(wmem_file_scope(), EnetCommandAnalysis, most + 1);
  std::size_t offset = 0;
  while (offset < commands.captured && frame.command_count < most) {
    const EnetCommand command = godot_codec::read_enet_command(commands, offset);
    // A receiver drops a command that runs past the end, and what is behind it: it takes no part in anything.
    const bool is_dropped =
        command.outcome != godot_codec::Outcome::ok && command.outcome != godot_codec::Outcome::truncated;
    if (is_dropped || command.layout == nullptr || command.value_count < command.layout->fields.size()) break;
    frame.connection = connection_of(pinfo, hosts, command);
    if (offset == 0) frame.connection->tracker->on_datagram(side_of(pinfo), time_of(pinfo));
    frame.commands[frame.command_count++] = analyse_command(pinfo, frame.connection, header, command);
    if (command.outcome != godot_codec::Outcome::ok) break;
    offset = command.offset;
  }
}

EnetFrame *make_frame(int proto, packet_info *pinfo, Bytes datagram, const EnetOptions &options) {
  EnetFrame *frame = wmem_new0(wmem_file_scope(), EnetFrame);
  Hosts *hosts = hosts_of(proto, pinfo);
  const Reading reading = find_reading(pinfo, hosts, datagram, options);
  const godot_codec::EnetHeader &header = reading.header;
  frame->has_checksum = header.has_checksum;
  frame->is_readable = reading.is_readable;
  frame->compression = reading.compression;
  analyse_commands(pinfo, hosts, header, reading.commands, *frame);
  if (frame->connection == nullptr) {
    frame->connection = hosts->connection != nullptr ? hosts->connection : begin_connection(pinfo, hosts);
  }
  // ENet's host writes 0 there while its peer has no slot yet.
  const bool has_peer = header.peer_id != godot_codec::enet_no_peer;
  frame->has_checksum_key = !has_peer || frame->connection->has_connect_id;
  frame->checksum_key = has_peer ? frame->connection->connect_id : 0;
  return frame;
}

void forget_counts() {
  connection_count = 0;
  message_count = 0;
}

}  // namespace

Bytes decompress_commands(packet_info *pinfo, Bytes compressed, Compression compression) {
  auto *memory = static_cast<std::uint8_t *>(wmem_alloc(pinfo->pool, godot_codec::enet_max_datagram));
  const std::size_t size = compressed.captured == 0
                               ? 0
                               : godot_codec::decompress(compression, {compressed.data, compressed.captured},
                                                         {memory, godot_codec::enet_max_datagram});
  return {memory, size};
}

const EnetFrame *find_enet_frame(int proto, packet_info *pinfo) {
  return static_cast<const EnetFrame *>(p_get_proto_data(wmem_file_scope(), pinfo, proto, 0));
}

const EnetFrame *analyse_enet(int proto, packet_info *pinfo, Bytes datagram, const EnetOptions &options) {
  const EnetFrame *known = find_enet_frame(proto, pinfo);
  if (known != nullptr) return known;
  EnetFrame *frame = make_frame(proto, pinfo, datagram, options);
  p_add_proto_data(wmem_file_scope(), pinfo, proto, 0, frame);
  return frame;
}

godot_codec::Evidence enet_datagram_evidence(packet_info *pinfo, Bytes datagram, bool may_decompress) {
  godot_codec::Evidence best;
  for (const bool has_checksum : {false, true}) {
    const godot_codec::EnetHeader header = godot_codec::read_enet_header(datagram, has_checksum);
    Bytes commands = datagram.slice({header.offset, datagram.reported});
    if (header.is_compressed) {
      const bool is_cut = commands.captured < commands.reported;
      const auto compression = may_decompress && !is_cut ? godot_codec::recognise_compression(commands) : std::nullopt;
      if (is_cut) best = {std::max(best.likeness, godot_codec::Likeness::neutral)};
      commands = compression ? decompress_commands(pinfo, commands, *compression) : Bytes();
    }
    const godot_codec::Evidence evidence = godot_codec::enet_evidence(header, commands);
    if (evidence.likeness > best.likeness) best = evidence;
  }
  return best;
}

std::uint32_t enet_connection_count() { return connection_count; }

void register_enet_state() { register_init_routine(forget_counts); }

}  // namespace godot_plugin
