// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/rules.h"

#include <algorithm>
#include <cstdlib>

#include "godot-codec/enet/compression.h"
#include "godot-codec/enet/connection_state.h"
#include "plugin/enet/fields.h"
#include "plugin/enet/state.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

using godot_codec::ConnectProblem;
using godot_codec::EnetCommandType;
using godot_codec::EnetConnection;
using godot_codec::EnetEnd;
using godot_codec::EnetEndKind;
using godot_codec::EnetFacts;
using godot_codec::EnetVanishedSide;
using godot_codec::index_of;
using godot_codec::Side;

// Godot's ENet sends at least twice per second. A side that is silent for longer than this has vanished, or its packets
// do not arrive. In nanoseconds.
constexpr std::int64_t min_silence = 5 * godot_codec::nanoseconds_per_second;

bool is_server(const packet_info *pinfo, const EnetConnection &connection, Side side) {
  if (connection.has_connect) return index_of(side) != connection.client_direction;
  return (index_of(side) == direction_of(pinfo)) != is_to_server(pinfo, connection);
}

const char *name_of(const packet_info *pinfo, const EnetConnection &connection, Side side) {
  return is_server(pinfo, connection, side) ? "server" : "client";
}

double seconds(std::int64_t time) { return static_cast<double>(time) / godot_codec::nanoseconds_per_second; }

const char *name_of(godot_codec::Compression compression) {
  return godot_codec::compression_name(compression).data();  // names are literals, so they are zero-terminated
}

bool is_loopback(const packet_info *pinfo) {
  constexpr std::uint8_t loopback_net = 127;
  const auto *bytes = static_cast<const std::uint8_t *>(pinfo->dst.data);
  return pinfo->dst.type == AT_IPv4 && pinfo->dst.len > 0 && bytes[0] == loopback_net;
}

constexpr const char *same_compression =
    "Call compress() of the peer's host with the same mode on both sides (Godot 3: compression_mode), or on neither.";
constexpr const char *another_port =
    "Start the game server there. If another program uses the port, choose another port in create_server() and create_client().";

// Cause: an ICMP error reports that the server's port is closed.
Finding describe_closed_port(packet_info *pinfo, const EnetConnection &connection) {
  const std::uint32_t frame = connection.facts.sides[connection.client_direction].refused.packet;
  return {
      .text = wmem_strdup_printf(
          pinfo->pool, "an ICMP error reports a closed port (frame %u): no server at that port%s, or a firewall", frame,
          pinfo->dst.type == AT_IPv6 ? ", a server that listens on IPv4 only" : ""),
      .mark = "port closed",
      .advice =
          "Start the server before the client, at the same port, and check that create_server() returns OK. Is the UDP port open in the firewall?"};
}

// Cause: an ICMP error reports that there is no route to the server's address.
Finding describe_no_route(packet_info *pinfo, const EnetConnection &connection) {
  const std::uint32_t frame = connection.facts.sides[connection.client_direction].refused.packet;
  return {.text = wmem_strdup_printf(
              pinfo->pool, "an ICMP error reports no route to that address (frame %u): is the address right?", frame),
          .mark = "no route to the address",
          .advice = "Does create_client() use the address of the server, and can this network reach it?"};
}

// Cause: an ICMP error reports that a firewall blocks the datagrams.
Finding describe_blocked(packet_info *pinfo, const EnetConnection &connection) {
  const std::uint32_t frame = connection.facts.sides[connection.client_direction].refused.packet;
  return {.text = wmem_strdup_printf(pinfo->pool, "an ICMP error reports that a firewall blocks it (frame %u)", frame),
          .mark = "blocked by a firewall",
          .advice = "Open the UDP port in the firewall that blocks it: on the server, or on the path to it."};
}

// Cause: the server has answered clients before, but none since a certain frame.
Finding describe_hanging_server(packet_info *pinfo, const EnetConnection &connection) {
  return {
      .text = wmem_strdup_printf(
          pinfo->pool,
          "the server has not answered any client since frame %u: it hangs (an endless loop, a breakpoint), does not poll its peer, has quit, or is disconnected",
          connection.server->last_sent.packet),
      .mark = "no answer: the server answers no client",
      .advice = "Does the server still run, and poll its peer every frame?"};
}

// Cause: the server uses DTLS, and the client does not.
Finding describe_server_with_dtls(packet_info *pinfo, const EnetConnection &connection) {
  return {
      .text = wmem_strdup_printf(pinfo->pool, "the server uses DTLS (frame %u), the client does not",
                                 connection.facts.dtls.packet),
      .mark = "the server requires DTLS",
      .advice =
          "Call dtls_client_setup() on the host of the client, too, or remove dtls_server_setup() from the server."};
}

