// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The flow graph of games: an arrow for each call, spawn and connection (Statistics, Flow Graph; `-z flow,godot`).
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// From one end to another: the nodes of the graph are ends. Texts are in the packet's memory.
struct FlowArrow {
  FlowArrow *next;
  const char *source;
  const char *destination;
  std::uint16_t source_port;
  std::uint16_t destination_port;
  const char *label;     ///< above the arrow
  const char *comment;   ///< beside it
  const char *delivery;  ///< how the carrier has brought it; null: not said
};

/// False where nobody draws a graph, or the dissected message is not to be counted: then arrows need no texts.
[[nodiscard]] bool wants_arrows(packet_info *pinfo);

/// Adds an arrow from the packet's sender to its receiver; nothing where wants_arrows() is false.
/// @param source the end that sends it, where it is another than the packet's; else null
/// @param destination as source
void add_arrow(packet_info *pinfo, const char *label, const char *comment, const char *source = nullptr,
               const char *destination = nullptr);

/// Tells how the packet's last arrow was delivered, if that is not told yet.
void deliver_arrow(packet_info *pinfo, const char *delivery);

/// Registers the graph.
void register_flow();

}  // namespace godot_plugin
