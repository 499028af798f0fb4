// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/rules.h"

#include <vector>

#include "plugin/epan/taps.h"
#include "plugin/multiplayer/descriptions.h"
#include "plugin/multiplayer/fields.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

// True if the project folder has the method or variable of the message.
bool is_member_in_project(const MpDissection &dissection, const MpResolvedMessage &message) {
  const MpGameNames &names = *dissection.packet.names;
  const MpFields &fields = message.fields;
  if (message.is(MpCommand::rset)) return names.find_remote_member(fields.text(MpField::property), true).is_known;
  if (fields.has(MpField::method)) return names.find_remote_member(fields.text(MpField::method), false).is_known;
  return !message.method_name().text.empty();
}

// Counts a reference to a node, if the capture lacks the node's path or spawn. Ignores connections that begin in the
// capture, because there the message arrived before the spawn or after the despawn.
void count_unknown_node(const MpDissection &dissection) {
  if (dissection.peers().is_from_start(dissection.packet.position)) return;
  add_message_counts(dissection.pinfo, {.unknown_nodes = 1});
}

// Counts a call or spawn that is compared with the project folder.
void count_checks(const MpDissection &dissection, const MpResolvedMessage &message) {
  const bool is_call = message.is(MpCommand::rpc) || message.is(MpCommand::rset);
  const bool is_spawn = message.is(MpCommand::spawn);
  if (message.command.outcome != Outcome::ok || !(is_call || is_spawn) || !are_checks_counted(dissection)) return;
  const MpAnnouncedPath *node = message.announced_path();
  if (is_call) count_unknown_reference(dissection, message);
  if (is_spawn && node == nullptr) return count_unknown_node(dissection);
  if (dissection.packet.names == nullptr) return;
  if (is_spawn && dissection.packet.names->count_spawnable_scenes(node->text))
    add_message_counts(dissection.pinfo, {.spawns = 1});
  if (is_call && is_member_in_project(dissection, message)) add_message_counts(dissection.pinfo, {.calls = 1});
}

// The checks of each command, in the order of the rules. Set by register_mp_rules().
std::array<std::vector<decltype(MpRule::check)>, godot_codec::mp_command_count> checks_by_command;

std::array<MpRules, 5> all_rules() {
  return {connection_rules(), authentication_rules(), path_rules(), node_rules(), call_rules()};
}

void set_info_mark(const MpDissection &dissection, const Finding &finding) {
  if (dissection.result->mark == nullptr) dissection.result->mark = finding.info_mark;
}

}  // namespace

void set_drop_reason(const MpDissection &dissection, const char *rule) {
  if (!dissection.context->is_duplicate_or_quoted && dissection.result->drop_reason == nullptr)
    dissection.result->drop_reason = rule;
}

void report_harmless(const MpDissection &dissection, const Finding &finding, proto_item *item) {
  if (dissection.context->is_duplicate_or_quoted) return;
  add_expert_only(dissection.pinfo, item == nullptr ? dissection.item : item, finding);
  set_info_mark(dissection, finding);
}

void report_problem(const MpDissection &dissection, const MpIdScope &peers, Finding finding, proto_item *item) {
  if (dissection.context->is_duplicate_or_quoted) return;
  finding.from = describe_peer(dissection, peers.sender, false);
  finding.to = describe_peer(dissection, peers.receiver, false);
  add_problem(dissection.pinfo, item == nullptr ? dissection.item : item, finding);
  set_info_mark(dissection, finding);
}

bool are_checks_counted(const MpDissection &dissection) {
  return !dissection.context->is_duplicate_or_quoted && dissection.pinfo->flags.in_error_pkt == 0 &&
         needs_expert_items(dissection.pinfo, nullptr);
}

void count_unknown_reference(const MpDissection &dissection, const MpResolvedItem &resolved) {
  if (!are_checks_counted(dissection) || resolved.fields.has(MpField::path)) return;
  if (resolved.fields.has(MpField::net_id) ? resolved.node() == nullptr : resolved.announced_path() == nullptr)
    count_unknown_node(dissection);
}

bool is_id_scope_unknown(const MpDissection &dissection, const MpIdScope &scope) {
  return !dissection.packet.has_roles() && !godot_codec::is_mp_side(scope.sender);
}

bool may_have_overtaken(const MpDissection &dissection) {
  return dissection.packet.sequence.may_overtake && !PINFO_FD_VISITED(dissection.pinfo);
}

void check_message(const MpDissection &dissection, const MpResolvedMessage &message) {
  if (godot_codec::mp_unknown_flags(message.command) != 0) {
    add_expert(dissection.pinfo, dissection.item, &mp_experts.unknown_flags);
  }
  if (message.is(MpCommand::sync) && message.command.range.length > godot_codec::mp_max_sync_size) {
    add_expert(dissection.pinfo, dissection.item, &mp_experts.oversized_sync);
  }
  count_checks(dissection, message);
  for (const auto check : checks_by_command[static_cast<std::size_t>(message.command.command)])
    check(dissection, message);
}

void register_mp_rules() {
  for (const MpRules &rules : all_rules()) {
    for (const MpRule &rule : rules) {
      for (std::size_t i = 0; i < checks_by_command.size(); ++i) {
        if (rule.commands.has(static_cast<MpCommand>(i))) checks_by_command[i].push_back(rule.check);
      }
    }
  }
}

}  // namespace godot_plugin
