// SPDX-License-Identifier: GPL-2.0-or-later
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/web_socket.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {
namespace {

const char *name_of_end(const WebSocketConnection &connection, unsigned direction) {
  return direction == connection.client ? "client" : "server";
}

const char *quoted_if_any(packet_info *pinfo, const char *text) {
  return text == nullptr || *text == '\0' ? "" : wmem_strdup_printf(pinfo->pool, " \"%s\"", text);
}

ExpertItem refused{
    {"godot_websocket.refused", PI_SEQUENCE, PI_WARN, "The server refused the WebSocket request"},
    {.weight = 100,
     .advice = "Check the path of the URL. Does the proxy of the server pass on \"Upgrade\" and \"Connection\"?"}};

const char *hint_of_status(packet_info *pinfo, const WebSocketConnection &connection) {
  constexpr unsigned redirections = 3;
  constexpr unsigned server_errors = 5;
  constexpr unsigned class_size = 100;
  switch (connection.status) {
    case 400:
      return "the server does not accept the WebSocket request";
    case 401:
      return "the server requires a login";
    case 404:
      return wmem_strdup_printf(pinfo->pool, "the server has no resource %s", connection.path);
    case 426:
      return "the server requires another protocol";
    default:
      break;
  }
  if (connection.status / class_size == redirections) return "the Godot client does not follow redirections";
  if (connection.status / class_size == server_errors) return "the server, or its proxy, failed";
  return wmem_strdup_printf(pinfo->pool, "there is no WebSocket at %s", connection.path);
}

const char *describe_status(packet_info *pinfo, const WebSocketConnection &connection) {
  return wmem_strdup_printf(pinfo->pool, "HTTP status %u (%s) instead of 101: %s", connection.status, connection.phrase,
                            hint_of_status(pinfo, connection));
}

ExpertItem forbidden{{"godot_websocket.forbidden", PI_SEQUENCE, PI_WARN, "The server does not allow the client"},
                     {.weight = 90, .advice = "Allow this origin in the server or its proxy."}};

const char *describe_forbidden(packet_info *pinfo, const WebSocketConnection &connection) {
  const char *who =
      *connection.origin == '\0' ? "the client" : wmem_strdup_printf(pinfo->pool, "the origin %s", connection.origin);
  return wmem_strdup_printf(pinfo->pool, "HTTP status 403 (%s): the server does not allow %s", connection.phrase, who);
}

const char *name_of_ending(const WebSocketEnding &ending) { return ending.is_reset ? "TCP RST" : "TCP FIN"; }

ExpertItem unanswered{
    {"godot_websocket.unanswered", PI_SEQUENCE, PI_WARN, "The server has not answered the handshake"},
    {.weight = 120,
     .advice =
         "Call WebSocketMultiplayerPeer.create_server() on the server and poll the peer. If it has TLSOptions.server(), the URL of the client must begin with wss://."}};

const char *describe_unanswered(packet_info *pinfo, const WebSocketConnection &connection) {
  wmem_allocator_t *pool = pinfo->pool;
  const WebSocketEnding &ending = connection.endings[connection.problem_by];
  const bool is_by_server = connection.problem_by != connection.client;
  const double seconds =
      static_cast<double>(connection.last_time - connection.began) / godot_codec::nanoseconds_per_second;
  const char *how =
      is_by_server
          ? wmem_strdup_printf(pool, "The server closed the connection without an answer (%s)", name_of_ending(ending))
          : wmem_strdup_printf(pool, "The client gave up after %.1f s without an answer", seconds);
  if (connection.is_tls) {
    return wmem_strdup_printf(pool, "%s to TLS: if this is wss:// of a game, does the server use ws:// only?", how);
  }
  if (!is_by_server) {
    return wmem_strdup_printf(
        pool, "%s: the server does not poll its peer, uses TLS (wss://), or is not a WebSocket server", how);
  }
  if (*connection.requested != '\0') {
    return wmem_strdup_printf(
        pool,
        "%s: the server supports none of the subprotocols \"%s\", uses TLS (wss://), or is not a WebSocket server", how,
        connection.requested);
  }
  // A server that resets the connection has not read the request, because it expects another protocol.
  if (ending.is_reset) {
    return wmem_strdup_printf(
        pool, "%s: the server uses TLS (wss://), requires a subprotocol, or is not a WebSocket server", how);
  }
  return wmem_strdup_printf(
      pool,
      "%s: the server requires a subprotocol (supported_protocols), uses TLS (wss://), or is not a WebSocket server",
      how);
}

ExpertItem closed{
    {"godot_websocket.closed", PI_SEQUENCE, PI_NOTE, "A side closed the WebSocket with a code"},
    {.weight = 560,
     .plural = "%u WebSockets were closed",
     .advice =
         "Look for close() with this code on that side; the other side can read get_close_code() and get_close_reason().",
     .merge = Merge::all,
     .is_marked = false}};

// Returns text such as: the server, 4001 (the game's own code) "you are kicked".
const char *describe_close(packet_info *pinfo, const WebSocketConnection &connection) {
  const WebSocketEnding &ending = connection.endings[connection.closed_by];
  const std::string_view meaning = godot_codec::meaning_of_close(ending.code);
  return wmem_strdup_printf(pinfo->pool, "the %s, %u (%.*s)%s", name_of_end(connection, connection.closed_by),
                            ending.code, static_cast<int>(meaning.size()), meaning.data(),
                            quoted_if_any(pinfo, ending.reason));
}

ExpertItem aborted{
    {"godot_websocket.aborted", PI_SEQUENCE, PI_NOTE, "The connection ended without a WebSocket close"},
    {.weight = 530,
     .advice =
         "Nothing if the server was stopped. Otherwise look at its log: did it crash? Raise the timeout of a proxy.",
     .is_marked = false}};

const char *describe_end_cause(packet_info *pinfo, const WebSocketConnection &connection) {
  if (connection.endings[connection.problem_by].is_reset) {
    return ": the program ended before it had read everything (get_tree().quit(), a crash), or a proxy closed the connection";
  }
  const double seconds = static_cast<double>(connection.last_silence) / godot_codec::nanoseconds_per_second;
  if (seconds < 1) return ": WebSocketMultiplayerPeer.close() was called, or the program ended";
  return wmem_strdup_printf(
      pinfo->pool,
      " after %.1f s without a message: a proxy closed the idle connection (nginx after proxy_read_timeout, 60 s), WebSocketMultiplayerPeer.close() was called, or the program ended",
      seconds);
}

const char *describe_aborted(packet_info *pinfo, const WebSocketConnection &connection) {
  return wmem_strdup_printf(
      pinfo->pool, "The %s left without closing the WebSocket (%s)%s", name_of_end(connection, connection.problem_by),
      name_of_ending(connection.endings[connection.problem_by]), describe_end_cause(pinfo, connection));
}

ExpertItem tls_refused{
    {"godot_websocket.tls_refused", PI_SEQUENCE, PI_WARN, "One side refused the TLS handshake of the other"},
    {.weight = 80,
     .advice =
         "Call create_client(url, TLSOptions.client(certificate)) with the certificate of the server, for the host in the URL; in a test use TLSOptions.client_unsafe()."}};

// TLS alerts that occur with games (RFC 8446, section 6.2).
const char *name_of_alert(std::uint8_t alert) {
  static const value_string names[] = {{40, "handshake failure"},
                                       {42, "bad certificate"},
                                       {43, "unsupported certificate"},
                                       {44, "certificate revoked"},
                                       {45, "certificate expired"},
                                       {46, "certificate unknown"},
                                       {48, "unknown CA"},
                                       {70, "protocol version"},
                                       {112, "unrecognized name"},
                                       {116, "certificate required"},
                                       {0, nullptr}};
  return val_to_str_const(alert, names, "an alert");
}

bool is_of_certificates(std::uint8_t alert) {
  constexpr std::uint8_t first_of_certificates = 42;
  constexpr std::uint8_t unknown_ca = 48;
  return alert >= first_of_certificates && alert <= unknown_ca;
}

const char *describe_alert(packet_info *pinfo, const WebSocketConnection &connection) {
  const bool is_by_client = connection.problem_by == connection.client;
  const bool is_certificate = is_of_certificates(connection.alert);
  return wmem_strdup_printf(
      pinfo->pool, "The %s rejected the %s (TLS alert %u, %s)%s", is_by_client ? "client" : "server",
      is_certificate ? is_by_client ? "certificate of the server" : "certificate of the client"
                     : "TLS handshake of the other side",
      unsigned{connection.alert}, name_of_alert(connection.alert),
      is_by_client && is_certificate ? ": is it self-signed, expired, or for another host name than that in the URL?"
                                     : "");
}

// Returns the advice for a server that does not answer. It depends on the side that ended the connection, and on TLS.
const char *advice_of_unanswered(const WebSocketConnection &connection) {
  if (connection.is_tls)
    return "Pass TLSOptions.server() to create_server(), or begin the URL of the client with ws://.";
  if (connection.problem_by == connection.client) return nullptr;
  return "If the server has TLSOptions.server(), the URL of the client must begin with wss://. Otherwise set the same supported_protocols on both sides, before the client connects.";
}

const char *mark_of_alert(const WebSocketConnection &connection) {
  const bool is_by_client = connection.problem_by == connection.client;
  if (!is_of_certificates(connection.alert)) {
    return is_by_client ? "the client rejected TLS" : "the server rejected TLS";
  }
  return is_by_client ? "the client rejected the certificate" : "the server rejected the certificate";
}

ExpertItem tls_mismatch{
    {"godot_websocket.tls_mismatch", PI_SEQUENCE, PI_WARN, "One side uses TLS and the other does not"},
    {.weight = 70, .advice = "Use wss:// and TLSOptions.server(), or ws:// and no TLSOptions, on both sides."}};

ExpertItem subprotocol_mismatch{
    {"godot_websocket.subprotocol_mismatch", PI_SEQUENCE, PI_WARN, "Client and server have no common subprotocol"},
    {.weight = 110, .advice = "Set the same supported_protocols on both sides, before the client connects."}};

// The expert items of this file.
ExpertItem *const items[] = {&refused, &forbidden, &subprotocol_mismatch, &tls_refused, &tls_mismatch, &unanswered,
                             &aborted, &closed};

}  // namespace

Finding problem_of_web_socket(packet_info *pinfo, const WebSocketConnection &connection) {
  wmem_allocator_t *pool = pinfo->pool;
  switch (connection.problem) {
    case WebSocketProblem::refused:
      return {.rule = &refused, .text = describe_status(pinfo, connection), .mark = "WebSocket refused"};
    case WebSocketProblem::forbidden:
      return {.rule = &forbidden, .text = describe_forbidden(pinfo, connection), .mark = "client not allowed"};
    case WebSocketProblem::none_selected:
      return {
          .rule = &subprotocol_mismatch,
          .text = wmem_strdup_printf(
              pool,
              "The server selected none of the subprotocols \"%s\", so the Godot client closes the connection (\"Requested sub-protocol(s) but received none\")",
              connection.requested),
          .mark = "no common subprotocol"};
    case WebSocketProblem::unrequested_selected:
      return {
          .rule = &subprotocol_mismatch,
          .text = wmem_strdup_printf(
              pool,
              "The server selected the subprotocol \"%s\", which the client did not offer, so the Godot client closes the connection (\"Received unrequested sub-protocol\")",
              connection.selected),
          .mark = "no common subprotocol"};
    case WebSocketProblem::server_requires_tls:
      return {.rule = &tls_mismatch,
              .text = "The server uses TLS and the client does not: use wss:// instead of ws://",
              .mark = "the server requires wss://"};
    case WebSocketProblem::client_requires_tls:
      return {.rule = &tls_mismatch,
              .text = "The client uses TLS and the server does not: use ws:// instead of wss://",
              .mark = "the server requires ws://"};
    case WebSocketProblem::tls_refused:
      return {.rule = &tls_refused, .text = describe_alert(pinfo, connection), .mark = mark_of_alert(connection)};
    case WebSocketProblem::unanswered:
      return {.rule = &unanswered,
              .text = describe_unanswered(pinfo, connection),
              .mark = "WebSocket, not answered",
              .advice = advice_of_unanswered(connection)};
    case WebSocketProblem::aborted:
      return {.rule = &aborted, .text = describe_aborted(pinfo, connection), .mark = "WebSocket, not closed"};
    case WebSocketProblem::closed:
      return {.rule = &closed, .text = wmem_strdup_printf(pool, "Closed by %s", describe_close(pinfo, connection))};
    case WebSocketProblem::none:
      break;
  }
  return {};
}

void register_web_socket_rules(int proto) {
  expert_module_t *module = expert_register_protocol(proto);
  for (ExpertItem *item : items) item->register_for(module);
}

const char *describe_web_socket(packet_info *pinfo, const WebSocketConnection &connection) {
  if (connection.problem != WebSocketProblem::none) return problem_of_web_socket(pinfo, connection).text;
  if (connection.endings[connection.closed_by].closed != 0) {
    return wmem_strdup_printf(pinfo->pool, "Closed by %s", describe_close(pinfo, connection));
  }
  return connection.has_answered ? "Open" : "No answer so far";
}

}  // namespace godot_plugin
