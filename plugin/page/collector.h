// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Collects the data of the match page from the frame records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugin/page/columns.h"
#include "plugin/page/peers.h"
#include "plugin/statistics/frame.h"
#include "plugin/statistics/match_record.h"

namespace godot_plugin {

/// The data of the match page. page/data.js describes the format; page/model.js uses the columns.
class MatchCollector {
 public:
  MatchCollector();

  void add(packet_info *pinfo, const FrameRecord &record);
  /// Call after the last frame. @returns the members of the JSON head, which contain everything except the columns
  [[nodiscard]] std::string finish();
  /// Returns the name of the capture; empty: unknown.
  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] const std::vector<PageColumn *> &columns() const { return columns_; }
  /// Returns the number of the newest frame; 0 if there is no frame.
  [[nodiscard]] std::uint32_t last_frame() const { return last_frame_; }

 private:
  // An ENet or WebSocket connection.
  struct Connection {
    std::uint16_t client = 0;
    std::uint16_t server = 0;
    std::int64_t began = 0;  // in nanoseconds since 1970
    std::int64_t ready = 0;  // time when the connection was established; 0: not in the capture
    std::int64_t last = 0;   // time of its last frame
    std::int64_t ended = 0;  // time when the connection was closed; 0: not closed
    std::string end;
  };

  void add_frame(packet_info *pinfo, FrameRecord record);
  void add_counts(const FrameRecord &record);
  void add_table(std::uint8_t number, const StatTable *table, const Counted *list);
  void add_message(const MatchMessage &message, std::uint16_t at);
  void add_object(const MatchObject &object);
  void add_value(const MatchValue &value);
  void add_facts(const FrameRecord &record);
  void add_connections(packet_info *pinfo, const FrameRecord &record);
  void count_transport(const packet_info *pinfo, const FrameRecord &record);
  const std::string &endpoint(const address &host, std::uint32_t port);
  std::uint32_t row_of(std::uint8_t table, const CountedName &name);
  std::uint16_t peer_of(MatchPeer peer);
  std::uint8_t kind_of(const char *kind);
  [[nodiscard]] std::uint32_t frame() const { return frame_number_.count() - 1; }
  [[nodiscard]] std::string connections_json() const;
  [[nodiscard]] std::string peers_json() const;
  [[nodiscard]] std::string categories_json() const;

  TextTable texts_{"text.bytes", "text.ends"};
  PagePeers peers_;
  bool has_begun_ = false;
  std::string name_;
  bool is_one_pass_ = false;  // the capture is read once, so facts from later frames are missing
  std::uint32_t last_frame_ = 0;
  std::int64_t start_ = 0;  // time of the capture's first frame, in nanoseconds since 1970
  std::uint64_t over_limit_ = 0;
  std::vector<std::string> kinds_;
  std::unordered_map<std::string, std::uint32_t> rows_;     // by table and names
  std::string row_text_;                                    // buffer for searching rows_
  std::unordered_map<std::string, std::string> endpoints_;  // by address and port
  std::string endpoint_key_;                                // buffer for searching endpoints_
  std::string source_;                                      // endpoints of the current frame
  std::string destination_;
  std::vector<Connection> connections_;  // in the order of their first frames
  std::unordered_map<const void *, std::size_t> connection_numbers_;
  std::map<std::array<std::string_view, 3>, std::uint32_t> transports_;  // number of frames by transport

  IncreasingColumn frame_number_{"frame.number"};
  PageColumnOf<std::int32_t> frame_seconds_{"frame.s"};
  IncreasingColumn frame_nanoseconds_{"frame.ns"};
  PageColumnOf<std::uint32_t> frame_size_{"frame.size"};
  PageColumnOf<std::uint32_t> frame_unpacked_{"frame.unpacked"};
  PageColumnOf<std::uint16_t> frame_from_{"frame.from"};
  PageColumnOf<std::uint16_t> frame_to_{"frame.to"};
  PageColumnOf<std::uint8_t> frame_costs_{"frame.costs"};  // number of elements of cost_what_ for the frame
  PageColumnOf<std::uint8_t> cost_what_{"cost.what"};
  PageColumnOf<std::int32_t> cost_bytes_{"cost.bytes"};

  IncreasingColumn count_frame_{"count.frame"};
  PageColumnOf<std::uint32_t> count_row_{"count.row"};
  PageColumnOf<std::uint32_t> count_bytes_{"count.bytes"};
  PageColumnOf<std::uint32_t> count_instance_{"count.instance"};
  PageColumnOf<std::uint8_t> count_flags_{"count.flags"};
  PageColumnOf<std::uint8_t> row_table_{"row.table"};
  PageColumnOf<std::uint32_t> row_key_{"row.key"};
  PageColumnOf<std::uint32_t> row_name_{"row.name"};
  PageColumnOf<std::uint32_t> row_second_{"row.second"};

  IncreasingColumn message_frame_{"message.frame"};
  PageColumnOf<std::uint8_t> message_kind_{"message.kind"};
  PageColumnOf<std::uint8_t> message_flags_{"message.flags"};
  PageColumnOf<std::uint16_t> message_from_{"message.from"};
  PageColumnOf<std::uint16_t> message_to_{"message.to"};
  PageColumnOf<std::uint16_t> message_at_{"message.at"};
  PageColumnOf<std::uint32_t> message_bytes_{"message.bytes"};
  PageColumnOf<std::uint16_t> message_number_{"message.number"};
  PageColumnOf<std::uint16_t> message_sequence_number_{"message.place"};
  PageColumnOf<std::uint32_t> message_what_{"message.what"};
  PageColumnOf<std::uint16_t> message_objects_{"message.objects"};
  PageColumnOf<std::uint16_t> summary_size_{"sentence.size"};
  PageColumnOf<std::uint8_t> summary_bytes_{"sentence.bytes"};
  IncreasingColumn delayed_message_{"waited.message"};
  PageColumnOf<double> delay_ms_{"waited.ms"};

  PageColumnOf<std::uint32_t> object_node_{"object.node"};
  PageColumnOf<std::uint32_t> object_name_{"object.name"};
  PageColumnOf<std::uint32_t> object_id_{"object.id"};
  PageColumnOf<std::uint32_t> object_bytes_{"object.bytes"};
  PageColumnOf<std::uint8_t> object_flags_{"object.flags"};
  PageColumnOf<std::uint16_t> object_values_{"object.values"};
  PageColumnOf<std::uint32_t> value_name_{"value.name"};
  PageColumnOf<std::uint8_t> value_type_{"value.type"};
  PageColumnOf<std::uint8_t> value_shape_{"value.shape"};
  PageColumnOf<std::uint32_t> value_text_{"value.text"};
  PageColumnOf<float> value_single_{"value.f32"};
  PageColumnOf<double> value_double_{"value.f64"};

  IncreasingColumn fact_frame_{"fact.frame"};
  PageColumnOf<std::uint8_t> fact_kind_{"fact.kind"};
  PageColumnOf<float> fact_value_{"fact.value"};

  std::vector<PageColumn *> columns_;
};

}  // namespace godot_plugin
