// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/rules.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "godot-codec/enet/connection_diagnosis.h"
#include "godot-codec/enet/datagram_reader.h"
#include "plugin/enet/capture_session.h"
#include "plugin/enet/fields.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

using godot_codec::ConnectProblem;
using godot_codec::EnetCommandType;
using godot_codec::EnetConnection;
using godot_codec::EnetConnectionEnd;
using godot_codec::EnetConnectionEndKind;
using godot_codec::EnetConnectionFacts;
using godot_codec::EnetVanishedSide;

// Minimum reported silence, in nanoseconds. Godot's ENet sends at least twice per second, so a side that is silent for
// longer has vanished, or its packets do not arrive.
constexpr std::int64_t min_silence = 5 * godot_codec::nanoseconds_per_second;

bool is_server(const packet_info *pinfo, const EnetConnection &connection, unsigned side) {
  if (connection.has_connect) return side != connection.client_direction;
  return (side == direction_of(pinfo)) != is_to_server(pinfo, connection);
}

const char *role_name(const packet_info *pinfo, const EnetConnection &connection, unsigned side) {
  return is_server(pinfo, connection, side) ? "server" : "client";
}

double to_seconds(std::int64_t time) { return static_cast<double>(time) / godot_codec::nanoseconds_per_second; }

bool is_loopback(const packet_info *pinfo) {
  constexpr std::uint8_t loopback_net = 127;
  const auto *bytes = static_cast<const std::uint8_t *>(pinfo->dst.data);
  return pinfo->dst.type == AT_IPv4 && pinfo->dst.len > 0 && bytes[0] == loopback_net;
}

constexpr const char *same_compression =
    "Call multiplayer_peer.host.compress() with the same mode on both sides, or on neither (Godot 3: compression_mode).";
constexpr const char *another_port =
    "Another program uses this port. Stop that program and start the game server, or choose another port in create_server() and create_client().";

// The numbers in the text of a cause: the frame that shows the cause, and for some causes another frame or a port.
struct CauseNumbers {
  std::uint32_t frame = 0;
  std::uint32_t other = 0;
};

CauseNumbers find_icmp_error(const EnetConnection &connection) {
  return {connection.facts.sides[connection.client_direction].icmp_error.packet};
}

// Returns the frame with the server's answer, and the frame with an ICMP error about the answer.
CauseNumbers find_answer(const EnetConnection &connection) {
  const EnetConnectionFacts &facts = connection.facts;
  return {facts.verify_connect_position.packet, facts.sides[1 - connection.client_direction].icmp_error.packet};
}

// The likely cause of a failed connection attempt, and what to do. The text begins in lower case, because other texts
// embed it.
struct ConnectCause {
  const char *text = nullptr;  // with %u for the numbers; if the cause is a compression, with %s for its name before
  const char *info_mark = nullptr;
  const char *advice = nullptr;
  CauseNumbers (*find_numbers)(const EnetConnection &connection) = nullptr;
};

