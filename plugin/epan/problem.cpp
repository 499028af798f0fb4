// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/problem.h"

#include <cstdarg>

#include "plugin/epan/labels.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/taps.h"

namespace godot_plugin {
namespace {

struct KeptSubject {
  KeptSubject *next;
  int hf;
  ProblemSubject subject;
};

struct KeptSubjects {
  KeptSubject *first;
  KeptSubject *last;
  const expert_info_t *asked_for;  // the item that was asked for last
  const ProblemSubject *answer;    // and its subject
};

int any_of_ours() {
  static const int proto = proto_get_id_by_filter_name("godot");
  return proto;
}

// epan cuts an item's text.
void keep_subject(packet_info *pinfo, int hf, const ProblemSubject &subject, const char *text) {
  auto &kept = of_packet<KeptSubjects>(pinfo, any_of_ours(), PacketDataKey::problems);
  auto *added = wmem_new(pinfo->pool, KeptSubject);
  *added = {nullptr, hf, subject};
  added->subject.text = text;
  (kept.first == nullptr ? kept.first : kept.last->next) = added;
  kept.last = added;
}

HeaderField trouble_field{
    FT_BOOLEAN, "godot.problem", "Problem",
    "The message belongs to a row of Problems, except where that row is only the end of a connection"};
int trouble_subtree = -1;

void (*told_listener)(const packet_info *pinfo) = nullptr;

}  // namespace

const char *filter_for(packet_info *pinfo, const char *field, const char *text) {
  wmem_strbuf_t *filter = wmem_strbuf_new(pinfo->pool, field);
  wmem_strbuf_append(filter, " == \"");
  for (const char *c = text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') wmem_strbuf_append_c(filter, '\\');
    wmem_strbuf_append_c(filter, *c);
  }
  wmem_strbuf_append_c(filter, '"');
  return wmem_strbuf_get_str(filter);
}

const char *as_sentence(packet_info *pinfo, const char *text) {
  char *sentence = wmem_strdup(pinfo->pool, text);
  sentence[0] = g_ascii_toupper(sentence[0]);
  return sentence;
}

proto_tree *wanted_tree(proto_tree *tree, int proto) {
  static const int all_experts = proto_get_id_by_filter_name("_ws.expert");
  const auto is_asked_for = [tree](int field) { return proto_field_is_referenced(tree, field) != 0; };
  return is_asked_for(proto) || is_asked_for(trouble_field) || is_asked_for(all_experts) ? tree : nullptr;
}

void mark_trouble(proto_item *item) {
  proto_tree *tree = proto_item_add_subtree(item, trouble_subtree);
  if (tree != nullptr) proto_item_set_generated(proto_tree_add_boolean(tree, trouble_field, nullptr, 0, 0, 1));
}

void add_problem(packet_info *pinfo, proto_item *item, ExpertItem *field, const ProblemSubject &subject,
                 const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const char *text = wmem_strdup_vprintf(pinfo->pool, format, arguments);
  va_end(arguments);
  if (wants_experts(pinfo, nullptr)) keep_subject(pinfo, field->hf, subject, text);
  add_expert(pinfo, item, field, "%s", text);
  tell_problem_listener(pinfo, *field, true);
  if (subject.is_trouble && !field->is_trouble()) mark_trouble(item);
}

void listen_to_problems(void (*listener)(const packet_info *pinfo)) { told_listener = listener; }

void tell_problem_listener(const packet_info *pinfo, const ExpertItem &field, bool is_problem) {
  // epan tells no table of what ICMP quotes, and the capture may have cut off what a warning misses.
  const bool is_cut = pinfo->fd->cap_len < pinfo->fd->pkt_len;
  if (told_listener == nullptr || pinfo->flags.in_error_pkt || !(is_problem || (field.is_warning() && !is_cut))) return;
  told_listener(pinfo);
}

void register_trouble(int proto) {
  trouble_field.register_for(proto);
  register_subtree(trouble_subtree);
}

const ProblemSubject *find_problem_subject(packet_info *pinfo, const expert_info_t &item) {
  // epan tells of items in the order in which they were added, and of each to all who listen.
  auto *kept = find_of_packet<KeptSubjects>(pinfo, any_of_ours(), PacketDataKey::problems);
  if (kept == nullptr || kept->asked_for == &item) return kept == nullptr ? nullptr : kept->answer;
  kept->asked_for = &item;
  kept->answer = nullptr;
  if (kept->first == nullptr || kept->first->hf != item.hf_index) return nullptr;
  kept->answer = &kept->first->subject;
  kept->first = kept->first->next;
  return kept->answer;
}

}  // namespace godot_plugin
