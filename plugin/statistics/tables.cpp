// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "plugin/epan/packet_info.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/flow.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/problems.h"
#include "plugin/statistics/table.h"
#include "plugin/statistics/undecrypted.h"

namespace godot_plugin {
namespace {

class CostTable final : public CountTable {
 public:
  CostTable() : CountTable({GODOT_TABLE("bytes: headers, calls, values"), "godot,overhead", {"Bytes of"}}) {}

 private:
  void process(packet_info *pinfo, const void *data) override {
    FrameRecord record = *static_cast<const FrameRecord *>(data);
    if (!is_in_overhead(record)) return;
    complete_costs(record, pinfo);
    for (std::size_t i = 0; i < cost_count; ++i) {
      if (record.costs[i] != 0) add({cost_names[i]}, static_cast<double>(record.costs[i]), 0, false);
    }
    end_frame(time_of(pinfo));
  }
};
CostTable costs;

}  // namespace

constexpr std::array<const char *, cost_count> names_by_cost = {
    "Link layer",
    "IP",
    "UDP or TCP",
    "TLS, DTLS, WebSocket, length prefixes",
    "ENet headers",
    "ENet acknowledgements",
    "ENet retransmissions",
    "ENet duplicates",
    "ENet compression",
    "Fragments of messages",
    "Segments of messages",
    "Multiplayer headers",
    "RPC arguments",
    "State: spawns, syncs, deltas",
    "Custom payloads",
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
  register_undecrypted();
  register_flow();
  StatTable::register_all();
}

}  // namespace godot_plugin