// Cause: the answer cannot be decompressed.
Finding describe_unreadable_answer(packet_info *pinfo, const EnetConnection &connection) {
  return {
      .text = wmem_strdup_printf(
          pinfo->pool, "the answer uses an unknown compression (frame %u): a client without that compression drops it",
          connection.facts.unreadable.packet),
      .mark = "the answer uses an unknown compression",
      .advice = same_compression};
}

// Cause: the answer comes from another port or address.
Finding describe_answer_from_elsewhere(packet_info *pinfo, const EnetConnection &connection) {
  return {
      .text = wmem_strdup_printf(
          pinfo->pool,
          "the answer (frame %u) comes from port %u or from another address, so the client drops it: a router, a container or a server with several addresses changes the source",
          connection.facts.answered_elsewhere.packet, connection.facts.answering_port),
      .mark = "the answer comes from another port",
      .advice =
          "The server must answer from the address and port to which clients connect: use set_bind_ip(), or change the forwarding of the router."};
}

// Cause: the connect is compressed, and there is no answer.
Finding describe_compressed_connect(packet_info *pinfo, const EnetConnection &connection) {
  const bool is_like_godot3 = connection.channel_count == godot_codec::godot3_channel_count &&
                              connection.facts.connect_compression == godot_codec::Compression::range_coder;
  return {.text = wmem_strdup_printf(
              pinfo->pool, "they are compressed (%s): a server with another compression, or none, drops them%s",
              name_of(connection.facts.connect_compression),
              is_like_godot3 ? ". This is the default of Godot 3: is the server a Godot 4 server?" : ""),
          .mark = "compressed: the server may not support it",
          .advice = same_compression};
}

// Cause: the answer is compressed, and the connect is not.
Finding describe_compressed_answer(packet_info *pinfo, const EnetConnection &connection) {
  return {.text = wmem_strdup_printf(
              pinfo->pool,
              "the answer (frame %u) is compressed (%s), but the connect is not: a client without compression drops it",
              connection.facts.connect_answered.packet, name_of(connection.facts.answer_compression)),
          .mark = "the answer is compressed, the connect is not",
          .advice = same_compression};
}

// Cause: the answer does not reach the client.
Finding describe_blocked_answer(packet_info *pinfo, const EnetConnection &connection) {
  return {
      .text = wmem_strdup_printf(pinfo->pool, "the answer (frame %u) does not reach the client: a firewall blocks it",
                                 connection.facts.connect_answered.packet),
      .mark = "the answer does not arrive",
      .advice = "Allow UDP from the port of the server to the client, in its firewall or its router."};
}

// Cause: the client closed its socket before the answer arrived.
Finding describe_closed_socket(packet_info *pinfo, const EnetConnection &connection) {
  return {
      .text = wmem_strdup_printf(
          pinfo->pool,
          "the client closed its socket before the answer (frame %u) arrived (ICMP, frame %u). Its peer was freed (a local variable, for example), or a second create_client() replaced it",
          connection.facts.connect_answered.packet,
          connection.facts.sides[1 - connection.client_direction].refused.packet),
      .mark = "the client closed its socket",
      .advice =
          "Keep the peer: assign it to multiplayer.multiplayer_peer, or to a member variable. Call create_client() only once while it connects."};
}

// Cause: the server accepted the client and has ignored it since.
Finding describe_ignored_client(packet_info *pinfo, const EnetConnection &connection) {
  return {
      .text = wmem_strdup_printf(
          pinfo->pool,
          "it refuses new connections, already has a client of that ID, or has stopped since it answered (frame %u)",
          connection.facts.connect_answered.packet),
      .mark = "accepted, then ignored",
      .advice =
          "Set refuse_new_connections to false on the server, or show the player that the game has started. Does the server still run?"};
}

// There is no answer, and the capture does not show why.
Finding describe_no_answer(packet_info *pinfo) {
  return {
      // On the loopback interface, an ICMP error would report a closed port immediately.
      .text =
          is_loopback(pinfo)
              ? "no ICMP error, so the port is probably open: the server hangs, does not poll, is full, uses compression or DTLS, or a firewall drops the packets"
              : "the address or port is wrong, no server runs there, a firewall blocks it, or the server is full, listens on IPv4 only, uses DTLS, hangs or does not poll",
      .mark = "no answer",
      .advice =
          "Check that the server runs there, polls its peer and is not full, that the UDP port is open and forwarded, and that both sides use the same compression and DTLS settings."};
}

