// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/causes.h"

#include <algorithm>
#include <cinttypes>
#include <optional>

#include "plugin/epan/labels.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/multiplayer/words.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {
namespace {

using godot_codec::MpCause;
using godot_codec::MpFault;

double seconds(std::int64_t time) { return static_cast<double>(time) / godot_codec::nanoseconds_per_second; }

// By the end of the capture: some that seemed lost came later.
bool are_many_lost(const MpDrawing &drawing) {
  return drawing.packet.delivery != nullptr &&
         godot_codec::MpCauses::are_many(drawing.packet.delivery->unreliable_losses());
}

bool are_too_many_lost(const MpDrawing &drawing) {
  return drawing.packet.delivery != nullptr &&
         godot_codec::MpCauses::are_too_many(drawing.packet.delivery->unreliable_losses());
}

double milliseconds(std::int64_t time) { return 1000 * seconds(time); }

godot_codec::RoundTripRange round_trips_of(const MpDrawing &drawing) {
  return drawing.packet.delivery == nullptr ? godot_codec::RoundTripRange{} : drawing.packet.delivery->round_trips();
}

bool is_throttled(const MpDrawing &drawing, const MpCause &cause) {
  return cause.fault == MpFault::calls_lost && drawing.packet.delivery != nullptr &&
         drawing.packet.delivery->unreliable_losses().is_throttled;
}

const char *describe_losses(const MpDrawing &drawing, const MpCause &cause, const char *what) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const godot_codec::UnreliableLosses losses = drawing.packet.delivery == nullptr
                                                   ? godot_codec::UnreliableLosses{}
                                                   : drawing.packet.delivery->unreliable_losses();
  const char *sender = describe_peer(drawing, cause.first, false);
  const auto percent = [](std::uint64_t part, std::uint64_t all) {
    return 100 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(all, 1));
  };
  if (is_throttled(drawing, cause)) {
    const godot_codec::RoundTripRange times = round_trips_of(drawing);
    return wmem_strdup_printf(
        pool,
        "ENet's throttle dropped %" PRIu64 " of %" PRIu64
        " unreliable messages of %s before they were sent (%.0f %%), including calls of %s: the round-trip time rose to %.0f ms (%.1f ms at best), and the reliable messages arrived",
        losses.missing, losses.all, sender, percent(losses.missing, losses.all), what, milliseconds(times.most),
        milliseconds(times.least));
  }
  const std::uint64_t ordered_lost = losses.ordered_missing + losses.ordered_late;
  if (losses.ordered_late > losses.ordered_missing) {
    return wmem_strdup_printf(
        pool,
        "%" PRIu64 " of %" PRIu64 " unreliable_ordered messages of %s have not reached the game (%.0f %%): %" PRIu64
        " arrived after a newer one and were dropped by ENet, %" PRIu64
        " did not arrive. They include calls of %s: use \"reliable\" for calls that must arrive, or \"unreliable\" if the order does not matter",
        ordered_lost, losses.ordered, sender, percent(ordered_lost, losses.ordered), losses.ordered_late,
        losses.ordered_missing, what);
  }
  if (cause.fault == MpFault::values_lost) {
    return wmem_strdup_printf(
        pool,
        "%" PRIu64 " of %" PRIu64
        " unreliable messages of %s did not arrive (%.0f %%), including synchronizer values, so nodes jump. Reliable messages were retransmitted, too: the network loses packets, or you send more than it can carry",
        losses.missing, losses.all, sender, percent(losses.missing, losses.all));
  }
  return wmem_strdup_printf(
      pool,
      "%" PRIu64 " of %" PRIu64
      " unreliable messages of %s did not arrive (%.0f %%), including calls of %s: use \"reliable\" for calls that must arrive",
      losses.missing, losses.all, sender, percent(losses.missing, losses.all), what);
}

constexpr const char *advice_of_throttle =
    "Find out why the receiver answers late (slow frames, a busy machine). throttle_configure(5000, 32, 0) of the ENetPacketPeer (multiplayer_peer.get_peer(id)) turns the throttle off. Use \"reliable\" for calls that must arrive.";

