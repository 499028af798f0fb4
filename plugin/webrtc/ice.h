// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Pairs of addresses and ports that ICE has found for a connection of WebRTC: DTLS may move from one to another, and
/// two pairs may show the same datagrams, on the two sides of a relay.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/webrtc/handshake.h"
#include "godot-codec/webrtc/ice.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/learning.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct IcePair;

/// A connection of WebRTC: two ends, known by their user fragments. Plain data, of file scope.
struct IceConnection {
  const char *fragments[2];      ///< the lower one first
  const IcePair *first;          ///< the pair by whose ends SCTP is dissected; null: there is none so far
  IcePair *handshake;            ///< where its DTLS has begun
  std::uint32_t hello_marks[4];  ///< hashes of the newest datagrams with a ClientHello
  std::uint32_t hellos;          ///< how many there were
  std::uint32_t unread;          ///< datagrams with data that nobody could read
  bool is_read[2];               ///< by sending end: some of its data could be read
  std::uint32_t told;            ///< the frame that tells of it
};

/// A pair of one. Where datagrams go by a relay (TURN), it is the client and the relay. Plain data, of file scope.
struct IcePair {
  struct End {
    address host;
    std::uint32_t port;
  };
  IceConnection *connection;  ///< null before a check has come
  port_type type;
  End ends[2];     ///< by direction: who sends
  unsigned lower;  ///< the direction of the end whose user fragment is less
  bool is_relayed;
  IcePair *session;                      ///< the pair on which the DTLS of its datagrams has begun; null: not known
  godot_codec::DtlsHandshake handshake;  ///< of the DTLS that has begun on this pair; by ends of the connection
};

/// The pair on which the DTLS of a pair's datagrams has begun, as far as is known.
[[nodiscard]] inline IcePair &session_pair(IcePair &pair) { return pair.session == nullptr ? pair : *pair.session; }

/// A datagram of a connection.
struct IceDatagram {
  IcePair *pair = nullptr;  ///< null where it is none of a connection's DTLS
  godot_codec::DtlsKind kind = godot_codec::DtlsKind::none;
  unsigned sender = 0;  ///< the end of the connection that sends it
};

/// True once a check has shown a connection.
[[nodiscard]] bool is_any_ice();

/// False if look_at_ice() has nothing to say about a datagram, which is so for most that belong to no connection. Takes
/// no time.
[[nodiscard]] inline bool may_be_of_ice(const godot_codec::Bytes &datagram, const packet_info *pinfo) {
  return (may_learn(pinfo) && godot_codec::may_be_ice_check(datagram)) || is_any_ice();
}

/// True if nothing more has to be told about the connection that ICE has shown there: its data are read, or a row
/// already says why they are not. As far as is known by now.
[[nodiscard]] bool is_ice_pair_told(const conversation_t *conversation);

/// Looks at a datagram before its dissector, and learns from it on the first pass.
/// @param pinfo with the ports of UDP, or of TCP to a relay
[[nodiscard]] IceDatagram look_at_ice(godot_codec::Bytes datagram, packet_info *pinfo, bool is_relayed);

/// Dissects a datagram as if it were on the pair where its DTLS has begun.
int dissect_in_session(IcePair &pair, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

/// The ends by which a connection's SCTP is dissected, whichever pair a packet is on: it is one association.
/// @returns none where the packet is on no connection's pair
[[nodiscard]] std::optional<PacketEnds> ice_ends_of(packet_info *pinfo);

/// Who exchanges a packet of a connection: ids of the multiplayer, 0 where signalling has not told them.
struct IcePeers {
  std::int32_t source = 0;
  std::int32_t destination = 0;
};

/// True if signalling has told the id of one of its ends.
[[nodiscard]] bool is_signalled(const IceConnection &connection);

/// True if signalling has told the id of any peer: a game connects by WebRTC.
[[nodiscard]] bool is_any_signalled();

/// True if signalling has told of a relay that has this address.
[[nodiscard]] bool is_signalled_relay(const address &host, packet_info *pinfo);

/// @param pinfo with the ports of UDP
[[nodiscard]] IcePeers ice_peers_of(packet_info *pinfo);

/// Learns from a text of a WebSocket, which may be signalling.
void learn_signalling(std::string_view text, bool is_from_server);

void register_ice();
void handoff_ice();

}  // namespace godot_plugin
