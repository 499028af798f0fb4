// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/webrtc/sctp_associations.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory_resource>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::DataChannelTracker;
using godot_codec::SctpDataChunk;
using godot_codec::SctpReader;

ConversationState<WebRtcAssociation> associations;

// The data channels of the capture, and their memory.
struct DataChannelStore {
  godot_codec::MemoryBudget budget;
  std::pmr::unsynchronized_pool_resource pool;
  godot_codec::MemoryBudget::ChargedMemory memory{budget, &pool};
  std::pmr::deque<godot_codec::DataChannelTracker> channels{
      &memory};  // a deque, so that pointers to elements stay valid
};

CaptureState<DataChannelStore> state;

// @param ports the ports that identify the association
AssociationEnds association_ends(packet_info *pinfo, const PacketPorts &ports) {
  AssociationEnds ends{nullptr, ports, nullptr, 0};
  const PacketPorts own = exchange_ports(pinfo, ports);
  ends.conversation = conversation_of(pinfo);
  ends.direction = direction_of(pinfo);
  exchange_ports(pinfo, own);
  ends.association = &associations.of(ends.conversation);
  if (ends.association->channels == nullptr)
    ends.association->channels = &state->channels.emplace_back(state->budget, &state->memory);
  return ends;
}

// Searches a data source for the SCTP packet with the ports of @p pinfo. Its chunks and its checksum must be valid.
// @returns null if there is none
tvbuff_t *find_sctp_packet_in(tvbuff_t *source, const packet_info *pinfo) {
  constexpr std::size_t farthest = 256;  // maximum offset of the packet, which leaves space for the headers of a tunnel
  const Bytes bytes = bytes_of(source);
  for (std::size_t offset = 0; offset < std::min(farthest, bytes.captured); ++offset) {
    const Bytes packet = bytes.slice({offset, bytes.reported - offset});
    const auto header = godot_codec::read_sctp_header(packet);
    if (!header) break;
    if (header->source_port != pinfo->srcport || header->destination_port != pinfo->destport) continue;
    SctpReader reader(packet);
    const bool has_data = reader.next().has_value();
    if (!reader.ok() || !has_data || header->checksum != godot_codec::sctp_checksum(packet)) continue;
    return tvb_new_subset_remaining(source, static_cast<int>(offset));
  }
  return nullptr;
}

// Searches the frame and its decrypted data for the SCTP packet.
tvbuff_t *find_sctp_packet(const packet_info *pinfo) {
  for (const GSList *each = pinfo->data_src; each != nullptr; each = each->next) {
    tvbuff_t *source = get_data_source_tvb(static_cast<const data_source *>(each->data));
    if (tvbuff_t *packet = find_sctp_packet_in(source, pinfo); packet != nullptr) return packet;
  }
  return nullptr;
}

void update_association(const SctpPacket &packet, packet_info *pinfo) {
  if (packet.tvb == nullptr || !may_update_state(pinfo)) return;
  const Bytes bytes = bytes_of(packet.tvb);
  const auto header = godot_codec::read_sctp_header(bytes);
  if (!header) return;
  WebRtcAssociation &association = *packet.ends.association;
  association.verification_tags[packet.ends.direction] = header->verification_tag;
  const bool is_begun = association.channels->update(
      {bytes, packet.ends.direction, {pinfo->num, 0}, capture_time_of(pinfo), pinfo->fd->pkt_len});
  association.is_from_start = association.is_from_start || is_begun;
}

bool is_prefix_or_suffix(Bytes message, Bytes part, bool is_at_end) {
  if (part.captured == 0 || part.captured > message.captured) return false;
  const std::uint8_t *where = message.data + (is_at_end ? message.captured - part.captured : 0);
  return std::memcmp(where, part.data, part.captured) == 0;
}

// Finds the fragment that completed a message. Compares the first and the last fragment of a message with the message's
// bytes. If none matches, returns a fragment from the middle, which cannot be compared.
std::optional<SctpDataChunk> find_fragment(Bytes packet, Bytes message) {
  std::optional<SctpDataChunk> within;
  SctpReader reader(packet);
  while (const auto data = reader.next()) {
    if (data->is_whole_message()) continue;
    const Bytes part = packet.slice(data->data);
    const bool is_end = data->is_first || data->is_last;
    if (is_end && is_prefix_or_suffix(message, part, data->is_last)) return data;
    if (!is_end) within = data;
  }
  return within;
}

}  // namespace

SctpPacket &begin_sctp_packet(tvbuff_t *tvb, packet_info *pinfo) {
  SctpPacket &packet = packet_data<SctpPacket>(pinfo);
  packet = {association_ends(pinfo, ports_of(pinfo)), tvb};
  update_association(packet, pinfo);
  return packet;
}

SctpPacket &sctp_packet_of(packet_info *pinfo) {
  SctpPacket &packet = packet_data<SctpPacket>(pinfo);
  if (packet.ends.association == nullptr) {
    // If the frame contains UDP, UDP's ports identify the association.
    packet = {association_ends(pinfo, find_udp_ports(pinfo).value_or(ports_of(pinfo))), find_sctp_packet(pinfo)};
    update_association(packet, pinfo);
  }
  return packet;
}

bool is_sctp_packet_begun(packet_info *pinfo) {
  return pinfo->ptype == PT_SCTP || find_packet_data<SctpPacket>(pinfo) != nullptr;
}

void update_from_sctp_packet(packet_info *pinfo) {
  if (may_update_state(pinfo)) static_cast<void>(sctp_packet_of(pinfo));
}

std::optional<SctpDataChunk> find_sctp_data(const SctpPacket &packet, tvbuff_t *message) {
  tvbuff_t *source = tvb_get_ds_tvb(message);
  if (source != message) {
    const auto offset = static_cast<std::size_t>(tvb_raw_offset(message));
    return godot_codec::read_sctp_data_before(bytes_of(source), {offset, tvb_reported_length(message)});
  }
  if (packet.tvb == nullptr) return std::nullopt;
  return find_fragment(bytes_of(packet.tvb), bytes_of(message));
}

bool is_webrtc_packet(tvbuff_t *tvb, packet_info *pinfo) {
  const Bytes bytes = bytes_of(tvb);
  if (godot_codec::is_webrtc_sctp(bytes)) return true;
  // Ends may agree on a checksum of zero (RFC 9653). Then only the verification tag identifies the association.
  const auto header = godot_codec::read_sctp_header(bytes);
  if (!header || header->checksum != 0 || header->verification_tag == 0) return false;
  const WebRtcAssociation *known = associations.find(existing_conversation_of(pinfo));
  return known != nullptr && header->verification_tag == known->verification_tags[direction_of(pinfo)];
}

}  // namespace godot_plugin
