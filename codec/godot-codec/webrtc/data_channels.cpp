// SPDX-License-Identifier: MIT
#include "godot-codec/webrtc/data_channels.h"

#include <iterator>

namespace godot_codec {
namespace {

// The SCTP streams of the first channels of WebRTCMultiplayerPeer. The third is unreliable.
enum MultiplayerStream : std::uint16_t { reliable = 1, ordered = 2 };

constexpr std::uint8_t channel_open = 3;
// Bit of the channel type: messages may arrive in any order.
constexpr std::uint8_t unordered_bit = 0x80;
constexpr std::uint8_t reliability_mask = 0x7f;

}  // namespace

bool read_channel_opening(Bytes message, DataChannel &channel) {
  Cursor cursor(message);
  const auto kind = cursor.read_be<std::uint8_t>();
  const auto type = cursor.read_be<std::uint8_t>();
  cursor.read_be<std::uint16_t>();  // priority
  cursor.read_be<std::uint32_t>();  // reliability parameter: number of retransmissions, or lifetime
  const std::size_t label_length = cursor.read_be<std::uint16_t>();
  const std::size_t protocol_length = cursor.read_be<std::uint16_t>();
  if (!cursor.ok() || kind != channel_open) return false;
  channel.label = take_text(cursor, label_length);
  channel.protocol = take_text(cursor, protocol_length);
  channel.is_ordered = (type & unordered_bit) == 0;
  channel.is_reliable = (type & reliability_mask) == 0;
  return cursor.ok();
}

std::string_view multiplayer_channel_label(std::uint16_t stream) {
  constexpr std::string_view labels[] = {"", "reliable", "ordered", "unreliable"};
  return stream < std::size(labels) ? labels[stream] : "";
}

std::string_view describe_delivery(const SctpDataChunk &data, const DataChannel *channel) {
  if (channel != nullptr) {
    if (channel->is_reliable) return channel->is_ordered ? "Reliable" : "Reliable unordered";
    return channel->is_ordered ? "Unreliable ordered" : "Unreliable";
  }
  if (data.stream == reliable && !data.is_unordered) return "Reliable";
  if (data.stream == ordered && !data.is_unordered) return "Unreliable ordered";
  // Godot's multiplayer opens a channel for each transfer mode. Only the channel for unreliable messages is unordered.
  if (data.is_unordered) return "Unreliable";
  return "Ordered";
}

bool DataChannelTracker::update(const CapturedPacket &packet) {
  const MemoryBudget::ChargeScope charge(*budget_, share_, packet.position, packet.wire_size);
  SctpReader reader(packet.bytes);
  while (const auto data = reader.next()) {
    if (budget_->has_capacity()) update_from_data(packet, *data);
  }
  const SctpControlTsns &numbers = reader.control_tsns();
  SequenceTracker<std::uint32_t> &own = transmission_trackers_[packet.direction];
  if (numbers.first_tsn) own.start_at(*numbers.first_tsn, packet.time);
  if (numbers.acknowledged_tsn && budget_->has_capacity()) {
    transmission_trackers_[1 - packet.direction].acknowledge(*numbers.acknowledged_tsn, packet.position);
  }
  if (numbers.given_up_tsn && budget_->has_capacity()) own.mark_given_up(*numbers.given_up_tsn);
  return reader.has_init();
}

void DataChannelTracker::update_from_data(const CapturedPacket &packet, const SctpDataChunk &data) {
  transmission_trackers_[packet.direction].add(data.tsn, 1, packet.position, packet.time);
  if (!data.is_first) return;
  if (data.is_interleaved && !data.is_last) {
    payload_types_.insert_or_assign({packet.direction, data.stream, data.message_id, data.is_unordered},
                                    data.payload_type);
  }
  if (!data.is_whole_message() || data.payload_type != sctp_channel) return;
  DataChannel channel(channels_.get_allocator().resource());
  if (!read_channel_opening(packet.bytes.slice(data.data), channel)) return;
  channel.opened_at = packet.position;
  channels_.insert_or_assign({data.stream, packet.position}, std::move(channel));
}

std::uint32_t DataChannelTracker::payload_type_of(unsigned direction, const SctpDataChunk &data) const {
  if (data.is_first || data.payload_type != sctp_no_payload) return data.payload_type;
  const auto found = payload_types_.find({direction, data.stream, data.message_id, data.is_unordered});
  return found == payload_types_.end() ? std::uint32_t{sctp_no_payload} : found->second;
}

const DataChannel *DataChannelTracker::find(std::uint16_t stream, PacketPosition position) const {
  auto later = channels_.upper_bound({stream, position});
  if (later == channels_.begin()) return nullptr;
  --later;
  return later->first.first == stream ? &later->second : nullptr;
}

}  // namespace godot_codec
