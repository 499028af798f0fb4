// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The protocol `godot_mp`: RPCs, spawns and syncs of Godot's high-level multiplayer; and the capture's one session.
#pragma once

#include <optional>

#include "godot-codec/detection/peer_messages.h"
#include "godot-codec/multiplayer/packets.h"
#include "godot-codec/multiplayer/session.h"
#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// The generation that the user insists on.
[[nodiscard]] std::optional<godot_codec::Generation> preferred_generation();

/// Shows a packet, as known at its moment. @param reading all that it says
/// @returns who sends it and what it says, as a line in the packet's memory
const char *dissect_mp_packet(const MessageContext &context, const godot_codec::MpPacket &packet,
                              const godot_codec::PeerVerdict &verdict, const godot_codec::MpReading &reading);

/// Registers protocol, fields and preferences. @param apply called when a preference has changed
void register_godot_mp(void (*apply)());
void register_advanced_godot_mp_preferences();

/// A new connection to a server, in the capture's session.
/// @param is_from_start it began in the capture
/// @param transmissions see godot_codec::MpDeliveryTracker
/// @param has_roles it is known which end is the server
[[nodiscard]] godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start,
                                                           const godot_codec::MpTransmissions *transmissions,
                                                           bool has_roles);

/// The session of the capture that is open.
[[nodiscard]] const godot_codec::MpSession &mp_session();

/// Which of the capture's connections it is, counted in the order in which the first message of each was shown, from 0.
[[nodiscard]] std::uint32_t mp_stream_index(const godot_codec::MpConnection &connection);

/// Registers the table of synchronizers, `-z godot_mp,syncs`: how regularly each one's values come, as RTP's analysis
/// has it.
void register_syncs();

/// Registers the entries of a packet's context menu in Wireshark's window, which plugins may have from 4.4 on.
void register_packet_menu();

}  // namespace godot_plugin