// In the order of ConnectProblem.
constexpr ConnectCause connect_causes[] = {
    {},
    {"an ICMP error reports that the port is closed (frame %u)", "port closed",
     "Start the server before the client, on the same port. Check that create_server() returns OK, and that the firewall allows this UDP port.",
     find_icmp_error},
    {"an ICMP error reports that there is no route to the address (frame %u)", "no route to the address",
     "Check that create_client() uses the address of the server, and that this network can reach it.", find_icmp_error},
    {"an ICMP error reports that a firewall blocks the datagrams (frame %u)", "blocked by a firewall",
     "Open the UDP port in the firewall of the server, or in a firewall on the path to it.", find_icmp_error},
    {"the datagrams come back unchanged, so an echo service uses that port", "echo service at that port", another_port},
    {"the answer is text, so another program uses that port", "another program at that port", another_port},
    {"the server uses DTLS (frame %u), but the client does not", "the server requires DTLS",
     "Call host.dtls_client_setup() on the client, too, or remove host.dtls_server_setup() from the server.",
     [](const EnetConnection &connection) { return CauseNumbers{connection.facts.dtls.packet}; }},
    {"the answer uses an unknown compression (frame %u), so the client probably drops it",
     "the answer uses an unknown compression", same_compression,
     [](const EnetConnection &connection) { return CauseNumbers{connection.facts.unreadable_answer.packet}; }},
    {"the answer (frame %u) comes from another address or port (%u), so the client drops it",
     "the answer comes from another port",
     "Make the server answer from the address and port that clients connect to: call set_bind_ip(), or change the port forwarding of the router or container.",
     [](const EnetConnection &connection) {
       return CauseNumbers{connection.facts.answer_from_elsewhere.packet, connection.facts.answering_port};
     }},
    {"the client compresses its packets (%s), and the server probably does not",
     "compressed: the server may not support it", same_compression},
    {"nothing in the capture shows the reason", "no answer",
     "Check the address, and that the server runs, polls its peer and is not full. The UDP port must be open and forwarded, and both sides need the same compression and DTLS settings."},
    {"the server answers other clients, so it is probably full", "no answer: the server is probably full",
     "Raise max_clients in create_server(). Clients that left without close() keep their slot for up to 30 seconds."},
    {"the server has not sent anything to any client since frame %u", "no answer: the server answers no client",
     "Check that the server still runs, and polls its peer in every game frame (no endless loop, no breakpoint).",
     [](const EnetConnection &connection) { return CauseNumbers{connection.server->last_sent.packet}; }},
    {"the server compresses its packets (%s, frame %u), but the client does not, so the client drops the server's answer",
     "the answer is compressed, the connect is not", same_compression, find_answer},
    {"the answer (frame %u) does not reach the client", "the answer does not arrive",
     "Allow UDP from the port of the server to the client, in the client's firewall and router.", find_answer},
    {"the client had closed its socket when the answer (frame %u) arrived (ICMP error in frame %u)",
     "the client closed its socket",
     "Assign the peer to multiplayer.multiplayer_peer or to a member variable, because a peer in a local variable is freed when the function returns. Do not call create_client() again while the client connects.",
     find_answer},
    {"the server accepted the connection (frame %u), then stopped answering", "accepted, then ignored",
     "Check that refuse_new_connections is false on the server, that no other client has the same ID, and that the server still runs.",
     find_answer},
};
static_assert(std::size(connect_causes) == static_cast<std::size_t>(ConnectProblem::ignored) + 1);

const char *describe_cause(packet_info *pinfo, const EnetConnection &connection, ConnectProblem problem) {
  const ConnectCause &cause = connect_causes[static_cast<std::size_t>(problem)];
  const CauseNumbers numbers = cause.find_numbers == nullptr ? CauseNumbers{} : cause.find_numbers(connection);
  if (problem != ConnectProblem::compressed_connect && problem != ConnectProblem::compressed_answer) {
    return wmem_strdup_printf(pinfo->pool, cause.text, numbers.frame, numbers.other);
  }
  const godot_codec::Compression compression = problem == ConnectProblem::compressed_connect
                                                   ? connection.facts.connect_compression
                                                   : connection.facts.answer_compression;
  // The names are literals, so they are zero-terminated.
  return wmem_strdup_printf(pinfo->pool, cause.text, godot_codec::compression_name(compression).data(), numbers.frame);
}

// Returns the likely cause of a failed connection attempt: text, mark and advice.
Finding describe_likely_cause(packet_info *pinfo, const EnetConnection &connection, ConnectProblem problem) {
  const ConnectCause &cause = connect_causes[static_cast<std::size_t>(problem)];
  Finding finding{
      .text = describe_cause(pinfo, connection, problem), .info_mark = cause.info_mark, .advice = cause.advice};
  const bool is_like_godot3 = connection.channel_count == godot_codec::godot3_channel_count &&
                              connection.facts.connect_compression == godot_codec::Compression::range_coder;
  if (problem == ConnectProblem::compressed_connect && is_like_godot3) {
    finding.advice =
        "Run the same Godot version on both sides: Godot 3 compresses by default (compression_mode), and Godot 4 does not.";
  } else if (problem == ConnectProblem::unreachable && pinfo->dst.type == AT_IPv6) {
    finding.advice =
        "Start the server before the client, on the same port. Check that create_server() returns OK, and that set_bind_ip() does not limit the server to IPv4.";
  } else if (problem == ConnectProblem::unanswered && is_loopback(pinfo)) {
    // On the loopback interface, an ICMP error would report a closed port immediately.
    finding.text = "a program probably listens on the port, because no ICMP error reports that the port is closed";
    finding.advice =
        "Check that the server polls its peer and is not full, that both sides use the same compression and DTLS settings, and that no firewall drops the packets.";
  }
  return finding;
}

