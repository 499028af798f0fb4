// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/enet/connections.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>

#include "plugin/enet/dtls_clients.h"
#include "plugin/enet/life.h"
#include "plugin/enet/state.h"
#include "plugin/enet/words.h"
#include "plugin/epan/endpoints.h"
#include "plugin/epan/guard.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/table.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetPace;
using godot_codec::EnetSideFacts;
using godot_codec::RoundTrips;
using godot_codec::Side;

// Columns, in their order.
enum Column : std::uint8_t {
  stream,
  from,
  to,
  end,
  datagrams,
  bytes,
  commands,
  rtt_least,
  rtt_mean,
  rtt_95,
  rtt_most,
  resent,
  missing,
  most_waiting,
  waiting,
  silence,
  frame,
  bandwidth,
  throttle,
  filter,
  column_count
};

// A row's reals. One of more decimals is in seconds.
enum Real : std::uint8_t {
  commands_real,
  least_real,
  mean_real,
  real_95,
  most_real,
  silence_real,
  frame_real,
  real_count
};

struct TimeColumn {
  Real real;
  Column column;
};
// In milliseconds, to the microsecond.
constexpr TimeColumn times[] = {
    {least_real, rtt_least}, {mean_real, rtt_mean}, {real_95, rtt_95}, {most_real, rtt_most}, {frame_real, frame}};
constexpr int silence_decimals = 3;

StatTable::Columns columns() {
  return {{TABLE_ITEM_INT, TAP_ALIGN_RIGHT, "    Stream", "%6d"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "From", "%-21s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "To", "%-21s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "End", "%-36s"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Datagrams", "%9u"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bytes", "%10u"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Commands/datagram", "%6s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "RTT min (ms)", "%9s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "RTT mean (ms)", "%9s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "RTT 95 % (ms)", "%9s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "RTT max (ms)", "%9s"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Resent", "%6u"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Missing", "%7u"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Waiting max", "%7u"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Waiting at end", "%7u"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Longest silence (s)", "%9s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Frame (ms)", "%9s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Bandwidth in/out", "%-9s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Throttle", "%-9s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Display filter", "%-40s"}};
}

// At most what a cell holds.
std::uint32_t narrowed(std::uint64_t count) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

// "any/any", in bytes a second.
std::string describe_bandwidth(const EnetPace &pace) {
  if (!pace.has_bandwidth) return "?";
  const auto part = [](std::uint32_t limit) { return limit == 0 ? std::string("any") : std::to_string(limit); };
  return part(pace.incoming_bandwidth) + "/" + part(pace.outgoing_bandwidth);
}

// "5000/2/2": interval in milliseconds, acceleration, deceleration.
std::string describe_throttle(const EnetPace &pace) {
  if (!pace.has_throttle) return "?";
  return std::to_string(pace.throttle_interval) + "/" + std::to_string(pace.throttle_acceleration) + "/" +
         std::to_string(pace.throttle_deceleration);
}

// A row for each side of a connection that has sent something, and for each client of DTLS that waits for an answer.
class Connections final : public StatTable {
 public:
  explicit Connections(tap_packet_cb on_frame)
      : StatTable(GODOT_TABLE("connections over ENet"), "enet,connections", columns(), on_frame) {}

  // The packet is one of the connection's.
  void show(packet_info *pinfo, const EnetConnection &connection) {
    Row &row = rows_[{connection.stream, direction_of(pinfo)}];
    const bool is_new = row.cells == nullptr;
    if (is_new) {
      row.filter = "enet.stream == " + std::to_string(connection.stream) +
                   " and enet.to_server == " + (is_to_server(pinfo, connection) ? "1" : "0");
      begin_row(row, pinfo, static_cast<std::int32_t>(connection.stream));
    }
    for (const Side side : {Side::first, Side::second}) update(pinfo, connection, side);
    if (!is_new || connection.replaced == nullptr) return;
    for (const Side side : {Side::first, Side::second}) update(pinfo, *connection.replaced, side);
  }

  // The packet is one that a client of DTLS sends, or the first that answers it.
  void show(packet_info *pinfo, const DtlsClient &client) {
    const bool is_waiting = client.answered == 0;
    if (!is_waiting && !dtls_rows_.contains(&client)) return;
    Row &row = dtls_rows_[&client];
    if (row.cells == nullptr) {
      row.filter = "dtls and udp.port == " + std::to_string(pinfo->srcport) +
                   " and udp.port == " + std::to_string(pinfo->destport);
      begin_row(row, pinfo, no_stream);
    }
    row.cells[datagrams].value.uint_value = client.hellos;
    row.cells[bytes].value.uint_value = narrowed(client.bytes);
    row.end = describe_dtls_client(pinfo, client);
    row.cells[end].value.string_value = row.end.c_str();
  }

