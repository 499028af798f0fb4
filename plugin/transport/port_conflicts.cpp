// SPDX-License-Identifier: GPL-2.0-or-later
#include <epan/prefs.h>
#include <wsutil/report_message.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "plugin/epan/ws_compat.h"
#include "plugin/transport/transports.h"

namespace godot_plugin {
namespace {

// Two preferences, named "<module>.<table>", that register dissectors in the same table.
struct PreferencePair {
  const char *table;
  const char *first_module;
  const char *second_module;
};

constexpr PreferencePair preference_pairs[] = {
    {"udp.port", "enet", "godot"},        {"dtls.port", "enet", "godot"},   {"tcp.port", "godot_debug", "godot"},
    {"tls.port", "godot_debug", "godot"}, {"ws.port", "godot_mp", "godot"},
};

// A port that both preferences name, and the dissector that gets its packets.
using PortConflict = std::pair<std::uint32_t, dissector_handle_t>;

std::optional<std::uint32_t> find_common_port(const range_t &one, const range_t &other) {
  for (unsigned i = 0; i < one.nranges; ++i) {
    for (unsigned j = 0; j < other.nranges; ++j) {
      const std::uint32_t low = std::max(one.ranges[i].low, other.ranges[j].low);
      if (low <= std::min(one.ranges[i].high, other.ranges[j].high)) return low;
    }
  }
  return std::nullopt;
}

// Warns of a conflict. Does not repeat the warning until the port or its dissector changes.
void warn_once(const PreferencePair &each, PortConflict conflict) {
  static PortConflict warned[std::size(preference_pairs)];
  if (std::exchange(warned[&each - preference_pairs], conflict) == conflict) return;
  const auto [port, winner] = conflict;
  report_warning("Port %u is set in two preferences, %s.%s and %s.%s: decoded as %s.", port, each.first_module,
                 each.table, each.second_module, each.table, dissector_handle_get_protocol_short_name(winner));
}

}  // namespace

void warn_of_port_conflicts() {
  for (const PreferencePair &each : preference_pairs) {
    const range_t *one = prefs_get_range_value(each.first_module, each.table);
    const range_t *other = prefs_get_range_value(each.second_module, each.table);
    if (one == nullptr || other == nullptr) continue;
    const std::optional<std::uint32_t> port = find_common_port(*one, *other);
    if (!port) continue;
    dissector_handle_t winner = dissector_get_uint_handle(find_dissector_table(each.table), *port);
    if (winner != nullptr) warn_once(each, {*port, winner});
  }
}

}  // namespace godot_plugin
