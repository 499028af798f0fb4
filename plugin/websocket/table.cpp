// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/websocket/table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "godot-codec/core/packet_position.h"
#include "plugin/epan/guard.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/table.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {
namespace {

// Rows beyond so many are not added: whoever sends packets chooses how many there are.
constexpr std::size_t max_rows = 10'000;

// Columns, in their order.
enum Column : std::uint8_t {
  stream,
  client,
  server,
  path,
  asked,
  taken,
  status,
  end,
  silence,
  from_client,
  from_server,
  first,
  last,
  filter
};

StatTable::Columns columns() {
  return {{TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "    Stream", "%6u"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Client", "%-21s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Server", "%-21s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Path", "%-12s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Subprotocols", "%-12s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Taken", "%-8s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "HTTP status", "%-11s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "End", "%-36s"},
          {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Longest silence (s)", "%9s"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bytes of client", "%10u"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bytes of server", "%10u"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "First frame", "%9u"},
          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Last frame", "%9u"},
          {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Display filter", "%-18s"}};
}

std::uint32_t in_a_cell(std::uint64_t count) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

std::string describe_status(const WebSocketConnection &connection) {
  return connection.status == 0 ? "" : std::to_string(connection.status) + " " + connection.phrase;
}

// A row for each connection.
class WebSockets final : public StatTable {
 public:
  explicit WebSockets(tap_packet_cb on_frame)
      : StatTable(GODOT_TABLE("connections over WebSocket"), "godot,websockets", columns(), on_frame) {}

  // The packet is one of the connection's.
  void show(packet_info *pinfo, const WebSocketConnection &connection) {
    if (rows_.size() >= max_rows && !rows_.contains(&connection)) return;
    Row &row = rows_[&connection];
    if (row.cells == nullptr) begin_row(row, connection);
    row.texts[path] = connection.path;
    row.texts[asked] = connection.asked;
    row.texts[taken] = connection.taken;
    row.texts[status] = describe_status(connection);
    row.texts[end] = describe_web_socket(pinfo, connection);
    for (const auto &[column, text] : row.texts) row.cells[column].value.string_value = text.c_str();
    Cell *cells = row.cells;
    row.silence.show(cells[silence], static_cast<double>(connection.silence) / godot_codec::nanoseconds_per_second, 9,
                     3);
    cells[from_client].value.uint_value = in_a_cell(connection.bytes[connection.client]);
    cells[from_server].value.uint_value = in_a_cell(connection.bytes[1 - connection.client]);
    cells[last].value.uint_value = connection.last;
  }

 private:
  struct Row {
    Cell *cells = nullptr;
    std::map<Column, std::string> texts;
    ShownReal silence;
  };

  void forget() override { rows_.clear(); }

  void begin_row(Row &row, const WebSocketConnection &connection) {
    row.texts[client] = connection.client_text;
    row.texts[server] = connection.server_text;
    row.texts[filter] = "tcp.stream == " + std::to_string(connection.stream);
    std::vector<Cell> cells;
    for (const stat_tap_table_item &column : columns()) {
      cells.push_back(column.type == TABLE_ITEM_STRING ? text_cell("") : number_cell(0));
    }
    cells[stream] = number_cell(connection.stream);
    cells[first] = number_cell(connection.first);
    row.cells = add_row(cells);
  }

  std::map<const WebSocketConnection *, Row> rows_;
};

tap_packet_status on_frame(void *tap_data, packet_info *pinfo, epan_dissect_t * /*edt*/, const void *data,
                           tap_flags_t /*flags*/) {
  const auto &record = *static_cast<const FrameRecord *>(data);
  if (record.web_socket == nullptr) return TAP_PACKET_DONT_REDRAW;
  static_cast<WebSockets &>(StatTable::of(tap_data)).show(pinfo, *record.web_socket);
  return TAP_PACKET_REDRAW;
}

}  // namespace

void register_web_socket_table() {
  static WebSockets sockets(guarded<on_frame>);
  sockets.register_table();
}

}  // namespace godot_plugin
