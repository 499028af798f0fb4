// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/page/match_collector.h"

#include <algorithm>
#include <limits>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/variant/variant_types.h"
#include "plugin/enet/rules.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_info.h"
#include "plugin/godot/releases.h"
#include "plugin/statistics/stat_table.h"
#include "plugin/websocket/websocket_connections.h"

namespace godot_plugin {
namespace {

constexpr std::size_t max_rows = 100'000;
constexpr std::size_t max_connections = 10'000;
constexpr double nanoseconds_per_millisecond = 1e6;

// Bits of the columns with flags and shapes; page/model.js has the same values.
enum MessageFlag : std::uint8_t { is_split_flag = 1, has_relayed_copy_flag = 2, has_sync_number_flag = 4 };
enum CountFlag : std::uint8_t { is_nested_flag = 1, is_split_count_flag = 2 };
enum ObjectFlag : std::uint8_t { is_late_flag = 1, is_order_known_flag = 2, has_previous_sync_flag = 4 };
constexpr std::uint8_t in_singles_shape = 0x20;  // the numbers are in the column of 32-bit floats
constexpr std::uint8_t is_single_shape = 0x40;   // the numbers were sent as 32-bit floats

template <typename Number>
Number clamp_to(std::size_t number) {
  return static_cast<Number>(std::min<std::size_t>(number, std::numeric_limits<Number>::max()));
}

bool fit_float32(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double number) {
    return static_cast<double>(static_cast<float>(number)) == number || number != number;
  });
}

}  // namespace

void MatchCollector::add(packet_info *pinfo, const FrameRecord &record) {
  if (!has_begun_) {
    has_begun_ = true;
    start_time_ = capture_time_of(pinfo) -
                  godot_codec::to_nanoseconds(static_cast<std::int64_t>(pinfo->rel_ts.secs), pinfo->rel_ts.nsecs);
    is_one_pass_ = PINFO_FD_VISITED(pinfo) == 0;
  }
  last_frame_ = pinfo->num;
  source_endpoint_ = cached_endpoint(pinfo->src, pinfo->srcport);
  destination_endpoint_ = cached_endpoint(pinfo->dst, pinfo->destport);
  add_frame(pinfo, record);
  add_counts(record);
  const std::uint16_t at = find_or_add_peer({nullptr, at_destination});
  for (const MatchMessage *message = record.first_message; message != nullptr; message = message->next) {
    add_message(*message, at);
  }
  add_facts(record);
  add_connections(pinfo, record);
  count_transport(pinfo, record);
}

// Caches the texts of endpoints, because a look-up takes less time than formatting an address with epan.
const std::string &MatchCollector::cached_endpoint(const address &host, std::uint32_t port) {
  endpoint_search_key_.assign(static_cast<const char *>(host.data), static_cast<std::size_t>(host.len));
  endpoint_search_key_.append(reinterpret_cast<const char *>(&port), sizeof port);
  if (endpoint_texts_.size() > max_connections) endpoint_texts_.clear();
  const auto [position, is_new] = endpoint_texts_.try_emplace(endpoint_search_key_);
  if (is_new) position->second = endpoint_text(host, port);
  return position->second;
}

std::uint16_t MatchCollector::find_or_add_peer(MatchPeer peer) {
  if (peer.endpoint == at_source) peer.endpoint = source_endpoint_.c_str();
  if (peer.endpoint == at_destination) peer.endpoint = destination_endpoint_.c_str();
  return peers_.find_or_add(peer, frame_index());
}

