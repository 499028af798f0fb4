// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/datagram.h"

#include "plugin/epan/labels.h"
#include "plugin/epan/learning.h"

namespace godot_plugin {

bool counts(const Datagram &datagram) {
  return datagram.known->connection != nullptr && datagram.known->duplicate_of.packet == 0 &&
         is_in_conversation(datagram.pinfo);
}

void tell(packet_info *pinfo, std::size_t index, const char *text) {
  if (index < max_told_commands) append_info(pinfo, text);
}

void sum_up(const Datagram &datagram, std::size_t index, const char *text) {
  if (datagram.summary == nullptr || index >= max_told_commands) return;
  if (index > 0) wmem_strbuf_append(datagram.summary, ", ");
  wmem_strbuf_append(datagram.summary, text);
}

}  // namespace godot_plugin
