// SPDX-License-Identifier: MIT
/// @file
/// Data channels of an association of SCTP: what they were opened as, and what the fragments of a message carry.
///
/// Rules: RFC 8831 and 8832 (DCEP, the Data Channel Establishment Protocol), RFC 8260 (I-DATA); which channel is which
/// of Godot's: modules/webrtc/webrtc_multiplayer_peer.cpp, add_peer().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>
#include <tuple>

#include "godot-codec/core/budget.h"
#include "godot-codec/core/bytes.h"
#include "godot-codec/core/missing_numbers.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/webrtc/sctp.h"

namespace godot_codec {

/// A channel as DCEP opens it.
struct DataChannel {
  explicit DataChannel(std::pmr::memory_resource *memory = std::pmr::get_default_resource())
      : label(memory), protocol(memory) {}

  std::pmr::string label;     ///< the name that a game gave it
  std::pmr::string protocol;  ///< often empty
  bool is_ordered = true;
  bool is_reliable = true;  ///< else it is sent again a limited number of times, or for a limited time
  PacketPosition opened;
};

/// Reads DCEP's DATA_CHANNEL_OPEN. @returns whether it is one, whole
[[nodiscard]] bool read_channel_opening(Bytes message, DataChannel &channel);

/// How a channel delivers, in Godot's terms: "Reliable", "Unreliable ordered", …
/// @param channel as it was opened; null: not by DCEP, as WebRTCMultiplayerPeer's, whose first three streams are known
[[nodiscard]] std::string_view delivery_of(const SctpData &data, const DataChannel *channel);

/// The label of a channel that WebRTCMultiplayerPeer agrees on beforehand, so that no packet tells it; empty for those
/// that the game has asked for, whose label is their number.
[[nodiscard]] std::string_view multiplayer_label(std::uint16_t stream);

/// Learned on the first pass, asked on each. Stays within a Budget; what does not is as if it had not been sent.
class DataChannels {
 public:
  /// @param memory counted by the budget
  DataChannels(Budget &budget, std::pmr::memory_resource *memory)
      : budget_(&budget),
        payloads_(memory),
        channels_(memory),
        missing_{MissingNumbers(memory), MissingNumbers(memory)} {}

  /// A packet of SCTP, and where it stands in the capture.
  struct Packet {
    Bytes bytes;
    unsigned direction;  ///< 0 or 1: which end sends
    PacketPosition moment;
    std::int64_t time;
    std::size_t wire_size;  ///< bytes of the whole packet, as it was on the wire
  };

  /// Takes a packet in the order of the capture. @returns whether an association begins
  bool learn(const Packet &packet);

  /// SctpPayload of a message: a later fragment's is that of the first; sctp_no_payload where that was not seen.
  [[nodiscard]] std::uint32_t payload_of(unsigned direction, const SctpData &data) const;

  /// A stream's channel as it was opened last by a moment; null where it was not, or not by DCEP.
  [[nodiscard]] const DataChannel *find(std::uint16_t stream, PacketPosition moment) const;

  /// Tells what the capture lacks of what the ends have sent, by direction.
  [[nodiscard]] const std::array<MissingNumbers, 2> &missing() const { return missing_; }

 private:
  void learn_data(const Packet &packet, const SctpData &data);

  using MessageKey = std::tuple<unsigned, std::uint16_t, std::uint32_t, bool>;  // direction, stream, message, unordered
  using ChannelKey = std::pair<std::uint16_t, PacketPosition>;

  Budget *budget_;
  Budget::Account account_;
  std::pmr::map<MessageKey, std::uint32_t> payloads_;  // payload types of I-DATA messages in fragments
  std::pmr::map<ChannelKey, DataChannel> channels_;
  std::array<MissingNumbers, 2> missing_;
};

}  // namespace godot_codec