// Returns the likely cause of a failed connection attempt: text, mark and advice.
Finding find_likely_cause(packet_info *pinfo, const EnetConnection &connection, ConnectProblem trouble) {
  switch (trouble) {
    case ConnectProblem::unreachable:
      return describe_closed_port(pinfo, connection);
    case ConnectProblem::no_route:
      return describe_no_route(pinfo, connection);
    case ConnectProblem::prohibited:
      return describe_blocked(pinfo, connection);
    case ConnectProblem::answers_others:
      return {
          .text = "the server answers other clients: it is full (max_clients), or rejects this client",
          .mark = "no answer: is the server full?",
          .advice =
              "Raise max_clients of create_server(). Clients that left without close() keep their slot for up to 30 seconds."};
    case ConnectProblem::silent_server:
      return describe_hanging_server(pinfo, connection);
    case ConnectProblem::echoed:
      return {.text = "the datagrams come back unchanged: that port runs an echo service, not a game server",
              .mark = "echo service at that port",
              .advice = another_port};
    case ConnectProblem::other_program:
      return {.text = "the answer is text: another program uses that port",
              .mark = "another program at that port",
              .advice = another_port};
    case ConnectProblem::dtls_server:
      return describe_server_with_dtls(pinfo, connection);
    case ConnectProblem::unreadable_answer:
      return describe_unreadable_answer(pinfo, connection);
    case ConnectProblem::answered_elsewhere:
      return describe_answer_from_elsewhere(pinfo, connection);
    case ConnectProblem::compressed_connect:
      return describe_compressed_connect(pinfo, connection);
    case ConnectProblem::compressed_answer:
      return describe_compressed_answer(pinfo, connection);
    case ConnectProblem::lost_answer:
      return describe_blocked_answer(pinfo, connection);
    case ConnectProblem::client_closed:
      return describe_closed_socket(pinfo, connection);
    case ConnectProblem::ignored:
      return describe_ignored_client(pinfo, connection);
    case ConnectProblem::none:
    case ConnectProblem::unanswered:
      break;
  }
  return describe_no_answer(pinfo);
}

// Returns the finding about a failed connection attempt. Its text begins in lower case, because other texts embed it.
Finding describe_failed_connect(packet_info *pinfo, const EnetConnection &connection, ConnectProblem trouble) {
  const EnetFacts &facts = connection.facts;
  const char *plural = facts.connects == 1 ? "" : "s";
  Finding finding = find_likely_cause(pinfo, connection, trouble);
  if (trouble == ConnectProblem::ignored) {
    finding.text = wmem_strdup_printf(pinfo->pool, "accepted, then ignored by the server: %s", finding.text);
  } else if (facts.is_connect_answered) {
    finding.text =
        wmem_strdup_printf(pinfo->pool, "%u connection attempt%s failed: %s", facts.connects, plural, finding.text);
  } else {
    finding.text = wmem_strdup_printf(pinfo->pool, "no answer to %u connection attempt%s: %s", facts.connects, plural,
                                      finding.text);
  }
  return finding;
}

const char *describe_mix(packet_info *pinfo, const godot_codec::GenerationMix &mix) {
  return wmem_strdup_printf(pinfo->pool,
                            "the client is Godot %d and the server is Godot %d: neither understands the other",
                            mix.client, mix.server);
}

ExpertItem peer_gone{
    {"enet.peer_gone", PI_SEQUENCE, PI_WARN, "A side of the connection vanished without a disconnect (two-pass)"},
    {.weight = 540,
     .plural = "%u connections ended without a disconnect: a side was killed, or the network failed",
     .advice =
         "Did it crash, or did the network fail? See its log. Call multiplayer_peer.close() before the program ends, so that the others know at once.",
     .merge = Merge::all,
     .is_marked = false}};

ExpertItem peer_timeout{
    {"enet.peer_timeout", PI_SEQUENCE, PI_WARN,
     "A host no longer answers a peer after a long silence of that peer (two-pass)"},
    {.weight = 170,
     .advice =
         "Load scenes with ResourceLoader.load_threaded_request(), or allow longer stalls with ENetPacketPeer.set_timeout()."}};

const char *describe_refusal(godot_codec::EnetRefusal refusal) {
  switch (refusal) {
    case godot_codec::EnetRefusal::unreachable:
      break;
    case godot_codec::EnetRefusal::no_route:
      return "there is no route any more";
    case godot_codec::EnetRefusal::prohibited:
      return "a firewall blocks it";
  }
  return "the port is closed";
}

double seconds_in_capture(const packet_info *pinfo, std::int64_t time) {
  return nstime_to_sec(&pinfo->rel_ts) - seconds(time_of(pinfo) - time);
}

