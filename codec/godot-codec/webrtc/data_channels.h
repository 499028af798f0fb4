// SPDX-License-Identifier: MIT
/// @file
/// The data channels of an SCTP association: how they were opened, and the payload types of fragmented messages.
///
/// Rules: RFC 8831 and 8832 (DCEP, the Data Channel Establishment Protocol), RFC 8260 (I-DATA). Godot's channels:
/// modules/webrtc/webrtc_multiplayer_peer.cpp, add_peer().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>
#include <tuple>

#include "godot-codec/core/bytes.h"
#include "godot-codec/core/memory_budget.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/core/sequence_tracker.h"
#include "godot-codec/webrtc/sctp.h"

namespace godot_codec {

/// A channel as the opening message of DCEP describes it.
struct DataChannel {
  explicit DataChannel(std::pmr::memory_resource *memory = std::pmr::get_default_resource())
      : label(memory), protocol(memory) {}

  std::pmr::string label;     ///< the name that the game has chosen
  std::pmr::string protocol;  ///< often empty
  bool is_ordered = true;
  bool is_reliable = true;  ///< false if the number of retransmissions or the lifetime is limited
  PacketPosition opened_at;
};

/// Reads a DATA_CHANNEL_OPEN message of DCEP.
/// @returns false if the message is another message, or incomplete
[[nodiscard]] bool read_channel_opening(Bytes message, DataChannel &channel);

/// Returns how a channel delivers messages, in Godot's terms: "Reliable", "Unreliable ordered", …
/// @param channel null if DCEP did not open the channel. The channels of WebRTCMultiplayerPeer are opened without DCEP;
/// the transfer modes of its first three streams are known
[[nodiscard]] std::string_view describe_delivery(const SctpDataChunk &data, const DataChannel *channel);

/// Returns the label of a channel of WebRTCMultiplayerPeer, which both sides open without a message. Empty for
/// additional channels of the game, because their label is their number.
[[nodiscard]] std::string_view multiplayer_channel_label(std::uint16_t stream);

/// The data channels of an association. Updated on the first pass, queried as of a position on each pass. Ignores data
/// that exceeds the MemoryBudget.
class DataChannelTracker {
 public:
  /// @param memory a resource that is charged to the budget
  DataChannelTracker(MemoryBudget &budget, std::pmr::memory_resource *memory)
      : budget_(&budget),
        payload_types_(memory),
        channels_(memory),
        transmission_trackers_{SequenceTracker<std::uint32_t>(memory), SequenceTracker<std::uint32_t>(memory)} {}

  /// An SCTP packet, and its position in the capture.
  struct CapturedPacket {
    Bytes bytes;
    unsigned direction;  ///< 0 or 1: the side that sends the packet
    PacketPosition position;
    std::int64_t time;
    std::size_t wire_size;  ///< size of the whole packet on the wire, in bytes
  };

  /// Updates the channels from a packet. Must be called in capture order.
  /// @returns true if an association begins with the packet
  bool update(const CapturedPacket &packet);

  /// Returns the payload type (SctpPayloadType) of a message. For a later fragment, returns the payload type of the
  /// first fragment; sctp_no_payload if the first fragment was not captured.
  [[nodiscard]] std::uint32_t payload_type_of(unsigned direction, const SctpDataChunk &data) const;

  /// Returns the newest channel that DCEP opened on a stream before or at a position; null if there is none.
  [[nodiscard]] const DataChannel *find(std::uint16_t stream, PacketPosition position) const;

  /// Tracks which transmissions are missing from the capture, by direction.
  [[nodiscard]] const std::array<SequenceTracker<std::uint32_t>, 2> &transmissions() const {
    return transmission_trackers_;
  }

 private:
  void update_from_data(const CapturedPacket &packet, const SctpDataChunk &data);

  // Direction, stream, message identifier, unordered flag.
  using MessageKey = std::tuple<unsigned, std::uint16_t, std::uint32_t, bool>;
  using ChannelKey = std::pair<std::uint16_t, PacketPosition>;

  MemoryBudget *budget_;
  MemoryBudget::Share share_;
  std::pmr::map<MessageKey, std::uint32_t> payload_types_;  // payload types of fragmented I-DATA messages
  std::pmr::map<ChannelKey, DataChannel> channels_;
  std::array<SequenceTracker<std::uint32_t>, 2> transmission_trackers_;
};

}  // namespace godot_codec
