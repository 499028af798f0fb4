// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The flow graph of games (Statistics > Flow Graph, or `-z flow,godot`): an arrow for each call, spawn and connection.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// An arrow from one peer to another peer. Texts are in the packet's memory.
struct FlowArrow {
  FlowArrow *next;
  const char *source;
  const char *destination;
  std::uint16_t source_port;
  std::uint16_t destination_port;
  const char *label;     ///< text above the arrow
  const char *comment;   ///< text on the right
  const char *delivery;  ///< the message's delivery, such as a retransmission; null: not reported
};

/// True if a flow graph is open and the dissected message is counted.
[[nodiscard]] bool wants_arrows(packet_info *pinfo);

/// Adds an arrow from the packet's sender to its receiver. Does nothing if wants_arrows() is false.
/// @param source name of the sender; null: source of the packet
/// @param destination name of the receiver; null: destination of the packet
void add_arrow(packet_info *pinfo, const char *label, const char *comment, const char *source = nullptr,
               const char *destination = nullptr);

/// Sets the delivery of the message of the packet's last arrow. Does nothing if the delivery is already set.
void set_arrow_delivery(packet_info *pinfo, const char *delivery);

void register_flow_graph();

}  // namespace godot_plugin