// Returns "for 10.6 s, from 1.43 s to 12.00 s of the capture".
const char *describe_stall(packet_info *pinfo, const godot_codec::EnetSideFacts &side) {
  return wmem_strdup_printf(pinfo->pool, "for %.1f s, from %.2f s to %.2f s of the capture",
                            seconds(side.longest_silence),
                            seconds_in_capture(pinfo, side.silent_until - side.longest_silence),
                            seconds_in_capture(pinfo, side.silent_until));
}

// Describes which side vanished, and what shows that.
const char *describe_vanished(packet_info *pinfo, const EnetConnection &connection, const EnetVanishedSide &gone) {
  const godot_codec::EnetSideFacts &left = connection.facts.of(other_side(gone.side));
  const char *who = name_of(pinfo, connection, gone.side);
  if (gone.timed_out_after > 0) {
    const char *whom = name_of(pinfo, connection, other_side(gone.side));
    return wmem_strdup_printf(
        pinfo->pool,
        "%s timed out the %s (peer_disconnected), which stalled %s. The %s was last active at %.2f s and has dropped everything from the %s since then",
        who, whom, describe_stall(pinfo, left), who,
        seconds_in_capture(pinfo, connection.facts.of(gone.side).last_heard), whom);
  }
  const char *how = "no answers since";
  if (left.refused.packet != 0) {
    how = wmem_strdup_printf(pinfo->pool, "ICMP errors report that %s (frame %u)", describe_refusal(left.refusal),
                             left.refused.packet);
  }
  return wmem_strdup_printf(pinfo->pool, "%s vanished at frame %u without a disconnect: %s", who, gone.since.packet,
                            how);
}

// Describes a connection that has not ended. Says which side, if any, was silent for long when the capture ended.
const char *describe_open_connection(packet_info *pinfo, const EnetConnection &connection) {
  if (const EnetVanishedSide gone = find_vanished_side(connection); gone.has_vanished)
    return describe_vanished(pinfo, connection, gone);
  const godot_codec::EnetSideFacts &first = connection.facts.of(Side::first);
  const godot_codec::EnetSideFacts &second = connection.facts.of(Side::second);
  if (first.datagrams == 0 || second.datagrams == 0) return "open";
  const std::int64_t silence = godot_codec::elapsed(first.last_heard, second.last_heard);
  const Side silent = silence > 0 ? Side::first : Side::second;
  const double seconds = static_cast<double>(silence) / godot_codec::nanoseconds_per_second;
  if (silence < min_silence && silence > -min_silence) return "open";
  return wmem_strdup_printf(pinfo->pool, "open, %s silent for the last %.1f s", name_of(pinfo, connection, silent),
                            silence > 0 ? seconds : -seconds);
}

// Describes how the connection ended, or why the attempt failed.
const char *describe_last(packet_info *pinfo, const EnetConnection &connection) {
  const EnetEnd &end = connection.facts.end;
  const ConnectProblem trouble = find_connect_problem(connection);
  const bool is_disconnected = end.kind == EnetEndKind::disconnected;
  if (trouble == ConnectProblem::ignored || (trouble != ConnectProblem::none && !is_disconnected)) {
    return describe_failed_connect(pinfo, connection, trouble).text;
  }
  if (const EnetVanishedSide gone = find_vanished_side(connection); is_disconnected && gone.has_vanished) {
    return describe_vanished(pinfo, connection, gone);
  }
  if (is_disconnected) {
    const char *verb = is_rejected(connection) ? "refused" : "disconnected";
    return wmem_strdup_printf(pinfo->pool, "%s by %s, data %u", verb, name_of(pinfo, connection, end.by), end.data);
  }
  if (end.kind == EnetEndKind::replaced) {
    return wmem_strdup_printf(pinfo->pool, "replaced by another connection (frame %u)", end.position.packet);
  }
  return describe_open_connection(pinfo, connection);
}

// True for a command with which a client tries to connect.
bool is_trying(const packet_info *pinfo, const EnetConnection &connection, const godot_codec::EnetCommand &command,
               bool is_repeated) {
  const bool is_client = direction_of(pinfo) == connection.client_direction;
  return is_client && (command.is(EnetCommandType::connect) || is_repeated);
}

}  // namespace

bool is_stall_of_timeout(const EnetConnection &connection, Side sender, const godot_codec::EnetStall &stall) {
  constexpr std::int64_t few = godot_codec::nanoseconds_per_second / 5;
  const EnetVanishedSide gone = find_vanished_side(connection);
  return gone.has_vanished && gone.timed_out_after > 0 && gone.side != sender &&
         std::abs(stall.length - gone.timed_out_after) < few;
}

