// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot_websocket` tree is made of.
#pragma once

#include "plugin/epan/fields.h"

namespace godot_plugin {

struct WebSocketFields {
  HeaderField path{FT_STRING, "godot_websocket.path", "Path", "Path of the requested URL"};
  HeaderField origin{FT_STRING, "godot_websocket.origin", "Origin", "Web page that runs the game of the client"};
  HeaderField asked{FT_STRING, "godot_websocket.subprotocols", "Subprotocols", "Subprotocols that the client offers"};
  HeaderField taken{FT_STRING, "godot_websocket.subprotocol", "Subprotocol", "Subprotocol that the server selected"};
  HeaderField status{FT_UINT16, "godot_websocket.status", "HTTP status",
                     "Status of the answer to the WebSocket request; 101: accepted"};
  HeaderField close_code{FT_UINT16, "godot_websocket.close_code", "Close code",
                         "Code with which a side closed the WebSocket"};
  HeaderField close_reason{FT_STRING, "godot_websocket.close_reason", "Close reason",
                           "Reason with which a side closed the WebSocket"};
};

struct WebSocketExperts {
  ExpertItem refused{"godot_websocket.refused", PI_SEQUENCE, PI_WARN, "The server refused the WebSocket request"};
  ExpertItem forbidden{"godot_websocket.forbidden", PI_SEQUENCE, PI_WARN, "The server does not allow the client"};
  ExpertItem subprotocol{"godot_websocket.subprotocol_mismatch", PI_SEQUENCE, PI_WARN,
                         "Client and server have no common subprotocol"};
  ExpertItem tls_refused{"godot_websocket.tls_refused", PI_SEQUENCE, PI_WARN,
                         "One side refused the TLS handshake of the other"};
  ExpertItem tls_mismatch{"godot_websocket.tls_mismatch", PI_SEQUENCE, PI_WARN,
                          "One side uses TLS and the other does not"};
  ExpertItem unanswered{"godot_websocket.unanswered", PI_SEQUENCE, PI_WARN,
                        "The server has not answered the handshake"};
  ExpertItem aborted{"godot_websocket.aborted", PI_SEQUENCE, PI_NOTE, "The connection ended without a WebSocket close"};
  ExpertItem undecrypted{"godot_websocket.undecrypted", PI_DECRYPTION, PI_NOTE,
                         "TLS traffic of a game that cannot be decrypted"};
  ExpertItem undecodable{"godot_websocket.undecodable", PI_SEQUENCE, PI_NOTE,
                         "Compressed with data of messages that the capture does not contain"};
  ExpertItem closed{"godot_websocket.closed", PI_SEQUENCE, PI_NOTE, "A side closed the WebSocket with a code"};
};

inline WebSocketFields websocket_fields;
inline WebSocketExperts websocket_experts;
inline int websocket_subtree = -1;

}  // namespace godot_plugin
