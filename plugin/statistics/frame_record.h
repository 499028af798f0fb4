// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The record of a frame with traffic of Godot or ENet, for the statistics. There is one record per frame, in the
/// packet's memory, because epan drops tap data after 5,000 items per frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/variant/variant_walker.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/ws_compat.h"

namespace godot_codec {
struct EnetConnection;
}

namespace godot_plugin {

struct DtlsClient;
struct FlowArrow;
struct MatchFact;
struct MatchMessage;
class StatTable;
struct WebSocketConnection;

/// The purpose of a frame's bytes, in the order of the overhead table's rows.
enum class ByteCategory : std::uint8_t {
  link,              ///< below IP, including padding and checksums
  ip,                ///< the IP header with its options
  transport,         ///< headers of UDP or TCP
  framing,           ///< TLS, DTLS, WebSocket, and length prefixes of Variants
  enet_headers,      ///< headers of datagrams and commands, and commands that contain no message or acknowledgement
  acknowledgements,  ///< ENet's acknowledgements
  retransmissions,   ///< retransmitted ENet commands
  duplicates,        ///< duplicates in the capture
  compression,       ///< change of the size by ENet's compression; negative: bytes saved
  fragments,         ///< fragments of messages that do not fit into one datagram
  segments,          ///< parts of messages that do not fit into one TCP segment
  mp_headers,        ///< headers of the high-level multiplayer, except the following
  arguments,         ///< arguments of RPCs, and values of rsets
  state,             ///< values of spawned and synchronized nodes
  custom_payload,    ///< custom payloads and authentication
  variants,          ///< messages that consist of one Variant
  debugger,          ///< messages of the remote debugger
  icmp_errors,       ///< ICMP errors, including the packets that they quote
  other,             ///< everything else: foreign messages, and malformed bytes
};
inline constexpr std::size_t byte_category_count = static_cast<std::size_t>(ByteCategory::other) + 1;

/// Row texts of the nodes table, for the kinds of messages that contain a property's value.
inline constexpr const char *property_of_spawn = "spawn property";
inline constexpr const char *property_of_sync = "sync property";
inline constexpr const char *property_of_delta = "delta property";

/// The kinds of rows in a table of names.
inline constexpr const char *call_row = "call";
inline constexpr const char *value_row = "value";

/// Names of a counted item. They are valid UTF-8 without control characters, and live as long as the packet.
struct CountedName {
  const char *key;                    ///< items with the same key and second name share a row
  const char *second_name = nullptr;  ///< null if the table has only one column of names
  const char *shown_name = nullptr;   ///< the row's name, set by its first entry; null: the key
  const char *instance = nullptr;     ///< distinguishes the instances that share the row; null if they are not counted
};

/// An item that a table counts, such as an RPC or the value of a property.
struct CountedItem {
  const CountedItem *next;
  const StatTable *table;  ///< the table that counts the item
  CountedName name;
  std::uint32_t bytes;  ///< size before compression
  bool is_nested;  ///< true if the bytes are also counted for another item, as a property's bytes are for its object
  bool is_split;   ///< true if most of the item's bytes arrived in earlier frames
};

/// An ENet connection with a datagram in the frame.
struct CountedConnection {
  const CountedConnection *next;
  const godot_codec::EnetConnection *connection;
};

struct FrameRecord {
  enum class MessageCounting : std::uint8_t {
    whole,    ///< the dissected messages are complete in this frame
    split,    ///< most of the message arrived in earlier frames, which already count its bytes
    ignored,  ///< the frame is a duplicate, so it is not counted
  };
  MessageCounting counting;
  bool is_icmp_error;      ///< true if the frame is an ICMP error that quotes a packet
  bool is_first_pass;      ///< false if all packets have been dissected before
  bool has_message_chunk;  ///< true if the frame contains a chunk of a message that spans several frames
  bool is_stream_segment;  ///< true if the frame is a segment of a game's TCP connection, even without a message
  std::uint64_t uncompressed_size;  ///< size of the ENet commands before compression, in bytes
  std::uint64_t dissected_bytes;    ///< number of bytes in ENet datagrams and in messages of other transports
  std::array<std::int64_t, byte_category_count> bytes_by_category;  ///< bytes by category, above the transport layer;
                                                                    ///< add_lower_layer_bytes() adds the lower layers
  const CountedItem *counted_items;                                 ///< items of all tables that count, newest first
  const CountedConnection *connections;
  const WebSocketConnection *web_socket;  ///< null if the frame does not belong to a game's WebSocket
  const DtlsClient *dtls_client;          ///< null if the frame is not counted as DTLS
  FlowArrow *first_arrow;
  FlowArrow *last_arrow;
  // Only for the match page (match_record.h).
  MatchMessage *first_message;
  MatchMessage *last_message;
  const MatchFact *facts;