bool is_to_server(const packet_info *pinfo, const EnetConnection &connection) {
  if (connection.has_connect) return direction_of(pinfo) == connection.client_direction;
  return pinfo->destport == connection.server_port;
}

const char *describe_end(packet_info *pinfo, const EnetConnection &connection) {
  const char *end = describe_last(pinfo, connection);
  const godot_codec::GenerationMix mix = generation_mix(connection);
  return mix.is_mixed ? wmem_strdup_printf(pinfo->pool, "%s; %s", end, describe_mix(pinfo, mix)) : end;
}

std::int64_t longest_silence(const EnetConnection &connection) {
  return std::max(connection.facts.of(Side::first).longest_silence, connection.facts.of(Side::second).longest_silence);
}

namespace {

ExpertItem stalled{
    {"enet.stalled", PI_SEQUENCE, PI_WARN, "A side stalled: it answered far later than usual"},
    {.weight = 490,
     .advice =
         "What was the game doing at that time? ResourceLoader.load_threaded_request() loads without stopping the game."}};

}  // namespace

Finding find_stall(packet_info *pinfo, const EnetConnection &connection, const godot_codec::EnetStall &stall) {
  const Side sender = direction_of(pinfo) == 0 ? Side::first : Side::second;
  const char *text = wmem_strdup_printf(pinfo->pool, "The %s stalled for %.1f s", name_of(pinfo, connection, sender),
                                        seconds(stall.length));
  const char *longest = stall.count == 1 ? ""
                                         : wmem_strdup_printf(pinfo->pool, ", the longest of %u: %.1f s", stall.count,
                                                              seconds(stall.longest));
  return {.rule = &stalled,
          .text = wmem_strdup_printf(pinfo->pool, "%s, until %.2f s of the capture%s", text,
                                     nstime_to_sec(&pinfo->rel_ts), longest),
          .mark = text};
}

namespace {

ExpertItem slow_frames{
    {"enet.slow_frames", PI_SEQUENCE, PI_NOTE, "A side has ten frames per second or fewer"},
    {.weight = 520,
     .advice = "A side answers once per frame. What keeps it busy (Engine.max_fps, a long _process())?"}};

}  // namespace

Finding find_slow_frames(packet_info *pinfo, const EnetConnection &connection, std::int64_t frame_time) {
  // Servers with ten frames per second are not rare. A lower rate is seldom intended. In nanoseconds, with a tolerance
  // of 5 ms.
  constexpr std::int64_t slow = godot_codec::nanoseconds_per_second / 10 - godot_codec::nanoseconds_per_second / 200;
  if (frame_time < slow) return {};
  const Side sender = direction_of(pinfo) == 0 ? Side::first : Side::second;
  return {.rule = &slow_frames,
          .text = wmem_strdup_printf(
              pinfo->pool, "The %s runs at %.1f frames per second: it answers and sends only every %.0f ms",
              name_of(pinfo, connection, sender), 1 / seconds(frame_time), 1000 * seconds(frame_time))};
}

namespace {

ExpertItem connect_repeated{"enet.connect_repeated", PI_SEQUENCE, PI_NOTE,
                            "Connect that was answered only after retransmissions: the server may have started later"};

}  // namespace

Finding find_failed_connect(packet_info *pinfo, const godot_codec::EnetFindings &known,
                            const godot_codec::EnetCommand &command, bool is_repeated) {
  if (known.connection == nullptr) return {};
  const EnetConnection &connection = *known.connection;
  const EnetFacts &facts = connection.facts;
  if (command.is(EnetCommandType::disconnect)) {
    const Side by = direction_of(pinfo) == 0 ? Side::first : Side::second;
    if (!is_rejected(connection) || by != facts.end.by) return {};
    return {.rule = &enet_experts.unanswered_connect,
            .text = wmem_strdup_printf(pinfo->pool, "The server refused the client, data %u",
                                       command.value(godot_codec::EnetField::disconnect_data)),
            .mark = "refused",
            .advice = "Find the call of peer_disconnect() with this number on the server."};
  }
  // Only later messages show the engine versions of the two sides.
  if (known.position == facts.connect_answered && PINFO_FD_VISITED(pinfo)) {
    const godot_codec::GenerationMix mix = generation_mix(connection);
    if (!mix.is_mixed) return {};
    return {.rule = &enet_experts.unanswered_connect,
            .text = as_sentence(pinfo, describe_mix(pinfo, mix)),
            .mark = "different engine versions",
            .advice = "Run the same release of the engine on both sides."};
  }
  if (!is_trying(pinfo, connection, command, is_repeated)) return {};
  const ConnectProblem trouble = find_connect_problem(connection);
  // The answer to a connect that was sent only once may have arrived after the end of the capture.
  const bool is_certain =
      facts.connects > 1 || facts.is_connect_answered || facts.sides[connection.client_direction].refused.packet != 0;
  if (trouble != ConnectProblem::none && is_certain) {
    Finding finding = describe_failed_connect(pinfo, connection, trouble);
    finding.rule = &enet_experts.unanswered_connect;
    finding.text = as_sentence(pinfo, finding.text);
    return finding;
  }
  const bool is_late = command.is(EnetCommandType::connect) && facts.connects > 1 && facts.is_connect_answered &&
                       known.position < facts.connect_answered;
  if (!is_late || !is_repeated) return {};
  return {.rule = &connect_repeated, .text = "The connect was not answered for long: this is a retransmission"};
}

