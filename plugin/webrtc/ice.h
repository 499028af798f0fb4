// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The pairs of addresses and ports that ICE has found for a WebRTC connection. DTLS may move from one pair to another.
/// The pairs on the two sides of a relay contain the same datagrams.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/encryption/dtls.h"
#include "godot-codec/encryption/encrypted_flow.h"
#include "godot-codec/webrtc/ice.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct IcePair;

/// A WebRTC connection. Its two ends are identified by their user fragments (ufrag). Lives as long as the capture.
struct IceConnection {
  const char *user_fragments[2];         ///< user fragments of the ends, in ascending order
  const IcePair *sctp_pair;              ///< SCTP is dissected with the ends of this pair; null: none yet
  IcePair *handshake_pair;               ///< pair on which the DTLS handshake began
  std::uint32_t hello_hashes[4];         ///< hashes of the newest datagrams with a ClientHello
  std::uint32_t hello_count;             ///< number of hashes so far; the newest replace the oldest
  godot_codec::EncryptedFlow dtls_flow;  ///< DTLS of all pairs; senders are indexes in user_fragments
};

/// A pair of addresses and ports; for relayed datagrams (TURN), those of the client and the relay. Lives as long as the
/// capture.
struct IcePair {
  IceConnection *connection;     ///< null before the first connectivity check
  PacketEndpoints endpoints[2];  ///< by direction_of() the packets
  unsigned lower_direction;      ///< direction of the end with the lower user fragment
  bool is_relayed;
  IcePair *handshake_pair;  ///< pair with the DTLS handshake of this pair's datagrams; null: not known
};

/// Returns the pair with the DTLS handshake of a pair's datagrams; the pair itself if the handshake is not known.
[[nodiscard]] inline IcePair &handshake_pair_of(IcePair &pair) {
  return pair.handshake_pair == nullptr ? pair : *pair.handshake_pair;
}

struct IceDatagram {
  IcePair *pair = nullptr;  ///< null if the datagram is not DTLS of a known connection
  godot_codec::DtlsRecordKind kind = godot_codec::DtlsRecordKind::none;
  unsigned sender = 0;  ///< index of the sending end in the connection
};

/// True after the first connectivity check of the capture.
[[nodiscard]] bool has_ice_connections();

/// A quick check: false for most datagrams that inspect_ice_datagram() would ignore.
[[nodiscard]] inline bool may_be_ice(const godot_codec::Bytes &datagram, const packet_info *pinfo) {
  return (may_update_state(pinfo) && godot_codec::may_be_ice_check(datagram)) || has_ice_connections();
}

/// True if nothing remains to be reported about the ICE connection of this conversation: its data was decrypted, or a
/// frame already reports why not. Based on everything read so far.
[[nodiscard]] bool is_ice_pair_reported(const conversation_t *conversation);

/// Call before a datagram is dissected. Updates the state on the first pass.
/// @param pinfo must have the ports of UDP, or of TCP to a relay
[[nodiscard]] IceDatagram inspect_ice_datagram(godot_codec::Bytes datagram, packet_info *pinfo, bool is_relayed);

/// Dissects a datagram with the addresses and ports of the pair on which its DTLS handshake began.
int dissect_on_handshake_pair(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

/// Call after a datagram was dissected: reports once per connection if its data cannot be decrypted.
void inspect_ice_data(const IceDatagram &datagram, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/// Returns the addresses and ports for the dissection of a connection's SCTP packets. They are the same for all pairs
/// of the connection, because it is one association.
/// @returns nullopt if the packet is not on a pair of a connection
[[nodiscard]] std::optional<PacketEndpoints> sctp_ends_of(packet_info *pinfo);

/// IDs of the multiplayer peers that exchange a packet; 0 if not known from signalling.
struct IcePeerIds {
  std::int32_t source = 0;
  std::int32_t destination = 0;
};

/// True if signalling has announced the peer ID of at least one end.
[[nodiscard]] bool has_signalled_peer(const IceConnection &connection);

/// True if signalling has announced a peer of a game, and the packet goes to or comes from a relay. Relays are detected
/// by their address in the signalling, or by TURN's port for TLS.
[[nodiscard]] bool is_relay_packet(packet_info *pinfo);

/// @param pinfo must have the ports of UDP
[[nodiscard]] IcePeerIds ice_peer_ids_of(packet_info *pinfo);

/// Updates the state from a WebSocket text message, which may be signalling.
void update_from_signalling(std::string_view text, bool is_from_server);

void handoff_ice();

}  // namespace godot_plugin
