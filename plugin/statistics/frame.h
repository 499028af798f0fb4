// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// What a frame with Godot's or ENet's traffic brings to the statistics. epan drops what is tapped more than 5,000
/// times a frame: all of a frame is one record, in the packet's memory.
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

/// What a frame's bytes are there for. In the order of the table.
enum class Cost : std::uint8_t {
  link,              ///< below IP, padding and checksums included
  ip,                ///< the header, with its options
  transport,         ///< of UDP or TCP
  framing,           ///< TLS, DTLS, WebSocket, lengths before Variants
  enet_headers,      ///< of datagrams and commands, and commands without a message that acknowledge nothing
  acknowledgements,  ///< ENet's
  resent,            ///< ENet's commands that had been sent before
  twice,             ///< captured before
  compression,       ///< ENet's; what it spares is below zero
  fragments,         ///< of messages that no datagram holds as a whole
  segments,          ///< of messages that no segment holds as a whole
  mp_headers,        ///< of the high-level multiplayer: all but what follows
  arguments,         ///< of calls, and values that are set
  state,             ///< values of spawned and synchronized nodes
  own_bytes,         ///< raw packets, authentication
  variants,          ///< messages that are just a value
  debugger,          ///< the remote debugger's messages
  icmp_errors,       ///< with what they quote
  other,             ///< all else: messages of others, what could not be read
};
inline constexpr std::size_t cost_count = static_cast<std::size_t>(Cost::other) + 1;

/// What the table of objects calls the values of a property in messages.
inline constexpr const char *property_of_spawn = "spawn property";
inline constexpr const char *property_of_sync = "sync property";
inline constexpr const char *property_of_delta = "delta property";

/// Something that is counted by its names.
struct Counted {
  const Counted *next;
  std::array<const char *, 2> names;  ///< valid UTF-8 without control characters
  std::uint32_t bytes;
  bool is_part;  ///< of what is counted, too: a property of an object
};

/// A connection that had a datagram in the frame.
struct CountedConnection {
  const CountedConnection *next;
  const godot_codec::EnetConnection *connection;
};

/// One frame.
struct FrameRecord {
  enum class Messages : std::uint8_t {
    whole,    ///< what is dissected now lies in the frame
    split,    ///< most of it came before: its bytes are counted already
    ignored,  ///< captured before: it counts for nothing
  };
  Messages messages;
  bool is_quote;                               ///< of an ICMP error
  bool has_part;                               ///< of a message that goes on in other frames
  std::uint64_t carried;                       ///< bytes in datagrams of ENet and messages of other carriers
  std::array<std::int64_t, cost_count> costs;  ///< but for what lies below: see complete_costs()
  const Counted *calls;
  const Counted *objects;
  const Counted *peers;
  const Counted *debug_messages;
  const CountedConnection *connections;
  const DtlsClient *dtls_client;  ///< whose frame it is: DTLS', not ENet's

  std::int64_t &cost(Cost what) { return costs[static_cast<std::size_t>(what)]; }
};

/// The name of the tap.
inline constexpr const char *frame_tap = "godot_frame";

/// The packet's record, which is queued for the tap with the first call; null where nobody listens. To be called
/// wherever one of the protocols is drawn.
FrameRecord *frame_record(packet_info *pinfo);

/// The same, if there has been a call; else null.
FrameRecord *begun_record(packet_info *pinfo);

/// As frame_record(), where what is dissected now is to be counted; else null.
FrameRecord *counting_record(packet_info *pinfo);

/// Adds to one of a record's lists.
void count_in(packet_info *pinfo, const Counted *&list, const char *name, const char *second_name, std::uint32_t bytes,
              bool is_part = false);

/// Takes a message out of what its carrier has brought. @returns the record; null where its bytes are not counted
FrameRecord *count_message(packet_info *pinfo, const Message &message, Cost cost);

/// Says how the messages to come lie in the frame.
void count_messages_as(packet_info *pinfo, FrameRecord::Messages messages);

/// What lies below the messages, so that the sum of all costs is the frame's length.
void complete_costs(FrameRecord &record, const packet_info *pinfo);

/// Registers the tap.
void register_frame_tap();

}  // namespace godot_plugin
