// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/rules.h"

#include "plugin/epan/taps.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/statistics/problems.h"

namespace godot_plugin {
namespace {

using godot_codec::MpCommand;
using godot_codec::MpField;
using godot_codec::MpFields;
using godot_codec::MpName;
using godot_codec::MpNumbering;
using godot_codec::MpResolvedMessage;
using godot_codec::MpResolvedPart;
using godot_codec::Outcome;

// True if the project folder has the method or variable.
bool is_in_project(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const godot_codec::MpNames &names = *drawing.packet.names;
  const MpFields &fields = message.fields;
  if (message.is(MpCommand::rset)) return names.remote_member(fields.text(MpField::property), true).is_known;
  if (fields.has(MpField::method)) return names.remote_member(fields.text(MpField::method), false).is_known;
  return !message.method_name().text.empty();
}

// Counts a reference to a node whose path or spawn is not in the capture. If the capture begins with the connection,
// the message arrived before the spawn or after the despawn instead.
void count_unknown_node(const MpDrawing &drawing) {
  if (drawing.packet.connection->peers().is_from_start(drawing.packet.moment)) return;
  count_for_problems(drawing.pinfo, {.unknown_nodes = 1});
}

// Counts a call or a spawn that is compared with the project folder.
void count_checks(const MpDrawing &drawing, const MpResolvedMessage &message) {
  const bool is_call = message.is(MpCommand::rpc) || message.is(MpCommand::rset);
  const bool is_spawn = message.is(MpCommand::spawn);
  if (message.command.outcome != Outcome::ok || !(is_call || is_spawn) || !are_checks_counted(drawing)) return;
  const MpName *node = message.announced();
  if (is_call) count_if_unknown(drawing, message);
  if (is_spawn && node == nullptr) return count_unknown_node(drawing);
  if (drawing.packet.names == nullptr) return;
  if (is_spawn && drawing.packet.names->spawnable_scenes(node->text)) count_for_problems(drawing.pinfo, {.spawns = 1});
  if (is_call && is_in_project(drawing, message)) count_for_problems(drawing.pinfo, {.calls = 1});
}

std::array<MpRules, 5> all_rules() {
  return {connection_rules(), authentication_rules(), path_rules(), node_rules(), call_rules()};
}

void add_mark(const MpDrawing &drawing, const Finding &finding) {
  if (drawing.notes->mark == nullptr) drawing.notes->mark = finding.mark;
}

}  // namespace

void note_dropped(const MpDrawing &drawing, const char *rule) {
  if (!drawing.context->is_copy && drawing.notes->dropped == nullptr) drawing.notes->dropped = rule;
}

void note_harmless(const MpDrawing &drawing, const Finding &finding, proto_item *item) {
  if (drawing.context->is_copy) return;
  add_harmless(drawing.pinfo, item == nullptr ? drawing.item : item, finding);
  add_mark(drawing, finding);
}

void note_problem(const MpDrawing &drawing, const godot_codec::MpNumbering &peers, Finding finding, proto_item *item) {
  if (drawing.context->is_copy) return;
  finding.from = describe_peer(drawing, peers.owner, false);
  finding.to = describe_peer(drawing, peers.listener, false);
  add_problem(drawing.pinfo, item == nullptr ? drawing.item : item, finding);
  add_mark(drawing, finding);
}

bool are_checks_counted(const MpDrawing &drawing) {
  return !drawing.context->is_copy && drawing.pinfo->flags.in_error_pkt == 0 && wants_experts(drawing.pinfo, nullptr);
}

void count_if_unknown(const MpDrawing &drawing, const MpResolvedPart &part) {
  if (!are_checks_counted(drawing) || part.fields.has(MpField::path)) return;
  const bool is_known = part.fields.has(MpField::net_id) ? part.node() != nullptr : part.announced() != nullptr;
  if (!is_known) count_unknown_node(drawing);
}

bool is_of_nobody(const MpDrawing &drawing, const MpNumbering &numbering) {
  return !drawing.packet.has_roles() && !godot_codec::is_mp_end(numbering.owner);
}

bool may_have_overtaken(const MpDrawing &drawing) {
  return drawing.packet.sequence.may_overtake && !PINFO_FD_VISITED(drawing.pinfo);
}

void check_message(const MpDrawing &drawing, const MpResolvedMessage &message) {
  if (godot_codec::mp_unknown_flags(message.command) != 0) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.unknown_flags);
  }
  if (message.is(MpCommand::sync) && message.command.range.length > godot_codec::mp_max_sync_size) {
    add_expert(drawing.pinfo, drawing.item, &mp_experts.oversized_sync);
  }
  count_checks(drawing, message);
  for (const MpRules &rules : all_rules()) {
    for (const MpRule &rule : rules) {
      if (rule.check != nullptr) rule.check(drawing, message);
    }
  }
}

void register_mp_rules(int proto) {
  expert_module_t *module = expert_register_protocol(proto);
  for (const MpRules &rules : all_rules()) {
    for (const MpRule &rule : rules) {
      for (ExpertItem *item : rule.items) {
        if (item != nullptr) item->register_for(module);
      }
    }
  }
}

}  // namespace godot_plugin
