// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "plugin/epan/packet_info.h"
#include "plugin/epan/taps.h"
#include "plugin/statistics/flow_graph.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

class OverheadTable final : public CountTable {
 public:
  OverheadTable() : CountTable({GODOT_TABLE("bytes: headers, calls, values"), "godot,overhead", {"Bytes of"}}) {}

 private:
  void process(packet_info *pinfo, const void *data) override {
    FrameRecord record = *static_cast<const FrameRecord *>(data);
    if (!is_counted_in_overhead(record)) return;
    add_lower_layer_bytes(record, pinfo);
    for (std::size_t i = 0; i < byte_category_count; ++i) {
      if (record.bytes_by_category[i] != 0)
        add({byte_category_names[i]}, static_cast<double>(record.bytes_by_category[i]), 0, false);
    }
    end_frame(capture_time_of(pinfo));
  }
};
OverheadTable overhead_table;

}  // namespace

constexpr std::array<const char *, byte_category_count> names_by_category = {
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
static_assert(names_by_category.back() != nullptr, "a name for each cost");
const std::array<const char *, byte_category_count> byte_category_names = names_by_category;

bool is_counted_in_overhead(const FrameRecord &record) {
  return record.dtls_client == nullptr || record.dissected_bytes != 0;
}

void register_statistics() {
  register_probe_tap();
  register_frame_tap();
  register_flow_graph();
  StatTable::register_all();
}

}  // namespace godot_plugin
