// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// DTLS clients without an answer. A Godot client looks like this if it uses DTLS and the ENet server does not.
/// Their datagrams still belong to the DTLS dissector. An item after the items of DTLS reports the missing answer.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/webrtc/handshake.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A DTLS client. File scope.
struct DtlsClient {
  unsigned direction;      ///< direction_of() the client's datagrams
  bool is_named;           ///< true if the server's port is configured as ENet
  std::uint64_t number;    ///< record number of the last ClientHello
  std::uint32_t hellos;    ///< number of ClientHellos so far; all but the first are retransmissions
  std::uint64_t bytes;     ///< size of all ClientHellos, in bytes
  std::uint32_t answered;  ///< first frame that shows an answer; 0: none
  std::uint32_t refused;   ///< first frame with an ICMP error that quotes a ClientHello; 0: none
  godot_codec::DtlsHandshake handshake;
  bool is_read;        ///< true if some of its data was decrypted
  std::uint32_t dark;  ///< first frame with data that was not decrypted; 0: none
};

/// True if the capture contains a DTLS client.
[[nodiscard]] bool is_any_dtls_client();

/// Looks up the client of a datagram, and updates its state on the first pass. Call before the datagram is dissected.
/// @param payload the payload of UDP
/// @param may_guess returns true if a client may also be recognised by its ClientHello, and not only by its server's
/// port
/// @returns the client if something may have to be reported: it has no answer so far (on later passes: none at all),
/// the answer is in this datagram, or this datagram has data that may stay undecrypted; else null
[[nodiscard]] DtlsClient *look_for_dtls_client(godot_codec::Bytes payload, packet_info *pinfo, bool (*may_guess)());

/// Adds the client's items to the tree, and the client to the statistics. Call after the datagram was dissected.
void tell_of_dtls_client(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, DtlsClient &client);

/// Returns how the connection attempt ended. The text is in the packet's memory.
[[nodiscard]] const char *describe_dtls_client(packet_info *pinfo, const DtlsClient &client);

/// Registers the state that is freed with the capture. @param proto_enet the protocol `enet`
void register_dtls_clients(int proto_enet);

}  // namespace godot_plugin