namespace {

ExpertItem disconnected{
    {"enet.disconnected", PI_SEQUENCE, PI_CHAT, "A side disconnected"},
    {.weight = 550,
     .plural = "The server disconnected %u clients",
     .advice =
         "Nothing if intended. Otherwise look for close() and disconnect_peer() on the server. To deliver a last message, wait a few frames before disconnecting.",
     .merge = Merge::all,
     .filter = "enet.disconnected and enet.to_server == 0",
     .is_marked = false}};

// Describes a last message that is lost with the connection. A disconnect clears the receiver's queues, so messages
// that arrive with the disconnect do not reach the game. Earlier messages are not considered, because the capture may
// lack their acknowledgements.
const char *describe_disconnect(packet_info *pinfo, const EnetFacts &facts) {
  constexpr std::int64_t just_before = godot_codec::nanoseconds_per_second / 1000;
  const godot_codec::Transmission *sent = facts.of(facts.end.by).last_message;
  if (sent == nullptr || sent->is_command_acked || sent->original->is_command_acked) return "";
  const std::int64_t before = godot_codec::elapsed(sent->time, facts.end.time);
  if (before < 0 || before > just_before) return "";
  return wmem_strdup_printf(pinfo->pool,
                            ", and its last message (frame %u) was never acknowledged: it was lost with the connection",
                            sent->position.packet);
}

}  // namespace

Finding find_disconnect(packet_info *pinfo, const godot_codec::EnetFindings &known) {
  const EnetConnection &connection = *known.connection;
  const EnetEnd &end = connection.facts.end;
  if (end.kind != EnetEndKind::disconnected || end.position != known.position || is_rejected(connection)) return {};
  // The rule `peer_gone` reports a side that vanished.
  if (find_vanished_side(connection).has_vanished) return {};
  const char *who = name_of(pinfo, connection, end.by);
  const EnetFacts &facts = connection.facts;
  const std::int64_t lasted = godot_codec::elapsed(facts.connect_answered_time, end.time);
  const bool is_after_answer = facts.is_connect_answered && facts.connect_answered < end.position && lasted >= 0;
  if (!is_after_answer) {
    return {.rule = &disconnected, .text = wmem_strdup_printf(pinfo->pool, "The %s disconnected", who)};
  }
  const char *lost = describe_disconnect(pinfo, facts);
  return {.rule = &disconnected,
          .text = wmem_strdup_printf(pinfo->pool, "The %s disconnected after %.1f s%s", who, seconds(lasted), lost),
          .advice = *lost == '\0'
                        ? nullptr
                        : "Wait a few frames before disconnect_peer() or close(), so that the message arrives."};
}

namespace {

ExpertItem head_of_line_blocking{
    {"enet.head_of_line_blocking", PI_SEQUENCE, PI_WARN,
     "Many reliable messages waited for lost ones, as this one did"},
    {.weight = 460,
     .advice =
         "Send values that are soon replaced (positions) as \"unreliable\"; use a separate channel for messages that must not wait.",
     .names_most = true,
     .filter = "enet.head_of_line_delay > 0.05"}};

}  // namespace

Finding find_head_of_line_blocking(packet_info *pinfo, const EnetConnection &connection, Side sender) {
  constexpr std::uint32_t min_delayed = 80;
  constexpr std::uint32_t min_share = 20;
  if (find_vanished_side(connection).timed_out_after > 0)
    return {};  // one side stalled, so nothing arrived until it continued
  const godot_codec::EnetDelays waits = enet_session().delays(connection, sender);
  // A few messages with long delays are as bad as many messages with short delays.
  constexpr std::uint32_t min_large = 20;
  constexpr std::uint32_t min_large_share = 5;
  constexpr std::int64_t long_delay = godot_codec::nanoseconds_per_second / 2;
  const bool are_many = waits.noticeable >= min_delayed && waits.noticeable >= waits.messages / min_share;
  const bool are_long = waits.noticeable >= min_large && waits.noticeable >= waits.messages / min_large_share;
  if (!are_many && !(are_long && waits.longest > long_delay)) return {};
  return {
      .rule = &head_of_line_blocking,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "Head-of-line blocking: %u of %u reliable messages of the %s were late by 50 ms to %.2f s, because an earlier message was lost",
          waits.noticeable, waits.messages, name_of(pinfo, connection, sender), seconds(waits.longest))};
}

