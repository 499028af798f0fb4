// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The part of a frame's record for the match page (plugin/page): messages with values, and facts about the transport.
/// The part is in the packet's memory, and exists only while data for a page is collected.
#pragma once

#include <cstdint>
#include <span>

#include "godot-codec/variant/variant_value.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// A property, an argument, or a value in a Dictionary.
struct MatchValue {
  MatchValue *next;
  const char *name;  ///< such as `position` or `/player/hp`
  godot_codec::Type type;
  bool is_float32;                  ///< true if the numbers are 32-bit floats
  std::span<const double> numbers;  ///< components of a number, a vector and similar types; empty for other types
  const char *text;                 ///< the value as text if `numbers` is empty
};

/// The part of a message that concerns one node. A message without a node has a single MatchObject.
struct MatchObject {
  MatchObject *next;
  const char *node;  ///< the node's path, or its known last names; empty: no node
  const char *name;  ///< the name in the tables; includes the net ID if it is a node's second synchronizer
  std::uint32_t bytes;
  std::uint32_t id;        ///< ID on the wire: bit 31 is set for a path ID; 0: no ID
  bool is_order_known;     ///< true for a sync if its order of arrival is known
  bool is_late;            ///< true if a newer or equally new sync arrived earlier, so Godot drops this sync
  bool has_previous_sync;  ///< true if an earlier sync of the same synchronizer arrived
  MatchValue *first_value;
  MatchValue *last_value;
};

/// Special values of MatchPeer::endpoint: the packet's source and destination. Compare them by pointer, not by text.
extern const char *const at_source;
extern const char *const at_destination;

/// A sender or receiver, identified by its peer ID, its endpoint, or both.
struct MatchPeer {
  const char *id;        ///< "1", "client" or "all"; null: no ID
  const char *endpoint;  ///< at_source, at_destination, or a text; null: not an endpoint of this connection
};

struct MatchMessage {
  MatchMessage *next;
  const char *kind;  ///< "rpc", "sync", "variant"; a literal
  MatchPeer from;
  MatchPeer to;
  const char *method_or_kind;       ///< an RPC's method, or a Variant's kind; otherwise empty
  const char *summary;              ///< summary for the list of messages; null: no summary
  const char *delivery;             ///< the message's delivery by ENet; null: not set
  std::int64_t head_of_line_delay;  ///< head-of-line delay in nanoseconds
  std::uint16_t sequence_number;    ///< sequence number among the reliable messages of the channel
  std::uint32_t bytes;
  std::uint16_t sync_number;  ///< sequence number of a sync, which the sender increments for each sync
  bool has_sync_number;
  bool is_split;          ///< true if most of the message arrived in earlier frames
  bool has_relayed_copy;  ///< true if the capture also contains the copy that the server relays
  MatchObject *first_object;
  MatchObject *last_object;
};

/// What a MatchFact measures.
enum class MatchFactKind : std::uint8_t {
  round_trip,          ///< round-trip time in nanoseconds, from a command to its acknowledgement in this datagram
  retransmission,      ///< a retransmitted command
  missing_unreliable,  ///< count of preceding unreliable messages that are lost or late
  stall                ///< duration of the sender's stall that ends with this datagram, in nanoseconds
};

/// A fact about the connection that a datagram reveals.
struct MatchFact {
  const MatchFact *next;
  MatchFactKind kind;
  std::int64_t value;
};

/// True while data for a page is collected.
[[nodiscard]] bool is_collecting_match();
void set_collecting_match(bool is_wanted);

/// Adds a message to the frame's record, from the packet's source to its destination.
/// @returns null if no page is being made, or if the message is not counted
MatchMessage *add_match_message(packet_info *pinfo, const char *kind, std::size_t bytes,
                                const char *method_or_kind = "");
MatchObject *add_match_object(packet_info *pinfo, MatchMessage &message, const char *node, std::uint32_t bytes);
void add_match_fact(packet_info *pinfo, MatchFactKind kind, std::int64_t value);

/// Reads the Variant at @p offset. The tree is valid until the next call. Its root is null if the Variant is unreadable
/// or memory is exhausted. Never throws.
[[nodiscard]] godot_codec::ValueTree read_value_tree(godot_codec::Bytes bytes, std::size_t offset,
                                                     const godot_codec::Encoding &encoding,
                                                     const godot_codec::ReadOptions &options);

/// Adds the Variant at @p offset under a name. Each nested value gets a name, too.
/// @returns the end offset of the Variant; 0 if the Variant is malformed
std::size_t add_match_value(packet_info *pinfo, MatchObject &object, const char *name, godot_codec::Bytes bytes,
                            std::size_t offset, const godot_codec::Encoding &encoding,
                            const godot_codec::ReadOptions &options);

/// Sets the summary of the newest message, unless it is already set.
void set_match_summary(packet_info *pinfo, const char *summary);
/// Sets the delivery of the newest message. Does nothing if the delivery is already set.
/// @param head_of_line_delay see MatchMessage
/// @param sequence_number see MatchMessage
void set_match_delivery(packet_info *pinfo, const char *delivery, std::int64_t head_of_line_delay,
                        std::uint16_t sequence_number);

}  // namespace godot_plugin
