// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/capture_session.h"
#include "plugin/enet/datagram_dissection.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/match_record.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandType;

// Returns the overhead category of a command's header.
ByteCategory category_of(const EnetCommand &command, const godot_codec::EnetCommandFindings &known) {
  if (known.transmission != nullptr && known.transmission->is_retransmission()) return ByteCategory::retransmissions;
  return command.is(EnetCommandType::acknowledge) ? ByteCategory::acknowledgements : ByteCategory::enet_headers;
}

// Counts the uncompressed bytes of the commands.
void count_commands(FrameRecord &record, const godot_codec::EnetDatagram &read,
                    const godot_codec::EnetDatagramFindings &known) {
  std::size_t left = read.commands_bytes.reported;
  for (std::size_t i = 0; i < read.commands.size(); ++i) {
    const EnetCommand &command = read.commands[i];
    const ByteCategory category = category_of(command, enet_session().find(known, i));
    const ByteCategory of_message = command.is_fragment() ? ByteCategory::fragments : ByteCategory::other;
    record.bytes_in(category) += static_cast<std::int64_t>(command.range.length - command.data.length);
    record.bytes_in(category == ByteCategory::enet_headers ? of_message : category) +=
        static_cast<std::int64_t>(command.data.length);
    left -= command.range.length;
  }
  record.bytes_in(ByteCategory::other) += static_cast<std::int64_t>(left);
}

// Adds facts about the datagram for the match page.
void add_match_facts(packet_info *pinfo, const godot_codec::EnetDatagram &read,
                     const godot_codec::EnetDatagramFindings &known) {
  for (std::size_t i = 0; i < read.commands.size(); ++i) {
    const godot_codec::EnetCommandFindings found = enet_session().find(known, i);
    if (found.answer != nullptr && found.answer->transmission != nullptr && found.answer->is_first) {
      add_match_fact(pinfo, MatchFactKind::round_trip, found.answer->round_trip_time);
    }
    if (found.transmission != nullptr && found.transmission->is_retransmission()) {
      add_match_fact(pinfo, MatchFactKind::retransmission, 1);
    }
    if (found.gap != nullptr) add_match_fact(pinfo, MatchFactKind::missing_unreliable, found.gap->missing);
    if (found.stall != nullptr) add_match_fact(pinfo, MatchFactKind::stall, found.stall->duration);
  }
}

}  // namespace

void count_enet_datagram(packet_info *pinfo, std::size_t whole, const godot_codec::EnetDatagram &read,
                         const godot_codec::EnetDatagramFindings &known) {
  FrameRecord *record = frame_record(pinfo);
  if (record == nullptr || !is_outside_icmp_error(pinfo)) return;
  const auto size = static_cast<std::int64_t>(whole);
  record->dissected_bytes += whole;
  const bool is_duplicate = known.duplicate_of.packet != 0;
  record->counting = is_duplicate ? FrameRecord::MessageCounting::ignored : FrameRecord::MessageCounting::whole;
  if (is_duplicate || !read.is_readable || read.header.outcome != godot_codec::Outcome::ok) {
    record->bytes_in(is_duplicate ? ByteCategory::duplicates : ByteCategory::other) += size;
    return;
  }
  const auto unpacked = static_cast<std::int64_t>(read.commands_bytes.reported);
  const auto header = static_cast<std::int64_t>(read.header.offset);
  record->bytes_in(ByteCategory::enet_headers) += header;
  record->bytes_in(ByteCategory::compression) += size - header - unpacked;
  record->uncompressed_size += read.commands_bytes.reported;
  count_commands(*record, read, known);
  if (known.connection == nullptr) return;
  auto *connection = wmem_new(pinfo->pool, CountedConnection);
  *connection = {record->connections, known.connection};
  record->connections = connection;
  if (is_collecting_match()) add_match_facts(pinfo, read, known);
}

}  // namespace godot_plugin
