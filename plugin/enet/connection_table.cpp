// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugin/enet/capture_session.h"
#include "plugin/enet/datagram_dissection.h"
#include "plugin/enet/rules.h"
#include "plugin/enet/unanswered_dtls.h"
#include "plugin/epan/packet_info.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/stat_table.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetRateLimits;

// The columns that are set separately. The cells of a side are set in the order of columns(), from `end` on.
enum ConnectionColumn : std::uint8_t { stream, from, to, end, datagrams, bytes, filter = 19 };

std::vector<TableColumn> columns() {
  return {{"    Stream", "%6d"},
          {"From", "%-21s"},
          {"To", "%-21s"},
          {"End", "%-36s"},
          {"Datagrams", "%9u"},
          {"Bytes", "%10u"},
          {"Commands/datagram", "%6.2f"},
          {"RTT min (ms)", "%9.3f"},
          {"RTT mean (ms)", "%9.3f"},
          {"RTT 95 % (ms)", "%9.3f"},
          {"RTT max (ms)", "%9.3f"},
          {"Retransmitted", "%6u"},
          {"Missing", "%7u"},
          {"Unacknowledged max", "%7u"},
          {"Unacknowledged at end", "%7u"},
          {"Longest silence (s)", "%9.3f"},
          {"Frame (ms)", "%9.3f"},
          {"Bandwidth in/out", "%-9s"},
          {"Throttle", "%-9s"},
          {"Display filter", "%-40s"}};
}

// Returns the limits of incoming and outgoing bandwidth in bytes per second, such as "1000/any".
std::string describe_bandwidth(const EnetRateLimits &pace) {
  if (!pace.has_bandwidth) return "?";
  const auto part = [](std::uint32_t limit) { return limit == 0 ? std::string("any") : std::to_string(limit); };
  return part(pace.incoming_bandwidth) + "/" + part(pace.outgoing_bandwidth);
}

// Returns "5000/2/2": interval in milliseconds, acceleration, deceleration.
std::string describe_throttle(const EnetRateLimits &pace) {
  if (!pace.has_throttle) return "?";
  return std::to_string(pace.throttle_interval) + "/" + std::to_string(pace.throttle_acceleration) + "/" +
         std::to_string(pace.throttle_deceleration);
}

// The table of ENet connections. Each side that has sent something has a row, and each DTLS client without an answer.
class EnetConnectionTable final : public StatTable {
 public:
  EnetConnectionTable() : StatTable(GODOT_TABLE("connections over ENet"), "enet,connections", columns()) {}

 private:
  static constexpr std::uint32_t no_stream = std::numeric_limits<std::uint32_t>::max();  // -1 in a signed column

  void process(packet_info *pinfo, const void *data) override {
    const auto &record = *static_cast<const FrameRecord *>(data);
    for (const CountedConnection *seen = record.connections; seen != nullptr; seen = seen->next) {
      add(pinfo, *seen->connection);
    }
    if (record.dtls_client != nullptr) add(pinfo, *record.dtls_client);
  }

  // Updates the rows of a connection. @p pinfo is one of the connection's packets.
  void add(packet_info *pinfo, const EnetConnection &connection) {
    TableRow &row = rows_[{connection.stream, direction_of(pinfo)}];
    const bool is_new = !row.is_shown();
    if (is_new) {
      begin_row(row, pinfo, connection.stream,
                "enet.stream == " + std::to_string(connection.stream) +
                    " and enet.to_server == " + (is_to_server(pinfo, connection) ? "1" : "0"));
    }
    for (const unsigned side : {0U, 1U}) update_side_row(pinfo, connection, side);
    if (!is_new || connection.replaced_connection == nullptr) return;
    for (const unsigned side : {0U, 1U}) update_side_row(pinfo, *connection.replaced_connection, side);
  }

  // Updates the row of a DTLS client. @p pinfo is one of the client's packets, or the first answer.
  void add(packet_info *pinfo, const DtlsClient &client) {
    if (client.answered_in != 0 && !dtls_rows_.contains(&client)) return;
    TableRow &row = dtls_rows_[&client];
    if (!row.is_shown()) {
      begin_row(row, pinfo, no_stream,
                "dtls and udp.port == " + std::to_string(pinfo->srcport) +
                    " and udp.port == " + std::to_string(pinfo->destport));
    }
    row.set_number(datagrams, client.hello_count);
    row.set_number(bytes, client.hello_bytes);
    row.set_text(end, describe_dtls_client(pinfo, client));
  }

  void discard_rows() override {
    rows_.clear();
    dtls_rows_.clear();
  }

  void begin_row(TableRow &row, const packet_info *pinfo, std::uint32_t stream_number, const std::string &row_filter) {
    show(row);
    row.set_number(stream, stream_number);
    row.set_text(from, endpoint_text(pinfo->src, pinfo->srcport));
    row.set_text(to, endpoint_text(pinfo->dst, pinfo->destport));
    row.set_text(filter, row_filter);
  }

  void update_side_row(packet_info *pinfo, const EnetConnection &connection, unsigned side) {
    const auto known = rows_.find({connection.stream, side});
    if (known == rows_.end()) return;
    TableRow &row = known->second;
    const godot_codec::EnetSideFacts &facts = connection.facts.sides[side];
    std::size_t column = end;
    row.set_text(column++, describe_connection_end(pinfo, connection));
    row.set_number(column++, facts.datagrams);
    row.set_number(column++, facts.bytes);
    row.set_real(column++, facts.datagrams == 0 ? 0 : static_cast<double>(facts.commands) / facts.datagrams);
    if (facts.round_trips != nullptr) set_round_trips(row, column, *facts.round_trips);
    column += round_trip_columns;
    row.set_number(column++, facts.retransmissions);
    row.set_number(column++, enet_session().unreliable_counts(connection, side).missing);
    row.set_number(column++, facts.max_unacknowledged);
    row.set_number(column++, facts.unacked_commands);
    row.set_real(column++, static_cast<double>(facts.longest_silence) / godot_codec::nanoseconds_per_second);
    row.set_real(column++, facts.frame_interval == nullptr ? 0 : to_milliseconds(facts.frame_interval->mean()));
    row.set_text(column++, describe_bandwidth(facts.rate_limits));
    row.set_text(column++, describe_throttle(facts.rate_limits));
  }

  static constexpr std::size_t round_trip_columns = 4;

  static void set_round_trips(TableRow &row, std::size_t column, const godot_codec::RoundTripStatistics &times) {
    constexpr unsigned high_percentile = 95;
    row.set_real(column++, to_milliseconds(times.least()));
    row.set_real(column++, to_milliseconds(times.mean()));
    row.set_real(column++, to_milliseconds(times.percentile(high_percentile)));
    row.set_real(column++, to_milliseconds(times.most()));
  }

  std::map<std::pair<std::uint32_t, std::size_t>, TableRow> rows_;
  std::map<const DtlsClient *, TableRow> dtls_rows_;
};
EnetConnectionTable connections;

}  // namespace

}  // namespace godot_plugin
