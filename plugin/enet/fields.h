// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The fields, expert items and subtrees of the protocol `enet`, except the fields of its commands (commands.cpp).
#pragma once

#include <array>

#include "godot-codec/enet/datagram.h"
#include "plugin/epan/field_registration.h"

namespace godot_plugin {

/// Names of commands by number, in epan's format. They are literals, so they are zero-terminated. An entry without a
/// name ends the table.
inline std::array<value_string, 16> enet_command_names = [] {
  std::array<value_string, 16> names{};
  std::size_t count = 0;
  for (const godot_codec::EnetCommandLayout &layout : godot_codec::enet_command_layouts()) {
    names[count++] = {static_cast<std::uint32_t>(layout.type), layout.name.data()};
  }
  return names;
}();

/// All fields except those after the header of a command, which differ by command and are listed in the codec.
struct EnetFields {
  HeaderField peer_id{FT_UINT16, "enet.peer_id", "Peer ID", "Peer slot, assigned by the receiver; 4095 before that",
                      with_mask(0x0fff)};
  HeaderField session{FT_UINT8, "enet.session", "Session",
                      "Session number, to distinguish successive connections in one peer slot", with_mask(0x30)};
  HeaderField compressed{FT_BOOLEAN, "enet.compressed", "Compressed", "The bytes after the header are compressed",
                         as_flag(8, 0x40)};
  HeaderField has_sent_time{FT_BOOLEAN, "enet.has_sent_time", "Has sent time",
                            "The header contains the sent time, because a command requests an acknowledgement",
                            as_flag(8, 0x80)};
  HeaderField sent_time{FT_UINT16, "enet.sent_time", "Sent time", "Clock of the sender, in milliseconds"};
  HeaderField checksum{FT_UINT32, "enet.checksum", "Checksum", "CRC-32 of the header and the commands",
                       with_display(BASE_HEX)};
  HeaderField checksum_status{FT_UINT8, "enet.checksum.status", "Checksum status",
                              "Result of the comparison with the calculated checksum",
                              with_value_names(VALS(proto_checksum_vals), BASE_NONE)};
  HeaderField compression{FT_STRING, "enet.compression", "Compression",
                          "Compression of the commands; detected, because it is not in the datagram"};
  HeaderField payload_size{FT_UINT32, "enet.payload_size", "Payload size", "Bytes after the header, as sent"};
  HeaderField decompressed_size{FT_UINT32, "enet.decompressed_size", "Decompressed size",
                                "Bytes of the commands after decompression"};
  HeaderField compressed_bytes{FT_BYTES, "enet.compressed_bytes", "Compressed commands", "The commands as sent"};
  HeaderField part{FT_NONE, "enet.part", "Command with data", "One command with its data"};
  HeaderField command{
      FT_UINT8, "enet.command", "Command", "Type of the command",
      with_value_names(VALS(enet_command_names.data()), FieldOptions::display_by_type, godot_codec::enet_mask_type)};
  HeaderField flags_acknowledge{FT_BOOLEAN, "enet.flags.acknowledge", "Acknowledge",
                                "The command requests an acknowledgement",
                                as_flag(8, godot_codec::enet_flag_acknowledge)};
  HeaderField flags_unsequenced{FT_BOOLEAN, "enet.flags.unsequenced", "Unsequenced", "The command may overtake others",
                                as_flag(8, godot_codec::enet_flag_unsequenced)};
  HeaderField channel{FT_UINT8, "enet.channel", "Channel", "Channel of the command; 255: control channel"};
  HeaderField reliable_seq{FT_UINT16, "enet.reliable_seq", "Reliable sequence number",
                           "Number of the reliable command in its channel"};
  HeaderField data{FT_NONE, "enet.data", "Data", "A message, or a fragment of one"};
  HeaderField padding{FT_BYTES, "enet.padding", "Padding", "Zeros added by the compression"};
  HeaderField undecoded{FT_BYTES, "enet.undecoded", "Undecoded bytes", "Bytes that could not be decoded as commands"};
  HeaderField stream{FT_UINT32, "enet.stream", "Stream", "Index of the connection, from 0"};
  HeaderField duplicate_of{FT_FRAMENUM, "enet.duplicate_of", "Duplicate of",
                           "Frame in which the same datagram was captured before"};
  HeaderField to_server{FT_BOOLEAN, "enet.to_server", "To the server",
                        "Sent to the server of the connection; without a captured connect, to the assumed server"};
  HeaderField acked_in{FT_FRAMENUM, "enet.acked_in", "Acknowledged in",
                       "Frame that acknowledges this command (two-pass)",
                       with_value_names(FRAMENUM_TYPE(FT_FRAMENUM_ACK))};
  HeaderField acked_after{FT_RELATIVE_TIME, "enet.acked_after", "Acknowledged after",
                          "Time from the command to its acknowledgement; shown on the command (two-pass)"};
  HeaderField ack_to{FT_FRAMENUM, "enet.ack_to", "Acknowledges", "Frame of the acknowledged command",
                     with_value_names(FRAMENUM_TYPE(FT_FRAMENUM_ACK))};
  HeaderField rtt{
      FT_RELATIVE_TIME, "enet.rtt", "Round-trip time",
      "Time from the command to its acknowledgement. Includes the frame time of the peer, because Godot answers once per frame"};
  HeaderField retransmission{FT_BOOLEAN, "enet.retransmission", "Retransmission", "The command was sent before"};
  HeaderField retransmission_of{FT_FRAMENUM, "enet.retransmission_of", "Retransmission of",
                                "Frame with the first transmission of the command",
                                with_value_names(FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV))};
  HeaderField retransmitted_after{FT_RELATIVE_TIME, "enet.retransmitted_after", "Since first sent",
                                  "Time since the first captured transmission of the command"};
  HeaderField retransmission_summary{FT_STRING, "enet.retransmission.summary", "Retransmitted message",
                                     "Summary of the retransmitted message"};
  HeaderField head_of_line_delay{
      FT_RELATIVE_TIME, "enet.head_of_line_delay", "Head-of-line delay",
      "Head-of-line blocking: time that a received reliable message waited for earlier ones of its channel (two-pass)"};
  HeaderField end{FT_STRING, "enet.end", "End", "How the connection ended; on its last datagram (two-pass)"};
  HeaderField longest_silence{
      FT_RELATIVE_TIME, "enet.longest_silence", "Longest silence",
      "Longest time between two datagrams of a side; on the last datagram of the connection (two-pass)"};
  HeaderField after_peer_gone{FT_FRAMENUM, "enet.after_peer_gone", "After the peer vanished",
                              "First frame in which the remaining side retransmitted without an answer (two-pass)"};
  HeaderField after_disconnect{FT_FRAMENUM, "enet.after_disconnect", "After the disconnect",
                               "Frame with the disconnect; on ICMP errors that quote later datagrams"};
  HeaderField unanswered_hellos{FT_UINT32, "enet.unanswered_hellos", "Unanswered ClientHellos",
                                "Unanswered ClientHello messages of a DTLS client so far (two-pass: in total)"};
  HeaderField frame_time{
      FT_RELATIVE_TIME, "enet.frame_time", "Frame time",
      "Time between the frames of the sender. Estimated every 64 datagrams or so, because Godot sends once per frame; network jitter adds noise"};
  HeaderField stall{
      FT_RELATIVE_TIME, "enet.stall", "Stall",
      "Time without a datagram of the sender before it answered everything at once: a long frame, or a network that held packets back"};
  HeaderField stall_since{FT_FRAMENUM, "enet.stall.since", "Stalled since",
                          "Frame of the previous datagram of the sender"};
  HeaderField sequence_gap{FT_UINT32, "enet.sequence_gap", "Sequence gap",
                           "Skipped sequence numbers: lost, late, or dropped by the throttle of ENet before sending"};
  HeaderField sequence_gap_total{FT_UINT64, "enet.sequence_gap.total", "Sequence gaps in total",
                                 "Skipped sequence numbers of the connection so far, in this direction"};
  HeaderField fragments{FT_NONE, "enet.fragments", "Fragments", "All fragments of the message"};
  HeaderField fragment{FT_FRAMENUM, "enet.fragment", "Fragment", "Frame with a fragment of the message"};
  HeaderField fragment_overlap{FT_BOOLEAN, "enet.fragment.overlap", "Overlap", "The fragment overlaps another"};
  HeaderField fragment_overlap_conflict{FT_BOOLEAN, "enet.fragment.overlap.conflicts", "Conflict",
                                        "Overlapping fragments differ"};
  HeaderField fragment_multiple_tails{FT_BOOLEAN, "enet.fragment.multiple_tails", "Several ends",
                                      "Several fragments claim to be the last"};
  HeaderField fragment_too_long{FT_BOOLEAN, "enet.fragment.too_long", "Too long",
                                "The fragment runs past the end of the message"};
  HeaderField fragment_error{FT_FRAMENUM, "enet.fragment.error", "Reassembly error",
                             "Frame with the fragment that does not match the others"};
  HeaderField fragment_total{FT_UINT32, "enet.fragment.count", "Fragment frames", "Number of frames with fragments"};
  HeaderField reassembled_in{FT_FRAMENUM, "enet.reassembled.in", "Reassembled in",
                             "Frame that completes the message (two-pass)"};
  HeaderField reassembled_length{FT_UINT32, "enet.reassembled.length", "Reassembled length",
                                 "Length of the message, in bytes"};
  HeaderField reassembled_data{FT_BYTES, "enet.reassembled.data", "Reassembled data", "Data of the message"};
};