  std::int64_t &bytes_in(ByteCategory what) { return bytes_by_category[static_cast<std::size_t>(what)]; }
};

inline constexpr const char *frame_tap = "godot_frame";

/// Returns the frame's record. The first call queues the record for the tap. Each dissector of the plugin calls this
/// for each packet.
/// @returns null if the tap has no listener
FrameRecord *frame_record(packet_info *pinfo);

/// Returns the number of the last frame so far of this plugin's protocols; 0 if there is none. Works even if the tap
/// has no listener.
[[nodiscard]] std::uint32_t last_game_frame();

/// Returns the record if frame_record() has created it; otherwise null.
FrameRecord *find_frame_record(packet_info *pinfo);

/// Returns frame_record() if the dissected message is counted; otherwise null.
FrameRecord *frame_record_if_counted(packet_info *pinfo);

/// Adds an entry for a table. Does nothing for duplicates, for packets in ICMP errors, and if no statistic is open.
void count_in(packet_info *pinfo, const StatTable &table, const CountedName &name, std::uint32_t bytes,
              bool is_nested = false);

/// Moves the bytes of a message from the transport's category to @p category.
/// @returns the record; null if the bytes are not counted
FrameRecord *count_message(const MessageContext &context, ByteCategory category);

/// Sets how the following messages of the frame are counted. @returns the previous value
FrameRecord::MessageCounting set_message_counting(packet_info *pinfo, FrameRecord::MessageCounting messages);

/// Returns the item's share of the bytes that ENet's compression saved in the frame; negative if the frame grew.
/// Returns 0 for a message in several frames, because its share is not known.
[[nodiscard]] double saved_bytes_of(const FrameRecord &record, const CountedItem &counted);

/// Adds the bytes of the layers below the messages. After this, the sum of all categories equals the frame's length.
void add_lower_layer_bytes(FrameRecord &record, const packet_info *pinfo);

/// Counts the Variant at @p offset by its kind, with all bytes from @p offset.
void count_variant(packet_info *pinfo, godot_codec::Bytes bytes, std::size_t offset,
                   const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options);

/// Counts a message that is not a Variant. @param kind the row's name @param endpoints distinguishes the ways in the
/// row
void count_non_variant(packet_info *pinfo, const char *kind, std::size_t bytes, const char *endpoints);

/// Registers the tap.
void register_frame_tap();

// ---- overhead_table.cpp

/// The names of the overhead table's rows, by category.
extern const std::array<const char *, byte_category_count> byte_category_names;

/// True if the overhead table counts the frame. The table ignores frames of a DTLS client that got no answer.
[[nodiscard]] bool is_counted_in_overhead(const FrameRecord &record);

// ---- layer_sizes.cpp

/// Sizes of the layers, in bytes. The other bytes of the frame are link-layer headers or padding.
struct LayerSizes {
  std::uint32_t ip;
  std::uint32_t transport;
  std::uint32_t payload;  ///< the UDP or TCP payload
};

/// Finds the headers by the packet's addresses and ports. If the headers are not found, for example because of a small
/// snap length, the payload is @p carried and the other sizes are 0.
[[nodiscard]] LayerSizes find_layer_sizes(const packet_info *pinfo, std::uint64_t carried);

}  // namespace godot_plugin
