// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/frame_record.h"

#include <algorithm>
#include <utility>

#include "godot-codec/variant/message_kind_text.h"
#include "plugin/epan/capture_state.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/match_record.h"
#include "plugin/statistics/problem_table.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

int tap = -1;
CaptureState<std::uint32_t> last_game_frame_number;
CountTable variants_table({GODOT_TABLE("put_var(): what costs bandwidth"), "godot,variants", {"Message"}, "Ways"});

constexpr std::size_t max_kind = 160;

}  // namespace

FrameRecord *find_frame_record(packet_info *pinfo) { return find_packet_data<FrameRecord>(pinfo); }

std::uint32_t last_game_frame() { return *last_game_frame_number; }

FrameRecord *frame_record(packet_info *pinfo) {
  record_game_frame(PINFO_FD_VISITED(pinfo) != 0);
  *last_game_frame_number = std::max(*last_game_frame_number, pinfo->num);
  if (!is_tapped(tap, pinfo)) return nullptr;
  FrameRecord *record = find_frame_record(pinfo);
  if (record == nullptr) {
    record = &packet_data<FrameRecord>(pinfo);
    // epan drops tap data that is queued within an ICMP error. The record describes the whole frame, so
    // queue_tap_data() queues it nevertheless.
    record->is_icmp_error = !is_outside_icmp_error(pinfo);
    record->is_first_pass = !PINFO_FD_VISITED(pinfo);
    queue_tap_data(tap, pinfo, record);
  }
  return record;
}

FrameRecord *frame_record_if_counted(packet_info *pinfo) {
  FrameRecord *record = frame_record(pinfo);
  const bool counts =
      record != nullptr && is_outside_icmp_error(pinfo) && record->counting != FrameRecord::MessageCounting::ignored;
  return counts ? record : nullptr;
}

void count_in(packet_info *pinfo, const StatTable &table, const CountedName &name, std::uint32_t bytes,
              bool is_nested) {
  FrameRecord *record = frame_record_if_counted(pinfo);
  if (record == nullptr) return;
  auto *counted = wmem_new(pinfo->pool, CountedItem);
  *counted = {
      record->counted_items, &table, name, bytes, is_nested, record->counting == FrameRecord::MessageCounting::split};
  record->counted_items = counted;
}

FrameRecord *count_message(const MessageContext &context, ByteCategory category) {
  packet_info *pinfo = context.pinfo;
  if (is_outside_icmp_error(pinfo) && !context.is_duplicate_or_quoted) add_message_counts(pinfo, {.messages = 1});
  FrameRecord *record = frame_record_if_counted(pinfo);
  if (record == nullptr || record->counting == FrameRecord::MessageCounting::split) return nullptr;
  const std::uint32_t size = tvb_reported_length(context.tvb);
  if (context.message.transport == Transport::enet) {
    record->bytes_in(ByteCategory::other) -= size;
  } else {
    record->dissected_bytes += size;
  }
  record->bytes_in(category) += size;
  return record;
}

FrameRecord::MessageCounting set_message_counting(packet_info *pinfo, FrameRecord::MessageCounting messages) {
  FrameRecord *record = find_frame_record(pinfo);
  return record == nullptr ? messages : std::exchange(record->counting, messages);
}

double saved_bytes_of(const FrameRecord &record, const CountedItem &counted) {
  if (counted.is_split || record.uncompressed_size == 0) return 0;
  const auto compression = record.bytes_by_category[static_cast<std::size_t>(ByteCategory::compression)];
  return -static_cast<double>(compression) * counted.bytes / static_cast<double>(record.uncompressed_size);
}

void add_lower_layer_bytes(FrameRecord &record, const packet_info *pinfo) {
  const auto size = static_cast<std::int64_t>(pinfo->fd->pkt_len);
  if (record.dissected_bytes == 0 && !record.has_message_chunk && !record.is_stream_segment) {
    record.bytes_in(record.is_icmp_error ? ByteCategory::icmp_errors : ByteCategory::other) = size;
    return;
  }
  const LayerSizes layers = find_layer_sizes(pinfo, record.dissected_bytes);
  if (record.dissected_bytes > layers.payload) {
    // A part of the message arrived in earlier frames, so its size does not show what this frame's bytes are.
    record.bytes_by_category.fill(0);
    record.bytes_in(ByteCategory::segments) = layers.payload;
  } else {
    record.bytes_in(record.has_message_chunk ? ByteCategory::segments : ByteCategory::framing) +=
        static_cast<std::int64_t>(layers.payload - record.dissected_bytes);
  }
  record.bytes_in(ByteCategory::ip) = layers.ip;
  record.bytes_in(ByteCategory::transport) = layers.transport;
  record.bytes_in(ByteCategory::link) = size - layers.ip - layers.transport - layers.payload;
}

void count_non_variant(packet_info *pinfo, const char *kind, std::size_t bytes, const char *endpoints) {
  if (frame_record_if_counted(pinfo) == nullptr) return;
  count_in(pinfo, variants_table, {kind, nullptr, nullptr, endpoints}, static_cast<std::uint32_t>(bytes));
  add_match_message(pinfo, "bytes", bytes, kind);
}

void count_variant(packet_info *pinfo, godot_codec::Bytes bytes, std::size_t offset,
                   const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options) {
  if (frame_record_if_counted(pinfo) == nullptr) return;
  const godot_codec::ValueTree tree = read_value_tree(bytes, offset, encoding, options);
  const char *name = pool_text<max_kind>(pinfo, [&](godot_codec::TextBuffer &text) {
    godot_codec::append_message_kind(text, encoding.dialect, tree.root);
  });
  const std::size_t size = bytes.reported - offset;
  count_in(pinfo, variants_table, {name, nullptr, nullptr, endpoints_text(pinfo)}, static_cast<std::uint32_t>(size));
  MatchMessage *message = add_match_message(pinfo, "variant", size, name);
  if (message == nullptr) return;
  MatchObject *object = add_match_object(pinfo, *message, "", static_cast<std::uint32_t>(size));
  add_match_value(pinfo, *object, "", bytes, offset, encoding, options);
}

void register_frame_tap() { tap = register_tap(frame_tap); }

}  // namespace godot_plugin
