// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Clients of DTLS that no server answers: what a Godot client is that was told to use DTLS at an ENet server without.
/// Their datagrams are DTLS' own, and stay so: behind what it shows, an item says that nobody answers.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/webrtc/handshake.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A client that speaks DTLS; in file scope.
struct DtlsClient {
  unsigned direction;      ///< direction_of() its datagrams
  bool is_named;           ///< the user has said that its server's port is ENet's
  std::uint64_t number;    ///< the last hello's record number
  std::uint32_t hellos;    ///< so far: the same one, sent again
  std::uint64_t bytes;     ///< all hellos together
  std::uint32_t answered;  ///< the first frame that shows an answer; 0: none does
  std::uint32_t refused;   ///< the first frame in which ICMP says that a hello did not get there; 0: none
  godot_codec::DtlsHandshake handshake;
  bool is_read;        ///< some of its data were decrypted
  std::uint32_t dark;  ///< the first frame with data that were not; 0: none
};

/// True if there is a client in the capture.
[[nodiscard]] bool is_any_dtls_client();

/// Looks at a datagram before its dissector gets it, and learns from it on the first pass.
/// @param payload of UDP
/// @param may_guess tells whether a client is known for Godot's by what it says, too: not by its server's port alone
/// @returns the client if there may be something to tell: it is not answered so far (on later passes: at all), or here,
/// or the datagram holds data that nobody may be able to read
[[nodiscard]] DtlsClient *look_for_dtls_client(godot_codec::Bytes payload, packet_info *pinfo, bool (*may_guess)());

/// Adds to the tree and the statistics, behind all that the datagram's dissectors have shown.
void tell_of_dtls_client(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, DtlsClient &client);

/// How it ended. @returns text of the packet's pool
[[nodiscard]] const char *describe_dtls_client(packet_info *pinfo, const DtlsClient &client);

/// Registers what is forgotten with the capture. @param proto_enet whose conversations' data they are
void register_dtls_clients(int proto_enet);

}  // namespace godot_plugin