// The receiver, or the link, cannot keep up if answers take much longer than they can.
const char *describe_flood(const MpDrawing &drawing, const MpCause &cause, const char *what) {
  constexpr std::int64_t late = godot_codec::nanoseconds_per_second / 10;
  constexpr std::int64_t ratio = 4;
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const godot_codec::RoundTripRange times = round_trips_of(drawing);
  const bool is_overload = times.most >= late && times.most >= ratio * times.least;
  const char *overload = !is_overload ? ""
                                      : wmem_strdup_printf(pool,
                                                           ". That is more than %s can process: answers take up to "
                                                           "%.0f ms instead of %.1f ms",
                                                           describe_peer(drawing, cause.second, false),
                                                           milliseconds(times.most), milliseconds(times.least));
  return wmem_strdup_printf(
      pool,
      "%s calls the same method of %s up to %u times per second%s. Do two methods call each other, or is it called several times per frame?",
      describe_peer(drawing, cause.first, true), what, cause.count, overload);
}

// Says which of two peers that act as a node's authority is the authority; empty if that is not known.
const char *describe_authority(const MpDrawing &drawing, const MpCause &cause) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const godot_codec::MpPeers &peers = drawing.packet.connection->peers();
  const std::int32_t told = drawing.packet.names == nullptr ? 0 : drawing.packet.names->authority_of(cause.what);
  for (const std::int32_t peer : {cause.first, cause.second}) {
    const std::optional<std::int32_t> id = peers.id_of(peer, drawing.packet.moment);
    if (!id) continue;
    if (*id == told) {
      return wmem_strdup_printf(pool, "; the scripts of the project folder make %s its authority",
                                describe_peer(drawing, peer, false));
    }
    if (told == 0 && has_name_of(cause.what, *id)) {
      return wmem_strdup_printf(pool, "; by its name its authority should be %s", describe_peer(drawing, peer, false));
    }
  }
  return "";
}

// Number of messages that the finding of a cause stands for. Only one message reports what happened often.
std::uint32_t count_of(const MpCause &cause) {
  const bool is_counted =
      cause.fault == MpFault::short_lives || cause.fault == MpFault::flood || cause.fault == MpFault::two_spawners;
  return is_counted ? std::max(cause.count, 1U) : 1;
}

Finding finding_of(const MpDrawing &drawing, const MpCause &cause) {
  wmem_allocator_t *pool = drawing.pinfo->pool;
  const char *subject = cause.what.empty() ? nullptr : cause.what.data();  // kept with a terminating zero
  const char *what = subject == nullptr ? "a node" : subject;
  const char *first = describe_peer(drawing, cause.first, true);
  const char *second = describe_peer(drawing, cause.second, false);
  switch (cause.fault) {
    case MpFault::two_senders:
      // No field holds both the path and the name of the node.
      return {
          .rule = &mp_experts.authority_conflict,
          .text = wmem_strdup_printf(
              pool,
              "%s and %s both send the values of %s (%u alternations): Godot ignores the values from the peer that is not its authority%s",
              first, second, what, cause.count, describe_authority(drawing, cause)),
          .subject = subject,
          .detail = wmem_strdup_printf(pool, "%s: %s and %s both send its values%s", what,
                                       describe_peer(drawing, cause.first, false), second,
                                       describe_authority(drawing, cause)),
          .mark = "two peers send its values"};
    case MpFault::values_end:
      return {
          .rule = &mp_experts.sync_stopped,
          .text = wmem_strdup_printf(
              pool,
              "%s has sent no values for %s since frame %u, but %s still has the node, and no other peer sends them. Was the authority changed on one side only?",
              first, what, cause.since.packet, second),
          .subject = subject};
    case MpFault::owner_ends:
      return {
          .rule = &mp_experts.sync_stopped,
          .text = wmem_strdup_printf(
              pool,
              "%s has sent no values for %s since frame %u, but %s still has the node. Was it freed on one side only, or another scene loaded?",
              first, what, cause.since.packet, second),
          .subject = subject};
    case MpFault::short_lives:
      return {
          .rule = &mp_experts.spawn_churn,
          .text = wmem_strdup_printf(
              pool,
              "%s is spawned and despawned again and again: %u times in %.1f s, each time for less than 0.2 s. Is it added and freed, or shown and hidden (set_visibility_for()), every frame?",
              what, cause.count, seconds(cause.time)),
          .subject = subject,
          .subject_field = "godot_mp.node",
          .mark = "spawned and despawned again and again",
          .count = count_of(cause)};
    case MpFault::flood:
      return {.rule = &mp_experts.call_flood,
              .text = describe_flood(drawing, cause, what),
              .subject = subject,
              .subject_field = "godot_mp.path",
              .mark = "call flood",
              .count = count_of(cause)};
    case MpFault::stood_still:
      return {.rule = &mp_experts.stall,
              .text = wmem_strdup_printf(pool, "%s stalled for %.1f s: it sent nothing, then continued", first,
                                         seconds(cause.time)),
              .subject = subject,
              .mark = wmem_strdup_printf(pool, "stalled for %.1f s", seconds(cause.time))};
    case MpFault::calls_lost:
      return {.rule = &mp_experts.calls_lost,
              .text = describe_losses(drawing, cause, what),
              .subject = subject,
              .mark = "unreliable calls are lost",
              .advice = is_throttled(drawing, cause) ? advice_of_throttle : nullptr};
    case MpFault::values_lost:
      return {.rule = &mp_experts.calls_lost,
              .text = describe_losses(drawing, cause, what),
              .subject = subject,
              .mark = "values are lost"};
    case MpFault::two_spawners:
      return {
          .rule = &mp_experts.authority_conflict,
          .text = wmem_strdup_printf(
              pool,
              "%s and %s both spawn nodes by %s: Godot drops the spawns of the peer that is not its authority. Only the server should add the nodes",
              first, second, what),
          .subject = subject,
          .subject_field = "godot_mp.path",
          .detail = wmem_strdup_printf(pool, "%s and %s both spawn by it", describe_peer(drawing, cause.first, false),
                                       second),
          .mark = "two peers spawn by this",
          .count = count_of(cause)};
    case MpFault::nobody_sends:
      return {
          .rule = &mp_experts.no_sync,
          .text = wmem_strdup_printf(
              pool,
              "No peer sends the values of %s, although its scene has a MultiplayerSynchronizer: %s, which spawned it for %s, is not its authority, and no other peer considers itself the authority",
              what, describe_peer(drawing, cause.first, false), second),
          .subject = subject,
          .mark = "no peer sends its values"};
    case MpFault::mute:
      break;
  }
  return {
      .rule = &mp_experts.unresponsive,
      .text = wmem_strdup_printf(
          pool,
          "%s is connected but never sends a multiplayer message, not even path confirmations (frame %u): was multiplayer.multiplayer_peer never set there (Godot 3: network_peer, or gd_mp_api of a WebSocketClient), or is the SceneTree paused?",
          first, cause.since.packet),
      .subject = subject,
      .mark = "no multiplayer answer"};
}

