// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "plugin/enet/datagram.h"
#include "plugin/enet/state.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/match_record.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandType;
using godot_codec::Outcome;

// The overhead categories of a command: for its header bytes and for its data bytes.
struct CommandCost {
  Cost command;
  Cost data;
};

CommandCost cost_of(const EnetCommand &command, const godot_codec::EnetCommandFindings &known) {
  if (known.transmission != nullptr && known.transmission->is_retransmission())
    return {Cost::retransmissions, Cost::retransmissions};
  if (command.is(EnetCommandType::acknowledge)) return {Cost::acknowledgements, Cost::acknowledgements};
  return {Cost::enet_headers, command.is_fragment() ? Cost::fragments : Cost::other};
}

// Counts the uncompressed bytes of the commands.
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

// Adds facts about the datagram for the match page.
void add_match_facts(packet_info *pinfo, const godot_codec::EnetDatagram &read,
                     const godot_codec::EnetFindings &known) {
  for (std::size_t i = 0; i < read.commands.size(); ++i) {
    const godot_codec::EnetCommandFindings found = enet_session().find(known, i);
    if (found.answer != nullptr && found.answer->transmission != nullptr && found.answer->is_first) {
      add_match_fact(pinfo, MatchFactKind::round_trip, found.answer->round_trip_time);
    }
    if (found.transmission != nullptr && found.transmission->is_retransmission()) {
      add_match_fact(pinfo, MatchFactKind::retransmission, 1);
    }
    if (found.gap != nullptr) add_match_fact(pinfo, MatchFactKind::missing, found.gap->missing);
    if (found.stall != nullptr) add_match_fact(pinfo, MatchFactKind::stall, found.stall->length);
  }
}

}  // namespace

void count_enet_datagram(packet_info *pinfo, std::size_t whole, const godot_codec::EnetDatagram &read,
                         const godot_codec::EnetFindings &known) {
  FrameRecord *record = frame_record(pinfo);
  if (record == nullptr || !is_in_conversation(pinfo)) return;
  const auto size = static_cast<std::int64_t>(whole);
  record->carried += whole;
  const bool is_duplicate = known.duplicate_of.packet != 0;
  record->messages = is_duplicate ? FrameRecord::Messages::ignored : FrameRecord::Messages::whole;
  if (is_duplicate || !read.is_readable || read.header.outcome != Outcome::ok) {
    record->cost(is_duplicate ? Cost::duplicates : Cost::other) += size;
    return;
  }
  const auto unpacked = static_cast<std::int64_t>(read.commands_bytes.reported);
  const auto header = static_cast<std::int64_t>(read.header.size);
  record->cost(Cost::enet_headers) += header;
  record->cost(Cost::compression) += size - header - unpacked;
  record->unpacked += read.commands_bytes.reported;
  count_commands(*record, read, known);
  if (known.connection == nullptr) return;
  auto *connection = wmem_new(pinfo->pool, CountedConnection);
  *connection = {record->connections, known.connection};
  record->connections = connection;
  if (is_match_wanted()) add_match_facts(pinfo, read, known);
}

}  // namespace godot_plugin
