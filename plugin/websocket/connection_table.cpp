// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <string>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/stat_table.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {
namespace {

// Maximum number of rows. Without this limit, hostile packets could create any number of rows.
constexpr std::size_t max_rows = 10'000;

std::vector<TableColumn> columns() {
  return {{"    Stream", "%6u"},
          {"Client", "%-21s"},
          {"Server", "%-21s"},
          {"Path", "%-12s"},
          {"Subprotocols", "%-12s"},
          {"Accepted", "%-8s"},
          {"HTTP status", "%-11s"},
          {"End", "%-36s"},
          {"Longest silence (s)", "%9.3f"},
          {"Bytes of client", "%10u"},
          {"Bytes of server", "%10u"},
          {"First frame", "%9u"},
          {"Last frame", "%9u"},
          {"Display filter", "%-18s"}};
}

std::string status_text(const WebSocketConnection &connection) {
  return connection.http_status == 0 ? "" : std::to_string(connection.http_status) + " " + connection.status_phrase;
}

// The table, with a row for each connection.
class WebSocketConnectionTable final : public StatTable {
 public:
  WebSocketConnectionTable() : StatTable(GODOT_TABLE("connections over WebSocket"), "godot,websockets", columns()) {}

 private:
  void process(packet_info *pinfo, const void *data) override {
    const WebSocketConnection *connection = static_cast<const FrameRecord *>(data)->web_socket;
    if (connection == nullptr) return;
    if (rows_.size() < max_rows || rows_.contains(connection)) update(rows_[connection], pinfo, *connection);
  }

  // Sets the cells in the order of columns().
  void update(TableRow &row, packet_info *pinfo, const WebSocketConnection &connection) {
    if (!row.is_shown()) show(row);
    const WebSocketSide &client = connection.sides[connection.client_direction];
    const WebSocketSide &server = connection.sides[1 - connection.client_direction];
    std::size_t column = 0;
    row.set_number(column++, connection.tcp_stream());
    row.set_text(column++, client.endpoint);
    row.set_text(column++, server.endpoint);
    row.set_text(column++, connection.path);
    row.set_text(column++, connection.requested_subprotocols);
    row.set_text(column++, connection.selected_subprotocol);
    row.set_text(column++, status_text(connection));
    row.set_text(column++, describe_web_socket(pinfo, connection));
    row.set_real(column++, static_cast<double>(connection.longest_silence) / godot_codec::nanoseconds_per_second);
    row.set_number(column++, client.payload_bytes);
    row.set_number(column++, server.payload_bytes);
    row.set_number(column++, connection.first_frame);
    row.set_number(column++, connection.last_frame);
    row.set_text(column++, "tcp.stream == " + std::to_string(connection.tcp_stream()));
  }

  void discard_rows() override { rows_.clear(); }

  std::map<const WebSocketConnection *, TableRow> rows_;
};
WebSocketConnectionTable connection_table;

}  // namespace

}  // namespace godot_plugin
