// SPDX-License-Identifier: GPL-2.0-or-later
#include "godot-codec/core/packet_position.h"
#include "godot-codec/stream/web_socket.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {
namespace {

const char *side_name(const WebSocketConnection &connection, unsigned direction) {
  return direction == connection.client_direction ? "client" : "server";
}

const char *quote_if_any(packet_info *pinfo, const char *text) {
  return text == nullptr || *text == '\0' ? "" : wmem_strdup_printf(pinfo->pool, ": \"%s\"", text);
}

ExpertItem refused{
    {"godot_websocket.refused", PI_SEQUENCE, PI_WARN, "The server refused the WebSocket request"},
    {.weight = 100,
     .advice =
         "Check the path of the URL, and that the proxy of the server passes on the headers \"Upgrade\" and \"Connection\"."}};

// Returns advice about an HTTP status; null if the advice of the expert item applies.
const char *advice_about_status(const WebSocketConnection &connection) {
  constexpr unsigned redirections = 3;
  constexpr unsigned server_errors = 5;
  constexpr unsigned class_size = 100;
  constexpr unsigned unauthorized = 401;
  if (connection.http_status == unauthorized) {
    return "Pass the credentials in handshake_headers of the client's peer, because the server requires a login.";
  }
  if (connection.http_status / class_size == redirections) {
    return "Connect to the final URL, because the Godot client does not follow redirections.";
  }
  if (connection.http_status / class_size == server_errors)
    return "Look in the logs of the server and its proxy, because one of them failed.";
  return nullptr;
}

const char *describe_status(packet_info *pinfo, const WebSocketConnection &connection) {
  return wmem_strdup_printf(pinfo->pool, "The server refused the WebSocket request for %s with HTTP status %u (%s)",
                            connection.path, connection.http_status, connection.status_phrase);
}

ExpertItem forbidden{{"godot_websocket.forbidden", PI_SEQUENCE, PI_WARN, "The server does not allow the client"},
                     {.weight = 90, .advice = "Allow this origin in the server or its proxy."}};

const char *describe_forbidden(packet_info *pinfo, const WebSocketConnection &connection) {
  const char *who =
      *connection.origin == '\0' ? "the client" : wmem_strdup_printf(pinfo->pool, "the origin %s", connection.origin);
  return wmem_strdup_printf(pinfo->pool, "The server does not allow %s (HTTP status 403, %s)", who,
                            connection.status_phrase);
}

const char *advice_about_forbidden(const WebSocketConnection &connection) {
  return *connection.origin != '\0'
             ? nullptr
             : "Check the access rules of the server or its proxy, because one of them does not allow this client.";
}

ExpertItem unanswered{
    {"godot_websocket.unanswered", PI_SEQUENCE, PI_WARN, "The server has not answered the handshake"},
    {.weight = 120,
     .advice =
         "Check that the server has called create_server() and polls its peer in every game frame. If the server uses TLSOptions.server(), begin the client's URL with wss://."}};

const char *describe_unanswered(packet_info *pinfo, const WebSocketConnection &connection) {
  wmem_allocator_t *pool = pinfo->pool;
  const WebSocketSide &side = connection.sides[connection.problem_direction];
  const bool is_by_server = connection.problem_direction != connection.client_direction;
  const double seconds =
      static_cast<double>(connection.last_time - connection.begin_time) / godot_codec::nanoseconds_per_second;
  const char *how =
      is_by_server
          ? wmem_strdup_printf(pool, "The server closed the connection (%s) without an answer", side.tcp_end_name())
          : wmem_strdup_printf(pool, "The client gave up after %.1f s without an answer", seconds);
  if (connection.is_tls) return wmem_strdup_printf(pool, "%s to the TLS handshake (wss://)", how);
  if (!is_by_server || *connection.requested_subprotocols == '\0')
    return wmem_strdup_printf(pool, "%s to the WebSocket handshake", how);
  return wmem_strdup_printf(pool, "%s to the request for the subprotocols \"%s\"", how,
                            connection.requested_subprotocols);
}

ExpertItem closed{
    {"godot_websocket.closed", PI_SEQUENCE, PI_NOTE, "A side closed the WebSocket with a code"},
    {.weight = 560,
     .plural_text = "%u WebSockets were closed",
     .advice =
         "Find the call of WebSocketPeer.close() with this code on the side that closed the WebSocket. The other side can read the code with get_close_code() and the text with get_close_reason().",
     .merge = RowMerge::all,
     .marks_tree_items = false}};

// Returns text such as: The server closed the WebSocket with code 4001 (application-defined code): "you are kicked".
const char *describe_close(packet_info *pinfo, const WebSocketConnection &connection) {
  const WebSocketSide &closer = connection.sides[connection.closing_direction];
  const std::string_view meaning = godot_codec::describe_close_code(closer.close_code);
  return wmem_strdup_printf(pinfo->pool, "The %s closed the WebSocket with code %u (%.*s)%s",
                            side_name(connection, connection.closing_direction), closer.close_code,
                            static_cast<int>(meaning.size()), meaning.data(), quote_if_any(pinfo, closer.close_reason));
}

ExpertItem aborted{
    {"godot_websocket.aborted", PI_SEQUENCE, PI_NOTE, "The connection ended without a WebSocket close"},
    {.weight = 530,
     .advice =
         "If the server was stopped (close(), or the program quit), do nothing. Otherwise look for a crash in the server's log.",
     .marks_tree_items = false}};

// Returns the time without data before the end, in seconds; 0 after an RST, or if too short for a proxy's timeout.
double idle_seconds(const WebSocketConnection &connection) {
  const double seconds = static_cast<double>(connection.silence_before_end) / godot_codec::nanoseconds_per_second;
  return connection.sides[connection.problem_direction].is_reset || seconds < 1 ? 0 : seconds;
}

const char *describe_aborted(packet_info *pinfo, const WebSocketConnection &connection) {
  const double idle = idle_seconds(connection);
  return wmem_strdup_printf(pinfo->pool, "The %s ended the connection without a WebSocket close (%s)%s",
                            side_name(connection, connection.problem_direction),
                            connection.sides[connection.problem_direction].tcp_end_name(),
                            idle == 0 ? "" : wmem_strdup_printf(pinfo->pool, ", after %.1f s without a message", idle));
}

// Returns advice about a proxy that closes idle connections; null if the advice of the expert item applies.
const char *advice_about_aborted(const WebSocketConnection &connection) {
  if (idle_seconds(connection) == 0) return nullptr;
  return "If the server was stopped (close(), or the program quit), do nothing. If a proxy closed the idle connection, raise its timeout (nginx: proxy_read_timeout, by default 60 s).";
}

ExpertItem tls_refused{
    {"godot_websocket.tls_refused", PI_SEQUENCE, PI_WARN, "One side refused the TLS handshake of the other"},
    {.weight = 80, .advice = "Check the TLSOptions of both sides, and that both support the same TLS version."}};

constexpr const char *advice_about_server_certificate =
    "If the certificate is self-signed, call create_client(url, TLSOptions.client(certificate)). Check that the certificate is not expired and was issued for the host name in the URL. For tests, use TLSOptions.client_unsafe().";
constexpr const char *advice_about_client_certificate =
    "Do not require client certificates in the server or its proxy, because Godot clients cannot send one.";

// Returns the name of a TLS alert that occurs with games (RFC 8446, section 6.2); empty for other alerts.
const char *alert_name(std::uint8_t alert) {
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
  return val_to_str_const(alert, names, "");
}

bool is_certificate_alert(std::uint8_t alert) {
  constexpr std::uint8_t first_of_certificates = 42;
  constexpr std::uint8_t unknown_ca = 48;
  return alert >= first_of_certificates && alert <= unknown_ca;
}

const char *describe_alert(packet_info *pinfo, const WebSocketConnection &connection) {
  const char *name = alert_name(connection.tls_alert);
  return wmem_strdup_printf(
      pinfo->pool,
      is_certificate_alert(connection.tls_alert) ? "The %s rejected the certificate of the %s (TLS alert %u%s%s)"
                                                 : "The %s rejected the TLS handshake of the %s (TLS alert %u%s%s)",
      side_name(connection, connection.problem_direction), side_name(connection, 1 - connection.problem_direction),
      unsigned{connection.tls_alert}, *name == '\0' ? "" : ", ", name);
}

// Returns the advice for a server that does not answer. The advice depends on TLS and on the side that ended the
// connection.
const char *advice_about_unanswered(const WebSocketConnection &connection) {
  if (connection.is_tls)
    return "Use TLS on both sides or on neither: pass TLSOptions.server() to create_server(), or begin the client's URL with ws://.";
  if (connection.problem_direction == connection.client_direction) return nullptr;
  return "Set the same supported_protocols on both sides, before the client connects. A server with TLSOptions.server() closes ws:// connections, too: in that case, begin the client's URL with wss://.";
}

const char *info_mark_of_alert(const WebSocketConnection &connection) {
  const bool is_by_client = connection.problem_direction == connection.client_direction;
  if (!is_certificate_alert(connection.tls_alert)) {
    return is_by_client ? "the client rejected TLS" : "the server rejected TLS";
  }
  return is_by_client ? "the client rejected the certificate" : "the server rejected the certificate";
}

const char *advice_about_alert(const WebSocketConnection &connection) {
  if (!is_certificate_alert(connection.tls_alert)) return nullptr;
  const bool is_by_client = connection.problem_direction == connection.client_direction;
  return is_by_client ? advice_about_server_certificate : advice_about_client_certificate;
}

ExpertItem tls_mismatch{
    {"godot_websocket.tls_mismatch", PI_SEQUENCE, PI_WARN, "One side uses TLS and the other does not"},
    {.weight = 70, .advice = "Use wss:// and TLSOptions.server(), or ws:// and no TLSOptions, on both sides."}};

ExpertItem subprotocol_mismatch{
    {"godot_websocket.subprotocol_mismatch", PI_SEQUENCE, PI_WARN, "Client and server have no common subprotocol"},
    {.weight = 110, .advice = "Set the same supported_protocols on both sides, before the client connects."}};

const char *describe_no_subprotocol(packet_info *pinfo, const WebSocketConnection &connection) {
  return wmem_strdup_printf(
      pinfo->pool,
      "The server selected none of the client's subprotocols (\"%s\"), so the Godot client closes the connection",
      connection.requested_subprotocols);
}

const char *describe_unrequested_subprotocol(packet_info *pinfo, const WebSocketConnection &connection) {
  return wmem_strdup_printf(
      pinfo->pool,
      "The server selected the subprotocol \"%s\", which the client did not offer, so the Godot client closes the connection",
      connection.selected_subprotocol);
}

const char *describe_tls_of_server(packet_info * /*pinfo*/, const WebSocketConnection & /*connection*/) {
  return "The server uses TLS (wss://), but the client does not (ws://)";
}

const char *describe_tls_of_client(packet_info * /*pinfo*/, const WebSocketConnection & /*connection*/) {
  return "The client uses TLS (wss://), but the server does not (ws://)";
}

struct WebSocketRule {
  ExpertItem *expert = nullptr;
  const char *(*describe)(packet_info *pinfo, const WebSocketConnection &connection) = nullptr;
  const char *info_mark = nullptr;                                              // null: none, or info_mark_of_alert()
  const char *(*find_advice)(const WebSocketConnection &connection) = nullptr;  // null: the advice of the expert item
};

// In the order of WebSocketProblem.
constexpr WebSocketRule rules[] = {
    {},
    {&refused, describe_status, "WebSocket refused", advice_about_status},
    {&forbidden, describe_forbidden, "client not allowed", advice_about_forbidden},
    {&subprotocol_mismatch, describe_no_subprotocol, "no common subprotocol"},
    {&subprotocol_mismatch, describe_unrequested_subprotocol, "no common subprotocol"},
    {&tls_mismatch, describe_tls_of_server, "the server requires wss://"},
    {&tls_mismatch, describe_tls_of_client, "the server requires ws://"},
    {&tls_refused, describe_alert, nullptr, advice_about_alert},
    {&unanswered, describe_unanswered, "WebSocket, not answered", advice_about_unanswered},
    {&aborted, describe_aborted, "WebSocket, not closed", advice_about_aborted},
    {&closed, describe_close},
};
static_assert(std::size(rules) == static_cast<std::size_t>(WebSocketProblem::closed_with_code) + 1);

}  // namespace

Finding problem_of_web_socket(packet_info *pinfo, const WebSocketConnection &connection) {
  const WebSocketRule &rule = rules[static_cast<std::size_t>(connection.problem)];
  if (rule.expert == nullptr) return {};
  return {.expert = rule.expert,
          .text = rule.describe(pinfo, connection),
          .info_mark = rule.expert == &tls_refused ? info_mark_of_alert(connection) : rule.info_mark,
          .advice = rule.find_advice == nullptr ? nullptr : rule.find_advice(connection)};
}

const char *describe_web_socket(packet_info *pinfo, const WebSocketConnection &connection) {
  if (connection.problem != WebSocketProblem::none) return problem_of_web_socket(pinfo, connection).text;
  if (connection.sides[connection.closing_direction].close_frame != 0) return describe_close(pinfo, connection);
  return connection.has_answered ? "Open" : "No answer so far";
}

}  // namespace godot_plugin
