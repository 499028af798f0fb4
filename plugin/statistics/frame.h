// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The record that a frame with Godot's or ENet's traffic brings to the statistics. epan drops what is tapped more than
/// 5,000 times a frame: all of a frame is one record, in the packet's memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plugin/epan/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_codec {
struct EnetConnection;
}

namespace godot_plugin {

struct DtlsClient;
struct FlowArrow;
struct MatchFact;
struct MatchMessage;
struct WebSocketConnection;

/// The purpose of a frame's bytes. In the order of the table.
enum class Cost : std::uint8_t {
  link,              ///< below IP, padding and checksums included
  ip,                ///< the header, with its options
  transport,         ///< headers of UDP or TCP
  framing,           ///< TLS, DTLS, WebSocket, lengths before Variants
  enet_headers,      ///< headers of datagrams and commands, and commands without a message that acknowledge nothing
  acknowledgements,  ///< ENet's
  resent,            ///< ENet's commands that had been sent before
  twice,             ///< captured before
  compression,       ///< ENet's; what it spares is below zero
  fragments,         ///< parts of messages that no datagram holds as a whole
  segments,          ///< parts of messages that no segment holds as a whole
  mp_headers,        ///< headers of the high-level multiplayer: all but the following
  arguments,         ///< arguments of calls, and values of rsets
  state,             ///< values of spawned and synchronized nodes
  own_bytes,         ///< raw packets, authentication
  variants,          ///< messages that are just a value
  debugger,          ///< the remote debugger's messages
  icmp_errors,       ///< with what they quote
  other,             ///< all else: messages of others, what could not be read
};
inline constexpr std::size_t cost_count = static_cast<std::size_t>(Cost::other) + 1;

/// The names that the table of objects gives to the values of a property in messages.
inline constexpr const char *property_of_spawn = "spawn property";
inline constexpr const char *property_of_sync = "sync property";
inline constexpr const char *property_of_delta = "delta property";

/// The table of names counts two kinds of things.
inline constexpr const char *name_of_call = "call";
inline constexpr const char *name_of_value = "value";

/// Names for something that is counted. All are valid UTF-8 without control characters, and live as long as the packet.
struct CountedName {
  const char *key;                 ///< things with the same key and the same second name are counted in one row
  const char *second = nullptr;    ///< null in a table of one name
  const char *shown = nullptr;     ///< the row's name; null: the key. The first one of a row stays
  const char *instance = nullptr;  ///< which of those that have the row in common; null where nobody asks
};

/// Something that is counted by its names.
struct Counted {
  const Counted *next;
  CountedName name;
  std::uint32_t bytes;  ///< before compression
  bool is_part;         ///< its bytes are part of another thing's: a property of an object
  bool is_split;        ///< most of it came in frames before
};

/// A connection that had a datagram in the frame.
struct CountedConnection {
  const CountedConnection *next;
  const godot_codec::EnetConnection *connection;
};

/// One frame.
struct FrameRecord {
  enum class Messages : std::uint8_t {
    whole,    ///< the dissected message lies in the frame
    split,    ///< most of it came before: its bytes are counted already
    ignored,  ///< captured before: it counts for nothing
  };
  Messages messages;
  bool is_quote;                               ///< an ICMP error quotes it
  bool is_first_pass;                          ///< false if all packets have been dissected before
  bool has_part;                               ///< a message has a part here that goes on in other frames
  bool is_stream;                              ///< a segment of a game's TCP connection, with a message or without
  std::uint64_t unpacked;                      ///< bytes of ENet's commands, before compression
  std::uint64_t carried;                       ///< bytes in datagrams of ENet and messages of other carriers
  std::array<std::int64_t, cost_count> costs;  ///< but for what lies below: see complete_costs()
  const Counted *calls;
  const Counted *objects;
  const Counted *names;  ///< calls and values by their node, shown by their name; shown as null where none is known
  const Counted *peers;
  const Counted *variants;
  const Counted *debug_messages;
  const CountedConnection *connections;
  const WebSocketConnection *web_socket;  ///< null: the frame is of none that is a game's
  const DtlsClient *dtls_client;          ///< the client, if the frame is counted as DTLS' and not as ENet's
  FlowArrow *first_arrow;
  FlowArrow *last_arrow;
  // For the match page alone: see match.h.
  MatchMessage *first_message;
  MatchMessage *last_message;
  const MatchFact *facts;

  std::int64_t &cost(Cost what) { return costs[static_cast<std::size_t>(what)]; }
};

/// The name of the tap.
inline constexpr const char *frame_tap = "godot_frame";

/// The packet's record, which is queued for the tap with the first call; null where nobody reads it. To be called
/// wherever one of the protocols is drawn.
FrameRecord *frame_record(packet_info *pinfo);

/// True if a frame of the capture was one of ours so far, whether or not somebody listens.
[[nodiscard]] bool is_any_frame_ours();

/// The last frame of the capture that was one of ours so far, whether or not somebody listens; 0: none was.
[[nodiscard]] std::uint32_t last_frame_of_ours();

/// Finds the record, if frame_record() has been called; else null.
FrameRecord *begun_record(packet_info *pinfo);

/// Calls frame_record() if the dissected message is to be counted; else null.
FrameRecord *counting_record(packet_info *pinfo);

/// Adds to one of a record's lists.
void count_in(packet_info *pinfo, const Counted *FrameRecord::*list, const CountedName &name, std::uint32_t bytes,
              bool is_part = false);

/// Takes a message out of what its carrier has brought. @returns the record; null where its bytes are not counted
FrameRecord *count_message(const MessageContext &context, Cost cost);

/// Says how the messages to come lie in the frame. @returns how they lay before
FrameRecord::Messages count_messages_as(packet_info *pinfo, FrameRecord::Messages messages);

/// How many of something's bytes ENet's compression has spared, by the frame's whole; below zero where it has grown.
/// 0 for what came in several frames, as it is not known there.
[[nodiscard]] double spared_of(const FrameRecord &record, const Counted &counted);

/// Adds the costs of the layers below the messages, so that the sum of all costs is the frame's length.
void complete_costs(FrameRecord &record, const packet_info *pinfo);

/// Registers the tap.
void register_frame_tap();

}  // namespace godot_plugin
