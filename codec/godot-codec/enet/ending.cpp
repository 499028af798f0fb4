// SPDX-License-Identifier: MIT
#include "godot-codec/enet/ending.h"

namespace godot_codec {
namespace {

// Minimum number of unanswered retransmissions. Packet loss alone rarely hits a command and its first two
// retransmissions. After an ICMP error, one retransmission is enough.
constexpr std::uint32_t min_repeats = 3;
constexpr std::uint32_t min_repeats_with_icmp = 1;
// Maximum time between a connection and its rejection, in nanoseconds. Godot handles a new connection in its next
// frame.
constexpr std::int64_t rejected_within = nanoseconds_per_second;

}  // namespace

EnetVanishedSide find_vanished_side(const EnetConnection &connection) {
  const EnetFacts &facts = connection.facts;
  // find_connect_problem() reports a connection that was never established.
  const bool is_up = !connection.has_connect || facts.has_server_gone_on || facts.first_message.packet != 0;
  if (!is_up || facts.is_stray_answer) return {};
  const bool is_disconnected = facts.end.kind == EnetEnd::Kind::disconnected;
  for (const Side waiting : {Side::first, Side::second}) {
    // Skipped if the silence is normal: the other side has disconnected, or only commands after this side's own
    // disconnect are unanswered. A peer does not have to answer those.
    const bool is_disconnect =
        is_disconnected && (facts.end.by != waiting || facts.end.position <= facts.of(waiting).unanswered_since);
    if (is_disconnect) continue;
    const EnetSideFacts &of_waiting = facts.of(waiting);
    if (of_waiting.unanswered < (of_waiting.refused.packet != 0 ? min_repeats_with_icmp : min_repeats)) continue;
    const PacketPosition repeated = of_waiting.unanswered_since;
    const bool is_refused_first = of_waiting.refused.packet != 0 && of_waiting.refused < repeated;
    // A host sends at least twice per second. If the host stalled, its peer may have timed it out: by default after 5 s
    // or more, earlier after set_timeout(). From then on, the peer drops everything from the host.
    constexpr std::int64_t timed_out_after = nanoseconds_per_second;
    const std::int64_t before = elapsed(facts.of(other_side(waiting)).last_heard, of_waiting.silent_until);
    const bool has_timed_out = of_waiting.refused.packet == 0 && of_waiting.longest_silence > timed_out_after &&
                               before > -nanoseconds_per_second && before <= of_waiting.longest_silence;
    return {true,     other_side(waiting),   is_refused_first ? of_waiting.refused : repeated,
            repeated, of_waiting.unanswered, has_timed_out ? of_waiting.longest_silence : 0};
  }
  return {};
}

bool is_rejected(const EnetConnection &connection) {
  const EnetFacts &facts = connection.facts;
  const EnetEnd &end = facts.end;
  const bool is_by_server = end.kind == EnetEnd::Kind::disconnected && connection.has_connect &&
                            index_of(end.by) != connection.client_direction;
  if (!is_by_server) return false;
  const bool is_before_messages = facts.first_message.packet == 0 || facts.first_message > end.position;
  // If the answer is not in the capture, the time of the server's first datagram is used.
  const std::int64_t answered = facts.is_connect_answered ? facts.connect_answered_time : facts.of(end.by).first_heard;
  const bool is_at_once = elapsed(answered, end.time) <= rejected_within;
  return is_before_messages && is_at_once;
}

}  // namespace godot_codec
