// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// WebSocket connections of games, from the HTTP request to the closing, and failed connections. The dissectors of
/// HTTP, TLS and WebSocket dissect the packets; this module only observes them.
#pragma once

#include <cstdint>

#include "godot-codec/core/message.h"
#include "godot-codec/encryption/encrypted_flow.h"
#include "godot-codec/stream/tcp_segment.h"
#include "plugin/epan/ws_compat.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {

/// Why a WebSocket was not established, or why it ended.
enum class WebSocketProblem : std::uint8_t {
  none,
  refused,                  ///< HTTP status other than 101
  forbidden,                ///< HTTP status 403
  no_subprotocol_selected,  ///< the server accepts none of the requested subprotocols
  unrequested_subprotocol,  ///< the server accepts a subprotocol that was not requested
  server_requires_tls,      ///< the client uses plain HTTP
  client_requires_tls,      ///< the server uses plain HTTP
  tls_refused,              ///< one side rejects the other side's TLS with an alert
  unanswered,               ///< the connection ends before the server has sent anything
  aborted,                  ///< the connection ends without a WebSocket close frame
  closed_with_code,         ///< closed with a code that indicates a problem
};

/// One side of a connection: what it has sent, and how it ended the connection.
struct WebSocketSide {
  const char *endpoint;               ///< address and port
  std::uint64_t payload_bytes;        ///< number of bytes of TCP payload without retransmissions
  godot_codec::TcpSequence sequence;  ///< the captured bytes
  bool is_after_gap;             ///< on the first pass: true from a capture gap until the next WebSocket frame begins
  bool has_no_context_takeover;  ///< true if the side compresses without context takeover
  std::uint32_t gap_frame;       ///< first frame after a capture gap; 0: none
  std::uint32_t undecodable_frame;  ///< first frame after that gap with messages that refer to missing ones; 0: none
  std::uint32_t close_frame;        ///< captured frame with the WebSocket close frame; 0: no close frame
  std::uint16_t close_code;         ///< code of the close frame
  const char *close_reason;         ///< reason of the close frame, printable
  std::uint32_t tcp_end_frame;      ///< first captured frame with a FIN or RST; 0: no FIN or RST
  bool is_reset;                    ///< true if it was an RST

  [[nodiscard]] const char *tcp_end_name() const { return is_reset ? "TCP RST" : "TCP FIN"; }
};

/// A TCP connection that begins with an HTTP request for a WebSocket, or with TLS. Lives as long as the capture;
/// written on the first pass.
struct WebSocketConnection {
  conversation_t *conversation;
  /// Null if not TLS.
  const godot_codec::EncryptedFlow *tls_flow;
  const tcp_analysis *tcp;          ///< TCP's data; null: TCP has not dissected the connection
  unsigned server_index;            ///< number of the server, from server_index_of()
  unsigned client_direction;        ///< direction of the client's packets, from direction_of()
  std::uint8_t tls_alert;           ///< number of the TLS alert (AlertDescription), if tls_refused
  bool is_tls;                      ///< true if the client's first bytes are TLS
  bool is_like_godots;              ///< true if the client's first bytes match Godot's WebSocket client
  bool is_game;                     ///< true if a message belongs to a game
  bool is_ignored;                  ///< true if nothing more will be reported about it; its segments are then skipped
  bool has_answered;                ///< true if the server has sent bytes
  bool has_capture_gap;             ///< true if bytes of the connection are missing in the capture
  std::uint32_t observed_since;     ///< first frame after which TLS calls the observer; 0: not called
  std::uint32_t first_frame;        ///< first frame
  std::uint32_t last_frame;         ///< last frame
  std::int64_t begin_time;          ///< time of the client's first bytes, in nanoseconds
  std::int64_t last_time;           ///< time of the newest bytes, in nanoseconds
  std::int64_t longest_silence;     ///< longest time without bytes, in nanoseconds
  std::int64_t silence_before_end;  ///< time without bytes before the first FIN or RST, in nanoseconds
  WebSocketSide sides[2];           ///< by direction
  // Printable texts; empty before the request or the answer.
  const char *path;
  const char *origin;
  const char *requested_subprotocols;
  const char *status_phrase;
  const char *selected_subprotocol;
  std::uint32_t answer_frame;  ///< frame with the HTTP answer; 0: none
  std::uint16_t http_status;
  unsigned closing_direction;  ///< direction of the first close frame, if there is one
  WebSocketProblem problem;
  unsigned problem_direction;  ///< direction of the side that causes the problem
  std::uint32_t report_frame;  ///< frame that reports the problem

