// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Everything that a `godot` tree is made of: one table from the codec's fields to registered ones, and the rest.
#pragma once

#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Fields that are not a leaf of a Variant.
struct TreeFields {
  int value = -1;
  int entry = -1;
  int length = -1;
  int length_big_endian = -1;
  int text = -1;
  int dialect = -1;
  int dialect_guessed = -1;
  int release = -1;
  int release_evidence = -1;
  int type = -1;
  int flags_wide = -1;
  int flags_object_id = -1;
  int key = -1;
  int path = -1;
  int path_with_value = -1;
  int more = -1;
  int undecoded = -1;
  int skipped = -1;
  int skipped_length = -1;
  int inside = -1;
  int inside_prefix = -1;
};

struct Subtrees {
  int packet = -1;
  int value = -1;
  int entry = -1;
  int key = -1;
  int type = -1;
  int dialect = -1;
  int release = -1;
  int inside = -1;
};

struct Experts {
  expert_field malformed;
  expert_field truncated;
  expert_field unsupported;
  expert_field limit;
  expert_field not_variant;
  expert_field dialect_mixed;
  expert_field stray_length;
  expert_field packed;
  expert_field trailing;
  expert_field skipped;
  expert_field big_endian_differs;
  expert_field big_endian_unanswered;
  expert_field out_of_order;
  expert_field layout_mistake;
  expert_field layout_unfit;
  expert_field layout_rest;
  expert_field on_debug_port;
  expert_field no_length;
};

extern TreeFields fields;
extern Subtrees subtrees;
extern Experts experts;

/// The registered field of a leaf of a Variant.
[[nodiscard]] int registered(godot_codec::Field field);

/// The expert item of an oddity.
[[nodiscard]] expert_field *expert_of(godot_codec::Note note);

/// The expert item's sentence, without a full stop.
[[nodiscard]] const char *summary_of(godot_codec::Note note);

/// The expert item of a failure to read on. @param outcome not ok
[[nodiscard]] expert_field *expert_of(godot_codec::Outcome outcome);

/// Registers all of the above for the protocol `godot`.
void register_fields(int proto);

}  // namespace godot_plugin
