// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/findings.h"

#include <cstdarg>

#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/problem_table.h"

namespace godot_plugin {
namespace {

int tap = -1;
Subtree problem_subtree;
struct ProblemFields {
  HeaderField problem{
      FT_BOOLEAN, "godot.problem", "Problem",
      "The message belongs to a row of Problems, except where that row is only the end of a connection"};
  HeaderField rule{FT_STRING, "godot.problem.rule", "Rule", "Name of the expert item of the problem"};
  HeaderField severity{FT_UINT32, "godot.problem.severity", "Severity", "Severity of the problem",
                       with_value_names(VALS(expert_severity_vals), BASE_NONE)};
};
ProblemFields problem_fields;

// Adds an expert item. Cuts a long text between two characters, because epan may cut it within a UTF-8 character.
void add_expert_item(packet_info *pinfo, proto_item *item, ExpertItem *expert, const char *text) {
  if (text == nullptr) {
    expert_add_info(pinfo, item, expert);
    return;
  }
  const TruncatedText cut = truncate_text(text, ITEM_LABEL_LENGTH);
  expert_add_info_format(pinfo, item, expert, "%.*s%s", cut.length, text, cut.ellipsis);
}

void add_problem_fields(proto_item *item, const ExpertItem &rule) {
  proto_tree *tree = proto_item_add_subtree(item, problem_subtree);
  if (tree == nullptr) return;
  proto_item_set_generated(proto_tree_add_string(tree, problem_fields.rule, nullptr, 0, 0, rule.filter()));
  proto_item_set_generated(
      proto_tree_add_uint(tree, problem_fields.severity, nullptr, 0, 0, static_cast<std::uint32_t>(rule.severity())));
}

}  // namespace

void mark_problem(proto_item *item) {
  proto_tree *tree = proto_item_add_subtree(item, problem_subtree);
  if (tree != nullptr) proto_item_set_generated(proto_tree_add_boolean(tree, problem_fields.problem, nullptr, 0, 0, 1));
}

proto_tree *tree_if_needed(proto_tree *tree, int proto) {
  if (tree == nullptr) return nullptr;
  static const int all_experts = proto_get_id_by_filter_name("_ws.expert");
  const auto is_wanted = [tree](int field) { return proto_field_is_referenced(tree, field) != 0; };
  return is_wanted(proto) || is_wanted(problem_fields.problem) || is_wanted(problem_fields.rule) ||
                 is_wanted(problem_fields.severity) || is_wanted(all_experts)
             ? tree
             : nullptr;
}

void report_finding(packet_info *pinfo, proto_item *item, const Finding &finding) {
  const FindingDisplay &rule = finding.expert->display();
  if (rule.marks_tree_items) mark_problem(item);
  add_problem_fields(item, *finding.expert);
  // A small snap length can make a packet look malformed. This is no problem of the game, so the tables do not list it.
  const bool is_cut = rule.weight == FindingDisplay::last_weight && rule.counted_as == nullptr &&
                      pinfo->fd->cap_len < pinfo->fd->pkt_len;
  // For a datagram that an ICMP error quotes, epan drops the tap data, so tables do not get the finding.
  if (is_cut || pinfo->flags.in_error_pkt) return;
  record_finding(PINFO_FD_VISITED(pinfo) != 0);
  if (!is_tapped(tap, pinfo)) return;
  auto *queued = wmem_new(pinfo->pool, Finding);
  *queued = finding;
  const auto &[name, field] = finding.subject;
  if (name != nullptr && field != nullptr)
    queued->filter = wmem_strdup_printf(pinfo->pool, "%s == %s", field, quoted(name).c_str());
  tap_queue_packet(tap, pinfo, queued);
}

void add_expert_only(packet_info *pinfo, proto_item *item, const Finding &finding) {
  const char *current = pinfo->current_proto;
  if (finding.protocol != nullptr) pinfo->current_proto = finding.protocol;
  add_expert_item(pinfo, item, finding.expert, finding.text);
  pinfo->current_proto = current;
}

void add_problem(packet_info *pinfo, proto_item *item, const Finding &finding) {
  add_expert_only(pinfo, item, finding);
  report_finding(pinfo, item, finding);
}

void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const char *text = wmem_strdup_vprintf(pinfo->pool, format, arguments);
  va_end(arguments);
  add_expert_item(pinfo, item, expert, text);
  if (expert->is_problem()) report_finding(pinfo, item, {.expert = expert, .text = text});
}

void add_expert(packet_info *pinfo, proto_item *item, ExpertItem *expert) {
  add_expert_item(pinfo, item, expert, nullptr);
  if (expert->is_problem()) report_finding(pinfo, item, {.expert = expert});
}

void add_truncated_expert(packet_info *pinfo, proto_item *item, ExpertItem *truncated, const char *what) {
  if (is_outside_icmp_error(pinfo)) {
    add_expert(pinfo, item, truncated, "The capture contains only the beginning of %s", what);
  } else {
    add_expert(pinfo, item, truncated, "The ICMP error quotes only the beginning");
  }
}

void register_findings() { tap = register_tap(finding_tap); }

}  // namespace godot_plugin
