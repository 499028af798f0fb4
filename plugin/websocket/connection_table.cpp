// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <string>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/table.h"
#include "plugin/websocket/connections.h"

namespace godot_plugin {
namespace {

// Maximum number of rows. Without this limit, hostile packets could create any number of rows.
constexpr std::size_t max_rows = 10'000;

enum WebSocketColumn : std::uint8_t {
  stream,
  client,
  server,
  path,
  requested,
  selected,
  status,
  end,
  silence,
  from_client,
  from_server,
  first,
  last,
  filter
};

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

std::string describe_status(const WebSocketConnection &connection) {
  return connection.status == 0 ? "" : std::to_string(connection.status) + " " + connection.phrase;
}

// The table, with a row for each connection.
class WebSockets final : public StatTable {
 public:
  WebSockets() : StatTable(GODOT_TABLE("connections over WebSocket"), "godot,websockets", columns()) {}

 private:
  void process(packet_info *pinfo, const void *data) override {
    const WebSocketConnection *connection = static_cast<const FrameRecord *>(data)->web_socket;
    if (connection == nullptr) return;
    if (rows_.size() < max_rows || rows_.contains(connection)) update(rows_[connection], pinfo, *connection);
  }

  void update(TableRow &row, packet_info *pinfo, const WebSocketConnection &connection) {
    if (!row.is_shown()) show(row);
    row.set_number(stream, connection.stream);
    row.set_text(client, connection.client_text);
    row.set_text(server, connection.server_text);
    row.set_text(path, connection.path);
    row.set_text(requested, connection.requested);
    row.set_text(selected, connection.selected);
    row.set_text(status, describe_status(connection));
    row.set_text(end, describe_web_socket(pinfo, connection));
    row.set_real(silence, static_cast<double>(connection.silence) / godot_codec::nanoseconds_per_second);
    row.set_number(from_client, connection.bytes[connection.client]);
    row.set_number(from_server, connection.bytes[1 - connection.client]);
    row.set_number(first, connection.first);
    row.set_number(last, connection.last);
    row.set_text(filter, "tcp.stream == " + std::to_string(connection.stream));
  }

  void discard_rows() override { rows_.clear(); }

  std::map<const WebSocketConnection *, TableRow> rows_;
};
WebSockets sockets;

}  // namespace

}  // namespace godot_plugin
