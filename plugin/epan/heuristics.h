// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Registers heuristic dissectors, to which epan offers the packets of a transport. Also checks whether the user has
/// chosen a dissector instead.
///
/// Each transport has one heuristic, which calls the dissector of the detected protocol. All heuristics belong to the
/// protocol `godot_detect`, because epan does not call a heuristic of a disabled protocol. So if the user disables
/// `enet`, the other protocols are still detected.
#pragma once

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Registers the protocol `godot_detect`, which has no fields or packets. Users disable it to turn off all detection.
void register_detection_protocol();
/// Returns epan's ID of the protocol `godot_detect`.
[[nodiscard]] int detection_protocol_id();

/// Registers the heuristic of a transport.
/// @param list epan's list of the transport's heuristics, such as "udp"
/// @param name short name, for Enabled Protocols and `--disable-heuristic`
/// @param description shown in Enabled Protocols
/// @returns epan's entry, for is_enabled()
const heur_dtbl_entry_t *register_heuristic(const char *list, const char *name, heur_dissector_t dissector,
                                            const char *description);

/// False if the user has disabled the heuristic or `godot_detect`.
[[nodiscard]] bool is_enabled(const heur_dtbl_entry_t *heuristic);
/// False if the user has disabled the protocol, so that detection skips it.
[[nodiscard]] bool is_enabled(int proto);

/// Calls the dissector of the detected protocol in place of the running heuristic. frame.protocols does not show
/// `godot_detect`. The dissector may request more bytes from TCP, as if TCP had called it.
int call_detected_dissector(dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                            void *data);

/// Returns the table of the dissectors that are registered on ports of UDP or TCP. @param type PT_UDP or PT_TCP
[[nodiscard]] dissector_table_t port_table_of(port_type type);

/// True if the user chose a dissector for one of the packet's ports, by Decode As or a preference. Heuristics must then
/// not pin the conversation, because that would override the choice.
[[nodiscard]] bool is_dissector_chosen_by_user(const packet_info *pinfo);

}  // namespace godot_plugin
