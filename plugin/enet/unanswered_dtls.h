// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// DTLS clients that get no answer, for example a Godot client that uses DTLS if the ENet server does not. The DTLS
/// dissector still dissects their datagrams. This file adds an item after its items, which reports the missing answer.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/encryption/encrypted_flow.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A DTLS client. Allocated in epan's file scope.
struct DtlsClient {
  unsigned direction;                ///< direction of the client's datagrams, from direction_of()
  bool is_enet_port;                 ///< true if the server's port is configured as ENet
  std::uint64_t last_record_number;  ///< record number of the last ClientHello
  std::uint32_t hello_count;         ///< number of ClientHellos so far; all but the first are retransmissions
  std::uint64_t hello_bytes;         ///< size of all ClientHellos, in bytes
  std::uint32_t answered_in;         ///< first frame that shows an answer; 0: none
  std::uint32_t refused_in;          ///< first frame with an ICMP error that quotes a ClientHello; 0: none
};

/// Looks up the DTLS client of a datagram that was dissected, and updates the client's state on the first pass. Adds a
/// client without an answer to the tree and to the statistics.
/// @param payload the payload of UDP
/// @param may_guess true if a client may also be recognised by its ClientHello, and not only by its server's port
/// @returns the kind of the client's DTLS; other_dtls if there is no client
godot_codec::EncryptedKind inspect_dtls_client(godot_codec::Bytes payload, bool may_guess, tvbuff_t *tvb,
                                               packet_info *pinfo, proto_tree *tree);

/// Returns how the connection attempt ended. The text is in the packet's memory.
[[nodiscard]] const char *describe_dtls_client(packet_info *pinfo, const DtlsClient &client);

}  // namespace godot_plugin
