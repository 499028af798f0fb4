// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The part of a frame's record for the match page (plugin/page): messages with their values, and facts about their
/// transport. It is in the packet's memory, and exists only while data for a page is collected.
#pragma once

#include <cstdint>
#include <span>

#include "godot-codec/variant/types.h"
#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A property, an argument, or a value in a Dictionary.
struct MatchValue {
  MatchValue *next;
  const char *name;  ///< such as `position` or `/player/hp`
  godot_codec::Type type;
  bool is_single;                   ///< true if the numbers are 32-bit reals
  std::span<const double> numbers;  ///< the numbers of an int, a vector and similar types; else empty
  const char *text;                 ///< the value as text if it has no numbers
};

/// The part of a message about one node. A message that is about no node has a single part.
struct MatchObject {
  MatchObject *next;
  const char *node;  ///< the node's path, or the known end of the path; empty: no node
  const char *name;  ///< the name in the tables; for a node's second synchronizer it includes the net ID
  std::uint32_t bytes;
  std::uint32_t id;   ///< number on the wire; 0: none
  bool is_timed;      ///< true for a sync with a known order of arrival
  bool is_late;       ///< true if a newer or equally new sync arrived before this one, so that Godot drops this one
  bool has_interval;  ///< true if an earlier sync of the same synchronizer arrived
  MatchValue *first_value;
  MatchValue *last_value;
};

/// Special endpoints for MatchPeer: the two ends of the packet. They are compared by pointer, not by text.
extern const char *const at_source;
extern const char *const at_destination;

/// A sender or receiver. It has an ID of the multiplayer, or an endpoint, or both.
struct MatchPeer {
  const char *id;        ///< "1", "client", "all"; null: it has none
  const char *endpoint;  ///< at_source, at_destination, or a text; null: not at an end of this connection
};

/// A message.
struct MatchMessage {
  MatchMessage *next;
  const char *kind;  ///< "rpc", "sync", "variant"; a literal
  MatchPeer from;
  MatchPeer to;
  const char *what;                 ///< an RPC's method, or a Variant's kind; empty: none
  const char *summary;              ///< summary for the list; null: none
  const char *delivery;             ///< how ENet delivered the message; null: not set
  std::int64_t head_of_line_delay;  ///< head-of-line delay in nanoseconds
  std::uint16_t sequence_number;    ///< number among the reliable messages of its channel
  std::uint32_t bytes;
  std::uint16_t number;  ///< number of a sync, which its sender increments each time
  bool has_number;
  bool is_split;          ///< true if most of it arrived in earlier frames
  bool has_relayed_copy;  ///< true if the server relays it, and the capture contains the relayed message
  MatchObject *first_object;
  MatchObject *last_object;
};

/// What a MatchFact measures.
enum class MatchFactKind : std::uint8_t {
  round_trip,      ///< round-trip time in nanoseconds, from a command to its acknowledgement in this datagram
  retransmission,  ///< a retransmitted command
  missing,         ///< number of preceding unreliable messages that are lost or late
  stall            ///< nanoseconds for which the sender stalled, until now
};

/// A fact about the connection that a datagram shows.
struct MatchFact {
  const MatchFact *next;
  MatchFactKind kind;
  std::int64_t value;
};

/// True while data for a page is collected.
[[nodiscard]] bool is_match_wanted();
void set_match_wanted(bool is_wanted);

/// Adds a message to the frame's record. @returns null if no page needs it, or if it is not counted
MatchMessage *add_match_message(packet_info *pinfo, const char *kind, std::uint32_t bytes);
MatchObject *add_match_object(packet_info *pinfo, MatchMessage &message, const char *node, std::uint32_t bytes);
void add_match_fact(packet_info *pinfo, MatchFactKind kind, std::int64_t value);

/// Adds the Variant at @p offset under a name. Each number in it gets its own name.
/// @returns the offset of its end; 0 if it cannot be read
std::size_t add_match_value(packet_info *pinfo, MatchObject &object, const char *name, godot_codec::Bytes bytes,
                            std::size_t offset, const godot_codec::Encoding &encoding,
                            const godot_codec::ReadOptions &options);

/// Sets the summary of the newest message, unless it is already set.
void set_match_summary(packet_info *pinfo, const char *summary);
/// Sets how the newest message was delivered, unless that is already set.
/// @param head_of_line_delay see MatchMessage
/// @param sequence_number see MatchMessage
void set_match_delivery(packet_info *pinfo, const char *delivery, std::int64_t head_of_line_delay,
                        std::uint16_t sequence_number);

}  // namespace godot_plugin
