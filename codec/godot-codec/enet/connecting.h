// SPDX-License-Identifier: MIT
/// @file
/// How a connection comes about, or why it does not, as far as a capture shows it.
#pragma once

#include "godot-codec/enet/session.h"

namespace godot_codec {

/// The channels that a client asks for: Godot 4's all that ENet has, Godot 3's three, unless told otherwise
/// (create_client()).
inline constexpr std::uint32_t godot3_channel_count = 3;
inline constexpr std::uint32_t godot4_channel_count = 255;

/// Why a connection does not come about.
enum class ConnectTrouble : std::uint8_t {
  none,
  unreachable,         ///< ICMP says that a connect did not get there
  no_route,            ///< ICMP says that no way leads to that address
  prohibited,          ///< ICMP says that a filter does not let it through
  echoed,              ///< its own connect comes back
  other_program,       ///< it answers with text
  dtls_server,         ///< the server answers with a record of DTLS, which the client does not speak
  unreadable_answer,   ///< it answers with what is compressed, and in no way that is known here
  answered_elsewhere,  ///< it answers from another address or port, where the client knows nobody
  compressed_connect,  ///< it does not answer, and the connect is compressed: who compresses otherwise drops it
  unanswered,          ///< it does not answer
  answers_others,      ///< it does not answer, and goes on talking to other clients: it has no slot left
  answers_nobody,      ///< it does not answer, and has said nothing to anybody since before
  compressed_answer,   ///< its answer is compressed, and the client, whose connect is not, goes on asking
  unheard_answer,      ///< it answers, and the client goes on asking all the same
  /// It answers, and then nothing more: as Godot's server does that refuses new connections, or does not like the
  /// client's id (ENetMultiplayerPeer::poll(): the peer is reset, which sends nothing)
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