struct EnetSubtrees {
  Subtree packet;
  Subtree part;
  Subtree fragment;
  Subtree fragments;
};

// For expert items about datagrams that cannot be read. They have rows in the Problems table, but no `godot.problem`
// field, because they are not problems of the game.
inline constexpr FindingDisplay unmarked{
    .advice =
        "Godot does not send such datagrams. If this traffic is not ENet, choose its protocol with Analyze > Decode As. If another program sends ENet here, look for the error in that program.",
    .marks_tree_items = false};

struct EnetExpertItems {
  ExpertItem malformed{
      {"enet.malformed", PI_MALFORMED, PI_ERROR, "An ENet command is longer than the rest of its datagram"}, unmarked};
  ExpertItem truncated{"enet.truncated", PI_UNDECODED, PI_NOTE,
                       "The capture contains only the beginning of the datagram"};
  ExpertItem unsupported{{"enet.unsupported", PI_UNDECODED, PI_WARN, "Unknown ENet command or compression"}, unmarked};
  ExpertItem limit{"enet.limit", PI_PROTOCOL, PI_NOTE, "More commands than ENet puts into one datagram"};
  ExpertItem over_memory_limit{
      {"enet.over_memory_limit", PI_PROTOCOL, PI_WARN,
       "The datagrams contain more compressed commands than the plugin keeps in memory, so the analysis of later acknowledgements, retransmissions and fragments may be incomplete"},
      unmarked};
  ExpertItem checksum{
      {"enet.checksum.bad", PI_CHECKSUM, PI_ERROR, "The ENet checksum is wrong, so the receiver drops the datagram"},
      {.advice =
           "Use the same checksum function on both sides (ENetHost.checksum in C), or none. Godot does not use checksums.",
       .marks_tree_items = false}};
  ExpertItem retransmission{
      {"enet.retransmitted", PI_SEQUENCE, PI_NOTE, "Retransmission of the command"},
      {.weight = 500,
       .text = "Packets were lost and retransmitted",
       .advice =
           "A few are normal. If there are many, send less at once, and use \"unreliable\" for values that are soon replaced.",
       .filter = "enet.retransmitted and godot.problem"}};
  ExpertItem unacknowledged{
      {"enet.unacknowledged", PI_SEQUENCE, PI_WARN,
       "Never acknowledged, although the receiver was still active at least 5 s later (two-pass)"},
      {.weight = 510,
       .text = "Reliable messages were never acknowledged, although the receiver was still active 5 s later",
       .advice =
           "Poll the receiver's peer in every game frame. If it is polled, check whether a firewall or router blocks one direction.",
       .marks_tree_items = false}};
  ExpertItem sequence_gap_found{"enet.sequence_gap.found", PI_SEQUENCE, PI_CHAT,
                                "Messages before this one are missing or late"};
  ExpertItem not_enet{"enet.not_enet", PI_PROTOCOL, PI_NOTE,
                      "Not ENet, although it uses the ports of an ENet connection"};
  ExpertItem unanswered_connect{
      {"enet.unanswered_connect", PI_SEQUENCE, PI_WARN, "Connection attempt that failed or was refused (two-pass)"},
      {.weight = 60,
       .advice = "Check that the server runs at that port, and that the UDP port is open in the firewall."}};
  ExpertItem no_channel{
      {"enet.no_channel", PI_PROTOCOL, PI_WARN,
       "The connection has no such channel: the receiver drops the command and the rest of the datagram"},
      {.weight = 400,
       .advice =
           "Give create_server() and create_client() the same number of channels, enough for the highest channel in an @rpc."}};
  ExpertItem duplicate{"enet.duplicate", PI_SEQUENCE, PI_NOTE,
                       "Captured twice: the same bytes within one second. Statistics count the datagram once"};
};

inline EnetFields enet_fields;
inline EnetSubtrees enet_subtrees;
inline EnetExpertItems enet_experts;

}  // namespace godot_plugin
