// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/problem.h"

#include <cstdarg>

#include "plugin/epan/experts.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/of_packet.h"

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
};

int any_of_ours() {
  static const int proto = proto_get_id_by_filter_name("godot");
  return proto;
}

void keep_subject(packet_info *pinfo, int hf, const ProblemSubject &subject) {
  auto &kept = of_packet<KeptSubjects>(pinfo, any_of_ours(), PacketDataKey::problems);
  auto *added = wmem_new(pinfo->pool, KeptSubject);
  *added = {nullptr, hf, subject};
  (kept.first == nullptr ? kept.first : kept.last->next) = added;
  kept.last = added;
}

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

void add_problem(packet_info *pinfo, proto_item *item, expert_field *field, const ProblemSubject &subject,
                 const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const char *text = wmem_strdup_vprintf(pinfo->pool, format, arguments);
  va_end(arguments);
  if (have_expert_listener()) keep_subject(pinfo, field->hf, subject);
  add_expert(pinfo, item, field, "%s", text);
}

const ProblemSubject *take_problem_subject(packet_info *pinfo, int hf) {
  // epan tells of items in the order in which they were added.
  auto *kept = find_of_packet<KeptSubjects>(pinfo, any_of_ours(), PacketDataKey::problems);
  if (kept == nullptr || kept->first == nullptr || kept->first->hf != hf) return nullptr;
  const ProblemSubject *subject = &kept->first->subject;
  kept->first = kept->first->next;
  return subject;
}

}  // namespace godot_plugin
