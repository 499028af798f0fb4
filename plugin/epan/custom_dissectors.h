// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Passes custom payloads to the user's dissectors, written in Lua or C.
#pragma once

#include <cstdio>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Registers a dissector table with server ports as keys, and its Decode As entry.
/// @tparam server_port function that returns the server port of a packet
/// @param name a text with static lifetime
template <auto server_port>
[[nodiscard]] dissector_table_t register_server_port_table(const char *name, const char *title, int proto,
                                                           const char *protocol) {
  static build_valid_func build_values[] = {
      [](packet_info *pinfo) -> void * { return GUINT_TO_POINTER(server_port(pinfo)); }};
  static decode_as_value_t values = {[](packet_info *pinfo, char *text) {
                                       std::snprintf(text, MAX_DECODE_AS_PROMPT_LEN, "server port %u as",
                                                     server_port(pinfo));
                                     },
                                     1, build_values};
  // Never freed, because epan keeps the pointer.
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

/// A custom payload, and the dissector to call.
struct CustomDissectorCall {
  dissector_handle_t handle;  ///< null: try the heuristics of `godot.raw`
  tvbuff_t *tvb;
  proto_tree *tree;
};

/// The result of a custom dissector.
struct CustomDissectorResult {
  bool is_accepted;
  const char *protocol_text;  ///< printable text for the Protocol column; null: the dissector wrote no text
  const char *info_text;      ///< printable text for the Info column; null: the dissector wrote no text
};

/// Calls a custom dissector. If the dissector throws, adds the error to the tree. Returns the texts that the dissector
/// writes to the columns. The packet's own columns do not change.
CustomDissectorResult call_custom_dissector(packet_info *pinfo, const CustomDissectorCall &call);

/// Returns the dissector that `godot.raw` has for a server port, over any transport; null if there is no such
/// dissector.
[[nodiscard]] dissector_handle_t find_custom_dissector(std::uint32_t server_port);

/// Returns the first word of a text, for example "Hit" of "Hit 5" or "Hit(5)"; null if the text has no word. Statistics
/// count packets by this word.
[[nodiscard]] const char *first_word(packet_info *pinfo, const char *text);

/// Registers the table and the heuristic list `godot.raw`.
/// @param proto the protocol `godot`
void register_custom_dissectors(int proto);

}  // namespace godot_plugin
