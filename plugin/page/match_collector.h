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

#include "plugin/page/page_columns.h"
#include "plugin/page/page_peers.h"
#include "plugin/statistics/frame_record.h"
#include "plugin/statistics/match_record.h"

namespace godot_plugin {

/// The data of the match page. page/data.js describes the format; page/model.js uses the columns.
class MatchCollector {
 public:
  void add(packet_info *pinfo, const FrameRecord &record);
  /// Returns the members of the JSON head, which contain everything except the columns.
  [[nodiscard]] JsonMembers head() const;
  [[nodiscard]] const PageColumns &columns() const { return columns_; }
  /// Returns the number of the newest frame; 0 if there is no frame.
  [[nodiscard]] std::uint32_t last_frame() const { return last_frame_; }

 private:
  // An ENet or WebSocket connection.
  struct PageConnection {
    std::uint16_t client_peer = 0;
    std::uint16_t server_peer = 0;
    std::int64_t begin_time = 0;        // in nanoseconds since 1970
    std::int64_t established_time = 0;  // time when the connection was established; 0: not in the capture
    std::int64_t last_time = 0;         // time of its last frame
    std::int64_t end_time = 0;          // time when the connection was closed; 0: not closed
    std::string end_text;
  };

  void add_frame(packet_info *pinfo, FrameRecord record);
  void add_counts(const FrameRecord &record);
  void add_table_counts(std::uint8_t number, const StatTable *table, const CountedItem *list);
  void add_message(const MatchMessage &message, std::uint16_t at);
  template <typename Item>
  std::uint16_t add_each(const Item *item, void (MatchCollector::*add)(const Item &));
  void add_object(const MatchObject &object);
  void add_value(const MatchValue &value);
  void add_facts(const FrameRecord &record);
  void add_connections(packet_info *pinfo, const FrameRecord &record);
  void count_transport(const packet_info *pinfo, const FrameRecord &record);
  const std::string &cached_endpoint(const address &host, std::uint32_t port);
  std::uint32_t find_or_add_row(std::uint8_t table, const CountedName &name);
  std::uint16_t find_or_add_peer(MatchPeer peer);
  std::uint8_t find_or_add_kind(const char *kind);
  [[nodiscard]] std::uint32_t frame_index() const { return frame_number_.count() - 1; }
  [[nodiscard]] std::string connections_json() const;
  [[nodiscard]] std::string peers_json() const;
  [[nodiscard]] std::string categories_json() const;

  PageColumns columns_;
  StringTable texts_{columns_, "text.bytes", "text.ends"};
  PagePeerList peers_;
  bool has_begun_ = false;
  bool is_one_pass_ = false;  // the capture is read once, so facts from later frames are missing
  std::uint32_t last_frame_ = 0;
  std::int64_t start_time_ = 0;  // time of the capture's first frame, in nanoseconds since 1970
  std::uint64_t over_limit_count_ = 0;
  std::vector<std::string> message_kinds_;
  std::unordered_map<std::string, std::uint32_t> row_indexes_;   // by table and names
  std::string row_search_key_;                                   // buffer for searching row_indexes_
  std::unordered_map<std::string, std::string> endpoint_texts_;  // by address and port
  std::string endpoint_search_key_;                              // buffer for searching endpoint_texts_
  std::string source_endpoint_;                                  // endpoints of the current frame
  std::string destination_endpoint_;
  std::vector<PageConnection> connections_;  // in the order of their first frames
  std::unordered_map<const void *, std::size_t> connection_indexes_;
  std::map<std::array<std::string_view, 3>, std::uint32_t> transport_frame_counts_;  // number of frames by transport

