// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/state.h"

#include "plugin/epan/capture_time.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/pool.h"

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
                      godot_codec::elapsed(message->last_time, now) > godot_codec::longest_wait;
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

void analyse_commands(packet_info *pinfo, Hosts *hosts, const godot_codec::EnetDatagram &datagram, EnetFrame &frame) {
  if (datagram.commands.empty()) return;
  frame.commands = wmem_alloc_array(wmem_file_scope(), EnetCommandAnalysis, datagram.commands.size());
  for (const EnetCommand &command : datagram.commands) {
    // A receiver drops a command that runs past the end: it takes no part in anything.
    if (command.outcome == godot_codec::Outcome::malformed) break;
    frame.connection = connection_of(pinfo, hosts, command);
    if (frame.command_count == 0) frame.connection->tracker->on_datagram(side_of(pinfo), time_of(pinfo));
    frame.commands[frame.command_count++] = analyse_command(pinfo, frame.connection, datagram.header, command);
  }
}

EnetFrame *make_frame(int proto, packet_info *pinfo, const godot_codec::EnetDatagram &datagram) {
  EnetFrame *frame = wmem_new0(wmem_file_scope(), EnetFrame);
  Hosts *hosts = hosts_of(proto, pinfo);
  const godot_codec::EnetHeader &header = datagram.header;
  frame->has_checksum = header.has_checksum;
  frame->is_decompressed = header.is_compressed && datagram.is_readable;
  frame->compression = datagram.compression;
  if (datagram.is_plausible()) hosts->has_checksum = header.has_checksum;
  if (frame->is_decompressed) {
    hosts->is_compression_known[direction_of(pinfo)] = true;
    hosts->compression[direction_of(pinfo)] = datagram.compression;
  }
  analyse_commands(pinfo, hosts, datagram, *frame);
  if (frame->connection == nullptr) {
    frame->connection = hosts->connection != nullptr ? hosts->connection : begin_connection(pinfo, hosts);
  }
  // ENet's host writes 0 there while its peer has no slot yet.
  const bool has_peer = header.peer_id != godot_codec::enet_no_peer;
  frame->has_checksum_key = !has_peer || frame->connection->has_connect_id;
  frame->checksum_key = has_peer ? frame->connection->connect_id : 0;
  return frame;
}

// What is known before a datagram is read.
godot_codec::EnetExpectation expectation_of(int proto, packet_info *pinfo, const godot_codec::EnetExpectation &told) {
  godot_codec::EnetExpectation expected = told;
  if (const EnetFrame *frame = find_enet_frame(proto, pinfo); frame != nullptr) {
    expected.has_checksum = frame->has_checksum;
    expected.is_checksum_told = true;
    if (frame->is_decompressed) expected.compression = frame->compression;
    return expected;
  }
  const Hosts *hosts = hosts_of(proto, pinfo);
  const unsigned direction = direction_of(pinfo);
  if (!told.is_checksum_told) expected.has_checksum = hosts->has_checksum;
  const bool is_known = hosts->is_compression_known[direction];
  if (!told.is_compression_told && is_known) expected.compression = hosts->compression[direction];
  return expected;
}

void forget_counts() {
  connection_count = 0;
  message_count = 0;
}

}  // namespace

const EnetFrame *find_enet_frame(int proto, packet_info *pinfo) {
  return static_cast<const EnetFrame *>(p_get_proto_data(wmem_file_scope(), pinfo, proto, 0));
}

godot_codec::EnetDatagram read_enet(int proto, packet_info *pinfo, Bytes bytes,
                                    const godot_codec::EnetExpectation &told) {
  PacketMemory memory(pinfo);
  return godot_codec::read_enet_datagram(bytes, expectation_of(proto, pinfo, told), memory);
}

const EnetFrame *analyse_enet(int proto, packet_info *pinfo, const godot_codec::EnetDatagram &datagram) {
  const EnetFrame *known = find_enet_frame(proto, pinfo);
  if (known != nullptr) return known;
  EnetFrame *frame = make_frame(proto, pinfo, datagram);
  p_add_proto_data(wmem_file_scope(), pinfo, proto, 0, frame);
  return frame;
}

std::uint32_t enet_connection_count() { return connection_count; }

void register_enet_state() { register_init_routine(forget_counts); }

}  // namespace godot_plugin
