// SPDX-License-Identifier: MIT
/// @file
/// How a connection comes about, or why it does not, as far as a capture shows it.
#pragma once

#include "godot-codec/enet/session.h"

namespace godot_codec {

/// How many channels a client asks for unless create_client() is told otherwise: Godot 3 asks for three, Godot 4 for
/// all that ENet has.
inline constexpr std::uint32_t godot3_channel_count = 3;
inline constexpr std::uint32_t godot4_channel_count = 255;

/// Why a connection does not come about: what the client's connect is answered with.
enum class ConnectTrouble : std::uint8_t {
  none,
  unreachable,         ///< ICMP says that a connect did not get there
  no_route,            ///< ICMP says that no way leads to that address
  prohibited,          ///< ICMP says that a filter does not let it through
  echoed,              ///< the client's own connect comes back to it
  other_program,       ///< the server answers with text
  dtls_server,         ///< the server answers with a record of DTLS, which the client does not speak
  unreadable_answer,   ///< the server answers with bytes that are compressed in no way known here
  answered_elsewhere,  ///< the answer comes from another address or port, which the client does not know
  compressed_connect,  ///< no answer, and the connect is compressed: a server that compresses otherwise drops it
  unanswered,          ///< no answer
  answers_others,      ///< no answer, but the server goes on talking to other clients: it has no slot left
  answers_nobody,      ///< no answer, and the server has said nothing to anybody since before the connect
  compressed_answer,   ///< the answer is compressed, and the client, whose connect is not, goes on asking
  unheard_answer,      ///< the server answers, and the client goes on asking all the same
  client_closed,       ///< the server answers, and the client has closed its socket before: ICMP reports it
  /// The server answers, and then says nothing more. A Godot server does so if it refuses new connections, or does not
  /// like the client's id (ENetMultiplayerPeer::poll(): the peer is reset, which sends nothing)
  ignored,
};

/// Judges by what has been fed so far; final once the whole connection has been fed.
[[nodiscard]] ConnectTrouble connect_trouble(const EnetConnection &connection);

/// The two hosts are multiplayer peers of Godot 4 and Godot 3: a connection comes about, and neither understands a
/// word.
struct GenerationMix {
  bool is_mixed = false;
  int client = 0;  ///< generation; where is_mixed
  int server = 0;
};
[[nodiscard]] GenerationMix generation_mix(const EnetConnection &connection);

/// Learns from a command.
/// @param is_repeated it had been sent before
void learn_connecting(EnetConnection &connection, const EnetArrival &arrival, const EnetDatagram &datagram,
                      const EnetCommand &command, bool is_repeated);

/// Learns from a datagram without a readable command.
void learn_undecoded(EnetConnection &connection, const EnetArrival &arrival, Bytes whole, const EnetDatagram &datagram);

}  // namespace godot_codec
