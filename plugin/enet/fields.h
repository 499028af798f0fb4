// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that an `enet` tree is made of: one table from the codec's fields to registered ones, and the rest.
#pragma once

#include <array>

#include "godot-codec/enet/datagram.h"
#include "plugin/epan/fields.h"

namespace godot_plugin {

/// Names of commands, by their numbers; as epan has such.
extern std::array<value_string, 16> enet_command_names;

/// Fields that are not in a command behind its header.
struct EnetFields {
  HeaderField peer_id{FT_UINT16, "enet.peer_id", "Peer ID", "Slot that the receiver gave the sender; 4095 until it has",
                      masked(0x0fff)};
  HeaderField session{FT_UINT8, "enet.session", "Session", "Tells a slot's connections apart", masked(0x30)};
  HeaderField compressed{FT_BOOLEAN, "enet.compressed", "Compressed", "What follows the header is compressed",
                         flag_of(8, 0x40)};
  HeaderField has_sent_time{FT_BOOLEAN, "enet.has_sent_time", "Has a sent time",
                            "A command in the datagram asks for an acknowledgement", flag_of(8, 0x80)};
  HeaderField sent_time{FT_UINT16, "enet.sent_time", "Sent time", "The sender's clock, in milliseconds"};
  HeaderField checksum{FT_UINT32, "enet.checksum", "Checksum", "CRC-32 of header and commands", shown_as(BASE_HEX)};
  HeaderField checksum_status{FT_UINT8, "enet.checksum.status", "Checksum status", "Whether the checksum is right",
                              named(VALS(proto_checksum_vals), BASE_NONE)};
  HeaderField compression{FT_STRING, "enet.compression", "Compression",
                          "How the commands are compressed; the wire does not say"};
  HeaderField payload_size{FT_UINT32, "enet.payload_size", "Payload size", "Bytes behind the header, as sent"};
  HeaderField decompressed_size{FT_UINT32, "enet.decompressed_size", "Decompressed size",
                                "Bytes of the commands without compression"};
  HeaderField compressed_bytes{FT_BYTES, "enet.compressed_bytes", "Compressed commands",
                               "The commands as they were sent"};
  HeaderField part{FT_NONE, "enet.part", "Part", "One command with its data"};
  HeaderField command{FT_UINT8, "enet.command", "Command", "What the sender wants",
                      named(VALS(enet_command_names.data()), FieldOptions::by_type, godot_codec::enet_mask_type)};
  HeaderField flags_acknowledge{FT_BOOLEAN, "enet.flags.acknowledge", "Acknowledge",
                                "The receiver is to acknowledge the command",
                                flag_of(8, godot_codec::enet_flag_acknowledge)};
  HeaderField flags_unsequenced{FT_BOOLEAN, "enet.flags.unsequenced", "Unsequenced", "The command may overtake others",
                                flag_of(8, godot_codec::enet_flag_unsequenced)};
  HeaderField channel{FT_UINT8, "enet.channel", "Channel", "255: ENet's own"};
  HeaderField reliable_seq{FT_UINT16, "enet.reliable_seq", "Reliable sequence number",
                           "Of the channel's reliable commands"};
  HeaderField data{FT_NONE, "enet.data", "Data", "A message, or part of one"};
  HeaderField padding{FT_BYTES, "enet.padding", "Padding", "Zeros that the compression has added"};
  HeaderField undecoded{FT_BYTES, "enet.undecoded", "Undecoded bytes", "What could not be read as commands"};
  HeaderField stream{FT_UINT32, "enet.stream", "Stream", "Counts connections, from 0"};
  HeaderField duplicate_of{FT_FRAMENUM, "enet.duplicate_of", "Duplicate of",
                           "The frame in which the datagram was captured before"};
  HeaderField to_server{FT_BOOLEAN, "enet.to_server", "To the server",
                        "Goes to the connection's server; without a captured connect, to what is taken for it"};
  HeaderField acked_in{FT_FRAMENUM, "enet.acked_in", "Acknowledged in",
                       "The frame that acknowledges this command; later frames tell, so a display filter finds it once "
                       "the capture is loaded",
                       named(FRAMENUM_TYPE(FT_FRAMENUM_ACK))};
  HeaderField acked_after{FT_RELATIVE_TIME, "enet.acked_after", "Acknowledged after",
                          "From the command to its acknowledgement; shown on the command. Later frames tell, so a "
                          "display filter finds it once the capture is loaded"};
  HeaderField ack_to{FT_FRAMENUM, "enet.ack_to", "Acknowledges", "The frame of the acknowledged command",
                     named(FRAMENUM_TYPE(FT_FRAMENUM_ACK))};
  HeaderField rtt{
      FT_RELATIVE_TIME, "enet.rtt", "Round trip time",
      "From the command to its acknowledgement. Godot answers once a frame: it includes the peer's frame time"};
  HeaderField retransmission{FT_BOOLEAN, "enet.retransmission", "Retransmission", "The command was sent before"};
  HeaderField retransmission_of{FT_FRAMENUM, "enet.retransmission_of", "Retransmission of",
                                "The frame that had the command first", named(FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV))};
  HeaderField retransmitted_after{FT_RELATIVE_TIME, "enet.retransmitted_after", "Since first sent",
                                  "From the first captured sending of the command to this one"};
  HeaderField retransmission_summary{FT_STRING, "enet.retransmission.summary", "Resent",
                                     "What the message says that was sent again"};
  HeaderField head_of_line_delay{
      FT_RELATIVE_TIME, "enet.head_of_line_delay", "Waited",
      "How long a reliable message that had come had to wait for earlier ones of its channel; later "
      "frames tell, so a display filter finds it once the capture is loaded"};
  HeaderField end{FT_STRING, "enet.end", "End",
                  "How the connection ended, on its last datagram; later frames tell, so a display filter finds it "
                  "once the capture is loaded"};
  HeaderField longest_silence{FT_RELATIVE_TIME, "enet.longest_silence", "Longest silence",
                              "The longest time between two datagrams of a side, on the connection's last one; later "
                              "frames tell, so a display filter finds it once the capture is loaded"};
  HeaderField after_peer_gone{FT_FRAMENUM, "enet.after_peer_gone", "After the peer was gone",
                              "The first frame in which the side that is left repeated something in vain; later frames "
                              "tell, so a display filter finds it once the capture is loaded"};
  HeaderField after_disconnect{FT_FRAMENUM, "enet.after_disconnect", "After the disconnect",
                               "The frame with the disconnect, in what ICMP quotes of later ones: whoever has said "
                               "goodbye does not listen any more"};
  HeaderField unanswered_hellos{FT_UINT32, "enet.unanswered_hellos", "ClientHellos without an answer",
                                "Of a client of DTLS, so far; once the capture is loaded, in all"};
  HeaderField frame_time{FT_RELATIVE_TIME, "enet.frame_time", "Frame time",
                         "Between the sender's frames: Godot sends what it has once a frame. On every 64th datagram or "
                         "so that comes in a beat; the line's jitter blurs it"};
  HeaderField stall{FT_RELATIVE_TIME, "enet.stall", "Stood still",
                    "The sender had said nothing for so long, and now answers what came meanwhile: a frame that "
                    "took long, or a line that held everything back"};
  HeaderField stall_since{FT_FRAMENUM, "enet.stall.since", "Stood still since",
                          "The frame of the sender's datagram before"};
  HeaderField sequence_gap{FT_UINT32, "enet.sequence_gap", "Missing before",
                           "Numbers passed over: lost, late, or never sent, since ENet's throttle leaves unreliable "
                           "messages out where acknowledgements come later than they did"};
  HeaderField sequence_gap_total{FT_UINT64, "enet.sequence_gap.total", "Missing in all",
                                 "Of the connection so far, in this direction"};
  HeaderField fragments{FT_NONE, "enet.fragments", "Fragments", "All fragments of the message"};
  HeaderField fragment{FT_FRAMENUM, "enet.fragment", "Fragment", "A frame with a fragment of the message"};
  HeaderField fragment_overlap{FT_BOOLEAN, "enet.fragment.overlap", "Overlap", "The fragment overlaps another"};
  HeaderField fragment_overlap_conflict{FT_BOOLEAN, "enet.fragment.overlap.conflicts", "Conflict",
                                        "Overlapping fragments differ"};
  HeaderField fragment_multiple_tails{FT_BOOLEAN, "enet.fragment.multiple_tails", "Several ends",
                                      "Several fragments say they are the last"};
  HeaderField fragment_too_long{FT_BOOLEAN, "enet.fragment.too_long", "Too long", "Goes past the message's end"};
  HeaderField fragment_error{FT_FRAMENUM, "enet.fragment.error", "Reassembly error",
                             "A frame whose fragment does not fit"};
  HeaderField fragment_total{FT_UINT32, "enet.fragment.count", "Fragment frames", "Frames with fragments"};
  HeaderField reassembled_in{FT_FRAMENUM, "enet.reassembled.in", "Reassembled in",
                             "The frame that completes the message; later frames tell, so a display filter finds it "
                             "once the capture is loaded"};
  HeaderField reassembled_length{FT_UINT32, "enet.reassembled.length", "Reassembled length", "Bytes of the message"};
  HeaderField reassembled_data{FT_BYTES, "enet.reassembled.data", "Reassembled data", "The message"};
};

