// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot_mp` tree is made of: one table from the codec's fields to registered ones, and the rest.
#pragma once

#include "godot-codec/multiplayer/message.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Fields that no message has on the wire, and nodes of the tree.
struct MpTreeFields {
  int command = -1;
  int summary = -1;
  int stream = -1;
  int length = -1;
  int sender = -1;
  int receiver = -1;
  int path_defined_in = -1;
  int path_confirmed = -1;
  int node = -1;
  int spawner = -1;
  int object = -1;
  int property = -1;
  int property_path = -1;
  int property_full_path = -1;
  int property_with_value = -1;
  int property_source = -1;
  int method_source = -1;
  int sync_interval = -1;
  int delivery = -1;
  int received = -1;
  int data_guessed = -1;
  int project_read = -1;
  int header = -1;
  int undecoded = -1;
};

struct MpSubtrees {
  int packet = -1;
  int object = -1;
  int header = -1;
  int guess = -1;
};

struct MpExperts {
  expert_field malformed;
  expert_field truncated;
  expert_field unsupported;
  expert_field limit;
  expert_field left_out;
  expert_field trailing;
  expert_field checksum_failed;
  expert_field unknown_path;
  expert_field untold_path;
  expert_field authentication;
  expert_field unlisted_scene;
  expert_field unconfirmed_path;
  expert_field unknown_node;
  expert_field after_checksum_failure;
  expert_field oversized_sync;
  expert_field late_sync;
  expert_field over_mtu;
  expert_field unknown_flags;
  expert_field project_unreadable;
  expert_field project_left_out;
  expert_field unknown_methods;
  expert_field after_unknown_methods;
  expert_field other_properties;
  expert_field not_allowed;
  expert_field refused;
  expert_field absent_peer;
  expert_field unsynchronized;
  expert_field signature_mismatch;
  expert_field arguments_lost;
  expert_field arguments_refusable;
  expert_field two_senders;
  expert_field values_end;
  expert_field short_lives;
  expert_field flood;
  expert_field stood_still;
  expert_field mute;
  expert_field calls_lost;
  expert_field made_up_name;
  expert_field not_remote;
  expert_field nan;
  expert_field object_property;
};

extern MpTreeFields mp_fields;
extern MpSubtrees mp_subtrees;
extern MpExperts mp_experts;

/// The registered field of a field of a message.
[[nodiscard]] int registered(godot_codec::MpField field);

/// The registered field of a flag in a message's first byte.
[[nodiscard]] int registered(godot_codec::MpFlag flag);

/// Registers all of the above for the protocol `godot_mp`.
void register_mp_fields(int proto);

}  // namespace godot_plugin