// Returns the finding about a failed connection attempt. Its text begins in lower case, because other texts embed it.
Finding describe_failed_connect(packet_info *pinfo, const EnetConnection &connection, ConnectProblem problem) {
  const EnetConnectionFacts &facts = connection.facts;
  const char *plural = facts.connects == 1 ? "" : "s";
  Finding finding = describe_likely_cause(pinfo, connection, problem);
  if (problem == ConnectProblem::ignored) return finding;
  if (facts.is_connect_answered) {
    finding.text =
        wmem_strdup_printf(pinfo->pool, "%u connection attempt%s failed: %s", facts.connects, plural, finding.text);
  } else {
    finding.text = wmem_strdup_printf(pinfo->pool, "the client got no answer to %u connection attempt%s: %s",
                                      facts.connects, plural, finding.text);
  }
  return finding;
}

const char *describe_generation_mix(packet_info *pinfo, const godot_codec::GenerationMismatch &mix) {
  return wmem_strdup_printf(pinfo->pool,
                            "the client runs Godot %d and the server Godot %d, so neither understands the other",
                            mix.client_generation, mix.server_generation);
}

ExpertItem peer_gone{
    {"enet.peer_gone", PI_SEQUENCE, PI_WARN, "A side of the connection vanished without a disconnect (two-pass)"},
    {.weight = 540,
     .plural_text = "%u connections ended without a disconnect",
     .advice =
         "Look for a crash or a network failure in the log of the side that vanished. To leave cleanly, call multiplayer_peer.close() before the program quits (Godot 3: close_connection()).",
     .merge = RowMerge::all,
     .marks_tree_items = false}};

ExpertItem peer_timeout{
    {"enet.peer_timeout", PI_SEQUENCE, PI_WARN,
     "A host no longer answers a peer after a long silence of that peer (two-pass)"},
    {.weight = 170,
     .advice =
         "Find out what the stalled side did at that time. If it loaded a scene, use ResourceLoader.load_threaded_request(). To allow longer stalls, call ENetPacketPeer.set_timeout() on the other side."}};

const char *describe_refusal(godot_codec::EnetIcmpErrorReason refusal) {
  if (refusal == godot_codec::EnetIcmpErrorReason::no_route) return "there is no route to it";
  return refusal == godot_codec::EnetIcmpErrorReason::prohibited ? "a firewall blocks it" : "its port is closed";
}

double seconds_since_capture_start(const packet_info *pinfo, std::int64_t time) {
  return nstime_to_sec(&pinfo->rel_ts) - to_seconds(capture_time_of(pinfo) - time);
}

// Returns "for 10.6 s (1.43 s to 12.00 s of the capture)".
const char *silence_text(packet_info *pinfo, const godot_codec::EnetSideFacts &side) {
  return wmem_strdup_printf(pinfo->pool, "for %.1f s (%.2f s to %.2f s of the capture)",
                            to_seconds(side.longest_silence),
                            seconds_since_capture_start(pinfo, side.silent_until - side.longest_silence),
                            seconds_since_capture_start(pinfo, side.silent_until));
}

// Describes which side vanished, and what shows that.
const char *describe_vanished_side(packet_info *pinfo, const EnetConnection &connection, const EnetVanishedSide &gone) {
  const godot_codec::EnetSideFacts &left = connection.facts.sides[1 - gone.side];
  const char *who = role_name(pinfo, connection, gone.side);
  if (gone.timed_out_after > 0) {
    const char *whom = role_name(pinfo, connection, 1 - gone.side);
    return wmem_strdup_printf(pinfo->pool, "%s timed out the %s, because the %s stalled %s", who, whom, whom,
                              silence_text(pinfo, left));
  }
  if (left.icmp_error.packet != 0) {
    return wmem_strdup_printf(pinfo->pool,
                              "%s vanished without a disconnect, and ICMP errors report that %s (frame %u)", who,
                              describe_refusal(left.icmp_error_reason), left.icmp_error.packet);
  }
  return wmem_strdup_printf(pinfo->pool, "%s vanished without a disconnect, and has answered nothing since frame %u",
                            who, gone.first_sign.packet);
}