namespace {

ExpertItem too_large{
    {"enet.too_large", PI_SEQUENCE, PI_WARN,
     "No full-size fragment arrives, but small datagrams do (reported once, at the end of the connection)"},
    {.weight = 430,
     .advice =
         "Keep the arguments of one call below 1,000 bytes; ping -s with a size finds the largest datagram that arrives."}};

// Describes a message of which only the last, small fragment arrives. Only a capture at the receiver shows this.
const char *describe_stuck(packet_info *pinfo, const EnetConnection &connection, Side sender) {
  constexpr std::int64_t long_enough = 2 * godot_codec::nanoseconds_per_second;
  const godot_codec::EnetBlockage stuck = enet_session().blockage(connection, sender);
  if (stuck.fragment == nullptr || stuck.time < long_enough || connection.facts.of(sender).fragments > 0)
    return nullptr;
  // If the receiver acknowledges commands that are not in the capture, the fragments are missing only in the capture.
  const std::int64_t since = stuck.fragment->time - long_enough;
  const std::int64_t until = stuck.fragment->time + stuck.time;
  if (enet_session().has_acknowledged_uncaptured(connection, other_side(sender), since, until)) return nullptr;
  return wmem_strdup_printf(
      pinfo->pool,
      "No large fragment of the %s arrives, but small datagrams do: the message of frame %u has been incomplete for %.1f s and blocks all later \"reliable\" calls of its channel. The network drops datagrams of this size (a VPN or a router with a smaller MTU)",
      name_of(pinfo, connection, sender), stuck.fragment->position.packet, seconds(stuck.time));
}

// Finds that only large datagrams are lost. On a lossy network, large datagrams arrive after retransmissions, and small
// datagrams are lost as well.
Finding find_too_large(packet_info *pinfo, const EnetConnection &connection, Side sender) {
  constexpr std::uint32_t min_count = 4;
  const godot_codec::EnetSideFacts &side = connection.facts.of(sender);
  if (const char *stuck = describe_stuck(pinfo, connection, sender); stuck != nullptr) {
    return {.rule = &too_large, .text = stuck};
  }
  const bool is_answered = side.round_trips != nullptr && side.round_trips->count() > min_count;
  const bool is_lost =
      side.fragments >= min_count && side.fragments_acked == 0 && side.fragments_retransmitted >= 2 * min_count;
  if (!is_lost || !is_answered) return {};
  return {
      .rule = &too_large,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "None of %u large fragments of the %s was acknowledged in spite of retransmissions, but small datagrams were: the network drops datagrams of this size (a VPN or a router with a smaller MTU)",
          side.fragments, name_of(pinfo, connection, sender)),
      .count = side.fragments};
}

// Finds a side that does not poll its peer. A side that polls sends at least twice per second, and acknowledges in the
// same frame.
Finding find_no_poll(packet_info *pinfo, const EnetConnection &connection, Side sender) {
  constexpr std::int64_t long_enough = 3 * godot_codec::nanoseconds_per_second;
  constexpr std::uint32_t min_repeats = 6;
  constexpr const char *advice =
      "The SceneTree must poll the peer every frame (multiplayer_poll), or call multiplayer.poll(); avoid endless loops and OS.delay_msec(). If it does: is one direction blocked in the network?";
  const EnetEnd &end = connection.facts.end;
  const godot_codec::EnetSideFacts &side = connection.facts.of(sender);
  const godot_codec::EnetSideFacts &other = connection.facts.of(other_side(sender));
  if (other.retransmissions < min_repeats || side.last_acknowledgement == 0) return {};
  // A side that has timed out the other side no longer acknowledges its messages.
  if (find_vanished_side(connection).has_vanished) return {};
  const char *who = name_of(pinfo, connection, sender);
  const bool is_at_end = end.kind == EnetEndKind::disconnected && end.by == sender && side.silent_until == end.time;
  if (is_at_end && side.longest_silence >= long_enough) {
    return {
        .rule = &stalled,
        .text = wmem_strdup_printf(
            pinfo->pool,
            "The %s stalled for %.1f s and then disconnected: it answered no packet in that time. Did it not poll its peer (SceneTree.multiplayer_poll, an endless loop), or did no packet reach it?",
            who, seconds(side.longest_silence)),
        .advice = advice};
  }
  constexpr std::int64_t millisecond = godot_codec::nanoseconds_per_second / 1000;
  const auto unacknowledged_at = [&](std::int64_t time) {
    const std::int64_t since = std::max(godot_codec::elapsed(side.first_heard, time), std::int64_t{0});
    return since - millisecond * side.acknowledging_until;
  };
  const std::int64_t mute = unacknowledged_at(side.last_heard);
  const bool is_asked = other.waiting >= min_repeats && unacknowledged_at(other.last_heard) >= long_enough;
  const bool is_steady = side.longest_silence < long_enough / 3;
  if (mute < long_enough || !is_asked || !is_steady) return {};
  return {
      .rule = &stalled,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "The %s still sends, but has acknowledged nothing since frame %u, for %.1f s: does it not poll its peer (SceneTree.multiplayer_poll), or does no packet reach it any more?",
          who, side.last_acknowledgement, seconds(mute)),
      .advice = advice};
}

