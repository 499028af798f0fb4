// SPDX-License-Identifier: MIT
/// @file
/// How a connection is established, why it fails, and how it ends without a disconnect, as far as the capture shows.
///
/// ENet itself times out a silent peer after 5 to 30 s (ENET_PEER_TIMEOUT_MINIMUM, ENET_PEER_TIMEOUT_MAXIMUM).
/// Unanswered retransmissions show the silence earlier.
#pragma once

#include "godot-codec/core/packet_position.h"
#include "godot-codec/enet/command_log.h"
#include "godot-codec/enet/session.h"

namespace godot_codec {

/// Number of channels that a client requests by default in create_client(). Godot 3 requests three, Godot 4 requests
/// ENet's maximum.
inline constexpr std::uint32_t godot3_channel_count = 3;
inline constexpr std::uint32_t godot4_channel_count = 255;

/// The reason why a connection attempt fails.
enum class ConnectProblem : std::uint8_t {
  none,
  unreachable,         ///< an ICMP error reports that the server's port is closed
  no_route,            ///< an ICMP error reports that there is no route to the address
  prohibited,          ///< an ICMP error reports that a filter blocks the datagrams
  echoed,              ///< the client's connect is sent back to the client
  other_program,       ///< the server answers with text
  dtls_server,         ///< the server answers with a DTLS record, but the client does not use DTLS
  unreadable_answer,   ///< the server answers with an unknown compression
  answered_elsewhere,  ///< the answer comes from an address or port that the client does not know
  compressed_connect,  ///< no answer to a compressed connect: a server with another compression drops it
  unanswered,          ///< no answer
  answers_others,      ///< no answer, but the server sends to other clients, so it has no free slot
  silent_server,       ///< no answer, and the server has sent nothing to any client since the connect
  compressed_answer,   ///< only the answer is compressed, and the client keeps retransmitting its connect
  lost_answer,         ///< the server answers, but the client keeps retransmitting its connect
  client_closed,       ///< the server answers, but the client has already closed its socket, as an ICMP error reports
  /// The server answers, and then sends nothing more. A Godot server behaves like this if it refuses new connections or
  /// rejects the client's ID, because ENetMultiplayerPeer::poll() resets the peer silently.
  ignored,
};

/// Returns why the connection attempt fails, as of the newest datagram. The result is final after all datagrams of the
/// connection.
[[nodiscard]] ConnectProblem find_connect_problem(const EnetConnection &connection);

/// A connection between Godot 3 and Godot 4. The connection is established, but neither side understands the other
/// side's messages.
struct GenerationMismatch {
  bool is_mismatch = false;
  int client_generation = 0;  ///< engine generation of the client, 3 or 4; if is_mismatch
  int server_generation = 0;
};
[[nodiscard]] GenerationMismatch find_generation_mismatch(const EnetConnection &connection);

/// Updates the connection's facts from a command. @param is_repeated true for a retransmission
void record_connect_progress(EnetConnection &connection, const EnetDatagramContext &arrival,
                             const EnetDatagram &datagram, const EnetCommand &command, bool is_repeated);

/// Updates the connection's facts from a datagram without a readable command.
void record_undecoded_datagram(EnetConnection &connection, const EnetDatagramContext &arrival, Bytes whole,
                               const EnetDatagram &datagram);

/// A side that has vanished: it is silent while the other side waits for acknowledgements.
struct EnetVanishedSide {
  bool has_vanished = false;
  unsigned side = 0;              ///< the silent side; if has_vanished
  PacketPosition first_sign;      ///< position of the first sign: an ICMP error, or the first unanswered retransmission
  PacketPosition first_repeated;  ///< first datagram with an unanswered retransmission from the other side
  std::uint32_t unanswered_count = 0;  ///< number of datagrams with unanswered retransmissions
  std::int64_t timed_out_after = 0;    ///< if the silent side has timed out the other side: how long the other side was
                                       ///< silent before, in nanoseconds; otherwise 0
};

/// Returns the side that has vanished, as of the newest datagram. A side that sends again has not vanished.
[[nodiscard]] EnetVanishedSide find_vanished_side(const EnetConnection &connection);

/// True if the server disconnected the client immediately after the connection was established, before any message. A
/// Godot server behaves like this if it refuses new connections or is full.
[[nodiscard]] bool is_rejected(const EnetConnection &connection);

/// True if an ENet connection began like the connections of Godot's multiplayer. The client sends an ID of its choice,
/// and requests 3 or 255 channels.
[[nodiscard]] bool is_godot_connect(const EnetConnection &connection);

}  // namespace godot_codec
