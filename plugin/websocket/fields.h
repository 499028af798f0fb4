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
  ExpertItem refused{
      {"godot_websocket.refused", PI_SEQUENCE, PI_WARN, "The server refused the WebSocket request"},
      {.weight = 100,
       .advice = "Check the path of the URL. Does the proxy of the server pass on \"Upgrade\" and \"Connection\"?"}};
  ExpertItem forbidden{{"godot_websocket.forbidden", PI_SEQUENCE, PI_WARN, "The server does not allow the client"},
                       {.weight = 90, .advice = "Allow this origin in the server or its proxy."}};
  ExpertItem subprotocol{
      {"godot_websocket.subprotocol_mismatch", PI_SEQUENCE, PI_WARN, "Client and server have no common subprotocol"},
      {.weight = 110, .advice = "Set the same supported_protocols on both sides, before the client connects."}};
  ExpertItem tls_refused{
      {"godot_websocket.tls_refused", PI_SEQUENCE, PI_WARN, "One side refused the TLS handshake of the other"},
      {.weight = 80,
       .advice =
           "Call create_client(url, TLSOptions.client(certificate)) with the certificate of the server, for the host in the URL; in a test use TLSOptions.client_unsafe()."}};
  ExpertItem tls_mismatch{
      {"godot_websocket.tls_mismatch", PI_SEQUENCE, PI_WARN, "One side uses TLS and the other does not"},
      {.weight = 70, .advice = "Use wss:// and TLSOptions.server(), or ws:// and no TLSOptions, on both sides."}};
  ExpertItem unanswered{
      {"godot_websocket.unanswered", PI_SEQUENCE, PI_WARN, "The server has not answered the handshake"},
      {.weight = 120,
       .advice =
           "Call WebSocketMultiplayerPeer.create_server() on the server and poll the peer. If it has TLSOptions.server(), the URL of the client must begin with wss://."}};
  ExpertItem aborted{
      {"godot_websocket.aborted", PI_SEQUENCE, PI_NOTE, "The connection ended without a WebSocket close"},
      {.weight = 530,
       .advice =
           "Nothing if the server was stopped. Otherwise look at its log: did it crash? Raise the timeout of a proxy.",
       .is_marked = false}};
  ExpertItem undecrypted{
      {"godot_websocket.undecrypted", PI_DECRYPTION, PI_NOTE, "TLS traffic of a game that cannot be decrypted"},
      {.weight = 30,
       .text = "TLS that cannot be read: %s. See " GODOT_PAGE("recording.md"),
       .advice = "Record again with keys (SSLKEYLOGFILE of a browser), or for a test with ws:// on both sides."}};
  ExpertItem undecodable{
      {"godot_websocket.undecodable", PI_SEQUENCE, PI_NOTE,
       "Compressed with data of messages that the capture does not contain"},
      {.weight = 40,
       .text = "WebSocket messages cannot be decompressed any more: %s",
       .advice =
           "Record again without lost frames: with dumpcap, with a capture filter, or with a server that does not compress."}};
  ExpertItem closed{
      {"godot_websocket.closed", PI_SEQUENCE, PI_NOTE, "A side closed the WebSocket with a code"},
      {.weight = 560,
       .plural = "%u WebSockets were closed",
       .advice =
           "Look for close() with this code on that side; the other side can read get_close_code() and get_close_reason().",
       .merge = Merge::all,
       .is_marked = false}};
};

inline WebSocketFields websocket_fields;
inline WebSocketExperts websocket_experts;
inline int websocket_subtree = -1;

}  // namespace godot_plugin