// Describes a connection that has not ended. Names the side, if any, that was silent for long when the capture ended.
const char *describe_open_connection(packet_info *pinfo, const EnetConnection &connection) {
  if (const EnetVanishedSide gone = find_vanished_side(connection); gone.has_vanished)
    return describe_vanished_side(pinfo, connection, gone);
  const godot_codec::EnetSideFacts &first = connection.facts.sides[0];
  const godot_codec::EnetSideFacts &second = connection.facts.sides[1];
  if (first.datagrams == 0 || second.datagrams == 0) return "open";
  const std::int64_t silence = godot_codec::elapsed(first.last_heard, second.last_heard);
  const unsigned silent = silence > 0 ? 0U : 1U;
  if (silence < min_silence && silence > -min_silence) return "open";
  return wmem_strdup_printf(pinfo->pool, "open, %s silent for the last %.1f s", role_name(pinfo, connection, silent),
                            std::abs(to_seconds(silence)));
}

// Describes how the connection ended, or why the attempt failed.
const char *describe_end_or_failure(packet_info *pinfo, const EnetConnection &connection) {
  const EnetConnectionEnd &end = connection.facts.end;
  const ConnectProblem problem = find_connect_problem(connection);
  const bool is_disconnected = end.kind == EnetConnectionEndKind::disconnected;
  if (problem == ConnectProblem::ignored || (problem != ConnectProblem::none && !is_disconnected)) {
    return describe_failed_connect(pinfo, connection, problem).text;
  }
  if (const EnetVanishedSide gone = find_vanished_side(connection); is_disconnected && gone.has_vanished) {
    return describe_vanished_side(pinfo, connection, gone);
  }
  if (is_disconnected) {
    const char *verb = is_rejected(connection) ? "refused" : "disconnected";
    return wmem_strdup_printf(pinfo->pool, "%s by %s, data %u", verb, role_name(pinfo, connection, end.by), end.data);
  }
  if (end.kind == EnetConnectionEndKind::replaced) {
    return wmem_strdup_printf(pinfo->pool, "replaced by another connection (frame %u)", end.position.packet);
  }
  return describe_open_connection(pinfo, connection);
}

// True for a command with which a client tries to connect.
bool is_connect_attempt(const packet_info *pinfo, const EnetConnection &connection,
                        const godot_codec::EnetCommand &command, bool is_repeated) {
  const bool may_be = command.is(EnetCommandType::connect) || is_repeated;
  return may_be && direction_of(pinfo) == connection.client_direction;
}

}  // namespace

bool has_stall_caused_timeout(const EnetConnection &connection, unsigned sender, const godot_codec::EnetStall &stall) {
  constexpr std::int64_t few = godot_codec::nanoseconds_per_second / 5;
  const EnetVanishedSide gone = find_vanished_side(connection);
  return gone.has_vanished && gone.timed_out_after > 0 && gone.side != sender &&
         std::abs(stall.duration - gone.timed_out_after) < few;
}

bool is_to_server(const packet_info *pinfo, const EnetConnection &connection) {
  if (connection.has_connect) return direction_of(pinfo) == connection.client_direction;
  return pinfo->destport == connection.server_port;
}

const char *describe_connection_end(packet_info *pinfo, const EnetConnection &connection) {
  const char *end = describe_end_or_failure(pinfo, connection);
  const godot_codec::GenerationMismatch mix = find_generation_mismatch(connection);
  return mix.is_mismatch ? wmem_strdup_printf(pinfo->pool, "%s; %s", end, describe_generation_mix(pinfo, mix)) : end;
}

std::int64_t longest_silence(const EnetConnection &connection) {
  return std::max(connection.facts.sides[0].longest_silence, connection.facts.sides[1].longest_silence);
}

namespace {

ExpertItem stalled{
    {"enet.stalled", PI_SEQUENCE, PI_WARN, "A side stalled: it answered far later than usual"},
    {.weight = 490,
     .advice =
         "Find out what the game did at that time. If it loaded a scene, ResourceLoader.load_threaded_request() loads it without a stall."}};

}  // namespace

