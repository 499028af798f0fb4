// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The state of an ENet datagram while it is being dissected, and its texts in the Info column and the tree.
#pragma once

#include <cstddef>
#include <string_view>

#include "godot-codec/enet/session.h"
#include "plugin/enet/state.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The arguments for dissecting a datagram.
struct Datagram {
  packet_info *pinfo;
  proto_tree *root;  ///< the packet's tree
  proto_tree *tree;  ///< the protocol's tree
  EnetPacket *packet;
  const godot_codec::EnetDatagram *read;
  const godot_codec::EnetFindings *known;
  tvbuff_t *commands;      ///< the commands, decompressed
  wmem_strbuf_t *summary;  ///< summary for the protocol's item; null if the tree is not shown
  /// Text for the Info column: the texts of the commands and the summaries of their messages. It is buffered because
  /// each of epan's column calls scans the whole column. Null if the column is not shown.
  godot_codec::TextBuffer *info;
};

/// True if the datagram is counted. False if it has no connection, is a duplicate, or is only quoted in an ICMP error.
[[nodiscard]] bool counts(const Datagram &datagram);

/// Maximum number of commands that the Info column and the protocol's item describe. The remaining commands are only
/// counted.
inline constexpr std::size_t max_told_commands = 12;

/// Returns the buffer for a command's text in the Info column; null if the command is not shown there.
/// @param index of the command in the datagram
[[nodiscard]] inline godot_codec::TextBuffer *info_of(const Datagram &datagram, std::size_t index) {
  return index < max_told_commands ? datagram.info : nullptr;
}

/// Appends text about a command to the Info column.
void tell(const Datagram &datagram, std::size_t index, std::string_view text);

/// Appends a mark in brackets, such as " [head-of-line blocking 80 ms]", to the Info column.
void tell_mark(const Datagram &datagram, std::size_t index, std::string_view mark);

/// Writes the buffered text to the Info column, and clears the buffer.
void write_info(const Datagram &datagram);

/// Appends a command to the summary of the protocol's item. The summary names the command, not the protocol of its
/// message.
void sum_up(const Datagram &datagram, std::size_t index, const char *text);

}  // namespace godot_plugin
