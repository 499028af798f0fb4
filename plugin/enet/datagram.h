// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A datagram of ENet's while it is dissected, and what is told of it as a whole.
#pragma once

#include <cstddef>

#include "godot-codec/enet/session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The arguments for dissecting a datagram.
struct Datagram {
  packet_info *pinfo;
  proto_tree *root;  ///< the packet's
  proto_tree *tree;  ///< the protocol's
  const godot_codec::EnetDatagram *read;
  const godot_codec::EnetFindings *known;
  tvbuff_t *commands;      ///< without their compression
  wmem_strbuf_t *summary;  ///< for the protocol's line; null where there is no tree
};

/// False for a datagram that was captured before, or is only quoted: it is in no count.
[[nodiscard]] bool counts(const Datagram &datagram);

/// Commands of which the Info column and the protocol's line tell: the rest is a number.
inline constexpr std::size_t max_told_commands = 12;

/// Tells of a command in the Info column. @param index of the command
void tell(packet_info *pinfo, std::size_t index, const char *text);

/// For the protocol's line: what the datagram's commands are, whatever runs inside of them.
void sum_up(const Datagram &datagram, std::size_t index, const char *text);

}  // namespace godot_plugin