  /// TCP stream index.
  [[nodiscard]] std::uint32_t tcp_stream() const { return tcp == nullptr ? 0 : tcp->stream; }
  [[nodiscard]] bool is_upgraded() const { return http_status == 101; }
  [[nodiscard]] WebSocketSide &server_side() { return sides[1 - client_direction]; }
};

/// True if the connection must be reported as a game's. One condition is enough: the client matches Godot's client,
/// messages belong to a game, or the server has another connection of a game. Later passes consider the whole capture.
[[nodiscard]] bool belongs_to_game(const WebSocketConnection &connection);

/// Observes a TCP segment: updates the state on the first pass, and reports problems. Call after the segment was
/// dissected. Takes almost no time if the segment begins no connection and no connection is followed.
/// @param is_upgrade the result of is_web_socket_upgrade() for its payload
void inspect_web_socket(const godot_codec::TcpSegment &segment, bool is_upgrade, tvbuff_t *tvb, packet_info *pinfo,
                        proto_tree *tree);

/// The WebSocket of a packet, and its frames. Valid while the packet is dissected.
struct WebSocketPacket {
  std::uint32_t frame_number = 0;
  std::uint32_t source_port = 0;
  std::uint32_t destination_port = 0;
  WebSocketConnection *connection = nullptr;  ///< null: not known
  std::uint64_t message_bytes = 0;            ///< number of bytes in messages
  bool has_complete_frame = false;
  // The frames in the newest bytes that TCP or TLS has passed on.
  bool has_masked = false;                 ///< true if a frame is masked
  bool has_compressed = false;             ///< true if a frame is compressed
  unsigned data_opcodes = 0;               ///< a bit for each opcode of a frame with data; 0: the frames are not known
  const tvbuff_t *frame_source = nullptr;  ///< data source of the frames
  std::size_t next_frame = 0;              ///< offset in frame_source after the frames of the messages so far
  unsigned failed_searches = 0;            ///< number of messages with a frame that was not found

  /// Returns the format of the messages; `unspecified` if their formats differ, or if the frames are not known.
  [[nodiscard]] godot_codec::PayloadFormat format() const;
  /// True if the decompression of a frame needs messages that are missing in the capture. The decompressed bytes are
  /// then wrong.
  [[nodiscard]] bool is_undecodable(const packet_info *pinfo) const;
};

/// Stops following a connection of another program, and reading its frames. Does nothing if the client or the server
/// may be a game's.
void ignore_web_socket(WebSocketConnection &connection, const packet_info *pinfo);

/// Resets web_socket_packet_of(). Call before TCP's dissector processes a segment.
void begin_web_socket_packet();
/// Returns the WebSocket of the packet with its current ports.
[[nodiscard]] WebSocketPacket &web_socket_packet_of(packet_info *pinfo);

/// Marks the connection as a game's. @param client direction of the client's packets
void mark_web_socket_game(WebSocketPacket &packet, packet_info *pinfo, unsigned client);

/// Passes bytes to Wireshark's WebSocket dissector if they begin with a frame. Other bytes after a capture gap are
/// shown as data. TCP and TLS pass the bytes of an incomplete frame again with the next segment.
int dissect_web_socket_frames(dissector_handle_t dissector, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                              void *data);

/// Returns how a connection ended, or its state so far. The text is in the packet's memory.
[[nodiscard]] const char *describe_web_socket(packet_info *pinfo, const WebSocketConnection &connection);

/// Returns a finding about how a connection ended, or why it failed. Its expert item is null if there is no problem.
/// Sender and receiver are not set.
[[nodiscard]] Finding problem_of_web_socket(packet_info *pinfo, const WebSocketConnection &connection);

/// Returns the dissector for a TCP conversation with a WebSocket request. This dissector reads the frames, and calls
/// HTTP.
[[nodiscard]] dissector_handle_t web_socket_observer();

/// Registers the protocol.
void register_web_sockets();
/// Finds HTTP's dissectors.
void handoff_web_sockets();

}  // namespace godot_plugin
