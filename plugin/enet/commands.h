// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Dissects the commands of a datagram: their items, the findings about each command, and their messages.
#pragma once

#include "plugin/enet/datagram.h"
#include "plugin/enet/state.h"

namespace godot_plugin {

/// Dissects the commands of a datagram, and passes their messages to the subdissectors.
/// @param item the protocol's item
void dissect_commands(const Datagram &datagram, proto_item *item);

/// Sets the function that writes the summary of a retransmitted message.
void set_enet_sentence(EnetSentence sentence);

/// Registers the dissector table and the heuristic list for messages over ENet.
void register_enet_messages(int proto);

}  // namespace godot_plugin
