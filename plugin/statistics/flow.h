// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The flow graph of games, with an arrow for each call, spawn and connection (Statistics, Flow Graph; `-z
/// flow,godot`).
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// An arrow from one peer to another. The nodes of the graph are peers. Texts are in the packet's memory.
struct FlowArrow {
  FlowArrow *next;
  const char *source;
  const char *destination;
  std::uint16_t source_port;
  std::uint16_t destination_port;
  const char *label;     ///< text above the arrow
  const char *comment;   ///< text on the right
  const char *delivery;  ///< how the transport delivered the message; null: not reported
};

/// True if arrows are needed. False if no graph is open, or if the dissected message is not counted.
[[nodiscard]] bool wants_arrows(packet_info *pinfo);

/// Adds an arrow from the packet's sender to its receiver. Does nothing if wants_arrows() is false.
/// @param source name of the sender; null: source of the packet
/// @param destination name of the receiver; null: destination of the packet
void add_arrow(packet_info *pinfo, const char *label, const char *comment, const char *source = nullptr,
               const char *destination = nullptr);

/// Sets how the message of the packet's last arrow was delivered, unless that is already set.
void set_arrow_delivery(packet_info *pinfo, const char *delivery);

void register_flow();

}  // namespace godot_plugin
