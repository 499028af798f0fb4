// SPDX-License-Identifier: MIT
#include "godot-codec/enet/connection_diagnosis.h"

#include "godot-codec/encryption/dtls.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {
namespace {

// A client that retransmits min_repetitions times is not just waiting for a delayed answer. If a server sends nothing
// during min_unanswered retransmissions, packet loss alone does not explain it.
constexpr std::uint32_t min_repetitions = 2;
constexpr std::uint32_t min_unanswered = 3;
// Minimum ID of a client (MultiplayerPeer::generate_unique_id()).
constexpr std::uint32_t least_client_id = 2;
// Size in bytes of the message by which a Godot 3 server announces that a peer has connected or disconnected. This
// message has its own channel.
constexpr std::size_t godot3_system_message_size = 8;

std::uint32_t bit_of(Compression compression) { return std::uint32_t{1} << static_cast<unsigned>(compression); }

bool is_client(const EnetConnection &connection, unsigned side) {
  return connection.has_connect && side == connection.client_direction;
}

// Detects the engine generation of a sender's multiplayer from a reliable message.
void record_generation(EnetConnection &connection, unsigned sender, const EnetDatagram &datagram,
                       const EnetCommand &command) {
  if (!command.is(EnetCommandType::send_reliable)) return;
  EnetSideFacts &side = connection.facts.sides[sender];
  // Godot 3 sends system messages on channel 0 and the game's messages on channel 1. Godot 4 sends the game's messages
  // on channel 0.
  if (command.channel == 0 && command.data.length != godot3_system_message_size) side.is_like_godot4 = true;
  if (command.channel != 1 || !is_client(connection, sender)) return;
  Cursor cursor(datagram.commands_bytes, command.data.offset);
  if (command.data.length > godot3_system_message_size && cursor.read<std::uint32_t>() == connection.connect_data) {
    side.is_like_godot3 = true;
  }
}

}  // namespace

void record_connect_progress(EnetConnection &connection, const EnetDatagramContext &arrival,
                             const EnetDatagram &datagram, const EnetCommand &command, bool is_repeated) {
  EnetConnectionFacts &facts = connection.facts;
  const bool is_new = facts.last_client_attempt != arrival.position;
  if (command.is(EnetCommandType::connect)) {
    if (connection.has_connect && !is_client(connection, arrival.sender)) {
      facts.is_echoed = true;
      return;
    }
    // Each datagram with a connect counts once, because ENet sends at most one connect per datagram.
    if (facts.connects == 0 || is_new) ++facts.connects;
    facts.connect_compression = datagram.compression;
  } else if (command.is(EnetCommandType::verify_connect)) {
    facts.is_answer_retransmitted |= facts.is_connect_answered;
    ++facts.verify_connects;
    if (facts.is_connect_answered) return;
    facts.is_connect_answered = true;
    facts.verify_connect_position = arrival.position;
    facts.verify_connect_time = arrival.time;
    facts.answer_compression = datagram.compression;
    facts.allowed_channels = command.value(EnetField::connect_channel_count);
    if (connection.server != nullptr) connection.server->answered_compressions |= bit_of(facts.connect_compression);
  } else if (is_client(connection, arrival.sender)) {
    facts.has_client_continued |= facts.is_connect_answered;
  } else {
    facts.has_server_continued |= facts.is_connect_answered;
  }
  // A datagram with several retransmissions counts once, because ENet retransmits several commands together.
  const bool is_client_retransmitting =
      is_repeated && facts.is_connect_answered && is_client(connection, arrival.sender);
  if (is_client_retransmitting && is_new) ++facts.client_retransmissions;
  if (is_client_retransmitting || command.is(EnetCommandType::connect)) facts.last_client_attempt = arrival.position;
  record_generation(connection, arrival.sender, datagram, command);
}

void record_undecoded_datagram(EnetConnection &connection, const EnetDatagramContext &arrival, Bytes whole,
                               const EnetDatagram &datagram) {
  EnetConnectionFacts &facts = connection.facts;
  if (!connection.has_connect || is_client(connection, arrival.sender) || facts.is_connect_answered) return;
  const std::string_view text(reinterpret_cast<const char *>(whole.data), whole.captured);
  facts.has_text_answer = facts.has_text_answer || is_plain_text(text);
  const bool is_unreadable = datagram.header.is_compressed && datagram.outcome == Outcome::unsupported;
  if (is_dtls(whole)) {
    if (facts.dtls.packet == 0) facts.dtls = arrival.position;
  } else if (is_unreadable && facts.unreadable_answer.packet == 0) {
    facts.unreadable_answer = arrival.position;
  }
}

