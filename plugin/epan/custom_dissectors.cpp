// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/custom_dissectors.h"

#include <epan/exceptions.h>

#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/message_context.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

heur_dissector_list_t heuristics;
dissector_table_t raw_table;

// Copies a column's text in printable form.
// @returns null for an empty text
const char *printable_copy(packet_info *pinfo, const char *text) {
  constexpr std::size_t max_text_size = 240;
  if (*text == '\0') return nullptr;
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, max_text_size));
  godot_codec::TextBuffer({memory, max_text_size}).append_escaped(text, false);
  return memory;
}

bool run_dissector(packet_info *pinfo, const CustomDissectorCall &call) {
  if (call.handle != nullptr) return call_dissector_only(call.handle, call.tvb, pinfo, call.tree, nullptr) > 0;
  heur_dtbl_entry_t *entry = nullptr;
  return static_cast<bool>(dissector_try_heuristic(heuristics, call.tvb, pinfo, call.tree, &entry, nullptr));
}

// A separate function, because longjmp may clobber local variables of the function that contains TRY.
// @param columns the packet's columns, which are restored afterwards, as is @p summary_length
bool run_restoring_columns(packet_info *pinfo, const CustomDissectorCall &call, column_info *columns,
                           std::size_t summary_length) {
  volatile bool is_accepted = true;
  // NOLINTBEGIN: macros of epan
  TRY { is_accepted = run_dissector(pinfo, call); }
  CATCH_NONFATAL_ERRORS { show_exception(call.tvb, pinfo, call.tree, EXCEPT_CODE, GET_MESSAGE); }
  FINALLY {
    SpareColumns::restore(pinfo, columns);
    exchange_summary_length(pinfo, summary_length);
  }
  ENDTRY;
  // NOLINTEND
  return is_accepted;
}

}  // namespace

CustomDissectorResult call_custom_dissector(packet_info *pinfo, const CustomDissectorCall &call) {
  static SpareColumns columns;
  // A custom dissector may pass its bytes back to this plugin. Do not call a custom dissector again, because that
  // recursion would never stop.
  if (columns.are_in_use(pinfo)) return {false, nullptr, nullptr};
  const std::size_t summary_length = exchange_summary_length(pinfo, 0);
  const bool is_accepted = run_restoring_columns(pinfo, call, columns.exchange(pinfo), summary_length);
  if (!is_accepted) return {false, nullptr, nullptr};
  return {true, printable_copy(pinfo, columns.text(SpareColumns::protocol)),
          printable_copy(pinfo, columns.text(SpareColumns::info))};
}

dissector_handle_t find_custom_dissector(std::uint32_t server_port) {
  return dissector_get_uint_handle(raw_table, server_port);
}

const char *first_word(packet_info *pinfo, const char *text) {
  const std::size_t size = text == nullptr ? 0 : std::strcspn(text, " \t(:;,=[{<\"#");
  return size == 0 ? nullptr : wmem_strndup(pinfo->pool, text, size);
}

void register_custom_dissectors(int proto) {
  raw_table = register_server_port_table<server_port_of>("godot.raw", "Godot raw packet, server port", proto, "godot");
  heuristics = register_heur_dissector_list("godot.raw", proto);
}

}  // namespace godot_plugin
