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

const char *hint_of_status(packet_info *pinfo, const WebSocketConnection &connection) {
  constexpr unsigned redirections = 3;
  constexpr unsigned faults = 5;
  constexpr unsigned class_size = 100;
  switch (connection.status) {
    case 400:
      return "the server does not take the request for a WebSocket's";
    case 401:
      return "the server wants a login";
    case 404:
      return wmem_strdup_printf(pinfo->pool, "the server has nothing at %s", connection.path);
    case 426:
      return "the server wants another protocol";
    default:
      break;
  }
  if (connection.status / class_size == redirections) return "Godot's client follows no redirection";
  if (connection.status / class_size == faults) return "the server, or a proxy in front of it, has failed";
  return wmem_strdup_printf(pinfo->pool, "it has no WebSocket at %s", connection.path);
}

const char *describe_status(packet_info *pinfo, const WebSocketConnection &connection) {
  return wmem_strdup_printf(pinfo->pool, "HTTP status %u (%s) instead of 101: %s", connection.status, connection.phrase,
                            hint_of_status(pinfo, connection));
}

const char *describe_forbidden(packet_info *pinfo, const WebSocketConnection &connection) {
  const char *who = *connection.origin == '\0'
                        ? "the client"
                        : wmem_strdup_printf(pinfo->pool, "who comes from the origin %s", connection.origin);
  return wmem_strdup_printf(pinfo->pool, "HTTP status 403 (%s): the server does not let in %s", connection.phrase, who);
}

const char *ending_word(const WebSocketEnding &ending) { return ending.is_reset ? "TCP RST" : "TCP FIN"; }

const char *describe_unanswered(packet_info *pinfo, const WebSocketConnection &connection) {
  wmem_allocator_t *pool = pinfo->pool;
  const WebSocketEnding &ending = connection.endings[connection.trouble_by];
  const bool is_by_server = connection.trouble_by != connection.client;
  const double seconds =
      static_cast<double>(connection.last_time - connection.began) / godot_codec::nanoseconds_per_second;
  const char *how =
      is_by_server
          ? wmem_strdup_printf(pool, "The server ends the connection without an answer (%s)", ending_word(ending))
          : wmem_strdup_printf(pool, "The client gives up after %.1f s without an answer", seconds);
  if (connection.is_tls) {
    return wmem_strdup_printf(
        pool, "%s to TLS: if this is a game's wss://, does the server speak plain WebSocket (ws://)?", how);
  }
  if (!is_by_server) {
    return wmem_strdup_printf(
        pool, "%s: the server does not poll its peer, speaks TLS (wss://), or is no WebSocket server", how);
  }
  if (*connection.asked != '\0') {
    return wmem_strdup_printf(pool,
                              "%s: a server of Godot does so if it knows none of the subprotocols \"%s\"; else the "
                              "server speaks TLS (wss://), or is no WebSocket server",
                              how, connection.asked);
  }
  // A server that resets the connection has not read the request: it takes the bytes for something else.
  if (ending.is_reset) {
    return wmem_strdup_printf(
        pool, "%s: the server speaks TLS (wss://), wants a subprotocol, or is no WebSocket server", how);
  }
  return wmem_strdup_printf(pool,
                            "%s: a server of Godot does so if it wants a subprotocol (supported_protocols) and the "
                            "client asks for none; else the server speaks TLS (wss://), or is no WebSocket server",
                            how);
}

// "the server, 4001 (the game's own code) "you are kicked"".
const char *describe_close(packet_info *pinfo, const WebSocketConnection &connection) {
  const WebSocketEnding &ending = connection.endings[connection.closed_by];
  const std::string_view meaning = godot_codec::meaning_of_close(ending.code);
  return wmem_strdup_printf(pinfo->pool, "the %s, %u (%.*s)%s", name_of_end(connection, connection.closed_by),
                            ending.code, static_cast<int>(meaning.size()), meaning.data(),
                            quoted_if_any(pinfo, ending.reason));
}

