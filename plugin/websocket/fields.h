// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot_websocket` tree is made of.
#pragma once

#include "plugin/epan/fields.h"

namespace godot_plugin {

struct WebSocketFields {
  HeaderField path{FT_STRING, "godot_websocket.path", "Path",
                   "Path of the URL that the client asks for a WebSocket at"};
  HeaderField origin{FT_STRING, "godot_websocket.origin", "Origin", "Page that the client's game runs in"};
  HeaderField asked{FT_STRING, "godot_websocket.subprotocols", "Subprotocols",
                    "Subprotocols that the client asks for: the server takes one of them"};
  HeaderField taken{FT_STRING, "godot_websocket.subprotocol", "Subprotocol", "Subprotocol that the server takes"};
  HeaderField status{
      FT_UINT16, "godot_websocket.status", "HTTP status",
      "Status of the server's answer to the request for a WebSocket: 101 where there is one from then on"};
  HeaderField close_code{FT_UINT16, "godot_websocket.close_code", "Close code",
                         "Code with which an end closes the WebSocket"};
  HeaderField close_reason{FT_STRING, "godot_websocket.close_reason", "Close reason",
                           "Text with which an end closes the WebSocket"};
};

struct WebSocketExperts {
  ExpertItem refused{"godot_websocket.refused", PI_SEQUENCE, PI_WARN, "The server gives the client no WebSocket"};
  ExpertItem forbidden{"godot_websocket.forbidden", PI_SEQUENCE, PI_WARN, "The server does not let the client in"};
  ExpertItem subprotocol{"godot_websocket.subprotocol_mismatch", PI_SEQUENCE, PI_WARN,
                         "Client and server agree on no subprotocol"};
  ExpertItem tls_refused{"godot_websocket.tls_refused", PI_SEQUENCE, PI_WARN, "One end refuses the other's TLS"};
  ExpertItem tls_mismatch{"godot_websocket.tls_mismatch", PI_SEQUENCE, PI_WARN,
                          "One end speaks TLS and the other does not"};
  ExpertItem unanswered{"godot_websocket.unanswered", PI_SEQUENCE, PI_WARN, "The server does not answer the handshake"};
  ExpertItem aborted{"godot_websocket.aborted", PI_SEQUENCE, PI_NOTE, "The connection ends without a WebSocket close"};
  ExpertItem undecrypted{"godot_websocket.undecrypted", PI_DECRYPTION, PI_NOTE, "TLS of a game that cannot be read"};
  ExpertItem undecodable{"godot_websocket.undecodable", PI_SEQUENCE, PI_NOTE,
                         "Compressed with messages that the capture lacks"};
  ExpertItem closed{"godot_websocket.closed", PI_SEQUENCE, PI_NOTE, "An end closes the WebSocket with a code"};
};

inline WebSocketFields websocket_fields;
inline WebSocketExperts websocket_experts;
inline int websocket_subtree = -1;

}  // namespace godot_plugin
