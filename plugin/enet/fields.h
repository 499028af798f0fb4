// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that an `enet` tree is made of: one table from the codec's fields to registered ones, and the rest.
#pragma once

#include "godot-codec/enet/datagram.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Fields that are not in a command behind its header.
struct EnetFields {
  int peer_id = -1;
  int session = -1;
  int compressed = -1;
  int has_sent_time = -1;
  int sent_time = -1;
  int checksum = -1;
  int checksum_status = -1;
  int compression = -1;
  int payload_size = -1;
  int decompressed_size = -1;
  int compressed_bytes = -1;
  int part = -1;
  int command = -1;
  int flags_acknowledge = -1;
  int flags_unsequenced = -1;
  int channel = -1;
  int reliable_seq = -1;
  int data = -1;
  int padding = -1;
  int undecoded = -1;
  int stream = -1;
  int duplicate_of = -1;
  int to_server = -1;
  int end = -1;
  int longest_silence = -1;
  int after_peer_gone = -1;
  int frame_time = -1;
  int stood_still = -1;
  int stood_still_since = -1;
  int unanswered_hellos = -1;
  int acked_in = -1;
  int acked_after = -1;
  int ack_to = -1;
  int rtt = -1;
  int retransmission = -1;
  int retransmission_of = -1;
  int first_sent = -1;
  int resent = -1;
  int waited = -1;
  int missing = -1;
  int all_missing = -1;
  int fragments = -1;
  int fragment = -1;
  int fragment_overlap = -1;
  int fragment_overlap_conflict = -1;
  int fragment_multiple_tails = -1;
  int fragment_too_long = -1;
  int fragment_error = -1;
  int fragment_total = -1;
  int reassembled_in = -1;
  int reassembled_length = -1;
  int reassembled_data = -1;
};

struct EnetSubtrees {
  int packet = -1;
  int part = -1;
  int fragment = -1;
  int fragments = -1;
};

struct EnetExperts {
  expert_field malformed;
  expert_field truncated;
  expert_field unsupported;
  expert_field limit;
  expert_field left_out;
  expert_field checksum;
  expert_field retransmission;
  expert_field unacknowledged;
  expert_field missing;
  expert_field duplicate;
  expert_field unanswered_connect;
  expert_field connect_repeated;
  expert_field unread;
  expert_field peer_gone;
  expert_field given_up;
  expert_field waits;
  expert_field lost_fragments;
  expert_field hitch;
  expert_field slow_frames;
  expert_field disconnected;
  expert_field no_channel;
  expert_field not_enet;
};

extern EnetFields enet_fields;
extern EnetSubtrees enet_subtrees;
extern EnetExperts enet_experts;

/// The registered field of a field of a command.
[[nodiscard]] int registered(godot_codec::EnetField field);

/// Registers all of the above for the protocol `enet`.
void register_enet_fields(int proto);

}  // namespace godot_plugin