Finding describe_stall(packet_info *pinfo, const EnetConnection &connection, const godot_codec::EnetStall &stall) {
  const char *text = wmem_strdup_printf(pinfo->pool, "The %s stalled for %.1f s",
                                        role_name(pinfo, connection, direction_of(pinfo)), to_seconds(stall.duration));
  const char *longest = stall.count == 1 ? ""
                                         : wmem_strdup_printf(pinfo->pool, " (the longest of %u stalls: %.1f s)",
                                                              stall.count, to_seconds(stall.longest_duration));
  return {.expert = &stalled,
          .text = wmem_strdup_printf(pinfo->pool, "%s. The stall ended %.2f s after the start of the capture%s", text,
                                     nstime_to_sec(&pinfo->rel_ts), longest),
          .info_mark = text};
}

namespace {

ExpertItem slow_frames{
    {"enet.slow_frames", PI_SEQUENCE, PI_NOTE, "A side runs at ten game frames per second or fewer"},
    {.weight = 520,
     .advice = "Find what slows its game frames down, for example a low Engine.max_fps or a long _process()."}};

}  // namespace

Finding find_slow_frames(packet_info *pinfo, const EnetConnection &connection, std::int64_t frame_time) {
  // Minimum reported frame interval, in nanoseconds, with a tolerance of 5 ms. Servers with ten frames per second are
  // common, but a lower rate is seldom intended.
  constexpr std::int64_t slow = godot_codec::nanoseconds_per_second / 10 - godot_codec::nanoseconds_per_second / 200;
  if (frame_time < slow) return {};
  return {.expert = &slow_frames,
          .text = wmem_strdup_printf(pinfo->pool,
                                     "The %s runs at %.1f game frames per second, so it answers only every %.0f ms",
                                     role_name(pinfo, connection, direction_of(pinfo)), 1 / to_seconds(frame_time),
                                     1000 * to_seconds(frame_time))};
}

namespace {

ExpertItem connect_repeated{"enet.connect_repeated", PI_SEQUENCE, PI_NOTE,
                            "Connect that was answered only after retransmissions: the server may have started later"};

}  // namespace

Finding find_failed_connect(packet_info *pinfo, const godot_codec::EnetDatagramFindings &known,
                            const godot_codec::EnetCommand &command, bool is_repeated) {
  if (known.connection == nullptr) return {};
  const EnetConnection &connection = *known.connection;
  const EnetConnectionFacts &facts = connection.facts;
  if (command.is(EnetCommandType::disconnect)) {
    if (!is_rejected(connection) || direction_of(pinfo) != facts.end.by) return {};
    return {
        .expert = &enet_experts.unanswered_connect,
        .text =
            wmem_strdup_printf(pinfo->pool, "The server refused the client: it answered with a disconnect (data %u)",
                               command.value(godot_codec::EnetField::disconnect_data)),
        .info_mark = "refused",
        .advice =
            "In the server's scripts, find the call of disconnect_peer(), or of ENetPacketPeer.peer_disconnect() with this data."};
  }
  // Only later messages show the engine versions of the two sides.
  if (known.position == facts.verify_connect_position && PINFO_FD_VISITED(pinfo)) {
    const godot_codec::GenerationMismatch mix = find_generation_mismatch(connection);
    if (!mix.is_mismatch) return {};
    return {.expert = &enet_experts.unanswered_connect,
            .text = capitalize_first_letter(pinfo, describe_generation_mix(pinfo, mix)),
            .info_mark = "different engine versions",
            .advice = "Run the same Godot version on both sides."};
  }
  if (!is_connect_attempt(pinfo, connection, command, is_repeated)) return {};
  const ConnectProblem problem = find_connect_problem(connection);
  // The answer to a connect that was sent only once may have arrived after the end of the capture.
  const bool is_certain = facts.connects > 1 || facts.is_connect_answered ||
                          facts.sides[connection.client_direction].icmp_error.packet != 0;
  if (problem != ConnectProblem::none && is_certain) {
    Finding finding = describe_failed_connect(pinfo, connection, problem);
    finding.expert = &enet_experts.unanswered_connect;
    finding.text = capitalize_first_letter(pinfo, finding.text);
    return finding;
  }
  const bool is_late = command.is(EnetCommandType::connect) && facts.connects > 1 && facts.is_connect_answered &&
                       known.position < facts.verify_connect_position;
  if (!is_late || !is_repeated) return {};
  return {.expert = &connect_repeated,
          .text = "The client sends its connect again, because the server has not answered yet"};
}