struct EnetSubtrees {
  int packet = -1;
  int part = -1;
  int fragment = -1;
  int fragments = -1;
};

struct EnetExperts {
  ExpertItem malformed{"enet.malformed", PI_MALFORMED, PI_ERROR, "A command runs past the end of the datagram"};
  ExpertItem truncated{"enet.truncated", PI_UNDECODED, PI_NOTE, "The capture holds only the beginning of the datagram"};
  ExpertItem unsupported{"enet.unsupported", PI_UNDECODED, PI_WARN, "No command of ENet's, or no known compression"};
  ExpertItem limit{"enet.limit", PI_PROTOCOL, PI_NOTE, "More commands than ENet puts into a datagram"};
  ExpertItem over_memory_limit{
      "enet.over_memory_limit", PI_PROTOCOL, PI_WARN,
      "The capture's datagrams unpack to far more commands than hosts send: from here on not all of "
      "them are remembered, and acknowledgements, repetitions and fragments may be missing"};
  ExpertItem checksum{"enet.checksum.bad", PI_CHECKSUM, PI_ERROR, "Wrong checksum"};
  ExpertItem retransmission{"enet.retransmitted", PI_SEQUENCE, PI_NOTE, "Retransmission of the command"};
  ExpertItem unacknowledged{"enet.unacknowledged", PI_SEQUENCE, PI_WARN,
                            "Never acknowledged, though the receiver was heard at least 5 s later; later frames tell, "
                            "so a display filter finds it once the capture is loaded"};
  ExpertItem sequence_gap_found{"enet.sequence_gap.found", PI_SEQUENCE, PI_CHAT,
                                "Messages before this one are missing or late"};
  ExpertItem not_enet{"enet.not_enet", PI_PROTOCOL, PI_NOTE,
                      "Somebody else's datagram, between the ports of a connection"};
  ExpertItem undecrypted{"enet.undecrypted", PI_DECRYPTION, PI_NOTE, "DTLS of a game that cannot be read"};
  ExpertItem unanswered_connect{"enet.unanswered_connect", PI_SEQUENCE, PI_WARN,
                                "A connect that is not answered, refused, or in vain; of the first one, later frames "
                                "tell, so a display filter finds it once the capture is loaded"};
  ExpertItem connect_repeated{
      "enet.connect_repeated", PI_SEQUENCE, PI_NOTE,
      "A connect that was answered in the end, and repeated before: the server may have started later"};
  ExpertItem peer_gone{"enet.peer_gone", PI_SEQUENCE, PI_WARN,
                       "A side of the connection is gone without a disconnect; later frames tell, so a display filter "
                       "finds it once the capture is loaded"};
  ExpertItem peer_timeout{"enet.peer_timeout", PI_SEQUENCE, PI_WARN,
                          "A host no longer answers a peer that was silent for long; later frames tell, so a display "
                          "filter finds it once the capture is loaded"};
  ExpertItem too_large{
      "enet.too_large", PI_SEQUENCE, PI_WARN,
      "No fragment of full size gets through, and small datagrams do; told once, at the connection's end"};
  ExpertItem slow_message{"enet.slow_message", PI_SEQUENCE, PI_WARN,
                          "A large reliable message, for which all behind it waited long; told once, at the "
                          "connection's end"};
  ExpertItem head_of_line_blocking{"enet.head_of_line_blocking", PI_SEQUENCE, PI_WARN,
                                   "Many reliable messages had to wait for lost ones, as this one had"};
  ExpertItem lost_fragments{
      "enet.lost_fragments", PI_SEQUENCE, PI_WARN,
      "Many unreliable messages in fragments did not come as a whole; told with the connection's last datagram"};
  ExpertItem stalled{"enet.stalled", PI_SEQUENCE, PI_WARN, "A side has stood still: it answers far later than usual"};
  ExpertItem slow_frames{"enet.slow_frames", PI_SEQUENCE, PI_NOTE, "A side has ten frames a second or fewer"};
  ExpertItem disconnected{"enet.disconnected", PI_SEQUENCE, PI_CHAT, "A side ends the connection"};
  ExpertItem no_channel{
      "enet.no_channel", PI_PROTOCOL, PI_WARN,
      "The connection has no such channel: the receiver drops the command, and what follows it in the datagram"};
  ExpertItem duplicate{
      "enet.duplicate", PI_SEQUENCE, PI_NOTE,
      "Captured before: the same bytes within a second. It counts once, and nothing is learned from it"};
};

extern EnetFields enet_fields;
extern EnetSubtrees enet_subtrees;
extern EnetExperts enet_experts;

/// The registered field of a field of a command.
[[nodiscard]] int registered(godot_codec::EnetField field);

/// Registers all of the above for the protocol `enet`.
void register_enet_fields(int proto);

}  // namespace godot_plugin
