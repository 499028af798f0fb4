// SPDX-License-Identifier: GPL-2.0-or-later
// Rules for problems that no single message shows: values that stop, losses, floods, and two authorities. The codec
// detects these problems (MpProblemTracker) and assigns each problem to a message.
#include <algorithm>
#include <cinttypes>
#include <iterator>
#include <optional>

#include "plugin/epan/packet_info.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/rules.h"

namespace godot_plugin {
namespace {

using godot_codec::MpProblem;
using godot_codec::MpProblemKind;
using godot_codec::UnreliableLosses;

// A problem that several messages show together, the message that reports it, and texts for its description.
struct ConnectionProblem {
  const MpDissection &dissection;
  const MpProblem &detected;
  const char *first_peer;   // begins a sentence
  const char *second_peer;  // within a sentence
  const char *subject;      // path or name of the node; null if not known
  const char *node;         // the subject, or "a node"
};

ConnectionProblem prepare_description(const MpDissection &dissection, const MpProblem &detected) {
  const char *subject = detected.node.empty() ? nullptr : detected.node.data();
  return {dissection,
          detected,
          describe_peer(dissection, detected.peers.sender, true),
          describe_peer(dissection, detected.peers.receiver, false),
          subject,
          subject == nullptr ? "a node" : subject};
}

double to_seconds(std::int64_t time) { return static_cast<double>(time) / godot_codec::nanoseconds_per_second; }

double to_milliseconds(std::int64_t time) { return 1000 * to_seconds(time); }

ExpertItem authority_conflict{
    {"godot_mp.authority_conflict", PI_SEQUENCE, PI_WARN,
     "Two peers keep sending the values of one synchronizer (reported once)"},
    {.weight = 260,
     .text = "Two peers both act as the authority of %s, so Godot ignores the updates of one of them",
     .plural_text = "Several peers act as the authority of %s, so Godot ignores the updates of all except one",
     .advice = "On all peers, call set_multiplayer_authority() with the same peer ID, not with get_unique_id().",
     .merge = RowMerge::all}};

// Returns which of the two peers is the authority, as the last part of a sentence; empty if not known.
const char *describe_authority(const ConnectionProblem &problem) {
  const MpDissection &dissection = problem.dissection;
  const MpProblem &detected = problem.detected;
  const std::int32_t declared =
      dissection.packet.names == nullptr ? 0 : dissection.packet.names->project().find_authority(detected.node);
  for (const std::int32_t peer : {detected.peers.sender, detected.peers.receiver}) {
    const std::optional<std::int32_t> id = dissection.peers().id_of(peer, dissection.packet.position);
    if (!id) continue;
    if (*id == declared) {
      return dissection.format("; the scripts make %s the authority", describe_peer(dissection, peer, false));
    }
    if (declared == 0 && has_peer_id_as_name(detected.node, *id)) {
      return dissection.format("; the node's name suggests that the authority is %s",
                               describe_peer(dissection, peer, false));
    }
  }
  return "";
}

Finding describe_authority_conflict(const ConnectionProblem &problem) {
  // Do not set FindingSubject::field, because the subject is a path or a name, and no field contains both.
  return {
      .expert = &authority_conflict,
      .text = problem.dissection.format(
          "%s and %s both send the values of %s (%u alternations), so Godot ignores the values of one of them%s",
          problem.first_peer, problem.second_peer, problem.node, problem.detected.count, describe_authority(problem)),
      .subject = {problem.subject},
      .detail = problem.dissection.format("%s and %s both send values of this node%s", problem.first_peer,
                                          problem.second_peer, describe_authority(problem)),
      .info_mark = "two peers send its values"};
}

Finding describe_two_spawners(const ConnectionProblem &problem) {
  return {.expert = &authority_conflict,
          .text = problem.dissection.format(
              "%s and %s both spawn nodes with %s, so Godot drops the spawns of the peer that is not its authority",
              problem.first_peer, problem.second_peer, problem.node),
          .subject = {problem.subject, path_field},
          .detail =
              problem.dissection.format("%s and %s both spawn nodes with it", problem.first_peer, problem.second_peer),
          .info_mark = "two peers spawn by this",
          .advice = "Add the nodes only on the authority of the spawner, usually the server."};
}

ExpertItem sync_stopped{
    {"godot_mp.sync_stopped", PI_SEQUENCE, PI_WARN,
     "The values of a node have stopped, but the receiver still has the node (reported once)"},
    {.weight = 280,
     .advice =
         "The authority was probably changed only on the peer that stopped sending. Change the authority on all peers: call set_multiplayer_authority() in an RPC with \"call_local\"."}};

Finding describe_stopped_sync(const ConnectionProblem &problem) {
  return {.expert = &sync_stopped,
          .text = problem.dissection.format(
              "%s has sent no values for %s since frame %u, but %s still has the node and no other peer sends them",
              problem.first_peer, problem.node, problem.detected.since.packet, problem.second_peer),
          .subject = {problem.subject}};
}

Finding describe_lost_authority(const ConnectionProblem &problem) {
  return {.expert = &sync_stopped,
          .text = problem.dissection.format("%s has sent no values for %s since frame %u, but %s still has the node",
                                            problem.first_peer, problem.node, problem.detected.since.packet,
                                            problem.second_peer),
          .subject = {problem.subject},
          .advice = problem.dissection.format(
              "Free the node, or change the scene, on both sides: %s has probably done so, and %s has not.",
              describe_peer(problem.dissection, problem.detected.peers.sender, false), problem.second_peer)};
}

ExpertItem no_sync{
    {"godot_mp.no_sync", PI_SEQUENCE, PI_WARN,
     "No peer sends values for a synchronizer of a spawned node (reported once)"},
    {.weight = 270, .advice = "Call set_multiplayer_authority() with the same ID on all peers, in _enter_tree()."}};

Finding describe_missing_sync(const ConnectionProblem &problem) {
  return {
      .expert = &no_sync,
      .text = problem.dissection.format(
          "No peer sends values for the MultiplayerSynchronizer of node %s, because no peer considers itself the authority",
          problem.subject == nullptr ? "(unknown)" : problem.subject),
      .subject = {problem.subject},
      .info_mark = "no peer sends its values"};
}

ExpertItem spawn_churn{
    {"godot_mp.spawn_churn", PI_SEQUENCE, PI_WARN, "A node is spawned and despawned again and again (reported once)"},
    {.weight = 410,
     .advice =
         "Keep the node and hide it instead of freeing it. Call set_visibility_for() only on changes, not in every game frame."}};

Finding describe_spawn_churn(const ConnectionProblem &problem) {
  return {.expert = &spawn_churn,
          .text = problem.dissection.format(
              "%s is spawned and despawned again and again: %u times in %.1f s, each time for less than 0.2 s",
              problem.node, problem.detected.count, to_seconds(problem.detected.duration)),
          .subject = {problem.subject, node_field},
          .info_mark = "spawned and despawned again and again"};
}

ExpertItem call_flood{
    {"godot_mp.call_flood", PI_SEQUENCE, PI_WARN, "A method is called hundreds of times per second (reported once)"},
    {.weight = 210,
     .advice =
         "Call the method only on changes, or a few times per second. Look for calls in _process(), and for two methods that call each other."}};

// Describes a flood of calls. The receiver or the link cannot keep up if answers take much longer than the fastest.
const char *flood_text(const ConnectionProblem &problem) {
  constexpr std::int64_t late = godot_codec::nanoseconds_per_second / 10;
  constexpr std::int64_t ratio = 4;
  const godot_codec::RoundTripRange times = problem.dissection.packet.delivery->round_trip_range();
  const bool is_overload = times.percentile_95 >= late && times.percentile_95 >= ratio * times.min;
  const char *overload =
      !is_overload ? ""
                   : problem.dissection.format(", and %s cannot keep up: answers take up to %.0f ms instead of %.1f ms",
                                               problem.second_peer, to_milliseconds(times.percentile_95),
                                               to_milliseconds(times.min));
  return problem.dissection.format("%s calls the same method of %s up to %u times per second%s", problem.first_peer,
                                   problem.node, problem.detected.count, overload);
}

Finding describe_call_flood(const ConnectionProblem &problem) {
  return {.expert = &call_flood,
          .text = flood_text(problem),
          .subject = {problem.subject, path_field},
          .info_mark = "call flood"};
}

ExpertItem stall{
    {"godot_mp.stall", PI_SEQUENCE, PI_WARN, "A side of a WebSocket sent nothing for much longer than before"},
    {.weight = 480,
     .advice =
         "Find out what the game did at that time. If it loaded a scene, ResourceLoader.load_threaded_request() loads it without a stall."}};

Finding describe_stall(const ConnectionProblem &problem) {
  return {.expert = &stall,
          .text = problem.dissection.format("%s stalled for %.1f s, in which it sent nothing", problem.first_peer,
                                            to_seconds(problem.detected.duration)),
          .subject = {problem.subject},
          .info_mark = problem.dissection.format("stalled for %.1f s", to_seconds(problem.detected.duration))};
}

ExpertItem unresponsive{
    {"godot_mp.unresponsive", PI_SEQUENCE, PI_WARN, "A side receives messages and never sends one (reported once)"},
    {.weight = 190,
     .advice =
         "On the silent peer, set multiplayer.multiplayer_peer, and keep SceneTree.multiplayer_poll true or call multiplayer.poll() in every game frame. In Godot 3, set network_peer, and pass gd_mp_api = true to WebSocketClient.connect_to_url() or WebSocketServer.listen()."}};

Finding describe_unresponsive_peer(const ConnectionProblem &problem) {
  return {
      .expert = &unresponsive,
      .text = problem.dissection.format("%s has received multiplayer messages since frame %u, but has never sent one",
                                        problem.first_peer, problem.detected.since.packet),
      .subject = {problem.subject},
      .info_mark = "no multiplayer answer"};
}

double percentage(std::uint64_t part, std::uint64_t all) {
  return 100 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(all, 1));
}

ExpertItem calls_lost{
    {"godot_mp.calls_lost", PI_SEQUENCE, PI_WARN,
     "Unreliable calls of a side that loses many unreliable messages (reported once)"},
    {.weight = 470,
     .advice =
         "Use \"reliable\" for calls that must arrive. If most messages are lost, send less. If create_server() or create_client() limits the bandwidth, raise the limit."}};

constexpr const char *advice_about_order =
    "Use \"reliable\" for calls that must arrive, or \"unreliable\" if the order does not matter.";

const char *describe_lost_calls(const ConnectionProblem &problem) {
  const UnreliableLosses losses = problem.dissection.packet.delivery->count_unreliable_losses();
  const char *sender = describe_peer(problem.dissection, problem.detected.peers.sender, false);
  const std::uint64_t ordered_lost = losses.ordered_missing + losses.ordered_late;
  if (losses.ordered_late > losses.ordered_missing) {
    return problem.dissection.format(
        "%" PRIu64 " of %" PRIu64
        " unreliable_ordered messages of %s were lost (%.0f %%), including calls of %s. ENet dropped %" PRIu64
        " because a newer message had arrived before, and %" PRIu64 " never arrived",
        ordered_lost, losses.ordered, sender, percentage(ordered_lost, losses.ordered), problem.node,
        losses.ordered_late, losses.ordered_missing);
  }
  return problem.dissection.format(
      "%" PRIu64 " of %" PRIu64 " unreliable messages of %s did not arrive (%.0f %%), including calls of %s",
      losses.missing, losses.total, sender, percentage(losses.missing, losses.total), problem.node);
}

// Finds calls that ENet's throttle drops before sending.
Finding describe_throttled_calls(const ConnectionProblem &problem) {
  const UnreliableLosses losses = problem.dissection.packet.delivery->count_unreliable_losses();
  const godot_codec::RoundTripRange times = problem.dissection.packet.delivery->round_trip_range();
  return {
      .expert = &calls_lost,
      .text = problem.dissection.format(
          "ENet's throttle dropped %" PRIu64 " of %" PRIu64
          " unreliable messages of %s before sending (%.0f %%), because the round-trip time rose from %.1f ms to %.0f ms. Calls of %s are among them",
          losses.missing, losses.total, describe_peer(problem.dissection, problem.detected.peers.sender, false),
          percentage(losses.missing, losses.total), to_milliseconds(times.min), to_milliseconds(times.percentile_95),
          problem.node),
      .subject = {problem.subject},
      .info_mark = "unreliable calls are lost",
      .advice =
          "Find out why the receiver answers late (slow game frames, a busy machine). Use \"reliable\" for calls that must arrive. On the sender, multiplayer_peer.get_peer(id).throttle_configure(5000, 32, 0) turns the throttle off."};
}

// Finds lost calls, as of the end of the capture, because messages that seem lost may arrive later.
Finding find_lost_calls(const ConnectionProblem &problem) {
  const UnreliableLosses losses = problem.dissection.packet.delivery->count_unreliable_losses();
  if (!godot_codec::MpProblemTracker::are_calls_lost(losses)) return {};
  if (losses.is_throttled) return describe_throttled_calls(problem);
  return {.expert = &calls_lost,
          .text = describe_lost_calls(problem),
          .subject = {problem.subject},
          .info_mark = "unreliable calls are lost",
          .advice = losses.ordered_late > losses.ordered_missing ? advice_about_order : nullptr};
}

Finding find_lost_values(const ConnectionProblem &problem) {
  const UnreliableLosses losses = problem.dissection.packet.delivery->count_unreliable_losses();
  if (!godot_codec::MpProblemTracker::are_values_lost(losses)) return {};
  return {
      .expert = &calls_lost,
      .text =
          losses.ordered_late > losses.ordered_missing
              ? describe_lost_calls(problem)
              : problem.dissection.format(
                    "%" PRIu64 " of %" PRIu64
                    " unreliable messages of %s did not arrive (%.0f %%), including synchronizer values, so nodes jump",
                    losses.missing, losses.total,
                    describe_peer(problem.dissection, problem.detected.peers.sender, false),
                    percentage(losses.missing, losses.total)),
      .subject = {problem.subject},
      .info_mark = "values are lost",
      .advice =
          losses.ordered_late > losses.ordered_missing
              ? advice_about_order
              : "The network loses packets, or its bandwidth is too low. Send less: a longer replication_interval, or fewer properties. If create_server() or create_client() limits the bandwidth, raise the limit."};
}

// The functions that describe the problems. A finding without a rule means that the problem is not severe enough.
// report_authority_conflict() reports the other kind of problem, on each message with values of the node.
struct ProblemDescription {
  MpProblemKind kind;
  Finding (*describe)(const ConnectionProblem &problem);
};
constexpr ProblemDescription descriptions[] = {
    {MpProblemKind::spawner_conflict, describe_two_spawners},
    {MpProblemKind::sync_stopped, describe_stopped_sync},
    {MpProblemKind::authority_sync_stopped, describe_lost_authority},
    {MpProblemKind::no_sync, describe_missing_sync},
    {MpProblemKind::spawn_churn, describe_spawn_churn},
    {MpProblemKind::call_flood, describe_call_flood},
    {MpProblemKind::stall, describe_stall},
    {MpProblemKind::unresponsive, describe_unresponsive_peer},
    {MpProblemKind::calls_lost, find_lost_calls},
    {MpProblemKind::values_lost, find_lost_values},
};

void check_connection_problems(const MpDissection &dissection, const MpResolvedMessage & /*message*/) {
  // The extent of these problems is known only at the end of the capture.
  if (!PINFO_FD_VISITED(dissection.pinfo) || dissection.packet.connection == nullptr) return;
  const godot_codec::MpProblemTracker &problems = dissection.packet.connection->problems();
  const MpProblem *detected = problems.find(dissection.packet, nullptr);
  for (; detected != nullptr; detected = problems.find(dissection.packet, detected)) {
    const auto *description = std::ranges::find(descriptions, detected->kind, &ProblemDescription::kind);
    if (description == std::end(descriptions)) continue;
    Finding finding = description->describe(prepare_description(dissection, *detected));
    finding.count = std::max(detected->count, 1U);
    if (finding.expert != nullptr) report_problem(dissection, detected->peers, finding);
  }
}

ExpertItem absent_peer{"godot_mp.absent_peer", PI_SEQUENCE, PI_NOTE,
                       "The server no longer has the target of this relayed message: the message is lost"};

// Reports a message that the server cannot relay because the receiver has left.
void check_absent_peer(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpPacket &packet = dissection.packet;
  const bool has_one_receiver = message.route.receiver > godot_codec::mp_server && message.command.relayed.length == 0;
  if (!packet.is_from_client() || !has_one_receiver ||
      packet.role_of(message.route.sender) != godot_codec::MpRole::client)
    return;
  const std::optional<PacketPosition> disconnect =
      packet.connection->peers().find_disconnect(message.route.receiver, packet.position);
  if (!disconnect) return;
  const char *peer = dissection.format("%d", message.route.receiver);
  const char *text =
      dissection.format("Peer %s has left (frame %u): messages to it are lost", peer, disconnect->packet);
  // Not a problem of the game, because the sender did not yet know that the peer has left.
  add_expert(dissection.pinfo, dissection.item, &absent_peer, "%s", text);
  if (dissection.result->mark == nullptr) dissection.result->mark = "that peer has left";
}

constexpr MpRule rules[] = {
    {all_commands, check_connection_problems},
    {all_commands, check_absent_peer},
};

}  // namespace

MpRules connection_rules() { return rules; }

bool report_authority_conflict(const MpDissection &dissection, const MpResolvedItem &object, bool is_counted) {
  const MpProblem *detected = dissection.packet.connection->problems().find_authority_conflict(object);
  if (detected == nullptr) return false;
  Finding finding = describe_authority_conflict(prepare_description(dissection, *detected));
  finding.count = is_counted ? 1U : 0U;
  report_problem(dissection, detected->peers, finding);
  return true;
}

}  // namespace godot_plugin
