// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The fields, expert items and subtree of the protocol `godot_websocket`.
#pragma once

#include "plugin/epan/field_registration.h"

namespace godot_plugin {

struct WebSocketFields {
  HeaderField path{FT_STRING, "godot_websocket.path", "Path", "Path of the requested URL"};
  HeaderField origin{FT_STRING, "godot_websocket.origin", "Origin", "Web page that runs the game of the client"};
  HeaderField requested_subprotocols{FT_STRING, "godot_websocket.subprotocols", "Subprotocols",
                                     "Subprotocols that the client offers"};
  HeaderField selected_subprotocol{FT_STRING, "godot_websocket.subprotocol", "Subprotocol",
                                   "Subprotocol that the server selected"};
  HeaderField http_status{FT_UINT16, "godot_websocket.status", "HTTP status",
                          "Status of the answer to the WebSocket request; 101: accepted"};
  HeaderField close_code{FT_UINT16, "godot_websocket.close_code", "Close code",
                         "Code with which a side closed the WebSocket"};
  HeaderField close_reason{FT_STRING, "godot_websocket.close_reason", "Close reason",
                           "Reason with which a side closed the WebSocket"};
};

struct WebSocketExperts {
  ExpertItem undecodable{
      {"godot_websocket.undecodable", PI_SEQUENCE, PI_NOTE,
       "Compressed with data of messages that the capture does not contain"},
      {.weight = 40,
       .advice =
           "Record again with dumpcap and a capture filter, so that no frames are lost. Or turn off the compression in the server."}};
};

inline WebSocketFields websocket_fields;
inline WebSocketExperts websocket_experts;
inline Subtree websocket_subtree;

}  // namespace godot_plugin
