// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The commands of a datagram: their items, what was found out about each, and the messages that they bring.
#pragma once

#include "plugin/enet/datagram.h"
#include "plugin/enet/state.h"

namespace godot_plugin {

/// Dissects the commands of a datagram, and has the messages in them dissected. @param item the protocol's line
void dissect_commands(const Datagram &datagram, proto_item *item);

/// Says who knows the sentences of messages.
void set_enet_sentence(EnetSentence sentence);

/// Registers the tables in which who takes messages is found.
void register_enet_messages(int proto);

}  // namespace godot_plugin