namespace {

// Finds why a connection is not established although the server has answered the connect.
ConnectProblem find_problem_after_answer(const EnetConnection &connection) {
  const EnetConnectionFacts &facts = connection.facts;
  const bool is_only_answer_compressed =
      facts.answer_compression != Compression::none && facts.connect_compression == Compression::none;
  // Without an answer, a client retransmits its connect after 0.5 s and 1.5 s. ENet retransmits the answer at the same
  // intervals. So three answers without a retransmitted connect mean that the client is closed.
  constexpr std::uint32_t min_answers = 3;
  const EnetSideFacts &server = facts.sides[1 - connection.client_direction];
  const bool is_closed = server.icmp_error.packet != 0 && server.icmp_error_reason == EnetIcmpErrorReason::unreachable;
  if (is_closed && facts.verify_connects >= min_answers && facts.client_retransmissions == 0 &&
      !facts.has_client_continued) {
    return ConnectProblem::client_closed;
  }
  // If this many answers are not acknowledged, the answers do not reach the client. This holds even if the client has
  // given up by now.
  const bool is_in_vain =
      facts.verify_connects > min_unanswered && !facts.has_client_continued && !facts.has_server_continued;
  if (is_in_vain && !is_only_answer_compressed) return ConnectProblem::lost_answer;
  const std::uint32_t announcement = facts.has_client_continued ? min_unanswered : min_repetitions;
  if (facts.client_retransmissions < announcement || facts.has_server_continued) return ConnectProblem::none;
  // A server that retransmits its answer still waits for the client. A server that does not retransmit it has dropped
  // the client.
  if (facts.has_client_continued) return facts.is_answer_retransmitted ? ConnectProblem::none : ConnectProblem::ignored;
  return is_only_answer_compressed ? ConnectProblem::compressed_answer : ConnectProblem::lost_answer;
}

}  // namespace

ConnectProblem find_connect_problem(const EnetConnection &connection) {
  const EnetConnectionFacts &facts = connection.facts;
  if (!connection.has_connect) return ConnectProblem::none;
  if (facts.is_connect_answered) return find_problem_after_answer(connection);
  // A message proves that the server answered. Only the capture lacks the answer.
  if (facts.first_message.packet != 0) return ConnectProblem::none;
  if (facts.answer_from_elsewhere.packet != 0) return ConnectProblem::answered_elsewhere;
  const EnetSideFacts &client = facts.sides[connection.client_direction];
  if (client.icmp_error.packet != 0) {
    if (client.icmp_error_reason == EnetIcmpErrorReason::no_route) return ConnectProblem::no_route;
    return client.icmp_error_reason == EnetIcmpErrorReason::prohibited ? ConnectProblem::prohibited
                                                                       : ConnectProblem::unreachable;
  }
  if (facts.is_echoed) return ConnectProblem::echoed;
  if (facts.has_text_answer) return ConnectProblem::other_program;
  if (facts.dtls.packet != 0) return ConnectProblem::dtls_server;
  if (facts.unreadable_answer.packet != 0) return ConnectProblem::unreadable_answer;
  const bool is_readable = facts.connect_compression == Compression::none ||
                           (connection.server != nullptr &&
                            (connection.server->answered_compressions & bit_of(facts.connect_compression)) != 0);
  if (!is_readable) return ConnectProblem::compressed_connect;
  // The server has not answered this client, so all its datagrams were for other clients.
  if (connection.server == nullptr || connection.server->last_sent.packet == 0) return ConnectProblem::unanswered;
  const bool answers_others = elapsed(client.first_heard, connection.server->last_sent_time) > 0;
  return answers_others ? ConnectProblem::answers_others : ConnectProblem::silent_server;
}

