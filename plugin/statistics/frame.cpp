// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/frame.h"

#include <algorithm>

#include "plugin/epan/learning.h"
#include "plugin/epan/of_packet.h"
#include "plugin/statistics/layers.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandType;
using godot_codec::Outcome;

int tap = -1;

int proto_of_records() {
  static const int proto = proto_get_id_by_filter_name("godot");
  return proto;
}

// Of a command: what it costs, and where its data go.
struct CommandCost {
  Cost command;
  Cost data;
};

CommandCost cost_of(const EnetCommand &command, const godot_codec::EnetCommandFindings &known) {
  if (known.transmission != nullptr && known.transmission->is_retransmission()) return {Cost::resent, Cost::resent};
  if (command.is(EnetCommandType::acknowledge)) return {Cost::acknowledgements, Cost::acknowledgements};
  return {Cost::enet_headers, command.is_fragment() ? Cost::fragments : Cost::other};
}

// The commands' bytes without compression.
void count_commands(FrameRecord &record, const godot_codec::EnetDatagram &read,
                    const godot_codec::EnetFindings &known) {
  std::size_t left = read.commands_bytes.reported;
  for (std::size_t i = 0; i < read.commands.size(); ++i) {
    const EnetCommand &command = read.commands[i];
    const CommandCost cost = cost_of(command, enet_session().find(known, i));
    const std::size_t size = std::min(command.range.length, left);
    const std::size_t data = std::min(command.data.length, size);
    record.cost(cost.command) += static_cast<std::int64_t>(size - data);
    record.cost(cost.data) += static_cast<std::int64_t>(data);
    left -= size;
  }
  record.cost(Cost::other) += static_cast<std::int64_t>(left);
}

}  // namespace

FrameRecord *begun_record(packet_info *pinfo) {
  return find_of_packet<FrameRecord>(pinfo, proto_of_records(), OfPacket::statistics);
}

FrameRecord *frame_record(packet_info *pinfo) {
  if (!have_tap_listener(tap)) return nullptr;
  FrameRecord *record = begun_record(pinfo);
  if (record == nullptr) {
    record = &of_packet<FrameRecord>(pinfo, proto_of_records(), OfPacket::statistics);
    // The frame's, not the quoted datagram's where ICMP quotes one: of those epan tells no table.
    const auto is_quoted = pinfo->flags.in_error_pkt;
    record->is_quote = !is_in_conversation(pinfo);
    pinfo->flags.in_error_pkt = false;
    tap_queue_packet(tap, pinfo, record);
    pinfo->flags.in_error_pkt = is_quoted;
  }
  return record;
}

FrameRecord *counting_record(packet_info *pinfo) {
  FrameRecord *record = frame_record(pinfo);
  const bool counts =
      record != nullptr && is_in_conversation(pinfo) && record->messages != FrameRecord::Messages::ignored;
  return counts ? record : nullptr;
}

void count_in(packet_info *pinfo, const Counted *&list, const char *name, const char *second_name, std::uint32_t bytes,
              bool is_part) {
  auto *counted = wmem_new(pinfo->pool, Counted);
  *counted = {list, {name, second_name}, bytes, is_part};
  list = counted;
}

FrameRecord *count_message(packet_info *pinfo, const Message &message, Cost cost) {
  FrameRecord *record = counting_record(pinfo);
  if (record == nullptr || record->messages == FrameRecord::Messages::split) return nullptr;
  const std::uint32_t size = tvb_reported_length(message.tvb);
  if (message.carrier == Carrier::enet) {
    record->cost(Cost::other) -= size;
  } else {
    record->carried += size;
  }
  record->cost(cost) += size;
  return record;
}

void count_enet_datagram(packet_info *pinfo, std::size_t whole, const godot_codec::EnetDatagram &read,
                         const godot_codec::EnetFindings &known) {
  FrameRecord *record = frame_record(pinfo);
  if (record == nullptr || !is_in_conversation(pinfo)) return;
  const auto size = static_cast<std::int64_t>(whole);
  record->carried += whole;
  const bool is_duplicate = known.duplicate_of.packet != 0;
  record->messages = is_duplicate ? FrameRecord::Messages::ignored : FrameRecord::Messages::whole;
  if (is_duplicate || !read.is_readable || read.header.outcome != Outcome::ok) {
    record->cost(is_duplicate ? Cost::twice : Cost::other) += size;
    return;
  }
  const auto unpacked = static_cast<std::int64_t>(read.commands_bytes.reported);
  const auto header = static_cast<std::int64_t>(read.header.size);
  record->cost(Cost::enet_headers) += header;
  record->cost(Cost::compression) += size - header - unpacked;
  count_commands(*record, read, known);
  if (known.connection == nullptr) return;
  auto *connection = wmem_new(pinfo->pool, CountedConnection);
  *connection = {record->connections, known.connection};
  record->connections = connection;
}

void count_messages_as(packet_info *pinfo, FrameRecord::Messages messages) {
  FrameRecord *record = counting_record(pinfo);
  if (record != nullptr) record->messages = messages;
}

void complete_costs(FrameRecord &record, const packet_info *pinfo) {
  const auto size = static_cast<std::int64_t>(pinfo->fd->pkt_len);
  if (record.carried == 0 && !record.has_part) {
    record.cost(record.is_quote ? Cost::icmp_errors : Cost::other) = size;
    return;
  }
  const Layers layers = find_layers(pinfo, record.carried);
  if (record.carried > layers.payload) {
    // It came with the frames before, in part.
    record.costs.fill(0);
    record.cost(Cost::segments) = layers.payload;
  } else {
    record.cost(record.has_part ? Cost::segments : Cost::framing) +=
        static_cast<std::int64_t>(layers.payload - record.carried);
  }
  record.cost(Cost::ip) = layers.ip;
  record.cost(Cost::transport) = layers.transport;
  record.cost(Cost::link) = size - layers.ip - layers.transport - layers.payload;
}

void register_frame_tap() { tap = register_tap(frame_tap); }

}  // namespace godot_plugin
