// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/life.h"

#include <algorithm>

#include "plugin/epan/endpoints.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommandType;
using godot_codec::EnetConnection;
using godot_codec::EnetEnd;
using godot_codec::EnetFacts;
using godot_codec::index_of;
using godot_codec::Moment;
using godot_codec::Side;

// ENet asks twice a second at least, Godot's default: who says nothing for so long is gone, or was cut off.
constexpr std::int64_t telling_silence = 5 * godot_codec::nanoseconds_per_second;

bool is_server(const packet_info *pinfo, const EnetConnection &connection, Side side) {
  if (connection.has_connect) return index_of(side) != connection.client_direction;
  return (index_of(side) == direction_of(pinfo)) != is_to_server(pinfo, connection);
}

const char *name_of(const packet_info *pinfo, const EnetConnection &connection, Side side) {
  return is_server(pinfo, connection, side) ? "server" : "client";
}

// A server that lets nobody in says so before anything else is said.
bool is_refusal(const packet_info *pinfo, const EnetConnection &connection, Side by, Moment disconnect) {
  const Moment first = connection.facts.first_message;
  return connection.has_connect && is_server(pinfo, connection, by) && (first.packet == 0 || first > disconnect);
}

const char *likely_cause(packet_info *pinfo, const EnetFacts &facts) {
  if (facts.refused.packet != 0) {
    return wmem_strdup_printf(pinfo->pool,
                              "ICMP says it did not get there (frame %u): no server at that port, or a firewall",
                              facts.refused.packet);
  }
  if (facts.is_connect_compressed) {
    return "it is compressed: a server that compresses otherwise, or not at all, drops it";
  }
  return "wrong address or port, no server there, a firewall, or a server that wants DTLS";
}

const char *describe_unanswered(packet_info *pinfo, const EnetFacts &facts) {
  return wmem_strdup_printf(pinfo->pool, "no answer to %u connect%s: %s", facts.connects,
                            facts.connects == 1 ? "" : "s", likely_cause(pinfo, facts));
}

// Who has been silent for long when the capture ends, or the connection's part of it.
const char *describe_open(packet_info *pinfo, const EnetConnection &connection) {
  const godot_codec::EnetSideFacts &first = connection.facts.of(Side::first);
  const godot_codec::EnetSideFacts &second = connection.facts.of(Side::second);
  if (first.datagrams == 0 || second.datagrams == 0) return "open";
  const std::int64_t silence = godot_codec::elapsed(first.last_heard, second.last_heard);
  const Side silent = silence > 0 ? Side::first : Side::second;
  const double seconds = static_cast<double>(silence) / godot_codec::nanoseconds_per_second;
  if (silence < telling_silence && silence > -telling_silence) return "open";
  return wmem_strdup_printf(pinfo->pool, "open, %s silent for the last %.1f s", name_of(pinfo, connection, silent),
                            silence > 0 ? seconds : -seconds);
}

}  // namespace

bool is_to_server(const packet_info *pinfo, const EnetConnection &connection) {
  if (connection.has_connect) return direction_of(pinfo) == connection.client_direction;
  return pinfo->destport == connection.server_port;
}

const char *describe_end(packet_info *pinfo, const EnetConnection &connection) {
  const EnetFacts &facts = connection.facts;
  const EnetEnd &end = facts.end;
  if (end.kind == EnetEnd::Kind::disconnected) {
    const char *verb = is_refusal(pinfo, connection, end.by, end.moment) ? "refused" : "disconnected";
    return wmem_strdup_printf(pinfo->pool, "%s by %s, data %u", verb, name_of(pinfo, connection, end.by), end.data);
  }
  if (connection.has_connect && !facts.is_connect_answered && facts.first_message.packet == 0) {
    return describe_unanswered(pinfo, facts);
  }
  if (end.kind == EnetEnd::Kind::replaced) {
    return wmem_strdup_printf(pinfo->pool, "replaced by another (frame %u)", end.moment.packet);
  }
  return describe_open(pinfo, connection);
}

std::int64_t longest_silence(const EnetConnection &connection) {
  return std::max(connection.facts.of(Side::first).longest_silence, connection.facts.of(Side::second).longest_silence);
}

const char *describe_connect_trouble(packet_info *pinfo, const godot_codec::EnetFindings &known,
                                     const godot_codec::EnetCommand &command, bool is_repeated) {
  if (known.connection == nullptr) return nullptr;
  const EnetConnection &connection = *known.connection;
  const EnetFacts &facts = connection.facts;
  if (command.is(EnetCommandType::disconnect)) {
    const Side by = direction_of(pinfo) == 0 ? Side::first : Side::second;
    if (!is_refusal(pinfo, connection, by, known.moment)) return nullptr;
    return wmem_strdup_printf(pinfo->pool, "The server refuses the client, data %u",
                              command.value(godot_codec::EnetField::disconnect_data));
  }
  if (!command.is(EnetCommandType::connect)) return nullptr;
  const bool is_answered = facts.is_connect_answered && facts.connect_answered < known.moment;
  // Of the first connect it is known only later, and the capture may have ended before an answer.
  const bool is_left_alone = !facts.is_connect_answered && (facts.connects > 1 || facts.refused.packet != 0);
  const bool is_refused = facts.refused.packet != 0 && facts.refused <= known.moment;
  if (is_answered || !(is_repeated || is_left_alone || is_refused)) return nullptr;
  if (facts.is_connect_answered && is_refused) {
    return wmem_strdup_printf(pinfo->pool, "The connect was not answered at once: %s", likely_cause(pinfo, facts));
  }
  if (facts.is_connect_answered) return "The connect was not answered for long: it is repeated";
  return describe_unanswered(pinfo, facts);
}

}  // namespace godot_plugin