namespace {

ExpertItem disconnected{
    {"enet.disconnected", PI_SEQUENCE, PI_CHAT, "A side disconnected"},
    {.weight = 550,
     .plural_text = "The server disconnected %u clients",
     .advice =
         "If this was intended, do nothing. Otherwise find the call of close() or disconnect_peer() in the server's scripts. If the clients miss a last message, wait a few game frames before this call.",
     .merge = RowMerge::all,
     .filter = "enet.disconnected and enet.to_server == 0",
     .marks_tree_items = false}};

// Describes a last message that is lost with the connection. A disconnect clears the receiver's queues, so messages
// that arrive with the disconnect do not reach the game. Earlier messages are not considered, because the capture may
// lack their acknowledgements.
const char *describe_lost_last_message(packet_info *pinfo, const EnetConnectionFacts &facts) {
  constexpr std::int64_t just_before = godot_codec::nanoseconds_per_second / 1000;
  const godot_codec::Transmission *sent = facts.sides[facts.end.by].last_message;
  if (sent == nullptr || sent->is_command_acked || sent->original->is_command_acked) return "";
  const std::int64_t before = godot_codec::elapsed(sent->time, facts.end.time);
  if (before < 0 || before > just_before) return "";
  return wmem_strdup_printf(
      pinfo->pool,
      ". The last message (frame %u) was sent just before the disconnect and never acknowledged, so ENet has dropped this message",
      sent->position.packet);
}

}  // namespace

Finding find_disconnect(packet_info *pinfo, const godot_codec::EnetDatagramFindings &known) {
  const EnetConnection &connection = *known.connection;
  const EnetConnectionEnd &end = connection.facts.end;
  if (end.kind != EnetConnectionEndKind::disconnected || end.position != known.position || is_rejected(connection))
    return {};
  // The rule `peer_gone` reports a side that vanished.
  if (find_vanished_side(connection).has_vanished) return {};
  const char *who = role_name(pinfo, connection, end.by);
  const EnetConnectionFacts &facts = connection.facts;
  const std::int64_t lasted = godot_codec::elapsed(facts.verify_connect_time, end.time);
  const bool is_after_answer = facts.is_connect_answered && facts.verify_connect_position < end.position && lasted >= 0;
  if (!is_after_answer) {
    return {.expert = &disconnected, .text = wmem_strdup_printf(pinfo->pool, "The %s disconnected", who)};
  }
  const char *lost = describe_lost_last_message(pinfo, facts);
  return {
      .expert = &disconnected,
      .text = wmem_strdup_printf(pinfo->pool, "The %s disconnected after %.1f s%s", who, to_seconds(lasted), lost),
      .advice = *lost == '\0'
                    ? nullptr
                    : "Wait a few game frames (await get_tree().process_frame) before disconnect_peer() or close()."};
}

namespace {

ExpertItem head_of_line_blocking{
    {"enet.head_of_line_blocking", PI_SEQUENCE, PI_WARN,
     "Many reliable messages waited for lost ones, as this one did"},
    {.weight = 460,
     .advice =
         "Send values that are soon replaced (positions) as \"unreliable\"; use a separate channel for messages that must not wait.",
     .names_most_frequent = true,
     .filter = "enet.head_of_line_delay > 0.05"}};

}  // namespace

Finding find_head_of_line_blocking(packet_info *pinfo, const EnetConnection &connection, unsigned sender) {
  constexpr std::uint32_t min_delayed = 80;
  constexpr std::uint32_t min_share = 20;
  if (find_vanished_side(connection).timed_out_after > 0)
    return {};  // one side stalled, so nothing arrived until it continued
  const godot_codec::EnetDelayStatistics waits = enet_session().tracker().delay_statistics(connection.stream, sender);
  // A few messages with long delays are as bad as many messages with short delays.
  constexpr std::uint32_t min_large = 20;
  constexpr std::uint32_t min_large_share = 5;
  constexpr std::int64_t long_delay = godot_codec::nanoseconds_per_second / 2;
  const bool are_many = waits.noticeable_delays >= min_delayed && waits.noticeable_delays >= waits.messages / min_share;
  const bool are_long =
      waits.noticeable_delays >= min_large && waits.noticeable_delays >= waits.messages / min_large_share;
  if (!are_many && !(are_long && waits.longest > long_delay)) return {};
  return {
      .expert = &head_of_line_blocking,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "Head-of-line blocking: %u of %u reliable messages of the %s waited 50 ms to %.0f ms for an earlier lost message",
          waits.noticeable_delays, waits.messages, role_name(pinfo, connection, sender),
          1000 * to_seconds(waits.longest))};
}

