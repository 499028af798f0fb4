// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// WebRTC by a relay over TLS (`turns:`) of which nothing is decrypted: it shows neither ICE nor DTLS, and looks like
/// any other TLS. Signalling of a game, and the relay's address in it or TURN's port, tell what it is.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Looks at a segment of TCP behind its dissectors, learns from it on the first pass, and tells once a connection why
/// nothing of it can be read. To be called where is_any_signalled().
void look_at_relay_tls(godot_codec::Bytes payload, tvbuff_t *segment, packet_info *pinfo, proto_tree *tree);

void register_relay_tls();

}  // namespace godot_plugin