const char *cause_of_end(packet_info *pinfo, const WebSocketConnection &connection) {
  if (connection.endings[connection.trouble_by].is_reset) {
    return ": a program that ends before it has read everything does so (get_tree().quit(), a crash), and a proxy that "
           "cuts the connection";
  }
  const double seconds = static_cast<double>(connection.last_silence) / godot_codec::nanoseconds_per_second;
  if (seconds < 1) return ": WebSocketMultiplayerPeer.close() does so, and a program that ends";
  return wmem_strdup_printf(pinfo->pool,
                            " after %.1f s without a message: a proxy ends silent connections so (nginx after its "
                            "proxy_read_timeout, 60 s), else WebSocketMultiplayerPeer.close() or a program that ends",
                            seconds);
}

const char *describe_aborted(packet_info *pinfo, const WebSocketConnection &connection) {
  return wmem_strdup_printf(pinfo->pool, "The %s is gone without closing the WebSocket (%s)%s",
                            name_of_end(connection, connection.trouble_by),
                            ending_word(connection.endings[connection.trouble_by]), cause_of_end(pinfo, connection));
}

// The alerts that games meet (RFC 8446, section 6.2).
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
  const bool is_by_client = connection.trouble_by == connection.client;
  const bool is_certificate = is_of_certificates(connection.alert);
  return wmem_strdup_printf(
      pinfo->pool, "The %s refuses the %s (TLS alert %u, %s)%s", is_by_client ? "client" : "server",
      is_certificate ? is_by_client ? "server's certificate" : "client's certificate" : "other end's TLS",
      unsigned{connection.alert}, name_of_alert(connection.alert),
      is_by_client && is_certificate ? ": is it self-signed, expired, or made for another name than the URL's?" : "");
}

const char *describe_trouble(packet_info *pinfo, const WebSocketConnection &connection) {
  wmem_allocator_t *pool = pinfo->pool;
  switch (connection.trouble) {
    case WebSocketTrouble::refused:
      return describe_status(pinfo, connection);
    case WebSocketTrouble::forbidden:
      return describe_forbidden(pinfo, connection);
    case WebSocketTrouble::none_taken:
      return wmem_strdup_printf(pool,
                                "The server takes none of the subprotocols \"%s\": Godot's client then closes "
                                "(\"Requested sub-protocol(s) but received none\")",
                                connection.asked);
    case WebSocketTrouble::unasked_taken:
      return wmem_strdup_printf(pool,
                                "The server takes the subprotocol \"%s\", which was not asked for: Godot's client then "
                                "closes (\"Received unrequested sub-protocol\")",
                                connection.taken);
    case WebSocketTrouble::server_wants_tls:
      return "The server speaks TLS and the client does not: wss:// instead of ws://";
    case WebSocketTrouble::client_wants_tls:
      return "The client speaks TLS and the server does not: ws:// instead of wss://";
    case WebSocketTrouble::tls_refused:
      return describe_alert(pinfo, connection);
    case WebSocketTrouble::unanswered:
      return describe_unanswered(pinfo, connection);
    case WebSocketTrouble::aborted:
      return describe_aborted(pinfo, connection);
    case WebSocketTrouble::closed:
      return wmem_strdup_printf(pool, "Closed by %s", describe_close(pinfo, connection));
    case WebSocketTrouble::none:
      break;
  }
  return nullptr;
}

}  // namespace

const char *advice_of_web_socket(const WebSocketConnection &connection) {
  if (connection.trouble != WebSocketTrouble::unanswered) return nullptr;
  if (connection.is_tls) return "Give create_server() TLSOptions.server(), or let the client's URL begin with ws://.";
  if (connection.trouble_by == connection.client) return nullptr;
  return "If the server has TLSOptions.server(), the client's URL must begin with wss://. Else set "
         "supported_protocols to the same on both sides, before the client connects.";
}

const char *mark_of_alert(const WebSocketConnection &connection) {
  const bool is_by_client = connection.trouble_by == connection.client;
  if (!is_of_certificates(connection.alert)) {
    return is_by_client ? "the client refuses the server's TLS" : "the server refuses the client's TLS";
  }
  return is_by_client ? "the client refuses the server's certificate" : "the server refuses the client's certificate";
}

const char *describe_web_socket(packet_info *pinfo, const WebSocketConnection &connection) {
  if (connection.trouble != WebSocketTrouble::none) return describe_trouble(pinfo, connection);
  if (connection.endings[connection.closed_by].closed != 0) {
    return wmem_strdup_printf(pinfo->pool, "Closed by %s", describe_close(pinfo, connection));
  }
  return connection.has_answered ? "Open" : "No answer so far";
}

}  // namespace godot_plugin