  IncreasingColumn frame_number_{columns_, "frame.number"};
  PageColumnOf<std::int32_t> frame_seconds_{columns_, "frame.s"};
  IncreasingColumn frame_nanoseconds_{columns_, "frame.ns"};
  PageColumnOf<std::uint32_t> frame_size_{columns_, "frame.size"};
  PageColumnOf<std::uint32_t> frame_uncompressed_size_{columns_, "frame.unpacked"};
  PageColumnOf<std::uint16_t> frame_sender_{columns_, "frame.from"};
  PageColumnOf<std::uint16_t> frame_receiver_{columns_, "frame.to"};
  PageColumnOf<std::uint8_t> frame_category_count_{
      columns_, "frame.costs"};  // number of elements of category_index_ for the frame
  PageColumnOf<std::uint8_t> category_index_{columns_, "cost.what"};
  PageColumnOf<std::int32_t> category_bytes_{columns_, "cost.bytes"};

  IncreasingColumn count_frame_{columns_, "count.frame"};
  PageColumnOf<std::uint32_t> count_row_{columns_, "count.row"};
  PageColumnOf<std::uint32_t> count_bytes_{columns_, "count.bytes"};
  PageColumnOf<std::uint32_t> count_instance_{columns_, "count.instance"};
  PageColumnOf<std::uint8_t> count_flags_{columns_, "count.flags"};
  PageColumnOf<std::uint8_t> row_table_{columns_, "row.table"};
  PageColumnOf<std::uint32_t> row_key_{columns_, "row.key"};
  PageColumnOf<std::uint32_t> row_name_{columns_, "row.name"};
  PageColumnOf<std::uint32_t> row_second_name_{columns_, "row.second"};

  IncreasingColumn message_frame_{columns_, "message.frame"};
  PageColumnOf<std::uint8_t> message_kind_{columns_, "message.kind"};
  PageColumnOf<std::uint8_t> message_flags_{columns_, "message.flags"};
  PageColumnOf<std::uint16_t> message_sender_{columns_, "message.from"};
  PageColumnOf<std::uint16_t> message_receiver_{columns_, "message.to"};
  PageColumnOf<std::uint16_t> message_destination_{columns_, "message.at"};
  PageColumnOf<std::uint32_t> message_bytes_{columns_, "message.bytes"};
  PageColumnOf<std::uint16_t> message_sync_number_{columns_, "message.number"};
  PageColumnOf<std::uint16_t> message_sequence_number_{columns_, "message.place"};
  PageColumnOf<std::uint32_t> message_method_or_kind_{columns_, "message.what"};
  PageColumnOf<std::uint16_t> message_object_count_{columns_, "message.objects"};
  PageColumnOf<std::uint16_t> summary_size_{columns_, "sentence.size"};
  PageColumnOf<std::uint8_t> summary_bytes_{columns_, "sentence.bytes"};
  IncreasingColumn delayed_message_{columns_, "waited.message"};
  PageColumnOf<double> delay_ms_{columns_, "waited.ms"};

  PageColumnOf<std::uint32_t> object_node_{columns_, "object.node"};
  PageColumnOf<std::uint32_t> object_name_{columns_, "object.name"};
  PageColumnOf<std::uint32_t> object_id_{columns_, "object.id"};
  PageColumnOf<std::uint32_t> object_bytes_{columns_, "object.bytes"};
  PageColumnOf<std::uint8_t> object_flags_{columns_, "object.flags"};
  PageColumnOf<std::uint16_t> object_value_count_{columns_, "object.values"};
  PageColumnOf<std::uint32_t> value_name_{columns_, "value.name"};
  PageColumnOf<std::uint8_t> value_type_{columns_, "value.type"};
  PageColumnOf<std::uint8_t> value_shape_{columns_, "value.shape"};
  PageColumnOf<std::uint32_t> value_text_{columns_, "value.text"};
  PageColumnOf<float> value_float32_{columns_, "value.f32"};
  PageColumnOf<double> value_float64_{columns_, "value.f64"};

  IncreasingColumn fact_frame_{columns_, "fact.frame"};
  PageColumnOf<std::uint8_t> fact_kind_{columns_, "fact.kind"};
  PageColumnOf<float> fact_value_{columns_, "fact.value"};
};

}  // namespace godot_plugin
