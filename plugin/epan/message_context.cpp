// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/message_context.h"

#include <wsutil/str_util.h>

#include <cstring>
#include <utility>

#include "plugin/epan/labels.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {
namespace {

std::size_t &summary_length_of(packet_info *pinfo) { return packet_counts_of(pinfo).summary_length; }

}  // namespace

PacketCounts &packet_counts_of(packet_info *pinfo) { return packet_data<PacketCounts>(pinfo); }

godot_codec::PacketPosition next_datagram_position(packet_info *pinfo) {
  return {pinfo->num, packet_counts_of(pinfo).datagrams++};
}

godot_codec::Message make_message(tvbuff_t *tvb, const packet_info *pinfo, Transport transport,
                                  godot_codec::PacketPosition position) {
  godot_codec::Message message{bytes_of(tvb), position, capture_time_of(pinfo), transport};
  message.wire_size = pinfo->fd->pkt_len;
  return message;
}

bool wants_summary(const MessageContext &context) {
  const EnetMessageInfo *enet = context.enet();
  return enet != nullptr ? enet->info_buffer != nullptr : is_info_column_shown(context.pinfo);
}

void add_summary(const MessageContext &context, const char *protocol, const char *sentence) {
  packet_info *pinfo = context.pinfo;
  col_set_str(pinfo->cinfo, COL_PROTOCOL, protocol);
  if (!wants_summary(context)) return;
  if (const EnetMessageInfo *enet = context.enet(); enet != nullptr) return enet->info_buffer->append(sentence);
  std::size_t &summary_length = summary_length_of(pinfo);
  if (summary_length >= COL_MAX_INFO_LEN) return;  // the column is full; epan would only search for its end
  // Replace the transport's text, but keep the summaries of earlier messages. Write everything in one call, because
  // epan scans the whole column for each change.
  const bool is_first = summary_length == 0;
  const char *delivery = context.data_channel().delivery;
  if (delivery != nullptr) sentence = wmem_strdup_printf(pinfo->pool, "%s [%s]", sentence, delivery);
  // The SCTP dissector sets a fence after its own text, which would otherwise stay.
  if (is_first && context.message.transport == Transport::webrtc) col_clear_fence(pinfo->cinfo, COL_INFO);
  const char *added = is_first ? sentence : wmem_strconcat(pinfo->pool, " | ", sentence, nullptr);
  set_info(pinfo, summary_length, added);
  col_set_fence(pinfo->cinfo, COL_INFO);
  summary_length += std::strlen(added) + (is_first ? 1 : 0);  // 0 means "no summary yet", so count at least 1
}

void truncate_info_after_summaries(packet_info *pinfo) {
  if (const std::size_t summary_length = summary_length_of(pinfo); summary_length > 0)
    set_info(pinfo, summary_length, "");
}

std::size_t exchange_summary_length(packet_info *pinfo, std::size_t summary_length) {
  return std::exchange(summary_length_of(pinfo), summary_length);
}

}  // namespace godot_plugin