GenerationMismatch find_generation_mismatch(const EnetConnection &connection) {
  const EnetConnectionFacts &facts = connection.facts;
  if (!connection.has_connect || !facts.is_connect_answered || connection.connect_data < least_client_id) return {};
  const EnetSideFacts &of_client = facts.sides[connection.client_direction];
  const EnetSideFacts &of_server = facts.sides[1 - connection.client_direction];
  const bool is_godot4_asking = connection.channel_count == godot4_channel_count && !of_client.is_like_godot3;
  if (is_godot4_asking && facts.allowed_channels == godot3_channel_count && !of_server.is_like_godot4) {
    return {true, 4, 3};
  }
  const bool is_godot3_asking = connection.channel_count == godot3_channel_count && of_client.is_like_godot3;
  return is_godot3_asking && of_server.is_like_godot4 ? GenerationMismatch{true, 3, 4} : GenerationMismatch{};
}

namespace {

// Minimum number of unanswered retransmissions. Packet loss rarely hits a command and also its first two
// retransmissions. After an ICMP error, one retransmission is enough.
constexpr std::uint32_t min_repeats = 3;
constexpr std::uint32_t min_repeats_with_icmp = 1;
// Maximum time between a connection and its rejection, in nanoseconds. Godot handles a new connection in its next game
// frame.
constexpr std::int64_t rejected_within = nanoseconds_per_second;

}  // namespace

EnetVanishedSide find_vanished_side(const EnetConnection &connection) {
  const EnetConnectionFacts &facts = connection.facts;
  // A connection that was never established is skipped, because find_connect_problem() reports it.
  const bool is_up = !connection.has_connect || facts.has_server_continued || facts.first_message.packet != 0;
  if (!is_up || facts.is_stray_answer) return {};
  const bool is_disconnected = facts.end.kind == EnetConnectionEndKind::disconnected;
  for (const unsigned waiting : {0U, 1U}) {
    // The silence is normal if the other side has disconnected. It is also normal if only commands after this side's
    // own disconnect are unanswered, because a peer does not have to answer those.
    const bool is_disconnect =
        is_disconnected && (facts.end.by != waiting || facts.end.position <= facts.sides[waiting].unanswered_since);
    if (is_disconnect) continue;
    const EnetSideFacts &side = facts.sides[waiting];
    if (side.unanswered_count < (side.icmp_error.packet != 0 ? min_repeats_with_icmp : min_repeats)) continue;
    const PacketPosition repeated = side.unanswered_since;
    const bool is_refused_first = side.icmp_error.packet != 0 && side.icmp_error < repeated;
    // A host sends at least twice per second. If the host stalled, its peer may have timed out the host: by default
    // after 5 s or more, earlier after set_timeout(). Then the peer drops all datagrams of the host.
    constexpr std::int64_t timed_out_after = nanoseconds_per_second;
    const std::int64_t before = elapsed(facts.sides[1 - waiting].last_heard, side.silent_until);
    const bool has_timed_out = side.icmp_error.packet == 0 && side.longest_silence > timed_out_after &&
                               before > -nanoseconds_per_second && before <= side.longest_silence;
    return {true,     1 - waiting,           is_refused_first ? side.icmp_error : repeated,
            repeated, side.unanswered_count, has_timed_out ? side.longest_silence : 0};
  }
  return {};
}

bool is_rejected(const EnetConnection &connection) {
  const EnetConnectionFacts &facts = connection.facts;
  const EnetConnectionEnd &end = facts.end;
  const bool is_by_server = end.kind == EnetConnectionEndKind::disconnected && connection.has_connect &&
                            end.by != connection.client_direction;
  if (!is_by_server) return false;
  const bool is_before_messages = facts.first_message.packet == 0 || facts.first_message > end.position;
  // If the answer was not captured, the time of the server's first datagram is used instead.
  const std::int64_t answered = facts.is_connect_answered ? facts.verify_connect_time : facts.sides[end.by].first_heard;
  const bool is_at_once = elapsed(answered, end.time) <= rejected_within;
  return is_before_messages && is_at_once;
}

bool is_godot_connect(const EnetConnection &connection) {
  const bool is_usual =
      connection.channel_count == godot3_channel_count || connection.channel_count == godot4_channel_count;
  return connection.has_connect && is_usual &&
         static_cast<std::int32_t>(connection.connect_data) >= static_cast<std::int32_t>(least_client_id);
}

}  // namespace godot_codec
