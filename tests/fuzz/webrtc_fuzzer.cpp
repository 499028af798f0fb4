// SPDX-License-Identifier: MIT
// Feeds hostile SCTP packets. Aborts if a chunk lies outside of its packet, or a channel's label outside of the message
// that opens it.
#include <cstddef>
#include <cstdint>

#include "godot-codec/encryption/encrypted_flow.h"
#include "godot-codec/webrtc/data_channels.h"
#include "godot-codec/webrtc/ice.h"
#include "require.h"

namespace {

using godot_codec::Bytes;
using godot_codec::DataChannel;
using godot_codec::DataChannelTracker;
using godot_codec::SctpDataChunk;
using godot_codec::SctpReader;

void read_packet(Bytes packet, DataChannelTracker &channels, std::uint32_t frame) {
  channels.update({packet, frame & 1, {frame, 0}, frame, packet.reported});
  SctpReader reader(packet);
  std::size_t end = 0;
  while (const auto data = reader.next()) {
    require(data->range.offset >= end && data->range.end() <= packet.reported);
    require(data->data.offset > data->range.offset && data->data.end() == data->range.end());
    end = data->range.end();
    const auto around = godot_codec::read_sctp_data_before(packet, data->data);
    require(!around || around->data.end() == data->data.end());
    const DataChannel *channel = channels.find(data->stream, {frame, 0});
    require(channel == nullptr || channel->label.size() + channel->protocol.size() <= packet.captured);
    require(!godot_codec::describe_delivery(*data, channel).empty());
    if (data->is_first) require(channels.payload_type_of(frame & 1, *data) == data->payload_type);
  }
  if (godot_codec::is_webrtc_sctp(packet)) require(reader.ok() && packet.captured == packet.reported);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr std::size_t cut = 7;
  godot_codec::MemoryBudget budget;
  godot_codec::MemoryBudget::ChargedMemory memory(budget, std::pmr::get_default_resource());
  DataChannelTracker channels(budget, &memory);
  read_packet({data, size}, channels, 1);
  read_packet({data, size, size + cut}, channels, 2);
  DataChannel channel;
  static_cast<void>(godot_codec::read_channel_opening({data, size}, channel));
  godot_codec::EncryptedFlow flow{};
  flow.kind = godot_codec::EncryptedKind::webrtc;
  for (const Bytes bytes : {Bytes(data, size), Bytes(data, size, size + cut)}) {
    const godot_codec::IceCheck check = godot_codec::read_ice_check(bytes);
    require(check.sender_fragment.size() + check.receiver_fragment.size() <= size);
    flow.add(godot_codec::read_dtls_first_record(bytes, true), 1, 0);
    flow.add_data_packet(2, 0, false, (size & 1) != 0);
    static_cast<void>(godot_codec::is_turn_allocation(bytes));
  }
  return 0;
}
