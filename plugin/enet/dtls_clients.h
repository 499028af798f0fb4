// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// DTLS clients without an answer. A Godot client looks like this if it uses DTLS and the ENet server does not.
/// Their datagrams still belong to the DTLS dissector. An item after the items of DTLS reports the missing answer.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/encryption/encrypted_flow.h"
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
};

/// Call after a datagram was dissected. Looks up its client, and updates the client's state on the first pass. A client
/// without an answer is added to the tree and to the statistics.
/// @param payload the payload of UDP
/// @param may_guess true if a client may also be recognised by its ClientHello, and not only by its server's port
/// @returns the kind of the client's DTLS; other_dtls if there is no client
godot_codec::EncryptedKind inspect_dtls_client(godot_codec::Bytes payload, bool may_guess, tvbuff_t *tvb,
                                               packet_info *pinfo, proto_tree *tree);

/// Returns how the connection attempt ended. The text is in the packet's memory.
[[nodiscard]] const char *describe_dtls_client(packet_info *pinfo, const DtlsClient &client);

}  // namespace godot_plugin
