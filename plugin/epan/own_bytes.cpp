// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/own_bytes.h"

#include <epan/exceptions.h>

#include <cstdio>

#include "plugin/epan/columns.h"
#include "plugin/epan/endpoints.h"

namespace godot_plugin {
namespace {

heur_dissector_list_t heuristics;

// Plain data: errors leave the call by longjmp.
struct OwnCall {
  dissector_handle_t handle;  // null: the heuristics
  tvbuff_t *tvb;
  packet_info *pinfo;
  proto_tree *tree;
};

bool run(const OwnCall &call) {
  if (call.handle != nullptr) return call_dissector_only(call.handle, call.tvb, call.pinfo, call.tree, nullptr) > 0;
  heur_dtbl_entry_t *entry = nullptr;
  return static_cast<bool>(dissector_try_heuristic(heuristics, call.tvb, call.pinfo, call.tree, &entry, nullptr));
}

// A function of its own: a longjmp out of the call keeps no local variable of the function that has TRY.
bool run_caught(const OwnCall &call) {
  volatile bool is_taken = true;
  // NOLINTBEGIN: as epan has it
  TRY { is_taken = run(call); }
  CATCH_NONFATAL_ERRORS { show_exception(call.tvb, call.pinfo, call.tree, EXCEPT_CODE, GET_MESSAGE); }
  ENDTRY;
  // NOLINTEND
  return is_taken;
}

bool run_kept(const OwnCall &call) {
  // These are the message's: its sentence stands there, or will.
  const LockedColumn protocol(call.pinfo->cinfo, COL_PROTOCOL);
  const LockedColumn info(call.pinfo->cinfo, COL_INFO);
  const bool is_taken = run_caught(call);
  protocol.restore();
  info.restore();
  return is_taken;
}

void label_port(packet_info *pinfo, char *text) {
  constexpr std::size_t label_size = MAX_DECODE_AS_PROMPT_LEN;
  std::snprintf(text, label_size, "server port %u as", server_port_of(pinfo));
}

void *value_of_port(packet_info *pinfo) { return GUINT_TO_POINTER(server_port_of(pinfo)); }

}  // namespace

dissector_table_t register_server_port_table(const char *name, const char *title, int proto, const char *protocol) {
  static build_valid_func build_values[] = {value_of_port};
  static decode_as_value_t values = {label_port, 1, build_values};
  // Lives as long as the program, as epan wants it.
  auto *by_port = wmem_new0(wmem_epan_scope(), decode_as_t);
  by_port->name = protocol;
  by_port->table_name = name;
  by_port->num_items = 1;
  by_port->values = &values;
  by_port->populate_list = decode_as_default_populate_list;
  by_port->reset_value = decode_as_default_reset;
  by_port->change_value = decode_as_default_change;
  dissector_table_t table = register_dissector_table(name, title, proto, FT_UINT16, BASE_DEC);
  register_decode_as(by_port);
  return table;
}

void call_own_dissector(dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  run_kept({handle, tvb, pinfo, tree});
}

bool call_own_heuristics(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree) {
  return run_kept({nullptr, tvb, pinfo, tree});
}

void register_own_heuristics(int proto) { heuristics = register_heur_dissector_list("godot.raw", proto); }

}  // namespace godot_plugin
