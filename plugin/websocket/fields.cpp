// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/websocket/fields.h"

namespace godot_plugin {

WebSocketFields websocket_fields;
WebSocketExperts websocket_experts;
int websocket_subtree = -1;

void register_websocket_fields(int proto) {
  static hf_register_info registrations[] = {
      {&websocket_fields.path,
       {"Path", "godot_websocket.path", FT_STRING, BASE_NONE, nullptr, 0,
        "Path of the URL that the client asks for a WebSocket at", HFILL}},
      {&websocket_fields.origin,
       {"Origin", "godot_websocket.origin", FT_STRING, BASE_NONE, nullptr, 0, "Page that the client's game runs in",
        HFILL}},
      {&websocket_fields.asked,
       {"Subprotocols", "godot_websocket.subprotocols", FT_STRING, BASE_NONE, nullptr, 0,
        "Subprotocols that the client asks for: the server takes one of them", HFILL}},
      {&websocket_fields.taken,
       {"Subprotocol", "godot_websocket.subprotocol", FT_STRING, BASE_NONE, nullptr, 0,
        "Subprotocol that the server takes", HFILL}},
      {&websocket_fields.status,
       {"HTTP status", "godot_websocket.status", FT_UINT16, BASE_DEC, nullptr, 0,
        "Status of the server's answer to the request for a WebSocket: 101 where there is one from then on", HFILL}},
      {&websocket_fields.close_code,
       {"Close code", "godot_websocket.close_code", FT_UINT16, BASE_DEC, nullptr, 0,
        "Code with which an end closes the WebSocket", HFILL}},
      {&websocket_fields.close_reason,
       {"Close reason", "godot_websocket.close_reason", FT_STRING, BASE_NONE, nullptr, 0,
        "Text with which an end closes the WebSocket", HFILL}},
  };
  static_assert(array_length(registrations) == sizeof(WebSocketFields) / sizeof(int), "a row for each field");
  proto_register_field_array(proto, registrations, static_cast<int>(array_length(registrations)));
  static int *const trees[] = {&websocket_subtree};
  proto_register_subtree_array(trees, static_cast<int>(array_length(trees)));
  static ei_register_info expert_registrations[] = {
      {&websocket_experts.refused,
       {"godot_websocket.refused", PI_SEQUENCE, PI_WARN, "The server gives the client no WebSocket", EXPFILL}},
      {&websocket_experts.forbidden,
       {"godot_websocket.forbidden", PI_SEQUENCE, PI_WARN, "The server does not let the client in", EXPFILL}},
      {&websocket_experts.subprotocol,
       {"godot_websocket.subprotocol_mismatch", PI_SEQUENCE, PI_WARN, "Client and server agree on no subprotocol",
        EXPFILL}},
      {&websocket_experts.tls_refused,
       {"godot_websocket.tls_refused", PI_SEQUENCE, PI_WARN, "One end refuses the other's TLS", EXPFILL}},
      {&websocket_experts.tls_mismatch,
       {"godot_websocket.tls_mismatch", PI_SEQUENCE, PI_WARN, "One end speaks TLS and the other does not", EXPFILL}},
      {&websocket_experts.unanswered,
       {"godot_websocket.unanswered", PI_SEQUENCE, PI_WARN, "The server does not answer the handshake", EXPFILL}},
      {&websocket_experts.aborted,
       {"godot_websocket.aborted", PI_SEQUENCE, PI_NOTE, "The connection ends without a WebSocket close", EXPFILL}},
      {&websocket_experts.unread,
       {"godot_websocket.unread", PI_DECRYPTION, PI_NOTE, "TLS of a game that cannot be read", EXPFILL}},
      {&websocket_experts.closed,
       {"godot_websocket.closed", PI_SEQUENCE, PI_NOTE, "An end closes the WebSocket with a code", EXPFILL}},
  };
  static_assert(array_length(expert_registrations) == sizeof(WebSocketExperts) / sizeof(expert_field),
                "a row for each expert item");
  expert_register_field_array(expert_register_protocol(proto), expert_registrations,
                              static_cast<int>(array_length(expert_registrations)));
}

}  // namespace godot_plugin