ExpertItem slow_message{
    {"enet.slow_message", PI_SEQUENCE, PI_WARN,
     "A large reliable message blocked all later ones for long (reported once, at the end of the connection)"},
    {.weight = 440,
     .advice = "Send large data in parts, by HTTPRequest, or on a separate channel (the last argument of @rpc)."}};

Finding find_slow_message(packet_info *pinfo, const EnetConnection &connection, Side sender) {
  constexpr std::int64_t slow = godot_codec::nanoseconds_per_second;
  constexpr std::uint32_t large = 20'000;
  const godot_codec::EnetFragmentCount count = enet_session().fragmented(connection, sender);
  if (count.slowest < slow || count.slowest_size < large) return {};
  return {
      .rule = &slow_message,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "A reliable message of %u bytes of the %s took %.1f s and blocked all later \"reliable\" calls of its channel",
          count.slowest_size, name_of(pinfo, connection, sender), seconds(count.slowest))};
}

ExpertItem lost_fragments{
    {"enet.lost_fragments", PI_SEQUENCE, PI_WARN,
     "Many unreliable messages in fragments were never completed (reported once, at the end of the connection)"},
    {.weight = 450, .advice = "Keep unreliable messages below 1,300 bytes, or send them as \"reliable\"."}};

Finding find_lost_fragments(packet_info *pinfo, const EnetConnection &connection, Side sender) {
  constexpr std::uint32_t min_count = 5;
  constexpr std::uint32_t min_share = 5;
  constexpr std::uint64_t usual_fragments = 6;
  const godot_codec::EnetFragmentCount count = enet_session().fragmented(connection, sender);
  const std::uint32_t lost = count.begun - count.whole;
  // Some fragments may have arrived and be missing only in the capture. Reliable commands that are missing in the
  // capture show how many: lost ones would have been retransmitted.
  const godot_codec::EnetCaptured captured = enet_session().captured(connection);
  const bool is_missing = captured.missing * usual_fragments * 2 * count.begun >= lost * captured.all;
  if (lost < min_count || lost < count.begun / min_share || is_missing) return {};
  return {
      .rule = &lost_fragments,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "%u of %u fragmented unreliable messages of the %s were never completed: one lost fragment loses the message",
          lost, count.begun, name_of(pinfo, connection, sender)),
      .count = lost};
}

constexpr EnetEndRule end_rules[] = {find_too_large, find_slow_message, find_lost_fragments, find_no_poll};

// The expert items of this file.
ExpertItem *const items[] = {&connect_repeated, &disconnected, &slow_frames,    &stalled,   &head_of_line_blocking,
                             &too_large,        &slow_message, &lost_fragments, &peer_gone, &peer_timeout};

}  // namespace

std::span<const EnetEndRule> enet_end_rules() { return end_rules; }

void register_enet_rules(int proto) {
  expert_module_t *module = expert_register_protocol(proto);
  for (ExpertItem *item : items) item->register_for(module);
}

Finding find_peer_gone(packet_info *pinfo, const EnetConnection &connection) {
  const EnetVanishedSide gone = find_vanished_side(connection);
  if (!gone.has_vanished) return {};
  return {.rule = gone.timed_out_after > 0 ? &peer_timeout : &peer_gone,
          .text = wmem_strdup_printf(pinfo->pool, "The %s", describe_vanished(pinfo, connection, gone))};
}

}  // namespace godot_plugin
