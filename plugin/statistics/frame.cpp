// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/frame.h"

#include <algorithm>
#include <utility>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/problems.h"

namespace godot_plugin {
namespace {

int tap = -1;
CaptureState<std::uint32_t> last_of_ours;

int proto_of_records() {
  static const int proto = proto_get_id_by_filter_name("godot");
  return proto;
}

}  // namespace

FrameRecord *existing_record(packet_info *pinfo) {
  return find_packet_data<FrameRecord>(pinfo, proto_of_records(), PacketDataKey::statistics);
}

bool has_game_frames() { return *last_of_ours != 0; }

std::uint32_t last_game_frame() { return *last_of_ours; }

FrameRecord *frame_record(packet_info *pinfo) {
  record_game_frame(PINFO_FD_VISITED(pinfo) != 0);
  *last_of_ours = std::max(*last_of_ours, pinfo->num);
  if (!is_tapped(tap, pinfo)) return nullptr;
  FrameRecord *record = existing_record(pinfo);
  if (record == nullptr) {
    record = &packet_data<FrameRecord>(pinfo, proto_of_records(), PacketDataKey::statistics);
    // epan drops tap data that is queued within an ICMP error. The record describes the whole frame, so
    // queue_for_frame() queues it nevertheless.
    record->is_quote = !is_in_conversation(pinfo);
    record->is_first_pass = !PINFO_FD_VISITED(pinfo);
    queue_for_frame(tap, pinfo, record);
  }
  return record;
}

FrameRecord *counting_record(packet_info *pinfo) {
  FrameRecord *record = frame_record(pinfo);
  const bool counts =
      record != nullptr && is_in_conversation(pinfo) && record->messages != FrameRecord::Messages::ignored;
  return counts ? record : nullptr;
}

void count_in(packet_info *pinfo, const StatTable &table, const CountedName &name, std::uint32_t bytes, bool is_part) {
  FrameRecord *record = counting_record(pinfo);
  if (record == nullptr) return;
  auto *counted = wmem_new(pinfo->pool, Counted);
  *counted = {record->counted, &table, name, bytes, is_part, record->messages == FrameRecord::Messages::split};
  record->counted = counted;
}

FrameRecord *count_message(const MessageContext &context, Cost cost) {
  packet_info *pinfo = context.pinfo;
  if (is_in_conversation(pinfo) && !context.is_copy) count_for_problems(pinfo, {.messages = 1});
  FrameRecord *record = counting_record(pinfo);
  if (record == nullptr || record->messages == FrameRecord::Messages::split) return nullptr;
  const std::uint32_t size = tvb_reported_length(context.tvb);
  if (context.message.transport == Transport::enet) {
    record->cost(Cost::other) -= size;
  } else {
    record->carried += size;
  }
  record->cost(cost) += size;
  return record;
}

FrameRecord::Messages count_messages_as(packet_info *pinfo, FrameRecord::Messages messages) {
  FrameRecord *record = existing_record(pinfo);
  return record == nullptr ? messages : std::exchange(record->messages, messages);
}

double spared_of(const FrameRecord &record, const Counted &counted) {
  if (counted.is_split || record.unpacked == 0) return 0;
  const auto compression = record.costs[static_cast<std::size_t>(Cost::compression)];
  return -static_cast<double>(compression) * counted.bytes / static_cast<double>(record.unpacked);
}

void complete_costs(FrameRecord &record, const packet_info *pinfo) {
  const auto size = static_cast<std::int64_t>(pinfo->fd->pkt_len);
  if (record.carried == 0 && !record.has_part && !record.is_stream) {
    record.cost(record.is_quote ? Cost::icmp_errors : Cost::other) = size;
    return;
  }
  const Layers layers = find_layers(pinfo, record.carried);
  if (record.carried > layers.payload) {
    // A part of the message arrived in earlier frames, so its size does not show what this frame's bytes are.
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