namespace {

ExpertItem too_large{
    {"enet.too_large", PI_SEQUENCE, PI_WARN,
     "No full-size fragment arrives, but small datagrams do (reported once, at the end of the connection)"},
    {.weight = 430,
     .advice =
         "Keep the arguments of one call below 1,000 bytes. A VPN or a router may limit the packet size (MTU). To check the path, ping the other side with 1,400 bytes (ping -s 1400; Windows: ping -l 1400)."}};

// Describes a message of which only the last, small fragment arrives. Only a capture at the receiver shows this.
const char *describe_incomplete_message(packet_info *pinfo, const EnetConnection &connection, unsigned sender) {
  constexpr std::int64_t long_enough = 2 * godot_codec::nanoseconds_per_second;
  const godot_codec::EnetBlockage blockage = enet_session().tracker().find_blockage(connection.stream, sender);
  if (blockage.fragment == nullptr || blockage.waiting_time < long_enough ||
      connection.facts.sides[sender].fragments > 0)
    return nullptr;
  // If the receiver acknowledges commands that are not in the capture, the fragments are missing only in the capture.
  const std::int64_t since = blockage.fragment->time - long_enough;
  const std::int64_t until = blockage.fragment->time + blockage.waiting_time;
  if (enet_session().tracker().has_acknowledged_uncaptured(connection.stream, 1 - sender, since, until)) return nullptr;
  return wmem_strdup_printf(
      pinfo->pool,
      "Large datagrams of the %s never arrive, but small ones do. The message of frame %u has been incomplete for %.1f s and blocks its channel",
      role_name(pinfo, connection, sender), blockage.fragment->position.packet, to_seconds(blockage.waiting_time));
}

// Finds that only large datagrams are lost. On a lossy network, large datagrams arrive after retransmissions, and small
// datagrams are lost as well.
Finding find_lost_large_datagrams(packet_info *pinfo, const EnetConnection &connection, unsigned sender) {
  constexpr std::uint32_t min_count = 4;
  const godot_codec::EnetSideFacts &side = connection.facts.sides[sender];
  if (const char *incomplete = describe_incomplete_message(pinfo, connection, sender); incomplete != nullptr) {
    return {.expert = &too_large, .text = incomplete};
  }
  const bool is_answered = side.round_trips != nullptr && side.round_trips->count() > min_count;
  const bool is_lost = side.fragments >= min_count && side.full_fragments_acked == 0 &&
                       side.full_fragments_retransmitted >= 2 * min_count;
  if (!is_lost || !is_answered) return {};
  return {
      .expert = &too_large,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "None of the %u large fragments of the %s was acknowledged, but small datagrams were, so the network drops large datagrams",
          side.fragments, role_name(pinfo, connection, sender)),
      .count = side.fragments};
}

// Finds a side that does not poll its peer. A side that polls sends at least twice per second, and acknowledges in the
// same frame.
Finding find_unpolled_peer(packet_info *pinfo, const EnetConnection &connection, unsigned sender) {
  constexpr std::int64_t long_enough = 3 * godot_codec::nanoseconds_per_second;
  constexpr std::uint32_t min_repeats = 6;
  constexpr const char *advice =
      "Poll the peer in every game frame (SceneTree.multiplayer_poll, or multiplayer.poll()), and avoid endless loops and OS.delay_msec(). If the game does so, check whether the network blocks one direction.";
  const EnetConnectionEnd &end = connection.facts.end;
  const godot_codec::EnetSideFacts &side = connection.facts.sides[sender];
  const godot_codec::EnetSideFacts &other = connection.facts.sides[1 - sender];
  if (other.retransmissions < min_repeats || side.last_acknowledgement_packet == 0) return {};
  // A side that has timed out the other side no longer acknowledges its messages.
  if (find_vanished_side(connection).has_vanished) return {};
  const char *who = role_name(pinfo, connection, sender);
  const bool is_at_end =
      end.kind == EnetConnectionEndKind::disconnected && end.by == sender && side.silent_until == end.time;
  if (is_at_end && side.longest_silence >= long_enough) {
    return {.expert = &stalled,
            .text = wmem_strdup_printf(pinfo->pool, "The %s answered no packet for %.1f s, then disconnected", who,
                                       to_seconds(side.longest_silence)),
            .advice = advice};
  }
  constexpr std::int64_t millisecond = godot_codec::nanoseconds_per_second / 1000;
  const auto unacknowledged_at = [&](std::int64_t time) {
    const std::int64_t since = std::max(godot_codec::elapsed(side.first_heard, time), std::int64_t{0});
    return since - millisecond * side.last_acknowledgement_ms;
  };
  const std::int64_t mute = unacknowledged_at(side.last_heard);
  const bool is_asked = other.unacked_commands >= min_repeats && unacknowledged_at(other.last_heard) >= long_enough;
  const bool is_steady = side.longest_silence < long_enough / 3;
  if (mute < long_enough || !is_asked || !is_steady) return {};
  return {.expert = &stalled,
          .text = wmem_strdup_printf(pinfo->pool,
                                     "The %s still sends, but has acknowledged nothing since frame %u (for %.1f s)",
                                     who, side.last_acknowledgement_packet, to_seconds(mute)),
          .advice = advice};
}

