// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Explains why Wireshark cannot decrypt a DTLS connection.
#pragma once

#include "godot-codec/webrtc/handshake.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if a part of the frame was decrypted or decompressed.
[[nodiscard]] bool has_decrypted(const packet_info *pinfo);

/// @returns the reason, in the packet's memory; null if only the keys are missing
[[nodiscard]] const char *reason_for_undecrypted_dtls(const godot_codec::DtlsHandshake &handshake, packet_info *pinfo);

}  // namespace godot_plugin
