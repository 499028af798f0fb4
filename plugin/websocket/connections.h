// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// WebSocket connections of games, from HTTP's request to their end, and those that came to nothing. Their packets are
/// HTTP's, TLS' and packet-websocket's, and stay so: this looks at them from outside.
#pragma once

#include <cstdint>

#include "godot-codec/stream/tcp_segment.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// Why there is no WebSocket, or no longer.
enum class WebSocketTrouble : std::uint8_t {
  none,
  refused,           ///< an HTTP status that is not 101
  forbidden,         ///< status 403
  none_taken,        ///< the server takes none of the subprotocols
  unasked_taken,     ///< the server takes a subprotocol that was not asked for
  server_wants_tls,  ///< the client speaks plain HTTP
  client_wants_tls,  ///< the server speaks plain HTTP
  tls_refused,       ///< one end refuses the other's TLS with an alert
  unanswered,        ///< the connection ends before the server has said anything
  aborted,           ///< the connection ends without a frame that closes the WebSocket
  closed,            ///< with a code that says why
};

/// How one end of a connection ended it.
struct WebSocketEnding {
  std::uint32_t closed;    ///< the frame with its close; 0: none
  std::uint16_t code;      ///< that of the close
  const char *reason;      ///< printable
  std::uint32_t finished;  ///< the first frame with TCP's FIN or RST; 0: none
  bool is_reset;           ///< it was RST
};

/// A TCP connection that begins as a WebSocket's may. In file scope; written on the first pass.
struct WebSocketConnection {
  /// epan's.
  conversation_t *conversation;
  std::uint32_t stream;       ///< TCP's
  unsigned server;            ///< number_of_server()
  unsigned client;            ///< direction_of() what the client sends
  std::uint8_t alert;         ///< the description of TLS' alert; where tls_refused
  bool is_tls;                ///< the client's first bytes are TLS
  bool is_like_godots;        ///< the client's first bytes are those of Godot's own client
  bool is_game;               ///< a message was a game's
  bool is_over;               ///< nothing will be told of it: its segments are not looked at any more
  bool has_answered;          ///< the server has sent bytes
  bool has_hole;              ///< the capture lacks bytes of it
  std::uint32_t unread;       ///< segments of the client's TLS data that were not decrypted
  std::uint32_t dark;         ///< the frame that tells so; 0: none
  std::uint32_t observed;     ///< the frame since which TLS calls the observer; 0: none
  std::uint32_t first;        ///< frame
  std::uint32_t last;         ///< frame
  std::int64_t began;         ///< when the client's first bytes came
  std::int64_t last_time;     ///< when bytes came last
  std::int64_t silence;       ///< the longest time without bytes, in nanoseconds
  std::int64_t last_silence;  ///< the time without bytes before TCP's first FIN or RST
  std::uint64_t bytes[2];     ///< TCP's payload, each byte once; by direction
  std::uint32_t next_seq[2];  ///< by direction
  bool has_seq[2];
  bool is_behind_gap[2];      ///< by direction, on the first pass: no frame has begun since the newest gap
  bool is_forgetful[2];       ///< by direction: what is compressed refers to no message before
  std::uint32_t gap[2];       ///< by direction: the first frame behind bytes that the capture lacks; 0: none
  std::uint32_t garbled[2];   ///< by direction: the first frame after that gap whose messages refer to the missing
                              ///< bytes; 0: none
  std::uint32_t awaited_seq;  ///< number of the server's first byte, as the client expects it
  const char *client_text;    ///< address and port
  const char *server_text;    ///< address and port
  // Printable texts; null before the request, or the answer.
  const char *path;
  const char *origin;
  const char *asked;
  const char *phrase;
  const char *taken;
  std::uint32_t answered;  ///< the frame of HTTP's answer
  std::uint16_t status;
  WebSocketEnding endings[2];  ///< by direction
  unsigned closed_by;          ///< the direction of the first close, if there is one
  WebSocketTrouble trouble;
  unsigned trouble_by;  ///< the direction of the end that it comes from
  std::uint32_t told;   ///< the frame that tells of the trouble

  [[nodiscard]] bool is_upgraded() const { return status == 101; }
};

/// True if a connection is to be reported as a game's: its client is Godot's own, its messages are a game's, or another
/// game's are at the same server. On later passes, that rests on the whole capture.
[[nodiscard]] bool is_games(const WebSocketConnection &connection);

/// Looks at a segment of TCP behind its dissectors, learns from it on the first pass, and tells. Takes no time where it
/// begins no connection, and none is followed.
/// @param is_upgrade is_web_socket_upgrade() its payload
void look_at_web_socket(const godot_codec::TcpSegment &segment, bool is_upgrade, tvbuff_t *tvb, packet_info *pinfo,
                        proto_tree *tree);

/// The message that is dissected is a game's: so is its connection.
/// @param client direction_of() what the client sends
void mark_web_socket_game(packet_info *pinfo, unsigned client);

/// Hands bytes that begin with a frame to Wireshark's own WebSocket. Bytes after a gap that do not are shown as data.
/// TCP and TLS hand out the bytes of a frame that was not whole again.
int dissect_web_socket_frames(dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                              void *data);

/// True if the capture lacks bytes of the packet's connection that were sent before, as far as is known by now.
[[nodiscard]] bool has_web_socket_hole(packet_info *pinfo);

/// True if the newest of the packet's frames are compressed with messages of which the capture lacks some: what comes
/// of them was not sent.
[[nodiscard]] bool has_garbled_web_socket_frames(packet_info *pinfo);

/// The kind of message by its WebSocket frame's header.
enum class WebSocketKind : std::uint8_t {
  unknown,  ///< put together from fragments, or compressed among others of another kind: the header is out of reach
  text,
  binary,
};

/// The kind of all messages whose frames are dissected at once, where all are of one; unknown where HTTP's request is
/// not in the capture, too.
[[nodiscard]] WebSocketKind kind_of_web_socket_frames(packet_info *pinfo);

/// Tells how a connection has ended, or stands so far. @returns text of the packet's pool
[[nodiscard]] const char *describe_web_socket(packet_info *pinfo, const WebSocketConnection &connection);

/// Returns the problem of a connection: how it ended, or why it failed, without its ends. @returns without a rule if
/// there is none
[[nodiscard]] Finding problem_of_web_socket(packet_info *pinfo, const WebSocketConnection &connection);

/// The dissector for a TCP conversation with an HTTP request for a WebSocket: it reads the frames, and calls
/// HTTP.
[[nodiscard]] dissector_handle_t web_socket_observer();

/// Registers the expert items of the problems (rules.cpp).
void register_web_socket_rules(int proto);

/// Registers the protocol, and what is forgotten with the capture.
void register_web_sockets();
/// Finds HTTP's dissectors.
void handoff_web_sockets();

}  // namespace godot_plugin