ExpertItem slow_message{
    {"enet.slow_message", PI_SEQUENCE, PI_WARN,
     "A large reliable message blocked all later ones for long (reported once, at the end of the connection)"},
    {.weight = 440,
     .advice = "Send large data in parts, with HTTPRequest, or on a separate channel (the last argument of @rpc)."}};

Finding find_slow_message(packet_info *pinfo, const EnetConnection &connection, unsigned sender) {
  constexpr std::int64_t slow = godot_codec::nanoseconds_per_second;
  constexpr std::uint32_t large = 20'000;
  const godot_codec::EnetFragmentCounts count = enet_session().fragment_counts(connection, sender);
  if (count.slowest_time < slow || count.slowest_size < large) return {};
  return {
      .expert = &slow_message,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "A reliable message of %u bytes from the %s took %.1f s, and blocked all later reliable messages of its channel",
          count.slowest_size, role_name(pinfo, connection, sender), to_seconds(count.slowest_time))};
}

ExpertItem lost_fragments{
    {"enet.lost_fragments", PI_SEQUENCE, PI_WARN,
     "Many unreliable messages in fragments were never completed (reported once, at the end of the connection)"},
    {.weight = 450, .advice = "Keep unreliable messages below 1,300 bytes, or send them as \"reliable\"."}};

Finding find_lost_fragments(packet_info *pinfo, const EnetConnection &connection, unsigned sender) {
  constexpr std::uint32_t min_count = 5;
  constexpr std::uint32_t min_share = 5;
  constexpr std::uint64_t usual_fragments = 6;
  const godot_codec::EnetFragmentCounts count = enet_session().fragment_counts(connection, sender);
  const std::uint32_t lost = count.begun_count - count.whole_count;
  // Some fragments may have arrived but be missing in the capture. The share of missing reliable commands shows how
  // many, because reliable commands that were lost would have been retransmitted.
  const godot_codec::EnetReliableCounts captured = enet_session().tracker().reliable_counts(connection.stream);
  const bool is_missing = captured.missing * usual_fragments * 2 * count.begun_count >= lost * captured.total;
  if (lost < min_count || lost < count.begun_count / min_share || is_missing) return {};
  return {
      .expert = &lost_fragments,
      .text = wmem_strdup_printf(
          pinfo->pool,
          "%u of %u large unreliable messages of the %s were lost, because one lost fragment loses the whole message",
          lost, count.begun_count, role_name(pinfo, connection, sender)),
      .count = lost};
}

constexpr EnetEndRule end_rules[] = {find_lost_large_datagrams, find_slow_message, find_lost_fragments,
                                     find_unpolled_peer};

}  // namespace

std::span<const EnetEndRule> enet_end_rules() { return end_rules; }

Finding find_peer_gone(packet_info *pinfo, const EnetConnection &connection) {
  const EnetVanishedSide gone = find_vanished_side(connection);
  if (!gone.has_vanished) return {};
  return {.expert = gone.timed_out_after > 0 ? &peer_timeout : &peer_gone,
          .text = wmem_strdup_printf(pinfo->pool, "The %s", describe_vanished_side(pinfo, connection, gone))};
}

}  // namespace godot_plugin