void add_mark(const MpDrawing &drawing, const Finding &finding) {
  if (drawing.notes->mark == nullptr) drawing.notes->mark = finding.mark;
}

}  // namespace

void note_dropped(const MpDrawing &drawing, const char *rule) {
  if (!drawing.context->is_copy && drawing.notes->dropped == nullptr) drawing.notes->dropped = rule;
}

void note_harmless(const MpDrawing &drawing, const Finding &finding, proto_item *item) {
  if (drawing.context->is_copy) return;
  add_harmless(drawing.pinfo, item == nullptr ? drawing.item : item, finding);
  add_mark(drawing, finding);
}

void note_problem(const MpDrawing &drawing, const godot_codec::MpNumbering &peers, Finding finding, proto_item *item) {
  if (drawing.context->is_copy) return;
  finding.from = describe_peer(drawing, peers.owner, false);
  finding.to = describe_peer(drawing, peers.listener, false);
  add_problem(drawing.pinfo, item == nullptr ? drawing.item : item, finding);
  add_mark(drawing, finding);
}

bool note_rivalry(const MpDrawing &drawing, const godot_codec::MpMessage &message, const godot_codec::MpFields &object,
                  const godot_codec::MpNumbering &numbering, bool is_counted) {
  const MpCause *cause =
      drawing.packet.connection->causes().rivalry(drawing.packet, message.command, object, numbering);
  if (cause == nullptr) return false;
  Finding finding = finding_of(drawing, *cause);
  finding.count = is_counted ? 1U : 0U;
  note_problem(drawing, {cause->first, cause->second}, finding);
  return true;
}

void note_causes(const MpDrawing &drawing) {
  // How often it was is known at the end.
  if (!PINFO_FD_VISITED(drawing.pinfo) || drawing.packet.connection == nullptr) return;
  const godot_codec::MpCauses &causes = drawing.packet.connection->causes();
  const MpCause *cause = causes.find(drawing.packet, nullptr);
  for (; cause != nullptr; cause = causes.find(drawing.packet, cause)) {
    if (cause->fault == MpFault::calls_lost && !are_many_lost(drawing)) continue;
    if (cause->fault == MpFault::values_lost && !are_too_many_lost(drawing)) continue;
    // Told of each message whose values they are.
    if (cause->fault == MpFault::two_senders) continue;
    note_problem(drawing, {cause->first, cause->second}, finding_of(drawing, *cause));
  }
}

}  // namespace godot_plugin