 private:
  static constexpr std::int32_t no_stream = -1;

  struct Row {
    Cell *cells = nullptr;
    std::array<ShownReal, real_count> reals;
    std::string filter;
    std::string from;
    std::string to;
    std::string bandwidth;
    std::string throttle;
    std::string end;
  };

  void forget() override {
    rows_.clear();
    dtls_rows_.clear();
  }

  void begin_row(Row &row, const packet_info *pinfo, std::int32_t stream_number) {
    row.from = endpoint_text(pinfo->src, pinfo->srcport);
    row.to = endpoint_text(pinfo->dst, pinfo->destport);
    std::vector<Cell> cells;
    for (const stat_tap_table_item &column : columns()) {
      cells.push_back(column.type == TABLE_ITEM_STRING ? text_cell("") : number_cell(0));
    }
    cells[stream].type = TABLE_ITEM_INT;
    cells[stream].value.int_value = stream_number;
    cells[from] = text_cell(row.from.c_str());
    cells[to] = text_cell(row.to.c_str());
    cells[filter] = text_cell(row.filter.c_str());
    row.cells = add_row(cells);
    if (row.cells == nullptr) return;
    row.reals[commands_real].show(row.cells[commands], 0, 6, 2);
    for (const auto &[real, column] : times) row.reals[real].show(row.cells[column], 0, 9, 3);
    row.reals[silence_real].show(row.cells[silence], 0, 9, silence_decimals);
  }

  void update(packet_info *pinfo, const EnetConnection &connection, Side side) {
    const auto known = rows_.find({connection.stream, index_of(side)});
    if (known == rows_.end()) return;
    Row &row = known->second;
    Cell *cells = row.cells;
    if (cells == nullptr) return;  // there was no memory for them
    const EnetSideFacts &facts = connection.facts.of(side);
    cells[datagrams].value.uint_value = facts.datagrams;
    cells[bytes].value.uint_value = narrowed(facts.bytes);
    const double share = facts.datagrams == 0 ? 0 : static_cast<double>(facts.commands) / facts.datagrams;
    row.reals[commands_real].show(cells[commands], share, 6, 2);
    if (facts.round_trips != nullptr) update_round_trips(row, *facts.round_trips);
    cells[resent].value.uint_value = facts.resent;
    cells[missing].value.uint_value = narrowed(enet_session().missing(connection, side));
    cells[most_waiting].value.uint_value = facts.most_waiting;
    cells[waiting].value.uint_value = facts.waiting;
    row.reals[silence_real].show(cells[silence],
                                 static_cast<double>(facts.longest_silence) / godot_codec::nanoseconds_per_second, 9,
                                 silence_decimals);
    show_time(row, frame_real, facts.frame_interval == nullptr ? 0 : facts.frame_interval->mean());
    row.bandwidth = describe_bandwidth(facts.pace);
    row.throttle = describe_throttle(facts.pace);
    row.end = describe_end(pinfo, connection);
    cells[bandwidth].value.string_value = row.bandwidth.c_str();
    cells[throttle].value.string_value = row.throttle.c_str();
    cells[end].value.string_value = row.end.c_str();
  }

  static void show_time(Row &row, Real real, std::int64_t time) {
    const auto column = std::ranges::find(times, real, &TimeColumn::real)->column;
    row.reals[real].show(row.cells[column], milliseconds(time), 9, 3);
  }

  static void update_round_trips(Row &row, const RoundTrips &round_trips) {
    constexpr unsigned most_of_them = 95;
    show_time(row, least_real, round_trips.least());
    show_time(row, mean_real, round_trips.mean());
    show_time(row, real_95, round_trips.percentile(most_of_them));
    show_time(row, most_real, round_trips.most());
  }

  std::map<std::pair<std::uint32_t, std::size_t>, Row> rows_;
  std::map<const DtlsClient *, Row> dtls_rows_;
};

tap_packet_status on_frame(void *tap_data, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                           tap_flags_t /*flags*/) {
  auto &table = static_cast<Connections &>(StatTable::of(tap_data));
  const auto &record = *static_cast<const FrameRecord *>(data);
  for (const CountedConnection *seen = record.connections; seen != nullptr; seen = seen->next) {
    table.show(pinfo, *seen->connection);
  }
  if (record.dtls_client != nullptr) table.show(pinfo, *record.dtls_client);
  return record.connections == nullptr && record.dtls_client == nullptr ? TAP_PACKET_DONT_REDRAW : TAP_PACKET_REDRAW;
}

}  // namespace

void register_enet_connections() {
  static Connections connections(guarded<on_frame>);
  connections.register_table();
}

}  // namespace godot_plugin
