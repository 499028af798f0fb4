// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reports WebRTC through a relay over TLS (`turns:`) that is not decrypted. It shows neither ICE nor DTLS and looks
/// like any other TLS. It is recognised by a game's signalling, together with the relay's address in it or TURN's port.
#pragma once

#include "godot-codec/core/bytes.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Takes a TCP segment after its dissectors, updates the state on the first pass, and reports once per connection why
/// it cannot be decrypted. Call only if is_any_signalled().
void inspect_relay_tls(godot_codec::Bytes payload, tvbuff_t *segment, packet_info *pinfo, proto_tree *tree);

}  // namespace godot_plugin
