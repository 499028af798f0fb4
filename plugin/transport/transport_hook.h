// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The only code that runs before a transport's dissector. It looks at the packet and may pin its conversation.
///
/// It is needed because UDP and TCP give a packet to the dissector that is registered on one of its ports, before any
/// heuristic: official samples of Godot use 7000 and 8080, which AFS and HTTP have registered. Many of these dissectors
/// accept whatever arrives, and Wireshark has no other hook: `try_heuristic_first` is a preference of the user, a
/// postdissector is called too late, and only a conversation's dissector precedes a port's. So the entries of UDP, TCP
/// and SCTP in `ip.proto` are wrapped. After the transport's dissector, the wrappers look at what no dissector of ours
/// gets: connections that end, and encrypted traffic.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

void register_transport_hook();
/// Registers the preference, with `godot`.
void register_owned_ports_preference();
void handoff_transport_hook();

}  // namespace godot_plugin
