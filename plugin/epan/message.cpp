// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/message.h"

#include <wsutil/str_util.h>

#include <cstring>
#include <utility>

#include "plugin/epan/columns.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {
namespace {

std::size_t &told_of(packet_info *pinfo) { return counts_of(pinfo).told; }

}  // namespace

PacketCounts &counts_of(packet_info *pinfo) {
  static const int any_of_ours = proto_get_id_by_filter_name("godot");
  return of_packet<PacketCounts>(pinfo, any_of_ours, PacketDataKey::counts);
}

godot_codec::PacketPosition next_moment(packet_info *pinfo) { return {pinfo->num, counts_of(pinfo).datagrams++}; }

godot_codec::Message message_from(tvbuff_t *tvb, const packet_info *pinfo, Transport transport,
                                  godot_codec::PacketPosition moment) {
  godot_codec::Message message{bytes_of(tvb), moment, time_of(pinfo), transport};
  message.wire_size = pinfo->fd->pkt_len;
  return message;
}

bool wants_sentence(const MessageContext &context) {
  return context.message.transport == Transport::enet ? context.info != nullptr : wants_info(context.pinfo);
}

void tell_message(const MessageContext &context, const char *protocol, const char *sentence) {
  packet_info *pinfo = context.pinfo;
  col_set_str(pinfo->cinfo, COL_PROTOCOL, protocol);
  if (!wants_sentence(context)) return;
  if (context.message.transport == Transport::enet) return context.info->append(sentence);
  std::size_t &told = told_of(pinfo);
  if (told >= COL_MAX_INFO_LEN) return;  // the column is full; epan would only search for its end
  // Replaces the transports' text, but keeps that of earlier messages. Adds everything at once, because epan scans the
  // whole column for each change.
  const bool is_first = told == 0;
  const char *delivery = context.channel.delivery;
  if (delivery != nullptr) sentence = wmem_strdup_printf(pinfo->pool, "%s [%s]", sentence, delivery);
  // SCTP's dissector also sets a fence, after its acknowledgements.
  if (is_first && context.message.transport == Transport::webrtc) col_clear_fence(pinfo->cinfo, COL_INFO);
  const char *added = is_first ? sentence : wmem_strconcat(pinfo->pool, " | ", sentence, nullptr);
  set_info(pinfo, told, added);
  col_set_fence(pinfo->cinfo, COL_INFO);
  told += std::strlen(added) + (is_first ? 1 : 0);  // never 0 again, even after an empty summary
}

void end_told(packet_info *pinfo) {
  if (const std::size_t told = told_of(pinfo); told > 0) set_info(pinfo, told, "");
}

std::size_t exchange_told(packet_info *pinfo, std::size_t told) { return std::exchange(told_of(pinfo), told); }

}  // namespace godot_plugin
