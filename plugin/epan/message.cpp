// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/message.h"

namespace godot_plugin {
namespace {

// Keys of what is kept with a packet while it is dissected.
enum PacketData : std::uint32_t { message_count, was_told };

std::uint32_t *counter(packet_info *pinfo, int proto, PacketData key) {
  auto *count = static_cast<std::uint32_t *>(p_get_proto_data(pinfo->pool, pinfo, proto, key));
  if (count == nullptr) {
    count = wmem_new0(pinfo->pool, std::uint32_t);
    p_add_proto_data(pinfo->pool, pinfo, proto, key, count);
  }
  return count;
}

}  // namespace

godot_codec::Moment next_moment(packet_info *pinfo, int proto) {
  return {pinfo->num, (*counter(pinfo, proto, message_count))++};
}

void tell_message(packet_info *pinfo, const Message &message, const char *protocol, const char *sentence) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, protocol);
  if (message.carrier == Carrier::enet) {
    col_append_str(pinfo->cinfo, COL_INFO, sentence);
    return;
  }
  // What carriers have written goes, what earlier messages have told stays.
  col_clear(pinfo->cinfo, COL_INFO);
  static const int any_of_ours = proto_get_id_by_filter_name("godot");
  const bool is_first = (*counter(pinfo, any_of_ours, was_told))++ == 0;
  if (!is_first) col_append_str(pinfo->cinfo, COL_INFO, " | ");
  col_append_str(pinfo->cinfo, COL_INFO, sentence);
  col_set_fence(pinfo->cinfo, COL_INFO);
}

}  // namespace godot_plugin
