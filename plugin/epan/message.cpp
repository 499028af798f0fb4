// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/message.h"

#include <wsutil/str_util.h>

#include <cstring>
#include <utility>

#include "plugin/epan/columns.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/of_packet.h"

namespace godot_plugin {
namespace {

std::size_t &told_of(packet_info *pinfo) { return counts_of(pinfo).told; }

}  // namespace

PacketCounts &counts_of(packet_info *pinfo) {
  static const int any_of_ours = proto_get_id_by_filter_name("godot");
  return of_packet<PacketCounts>(pinfo, any_of_ours, PacketDataKey::counts);
}

godot_codec::PacketPosition next_moment(packet_info *pinfo) { return {pinfo->num, counts_of(pinfo).datagrams++}; }

bool wants_sentence(const packet_info *pinfo, const Message &message) {
  return message.carrier == Carrier::enet ? message.info != nullptr : wants_info(pinfo);
}

void tell_message(packet_info *pinfo, const Message &message, const char *protocol, const char *sentence) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, protocol);
  if (!wants_sentence(pinfo, message)) return;
  if (message.carrier == Carrier::enet) return message.info->append(sentence);
  std::size_t &told = told_of(pinfo);
  if (told >= COL_MAX_INFO_LEN) return;  // the column is full, and would be searched for its end in vain
  // Replaces the carriers' text, and keeps that of earlier messages. All is added at once, as epan goes over the whole
  // column each time.
  const bool is_first = told == 0;
  if (message.channel != nullptr) sentence = wmem_strdup_printf(pinfo->pool, "%s [%s]", sentence, message.channel);
  // SCTP fences its acknowledgements off, too.
  if (is_first && message.carrier == Carrier::webrtc) col_clear_fence(pinfo->cinfo, COL_INFO);
  const char *added = is_first ? sentence : wmem_strconcat(pinfo->pool, " | ", sentence, nullptr);
  set_info(pinfo, told, added);
  col_set_fence(pinfo->cinfo, COL_INFO);
  told += std::strlen(added) + (is_first ? 1 : 0);  // never 0 again, be it an empty sentence
}

void end_told(packet_info *pinfo) {
  if (const std::size_t told = told_of(pinfo); told > 0) set_info(pinfo, told, "");
}

std::size_t exchange_told(packet_info *pinfo, std::size_t told) { return std::exchange(told_of(pinfo), told); }

}  // namespace godot_plugin