void MatchCollector::add_frame(packet_info *pinfo, FrameRecord record) {
  frame_number_.add(pinfo->num);
  const std::uint16_t from = find_or_add_peer({nullptr, at_source});
  // For a time before the first frame, epan's nanoseconds are negative. The page needs positive nanoseconds, so round
  // the seconds down.
  const bool is_before = pinfo->rel_ts.nsecs < 0;
  frame_seconds_.add(static_cast<std::int32_t>(pinfo->rel_ts.secs) - (is_before ? 1 : 0));
  frame_nanoseconds_.add(static_cast<std::uint32_t>(pinfo->rel_ts.nsecs + (is_before ? 1'000'000'000 : 0)));
  frame_size_.add(pinfo->fd->pkt_len);
  frame_uncompressed_size_.add(clamp_to<std::uint32_t>(record.uncompressed_size));
  frame_sender_.add(from);
  frame_receiver_.add(find_or_add_peer({nullptr, at_destination}));
  // In the second of two passes, the releases are final from the first packet on. In a single pass, update them every
  // few packets.
  constexpr std::uint32_t release_interval = 256;
  if (peers_.entries()[from].release.empty() || frame_index() % release_interval == 0) {
    if (const char *release = describe_sender_release(pinfo); release != nullptr) peers_.set_release(from, release);
  }
  std::uint8_t costs = 0;
  if (is_counted_in_overhead(record)) {
    add_lower_layer_bytes(record, pinfo);
    for (std::size_t i = 0; i < byte_category_count; ++i) {
      if (record.bytes_by_category[i] == 0) continue;
      ++costs;
      category_index_.add(static_cast<std::uint8_t>(i));
      category_bytes_.add(static_cast<std::int32_t>(record.bytes_by_category[i]));
    }
  }
  frame_category_count_.add(costs);
}

void MatchCollector::add_counts(const FrameRecord &record) {
  // In the order of tableOf in page/model.js.
  static const StatTable *const tables[] = {StatTable::find("godot_mp,calls"), StatTable::find("godot_mp,objects"),
                                            StatTable::find("godot_mp,peers"), StatTable::find("godot,variants"),
                                            StatTable::find("godot_debug,messages")};
  std::uint8_t number = 0;
  for (const StatTable *table : tables) add_table_counts(number++, table, record.counted_items);
}

void MatchCollector::add_table_counts(std::uint8_t number, const StatTable *table, const CountedItem *list) {
  for (; list != nullptr; list = list->next) {
    if (list->table != table) continue;
    count_frame_.add(frame_index());
    count_row_.add(find_or_add_row(number, list->name));
    count_bytes_.add(list->bytes);
    count_instance_.add(texts_.add(list->name.instance));
    count_flags_.add(
        static_cast<std::uint8_t>((list->is_nested ? is_nested_flag : 0) | (list->is_split ? is_split_count_flag : 0)));
  }
}

std::uint32_t MatchCollector::find_or_add_row(std::uint8_t table, const CountedName &name) {
  const auto set_key = [&](const char *first, const char *second) {
    row_search_key_.assign(1, static_cast<char>('0' + table)).append(first).append("\n").append(second);
  };
  const char *second = name.second_name == nullptr ? "" : name.second_name;
  set_key(name.key, second);
  const auto known = row_indexes_.find(row_search_key_);
  if (known != row_indexes_.end()) return known->second;
  const bool is_over_limit = row_indexes_.size() >= max_rows;
  const char *key = is_over_limit ? "(all others)" : name.key;
  if (is_over_limit) set_key(key, second = "");
  const auto [position, is_new] = row_indexes_.try_emplace(row_search_key_, row_table_.count());
  if (!is_new) return position->second;
  row_table_.add(table);
  row_key_.add(texts_.add(key));
  row_name_.add(texts_.add(is_over_limit || name.shown_name == nullptr ? key : name.shown_name));
  row_second_name_.add(texts_.add(second));
  return position->second;
}

std::uint8_t MatchCollector::find_or_add_kind(const char *kind) {
  const auto known = std::ranges::find(message_kinds_, kind);
  const auto number = static_cast<std::uint8_t>(known - message_kinds_.begin());
  if (known == message_kinds_.end()) message_kinds_.emplace_back(kind);
  return number;
}

// Adds the items of a list, as many as a 16-bit column can count.
// @returns the number of added items
template <typename Item>
std::uint16_t MatchCollector::add_each(const Item *item, void (MatchCollector::*add)(const Item &)) {
  std::uint16_t count = 0;
  for (; item != nullptr; item = item->next) {
    if (count == std::numeric_limits<std::uint16_t>::max()) {
      ++over_limit_count_;
    } else {
      (this->*add)(*item);
      ++count;
    }
  }
  return count;
}

void MatchCollector::add_message(const MatchMessage &message, std::uint16_t at) {
  const std::uint32_t number = message_frame_.count();
  message_frame_.add(frame_index());
  message_kind_.add(find_or_add_kind(message.kind));
  message_flags_.add(static_cast<std::uint8_t>((message.is_split ? is_split_flag : 0) |
                                               (message.has_relayed_copy ? has_relayed_copy_flag : 0) |
                                               (message.has_sync_number ? has_sync_number_flag : 0)));
  message_sender_.add(find_or_add_peer(message.from));
  const std::uint16_t to = find_or_add_peer(message.to);
  message_receiver_.add(to);
  message_destination_.add(message.to.endpoint != nullptr ? to : at);
  message_bytes_.add(message.bytes);
  message_sync_number_.add(message.sync_number);
  message_sequence_number_.add(message.sequence_number);
  message_method_or_kind_.add(texts_.add(message.method_or_kind));
  std::string summary = message.summary == nullptr ? "" : message.summary;
  if (message.delivery != nullptr) summary.append(" [").append(message.delivery).append("]");
  summary_size_.add(clamp_to<std::uint16_t>(summary.size()));
  summary.resize(std::min<std::size_t>(summary.size(), std::numeric_limits<std::uint16_t>::max()));
  summary_bytes_.add(std::as_bytes(std::span(summary)));
  if (message.head_of_line_delay > 0) {
    delayed_message_.add(number);
    delay_ms_.add(static_cast<double>(message.head_of_line_delay) / nanoseconds_per_millisecond);
  }
  message_object_count_.add(add_each(message.first_object, &MatchCollector::add_object));
}

void MatchCollector::add_object(const MatchObject &object) {
  object_node_.add(texts_.add(object.node));
  object_bytes_.add(object.bytes);
  object_name_.add(texts_.add(object.name));
  object_id_.add(object.id);
  object_flags_.add(static_cast<std::uint8_t>((object.is_late ? is_late_flag : 0) |
                                              (object.is_order_known ? is_order_known_flag : 0) |
                                              (object.has_previous_sync ? has_previous_sync_flag : 0)));
  object_value_count_.add(add_each(object.first_value, &MatchCollector::add_value));
}

void MatchCollector::add_value(const MatchValue &value) {
  value_name_.add(texts_.add(value.name));
  value_type_.add(static_cast<std::uint8_t>(value.type));
  const bool is_in_singles = fit_float32(value.numbers);
  value_shape_.add(static_cast<std::uint8_t>(value.numbers.size() | (is_in_singles ? in_singles_shape : 0U) |
                                             (value.is_float32 ? is_single_shape : 0U)));
  if (value.numbers.empty()) value_text_.add(texts_.add(value.text));
  for (const double number : value.numbers) {
    if (is_in_singles) {
      value_float32_.add(static_cast<float>(number));
    } else {
      value_float64_.add(number);
    }
  }
}

void MatchCollector::add_facts(const FrameRecord &record) {
  for (const MatchFact *fact = record.facts; fact != nullptr; fact = fact->next) {
    const bool is_time = fact->kind == MatchFactKind::round_trip || fact->kind == MatchFactKind::stall;
    const auto value = static_cast<double>(fact->value);
    fact_frame_.add(frame_index());
    fact_kind_.add(static_cast<std::uint8_t>(fact->kind));
    fact_value_.add(static_cast<float>(is_time ? value / nanoseconds_per_millisecond : value));
  }
}

void MatchCollector::add_connections(packet_info *pinfo, const FrameRecord &record) {
  const auto begin = [&](const void *key, bool is_to_server) -> PageConnection * {
    const auto known = connection_indexes_.find(key);
    if (known != connection_indexes_.end()) return &connections_[known->second];
    if (connections_.size() >= max_connections) {
      ++over_limit_count_;
      return nullptr;
    }
    const std::uint16_t source = find_or_add_peer({nullptr, at_source});
    const std::uint16_t destination = find_or_add_peer({nullptr, at_destination});
    PageConnection connection;
    connection.client_peer = is_to_server ? source : destination;
    connection.server_peer = is_to_server ? destination : source;
    connection.begin_time = capture_time_of(pinfo);
    connection_indexes_.emplace(key, connections_.size());
    return &connections_.emplace_back(connection);
  };
  for (const CountedConnection *seen = record.connections; seen != nullptr; seen = seen->next) {
    PageConnection *connection = begin(seen->connection, is_to_server(pinfo, *seen->connection));
    if (connection == nullptr) continue;
    connection->last_time = capture_time_of(pinfo);
    const godot_codec::EnetConnectionFacts &facts = seen->connection->facts;
    if (facts.is_connect_answered) connection->established_time = facts.verify_connect_time;
    if (facts.last_datagram.packet != pinfo->num && connection->end_text.empty() && !is_one_pass_) continue;
    connection->end_text = describe_connection_end(pinfo, *seen->connection);
    if (facts.end.kind != godot_codec::EnetConnectionEndKind::open) connection->end_time = facts.end.time;
  }
  if (record.web_socket == nullptr) return;
  const WebSocketConnection &socket = *record.web_socket;
  PageConnection *connection = begin(&socket, direction_of(pinfo) == socket.client_direction);
  if (connection == nullptr) return;
  connection->last_time = capture_time_of(pinfo);
  if (connection->established_time == 0 && socket.answer_frame != 0 && pinfo->num >= socket.answer_frame)
    connection->established_time = connection->last_time;
  if (socket.last_frame != pinfo->num && !is_one_pass_) return;
  connection->end_text = describe_web_socket(pinfo, socket);
  if (socket.sides[0].tcp_end_frame != 0 || socket.sides[1].tcp_end_frame != 0)
    connection->end_time = connection->last_time;
}

void MatchCollector::count_transport(const packet_info *pinfo, const FrameRecord &record) {
  const char *transport = pinfo->ptype == PT_UDP ? "UDP" : pinfo->ptype == PT_TCP ? "TCP" : "SCTP (WebRTC)";
  // A segment may lack a complete TLS record, so a missing "tls" layer does not prove a plain WebSocket.
  const bool is_tls =
      record.web_socket != nullptr ? record.web_socket->is_tls : pinfo->ptype == PT_TCP && has_layer(pinfo, "tls");
  const char *secured = is_tls ? ", TLS" : pinfo->ptype != PT_TCP && has_layer(pinfo, "dtls") ? ", DTLS" : "";
  const char *above = record.connections != nullptr ? ", ENet" : record.web_socket != nullptr ? ", WebSocket" : "";
  ++transport_frame_counts_[{transport, secured, above}];
}

std::string MatchCollector::connections_json() const {
  const auto since_start = [&](std::int64_t time) { return time == 0 ? "null" : std::to_string(time - start_time_); };
  return json_array(connections_, [&](const PageConnection &connection) {
    return json_object({{"client", std::to_string(connection.client_peer)},
                        {"server", std::to_string(connection.server_peer)},
                        {"began", since_start(connection.begin_time)},
                        {"ready", since_start(connection.established_time)},
                        {"last", since_start(connection.last_time)},
                        {"ended", since_start(connection.end_time)},
                        {"end", json_string(connection.end_text)}});
  });
}

std::string MatchCollector::peers_json() const {
  return json_array(peers_.entries(), [](const PagePeer &peer) {
    return json_object({{"id", json_string(peer.id)},
                        {"endpoint", json_string(peer.endpoint)},
                        {"release", json_string(peer.release)},
                        {"first", std::to_string(peer.first_frame)},
                        {"last", std::to_string(peer.last_frame)}});
  });
}

// Returns, for each message kind, the category of the multiplayer command; null for other kinds.
std::string MatchCollector::categories_json() const {
  return json_array(message_kinds_, [](std::string_view kind) -> std::string {
    const auto command = std::ranges::find(godot_codec::mp_command_infos, kind, &godot_codec::MpCommandInfo::name);
    if (command == std::end(godot_codec::mp_command_infos)) return "null";
    return std::to_string(static_cast<int>(command->category));
  });
}

JsonMembers MatchCollector::head() const {
  std::vector<std::string_view> types;
  for (std::size_t i = 0; i < godot_codec::type_count; ++i) {
    types.push_back(godot_codec::type_name(godot_codec::Dialect::godot4, static_cast<godot_codec::Type>(i)));
  }
  const std::string transports = json_array(transport_frame_counts_, [](const auto &entry) {
    const auto &[transport, count] = entry;
    const std::string name = std::string(transport[0]).append(transport[1]).append(transport[2]);
    return "[" + json_string(name) + "," + std::to_string(count) + "]";
  });
  return {{"start", std::to_string(start_time_)},
          {"onePass", is_one_pass_ ? "true" : "false"},
          {"leftOut", std::to_string(over_limit_count_)},
          {"kinds", json_array(message_kinds_, json_string)},
          {"categories", categories_json()},
          {"types", json_array(types, json_string)},
          {"costs", json_array(byte_category_names, json_string)},
          {"carriers", transports},
          {"peers", peers_json()},
          {"connections", connections_json()}};
}

}  // namespace godot_plugin
