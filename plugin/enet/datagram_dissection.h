// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The dissection of an ENet datagram, and the functions of this folder that add its texts, items and statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "godot-codec/enet/reassembler.h"
#include "godot-codec/enet/session.h"
#include "godot-codec/variant/text_buffer.h"
#include "plugin/enet/capture_session.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

struct Finding;

/// An ENet datagram, its packet, and the outputs: tree, summary and Info column.
struct DatagramDissection {
  packet_info *pinfo;
  proto_tree *root;  ///< the packet's tree
  proto_tree *tree;  ///< the protocol's tree
  EnetPacket *packet;
  const godot_codec::EnetDatagram *contents;
  const godot_codec::EnetDatagramFindings *findings;
  tvbuff_t *commands;      ///< the commands without compression; null if they cannot be decompressed
  wmem_strbuf_t *summary;  ///< summary for the protocol's item; null if the tree is not shown
  /// Text for the Info column: the texts of the commands and the summaries of their messages. It is buffered because
  /// each of epan's column calls scans the whole column. Null if the column is not shown.
  godot_codec::TextBuffer *info;
};

/// True if statistics count the datagram. False if it has no connection, is a duplicate, or is quoted by an ICMP error.
[[nodiscard]] bool is_counted(const DatagramDissection &datagram);

/// Maximum number of commands that the Info column and the protocol's item describe. The remaining commands are only
/// counted.
inline constexpr std::size_t max_listed_commands = 12;

/// Returns the buffer for a command's text in the Info column; null if the command is not shown there.
/// @param index of the command in the datagram
[[nodiscard]] inline godot_codec::TextBuffer *info_buffer_of(const DatagramDissection &datagram, std::size_t index) {
  return index < max_listed_commands ? datagram.info : nullptr;
}

/// Appends text about a command to the Info column.
void add_info_text(const DatagramDissection &datagram, std::size_t index, std::string_view text);

/// Appends a mark in brackets, such as " [head-of-line blocking 80 ms]", to the Info column.
void add_info_mark(const DatagramDissection &datagram, std::size_t index, std::string_view mark);

/// Writes the buffered text to the Info column, and clears the buffer.
void write_info(const DatagramDissection &datagram);

/// Appends a command's text to the summary in the protocol's item. The text does not name the protocol of the message.
void add_to_summary(const DatagramDissection &datagram, std::size_t index, const char *text);

// ---- summary.cpp: texts for commands and their times

/// Converts nanoseconds to milliseconds.
[[nodiscard]] constexpr double to_milliseconds(std::int64_t time) { return static_cast<double>(time) / 1e6; }

/// True if a command carries user data.
[[nodiscard]] bool has_data(const godot_codec::EnetCommand &command);

/// Appends "Reliable ch 0 #3" or "Fragment 2/7 of ch 0 #12".
void append_message_label(godot_codec::TextBuffer &text, const godot_codec::EnetCommand &command);

/// Appends "Reliable ch 0 #3 again (20 bytes)" or "Ack #4 (0.3 ms)".
void append_command_text(godot_codec::TextBuffer &text, const godot_codec::EnetCommand &command,
                         const godot_codec::EnetCommandFindings &known, bool is_repeated);

// ---- commands.cpp

/// Adds the flag only if it is set.
void add_flag_if_set(proto_tree *tree, tvbuff_t *tvb, int hf, bool is_set);

/// Adds a problem with a display filter for the datagram's connection.
void add_connection_problem(const DatagramDissection &datagram, proto_item *item, Finding finding);

/// Dissects the commands of a datagram, and passes their messages to the subdissectors.
/// @param item the protocol's item
void dissect_commands(const DatagramDissection &datagram, proto_item *item);

// ---- messages.cpp: passes messages to the protocols

/// Shows a command's user data, reassembles fragments, and passes the message to the subdissectors.
/// @returns true if a subdissector read the message and wrote to the Info column
bool dissect_data(const DatagramDissection &datagram, const godot_codec::EnetCommand &command, std::size_t index,
                  const godot_codec::EnetCommandFindings &known, proto_tree *tree, proto_item *item, bool is_passed_on);

/// Returns the summary of a command's message, without dissecting the message; null if the command contains no whole
/// message of the multiplayer.
[[nodiscard]] const char *message_summary(const DatagramDissection &datagram, const godot_codec::EnetCommand &command);

/// Registers the dissector table and the heuristic list for messages over ENet.
void register_enet_messages(int proto);

// ---- overhead.cpp: the overhead table

/// Counts the bytes of a datagram by category. Call before the datagram's messages are dissected.
/// @param whole size of the datagram with its header, in bytes
void count_enet_datagram(packet_info *pinfo, std::size_t whole, const godot_codec::EnetDatagram &read,
                         const godot_codec::EnetDatagramFindings &known);

// ---- taps.cpp: the Conversations and Endpoints windows, and Follow Stream

/// Passes a datagram of a connection to `-z conv,enet` and the Conversations window.
void tap_datagram(packet_info *pinfo);

/// Passes a whole message, reassembled if necessary, to Follow Stream. The tvb lives as long as the packet.
void tap_message(packet_info *pinfo, tvbuff_t *message);

void register_enet_taps(int proto);

}  // namespace godot_plugin
