// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/datagram.h"

#include "plugin/epan/labels.h"
#include "plugin/epan/learning.h"

namespace godot_plugin {

bool counts(const Datagram &datagram) {
  return datagram.known->connection != nullptr && datagram.known->duplicate_of.packet == 0 &&
         is_in_conversation(datagram.pinfo);
}

void tell(const Datagram &datagram, std::size_t index, std::string_view text) {
  if (godot_codec::TextBuffer *info = info_of(datagram, index); info != nullptr) info->append(text);
}

void tell_mark(const Datagram &datagram, std::size_t index, std::string_view mark) {
  tell(datagram, index, " [");
  tell(datagram, index, mark);
  tell(datagram, index, "]");
}

void write_info(const Datagram &datagram) {
  if (datagram.info == nullptr || datagram.info->view().empty()) return;
  append_info(datagram.pinfo, datagram.info->view().data());
  datagram.info->clear();
}

void sum_up(const Datagram &datagram, std::size_t index, const char *text) {
  if (datagram.summary == nullptr || index >= max_told_commands) return;
  if (index > 0) wmem_strbuf_append(datagram.summary, ", ");
  wmem_strbuf_append(datagram.summary, text);
}

}  // namespace godot_plugin
