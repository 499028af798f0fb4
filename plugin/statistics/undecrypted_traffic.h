// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Reports encrypted connections that cannot be decrypted, once for each connection, with the reason.
#pragma once

#include "godot-codec/encryption/encrypted_flow.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// True if a part of the frame was decrypted or decompressed.
[[nodiscard]] bool has_decrypted_data(const packet_info *pinfo);

/// Call after a packet with data was dissected. Updates the connection's state on the first pass. One packet of a
/// connection that cannot be decrypted reports it. If the connection probably belongs to another program, the report is
/// shown only if no game traffic is detected in the capture.
/// @param sender side that sent the packet, as in EncryptedFlow
/// @param was_decrypted true if Wireshark has decrypted the data
void inspect_encrypted_data(godot_codec::EncryptedFlow &flow, unsigned sender, bool was_decrypted, tvbuff_t *tvb,
                            packet_info *pinfo, proto_tree *tree);

/// Reports that the packet's data cannot be shown: adds a tree item without bytes, a problem, and a mark in the Info
/// column.
/// @param kind not other_dtls or other_tls
/// @param advice null: the advice of the kind
void report_undecrypted(godot_codec::EncryptedKind kind, const char *text, const char *advice, tvbuff_t *tvb,
                        packet_info *pinfo, proto_tree *tree);

/// Call after a datagram outside of WebRTC was dissected. Updates the state, and reports DTLS that cannot be decrypted.
/// @param kind a kind of DTLS
void inspect_dtls(godot_codec::Bytes payload, godot_codec::EncryptedKind kind, tvbuff_t *tvb, packet_info *pinfo,
                  proto_tree *tree);

/// Call after a segment was dissected. Updates the state, and reports TLS that cannot be decrypted.
/// @param is_relay_packet true if TLS may carry WebRTC to a relay
void inspect_tls(godot_codec::Bytes payload, bool is_relay_packet, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/// Returns the state that inspect_dtls() or inspect_tls() has stored for a conversation; null if there is none.
[[nodiscard]] const godot_codec::EncryptedFlow *find_encrypted_flow(const conversation_t *conversation);

}  // namespace godot_plugin
