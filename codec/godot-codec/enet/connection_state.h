// SPDX-License-Identifier: MIT
/// @file
/// How a connection is established, or why it fails, and how it ends without a disconnect, as far as the capture shows.
///
/// ENet itself times out a silent peer after 5 to 30 s (ENET_PEER_TIMEOUT_MINIMUM, ENET_PEER_TIMEOUT_MAXIMUM).
/// Unanswered retransmissions show the silence earlier.
#pragma once

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/log.h"
#include "godot-codec/enet/session.h"

namespace godot_codec {

/// Number of channels that a client requests by default in create_client(): three in Godot 3, ENet's maximum in Godot
/// 4.
inline constexpr std::uint32_t godot3_channel_count = 3;
inline constexpr std::uint32_t godot4_channel_count = 255;

/// Why a connection attempt fails.
enum class ConnectProblem : std::uint8_t {
  none,
  unreachable,         ///< an ICMP error reports that the port is closed
  no_route,            ///< an ICMP error reports that there is no route to the address
  prohibited,          ///< an ICMP error reports that a filter blocks the datagrams
  echoed,              ///< the client's own connect is sent back to it
  other_program,       ///< the server answers with text
  dtls_server,         ///< the server answers with a DTLS record, and the client does not use DTLS
  unreadable_answer,   ///< the server answers with an unknown compression
  answered_elsewhere,  ///< the answer comes from an address or port that the client does not know
  compressed_connect,  ///< no answer, and the connect is compressed: a server with another compression drops it
  unanswered,          ///< no answer
  answers_others,      ///< no answer, but the server sends to other clients: it has no free slot
  silent_server,       ///< no answer, and the server has sent nothing to any client since before the connect
  compressed_answer,   ///< the answer is compressed, the connect is not, and the client keeps retransmitting
  lost_answer,         ///< the server answers, but the client keeps retransmitting
  client_closed,       ///< the server answers, but the client has already closed its socket: ICMP reports it
  /// The server answers, and then sends nothing more. A Godot server does so if it refuses new connections or rejects
  /// the client's ID: ENetMultiplayerPeer::poll() resets the peer, which sends nothing.
  ignored,
};

/// Returns why the connection attempt fails, as of the datagrams so far. The result is final once the whole connection
/// has been fed.
[[nodiscard]] ConnectProblem find_connect_problem(const EnetConnection &connection);

/// Godot 3 and Godot 4 are connected with each other. The connection is established, but neither side understands the
/// other's messages.
struct GenerationMix {
  bool is_mixed = false;
  int client = 0;  ///< engine generation, 3 or 4; if is_mixed
  int server = 0;
};
[[nodiscard]] GenerationMix generation_mix(const EnetConnection &connection);

/// Updates the connection's facts from a command. @param is_repeated true for a retransmission
void record_connecting(EnetConnection &connection, const EnetArrival &arrival, const EnetDatagram &datagram,
                       const EnetCommand &command, bool is_repeated);

/// Updates the connection's facts from a datagram without a readable command.
void record_undecoded(EnetConnection &connection, const EnetArrival &arrival, Bytes whole,
                      const EnetDatagram &datagram);

/// A side that has vanished: it is silent, while the other side waits for its acknowledgements.
struct EnetVanishedSide {
  bool has_vanished = false;
  Side side = Side::first;           ///< the silent side; if has_vanished
  PacketPosition since;              ///< first sign: the ICMP error, or the first unanswered retransmission
  PacketPosition repeated;           ///< first datagram of the other side with an unanswered retransmission
  std::uint32_t repeats = 0;         ///< number of datagrams with unanswered retransmissions
  std::int64_t timed_out_after = 0;  ///< 0, unless the silent side has timed out the other side. Then: how long the
                                     ///< other side had been silent before, in nanoseconds
};

/// Returns the side that has vanished, as of the datagrams so far. A side that sends again has not vanished.
[[nodiscard]] EnetVanishedSide find_vanished_side(const EnetConnection &connection);

/// True if the server disconnected the client immediately after the connection was established, and before any message.
/// A Godot server does so if it refuses new connections or is full.
[[nodiscard]] bool is_rejected(const EnetConnection &connection);

/// True if an ENet connection began like connections of Godot's multiplayer: the client sends an id that it has chosen,
/// and requests 3 or 255 channels.
[[nodiscard]] bool is_godot_connect(const EnetConnection &connection);

}  // namespace godot_codec
