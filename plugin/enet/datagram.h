// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A datagram of ENet's while it is dissected, and what is told of it as a whole.
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
  proto_tree *root;  ///< the packet's
  proto_tree *tree;  ///< the protocol's
  EnetPacket *packet;
  const godot_codec::EnetDatagram *read;
  const godot_codec::EnetFindings *known;
  tvbuff_t *commands;      ///< without their compression
  wmem_strbuf_t *summary;  ///< for the protocol's line; null where nobody looks at the tree
  /// For the Info column: the commands' words and the sentences of their messages, for one call of epan's, each of
  /// which goes over the whole column. Null where nobody reads it.
  godot_codec::TextBuffer *info;
};

/// False for a datagram that was captured before, or is only quoted: it is in no count.
[[nodiscard]] bool counts(const Datagram &datagram);

/// Commands of which the Info column and the protocol's line tell: the rest is a number.
inline constexpr std::size_t max_told_commands = 12;

/// Where a command is told of in the Info column; null if it is not. @param index of the command
[[nodiscard]] inline godot_codec::TextBuffer *info_of(const Datagram &datagram, std::size_t index) {
  return index < max_told_commands ? datagram.info : nullptr;
}

/// Tells of a command in the Info column.
void tell(const Datagram &datagram, std::size_t index, std::string_view text);

/// Tells a few words about a command behind it, in brackets.
void tell_mark(const Datagram &datagram, std::size_t index, std::string_view mark);

/// Writes to the Info column what was told so far.
void write_info(const Datagram &datagram);

/// For the protocol's line: what the datagram's commands are, whatever runs inside of them.
void sum_up(const Datagram &datagram, std::size_t index, const char *text);

}  // namespace godot_plugin
