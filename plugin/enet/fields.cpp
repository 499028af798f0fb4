// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/fields.h"

#include <array>
#include <vector>

#include "plugin/epan/titles.h"

namespace godot_plugin {

EnetFields enet_fields;
EnetSubtrees enet_subtrees;
EnetExperts enet_experts;

namespace {

using godot_codec::enet_field_count;
using godot_codec::EnetField;

constexpr auto titles = titles_of<enet_field_count>(godot_codec::enet_field_infos);

constexpr const char *filter_names[] = {
#define GODOT_FIELD(id, name, size, description) "enet." name,
    GODOT_ENET_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

std::array<int, enet_field_count> command_fields;
std::array<hf_register_info, enet_field_count> command_registrations;

// An entry without a name ends the table.
std::vector<value_string> command_names;

void register_command_fields(int proto) {
  command_fields.fill(-1);
  for (std::size_t i = 0; i < enet_field_count; ++i) {
    const godot_codec::EnetFieldInfo &info = godot_codec::enet_field_infos[i];
    const ftenum type = info.size == 1 ? FT_UINT8 : info.size == 2 ? FT_UINT16 : FT_UINT32;
    const int display = static_cast<EnetField>(i) == EnetField::connect_id ? BASE_HEX : BASE_DEC;
    command_registrations[i] = {
        &command_fields[i], {titles[i].data(), filter_names[i], type, display, nullptr, 0, info.description, HFILL}};
  }
  proto_register_field_array(proto, command_registrations.data(), static_cast<int>(command_registrations.size()));
}

void register_header_fields(int proto) {
  static hf_register_info registrations[] = {
      {&enet_fields.peer_id,
       {"Peer ID", "enet.peer_id", FT_UINT16, BASE_DEC, nullptr, 0x0fff,
        "Slot that the receiver gave the sender; 4095 until it has", HFILL}},
      {&enet_fields.session,
       {"Session", "enet.session", FT_UINT8, BASE_DEC, nullptr, 0x30, "Tells a slot's connections apart", HFILL}},
      {&enet_fields.compressed,
       {"Compressed", "enet.compressed", FT_BOOLEAN, 8, nullptr, 0x40, "What follows the header is compressed", HFILL}},
      {&enet_fields.has_sent_time,
       {"Has a sent time", "enet.has_sent_time", FT_BOOLEAN, 8, nullptr, 0x80,
        "A command in the datagram asks for an acknowledgement", HFILL}},
      {&enet_fields.sent_time,
       {"Sent time", "enet.sent_time", FT_UINT16, BASE_DEC, nullptr, 0, "The sender's clock, in milliseconds", HFILL}},
      {&enet_fields.checksum,
       {"Checksum", "enet.checksum", FT_UINT32, BASE_HEX, nullptr, 0, "CRC-32 of header and commands", HFILL}},
      {&enet_fields.checksum_status,
       {"Checksum status", "enet.checksum.status", FT_UINT8, BASE_NONE, VALS(proto_checksum_vals), 0,
        "Whether the checksum is right", HFILL}},
      {&enet_fields.compression,
       {"Compression", "enet.compression", FT_STRING, BASE_NONE, nullptr, 0,
        "How the commands are compressed; the wire does not say", HFILL}},
      {&enet_fields.payload_size,
       {"Payload size", "enet.payload_size", FT_UINT32, BASE_DEC, nullptr, 0, "Bytes behind the header, as sent",
        HFILL}},
      {&enet_fields.decompressed_size,
       {"Decompressed size", "enet.decompressed_size", FT_UINT32, BASE_DEC, nullptr, 0,
        "Bytes of the commands without compression", HFILL}},
      {&enet_fields.compressed_bytes,
       {"Compressed commands", "enet.compressed_bytes", FT_BYTES, BASE_NONE, nullptr, 0,
        "The commands as they were sent", HFILL}},
      {&enet_fields.part, {"Part", "enet.part", FT_NONE, BASE_NONE, nullptr, 0, "One command with its data", HFILL}},
      {&enet_fields.command,
       {"Command", "enet.command", FT_UINT8, BASE_DEC, VALS(command_names.data()), godot_codec::enet_mask_type,
        "What the sender wants", HFILL}},
      {&enet_fields.flags_acknowledge,
       {"Acknowledge", "enet.flags.acknowledge", FT_BOOLEAN, 8, nullptr, godot_codec::enet_flag_acknowledge,
        "The receiver is to acknowledge the command", HFILL}},
      {&enet_fields.flags_unsequenced,
       {"Unsequenced", "enet.flags.unsequenced", FT_BOOLEAN, 8, nullptr, godot_codec::enet_flag_unsequenced,
        "The command may overtake others", HFILL}},
      {&enet_fields.channel, {"Channel", "enet.channel", FT_UINT8, BASE_DEC, nullptr, 0, "255: ENet's own", HFILL}},
      {&enet_fields.reliable_seq,
       {"Reliable sequence number", "enet.reliable_seq", FT_UINT16, BASE_DEC, nullptr, 0,
        "Of the channel's reliable commands", HFILL}},
      {&enet_fields.data, {"Data", "enet.data", FT_NONE, BASE_NONE, nullptr, 0, "A message, or part of one", HFILL}},
      {&enet_fields.padding,
       {"Padding", "enet.padding", FT_BYTES, BASE_NONE, nullptr, 0, "Zeros that the compression has added", HFILL}},
      {&enet_fields.undecoded,
       {"Undecoded bytes", "enet.undecoded", FT_BYTES, BASE_NONE, nullptr, 0, "What could not be read as commands",
        HFILL}},
      {&enet_fields.stream,
       {"Stream", "enet.stream", FT_UINT32, BASE_DEC, nullptr, 0, "Counts connections, from 0", HFILL}},
      {&enet_fields.duplicate_of,
       {"Duplicate of", "enet.duplicate_of", FT_FRAMENUM, BASE_NONE, nullptr, 0,
        "The frame in which the datagram was captured before", HFILL}},
      {&enet_fields.to_server,
       {"To the server", "enet.to_server", FT_BOOLEAN, BASE_NONE, nullptr, 0,
        "Goes to the connection's server; without a captured connect, to what is taken for it", HFILL}},
  };
  proto_register_field_array(proto, registrations, static_cast<int>(array_length(registrations)));
}

void register_analysis_fields(int proto) {
  static hf_register_info registrations[] = {
      {&enet_fields.acked_in,
       {"Acknowledged in", "enet.acked_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "The frame that acknowledges this command; later frames tell, so a display filter finds it once the capture is "
        "loaded",
        HFILL}},
      {&enet_fields.acked_after,
       {"Acknowledged after", "enet.acked_after", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "From the command to its acknowledgement; shown on the command. Later frames tell, so a display filter finds "
        "it once the capture is loaded",
        HFILL}},
      {&enet_fields.ack_to,
       {"Acknowledges", "enet.ack_to", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "The frame of the acknowledged command", HFILL}},
      {&enet_fields.rtt,
       {"Round trip time", "enet.rtt", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "From the command to its acknowledgement. Godot answers once a frame: it includes the peer's frame time",
        HFILL}},
      {&enet_fields.retransmission,
       {"Retransmission", "enet.retransmission", FT_BOOLEAN, BASE_NONE, nullptr, 0, "The command was sent before",
        HFILL}},
      {&enet_fields.retransmission_of,
       {"Retransmission of", "enet.retransmission_of", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV),
        0, "The frame that had the command first", HFILL}},
      {&enet_fields.first_sent,
       {"Since first sent", "enet.first_sent", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "From the first captured sending of the command to this one", HFILL}},
      {&enet_fields.resent,
       {"Resent", "enet.resent", FT_STRING, BASE_NONE, nullptr, 0, "What the message says that was sent again", HFILL}},
      {&enet_fields.waited,
       {"Waited", "enet.waited", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "How long a reliable message that had come had to wait for earlier ones of its channel; later frames tell, so "
        "a display filter finds it once the capture is loaded",
        HFILL}},
      {&enet_fields.end,
       {"End", "enet.end", FT_STRING, BASE_NONE, nullptr, 0,
        "How the connection ended, on its last datagram; later frames tell, so a display filter finds it once the "
        "capture is loaded",
        HFILL}},
      {&enet_fields.longest_silence,
       {"Longest silence", "enet.longest_silence", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "The longest time between two datagrams of a side, on the connection's last one; later frames tell, so a "
        "display filter finds it once the capture is loaded",
        HFILL}},
      {&enet_fields.after_peer_gone,
       {"After the peer was gone", "enet.after_peer_gone", FT_FRAMENUM, BASE_NONE, nullptr, 0,
        "The first frame in which the side that is left repeated something in vain; later frames tell, so a display "
        "filter finds it once the capture is loaded",
        HFILL}},
      {&enet_fields.unanswered_hellos,
       {"ClientHellos without an answer", "enet.unanswered_hellos", FT_UINT32, BASE_DEC, nullptr, 0,
        "Of a client of DTLS, so far; once the capture is loaded, in all", HFILL}},
      {&enet_fields.frame_time,
       {"Frame time", "enet.frame_time", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "Between the sender's frames: Godot sends what it has once a frame. On every 64th datagram or so that comes in "
        "a "
        "beat; the line's jitter blurs it",
        HFILL}},
      {&enet_fields.stood_still,
       {"Stood still", "enet.stood_still", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
        "The sender had said nothing for so long, and now answers what came meanwhile: a frame that took long, or a "
        "line "
        "that held everything back",
        HFILL}},
      {&enet_fields.stood_still_since,
       {"Stood still since", "enet.stood_still_since", FT_FRAMENUM, BASE_NONE, nullptr, 0,
        "The frame of the sender's datagram before", HFILL}},
      {&enet_fields.missing,
       {"Missing before", "enet.missing", FT_UINT32, BASE_DEC, nullptr, 0,
        "Numbers passed over: lost, late, or never sent, since ENet's throttle leaves unreliable messages out where "
        "acknowledgements come later than they did",
        HFILL}},
      {&enet_fields.all_missing,
       {"Missing in all", "enet.missing.total", FT_UINT64, BASE_DEC, nullptr, 0,
        "Of the connection so far, in this direction", HFILL}},
      {&enet_fields.fragments,
       {"Fragments", "enet.fragments", FT_NONE, BASE_NONE, nullptr, 0, "All fragments of the message", HFILL}},
      {&enet_fields.fragment,
       {"Fragment", "enet.fragment", FT_FRAMENUM, BASE_NONE, nullptr, 0, "A frame with a fragment of the message",
        HFILL}},
      {&enet_fields.fragment_overlap,
       {"Overlap", "enet.fragment.overlap", FT_BOOLEAN, BASE_NONE, nullptr, 0, "The fragment overlaps another", HFILL}},
      {&enet_fields.fragment_overlap_conflict,
       {"Conflict", "enet.fragment.overlap.conflicts", FT_BOOLEAN, BASE_NONE, nullptr, 0,
        "Overlapping fragments differ", HFILL}},
      {&enet_fields.fragment_multiple_tails,
       {"Several ends", "enet.fragment.multiple_tails", FT_BOOLEAN, BASE_NONE, nullptr, 0,
        "Several fragments say they are the last", HFILL}},
      {&enet_fields.fragment_too_long,
       {"Too long", "enet.fragment.too_long", FT_BOOLEAN, BASE_NONE, nullptr, 0, "Goes past the message's end", HFILL}},
      {&enet_fields.fragment_error,
       {"Reassembly error", "enet.fragment.error", FT_FRAMENUM, BASE_NONE, nullptr, 0,
        "A frame whose fragment does not fit", HFILL}},
      {&enet_fields.fragment_total,
       {"Fragment frames", "enet.fragment.count", FT_UINT32, BASE_DEC, nullptr, 0, "Frames with fragments", HFILL}},
      {&enet_fields.reassembled_in,
       {"Reassembled in", "enet.reassembled.in", FT_FRAMENUM, BASE_NONE, nullptr, 0,
        "The frame that completes the message; later frames tell, so a display filter finds it once the capture is "
        "loaded",
        HFILL}},
      {&enet_fields.reassembled_length,
       {"Reassembled length", "enet.reassembled.length", FT_UINT32, BASE_DEC, nullptr, 0, "Bytes of the message",
        HFILL}},
      {&enet_fields.reassembled_data,
       {"Reassembled data", "enet.reassembled.data", FT_BYTES, BASE_NONE, nullptr, 0, "The message", HFILL}},
  };
  proto_register_field_array(proto, registrations, static_cast<int>(array_length(registrations)));
}

void register_subtrees() {
  static int *const registrations[] = {&enet_subtrees.packet, &enet_subtrees.part, &enet_subtrees.fragment,
                                       &enet_subtrees.fragments};
  static_assert(array_length(registrations) == sizeof(EnetSubtrees) / sizeof(int), "a row for each subtree");
  proto_register_subtree_array(registrations, static_cast<int>(array_length(registrations)));
}

void register_experts(int proto) {
  static ei_register_info registrations[] = {
      {&enet_experts.malformed,
       {"enet.malformed", PI_MALFORMED, PI_ERROR, "A command runs past the end of the datagram", EXPFILL}},
      {&enet_experts.truncated,
       {"enet.truncated", PI_UNDECODED, PI_NOTE, "The capture holds only the beginning of the datagram", EXPFILL}},
      {&enet_experts.unsupported,
       {"enet.unsupported", PI_UNDECODED, PI_WARN, "No command of ENet's, or no known compression", EXPFILL}},
      {&enet_experts.limit,
       {"enet.limit", PI_PROTOCOL, PI_NOTE, "More commands than ENet puts into a datagram", EXPFILL}},
      {&enet_experts.left_out,
       {"enet.left_out", PI_PROTOCOL, PI_WARN,
        "The capture's datagrams unpack to far more commands than hosts send: from here on not all of them are "
        "remembered, and acknowledgements, repetitions and fragments may be missing",
        EXPFILL}},
      {&enet_experts.checksum, {"enet.checksum.bad", PI_CHECKSUM, PI_ERROR, "Wrong checksum", EXPFILL}},
      {&enet_experts.retransmission,
       {"enet.retransmitted", PI_SEQUENCE, PI_NOTE, "The command was sent before", EXPFILL}},
      {&enet_experts.unacknowledged,
       {"enet.unacknowledged", PI_SEQUENCE, PI_WARN,
        "Never acknowledged, though the receiver was heard at least 5 s later; later frames tell, so a display filter "
        "finds it once the capture is loaded",
        EXPFILL}},
      {&enet_experts.missing,
       {"enet.gap", PI_SEQUENCE, PI_CHAT, "Messages before this one are missing or late", EXPFILL}},
      {&enet_experts.not_enet,
       {"enet.not_enet", PI_PROTOCOL, PI_NOTE, "Somebody else's datagram, between the ports of a connection", EXPFILL}},
      {&enet_experts.unread, {"enet.unread", PI_DECRYPTION, PI_NOTE, "DTLS of a game that cannot be read", EXPFILL}},
      {&enet_experts.unanswered_connect,
       {"enet.unanswered_connect", PI_SEQUENCE, PI_WARN,
        "A connect that is not answered, refused, or in vain; of the first one, later frames tell, so a display filter "
        "finds it once the capture is loaded",
        EXPFILL}},
      {&enet_experts.connect_repeated,
       {"enet.connect_repeated", PI_SEQUENCE, PI_NOTE,
        "A connect that was answered in the end, and repeated before: the server may have started later", EXPFILL}},
      {&enet_experts.peer_gone,
       {"enet.peer_gone", PI_SEQUENCE, PI_WARN,
        "A side of the connection is gone without a disconnect; later frames tell, so a display filter finds it once "
        "the capture is loaded",
        EXPFILL}},
      {&enet_experts.given_up,
       {"enet.given_up", PI_SEQUENCE, PI_WARN,
        "A host no longer answers a peer that was silent for long; later frames tell, so a display filter finds it "
        "once "
        "the capture is loaded",
        EXPFILL}},
      {&enet_experts.waits,
       {"enet.waits", PI_SEQUENCE, PI_WARN,
        "Many reliable messages had to wait for lost ones; told with the connection's last datagram", EXPFILL}},
      {&enet_experts.lost_fragments,
       {"enet.lost_fragments", PI_SEQUENCE, PI_WARN,
        "Many unreliable messages in fragments did not come as a whole; told with the connection's last datagram",
        EXPFILL}},
      {&enet_experts.hitch,
       {"enet.hitch", PI_SEQUENCE, PI_WARN, "A side has stood still: it answers far later than usual", EXPFILL}},
      {&enet_experts.slow_frames,
       {"enet.slow_frames", PI_SEQUENCE, PI_NOTE, "A side has ten frames a second or fewer", EXPFILL}},
      {&enet_experts.disconnected, {"enet.disconnected", PI_SEQUENCE, PI_CHAT, "A side ends the connection", EXPFILL}},
      {&enet_experts.no_channel,
       {"enet.no_channel", PI_PROTOCOL, PI_WARN,
        "The connection has no such channel: the receiver drops the command, and what follows it in the datagram",
        EXPFILL}},
      {&enet_experts.duplicate,
       {"enet.duplicate", PI_SEQUENCE, PI_NOTE,
        "Captured before: the same bytes within a second. It counts once, and nothing is learned from it", EXPFILL}},
  };
  static_assert(array_length(registrations) == sizeof(EnetExperts) / sizeof(expert_field),
                "a row for each expert item");
  expert_register_field_array(expert_register_protocol(proto), registrations,
                              static_cast<int>(array_length(registrations)));
}

}  // namespace

int registered(EnetField field) { return command_fields[static_cast<std::size_t>(field)]; }

void register_enet_fields(int proto) {
  // Names of commands are literals: terminated.
  for (const godot_codec::EnetLayout &layout : godot_codec::enet_layouts()) {
    command_names.push_back({static_cast<std::uint32_t>(layout.type), layout.name.data()});
  }
  command_names.push_back({0, nullptr});
  register_command_fields(proto);
  register_header_fields(proto);
  register_analysis_fields(proto);
  register_subtrees();
  register_experts(proto);
}

}  // namespace godot_plugin
