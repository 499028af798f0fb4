// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/quoted.h"

#include "plugin/epan/learning.h"

namespace godot_plugin {

tvbuff_t *with_sent_length(tvbuff_t *datagram, const packet_info *pinfo) {
  constexpr int header_size = 8;
  constexpr int length_offset = 4;
  const int header = tvb_raw_offset(datagram) - header_size;
  if (is_in_conversation(pinfo) || pinfo->ptype != PT_UDP || header < 0) return datagram;
  const int sent = tvb_get_ntohs(tvb_get_ds_tvb(datagram), header + length_offset) - header_size;
  if (sent <= static_cast<int>(tvb_reported_length(datagram))) return datagram;
  return tvb_new_subset_length_caplen(datagram, 0, static_cast<int>(tvb_captured_length(datagram)), sent);
}

}  // namespace godot_plugin
