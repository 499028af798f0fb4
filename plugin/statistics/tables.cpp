// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/tables.h"

#include <array>
#include <cstring>

#include "plugin/epan/capture_time.h"
#include "plugin/epan/guard.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/flow.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/problems.h"
#include "plugin/statistics/table.h"

namespace godot_plugin {
namespace {

// A property that is sent always, and on change as well, costs twice. Whether it is the same tells only a name.
void flag_twice_replicated(CountTable &table, const char *property) {
  if (std::strchr(property, '#') != nullptr) return;
  const bool is_twice = table.has(property, property_of_sync) && table.has(property, property_of_delta);
  if (!is_twice) return;
  table.rename(property, property_of_sync, "sync property, in delta too");
  table.rename(property, property_of_delta, "delta property, in sync too");
}

// One list of a record, counted in one table. No table is drawn before its end: the window takes a row's place in the
// table for the row.
template <const Counted *FrameRecord::*list>
tap_packet_status count_list(void *tap_data, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                             tap_flags_t /*flags*/) {
  const auto &record = *static_cast<const FrameRecord *>(data);
  if (record.*list == nullptr) return TAP_PACKET_DONT_REDRAW;
  auto &table = static_cast<CountTable &>(StatTable::of(tap_data));
  for (const Counted *counted = record.*list; counted != nullptr; counted = counted->next) {
    const double spared = spared_of(record, *counted);
    table.add(counted->name, counted->bytes - spared, spared, counted->is_part);
    if (counted->is_part) flag_twice_replicated(table, counted->name.key);
  }
  table.end_frame(time_of(pinfo));
  return TAP_PACKET_DONT_REDRAW;
}

tap_packet_status count_costs(void *tap_data, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                              tap_flags_t /*flags*/) {
  FrameRecord record = *static_cast<const FrameRecord *>(data);
  if (!is_in_overhead(record)) return TAP_PACKET_DONT_REDRAW;
  auto &table = static_cast<CountTable &>(StatTable::of(tap_data));
  complete_costs(record, pinfo);
  for (std::size_t i = 0; i < cost_count; ++i) {
    if (record.costs[i] != 0) table.add({cost_names[i]}, static_cast<double>(record.costs[i]), 0, false);
  }
  table.end_frame(time_of(pinfo));
  return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

constexpr std::array<const char *, cost_count> names_by_cost = {
    "Link layer",
    "IP",
    "UDP or TCP",
    "TLS, DTLS, WebSocket, lengths",
    "ENet headers",
    "ENet acknowledgements",
    "ENet, sent again",
    "ENet, captured twice",
    "ENet's compression",
    "Fragments of messages",
    "Segments of messages",
    "Multiplayer headers",
    "Arguments of calls",
    "State: spawns, syncs, deltas",
    "The game's own bytes",
    "Variants",
    "Remote debugger",
    "ICMP errors",
    "Other",
};
static_assert(names_by_cost.back() != nullptr, "a name for each cost");
const std::array<const char *, cost_count> cost_names = names_by_cost;

bool is_in_overhead(const FrameRecord &record) { return record.dtls_client == nullptr || record.carried != 0; }

void register_statistics() {
  register_probe_tap();
  register_frame_tap();
  register_problems();
  register_flow();
  static CountTable tables[] = {
      {{GODOT_TABLE("calls: what costs bandwidth"), "godot_mp,calls", {"Call"}, "Nodes"},
       guarded<count_list<&FrameRecord::calls>>},
      {{GODOT_TABLE("nodes: what spawns and syncs cost"), "godot_mp,objects", {"Object", "Message"}, "Nodes"},
       guarded<count_list<&FrameRecord::objects>>},
      {{GODOT_TABLE("peers: who sends how much to whom"),
        "godot_mp,peers",
        {"From", "To"},
        nullptr,
        {"godot_mp.sender", "godot_mp.receiver"},
        true},
       guarded<count_list<&FrameRecord::peers>>},
      {{GODOT_TABLE("put_var(): what costs bandwidth"), "godot,variants", {"Message"}, "Ways"},
       guarded<count_list<&FrameRecord::variants>>},
      {{GODOT_TABLE("debugger: messages to and from the editor"),
        "godot_debug,messages",
        {"Message"},
        nullptr,
        {"godot_debug.message"}},
       guarded<count_list<&FrameRecord::debug_messages>>},
      {{GODOT_TABLE("bytes: headers, calls, values"), "godot,overhead", {"Bytes of"}}, guarded<count_costs>},
  };
  for (CountTable &table : tables) table.register_table();
}

}  // namespace godot_plugin
