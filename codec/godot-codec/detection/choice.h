// SPDX-License-Identifier: MIT
/// @file
/// Chooses the protocol of a conversation: candidates in a fixed order, each with what the packets have said for it,
/// and since when it is settled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/evidence_score.h"

namespace godot_codec {

/// The candidates' state for one conversation of a carrier. Plain data: zeros are the beginning.
/// @tparam count how many candidates the carrier has
template <std::size_t count>
struct Choice {
  bool was_asked;           ///< any packet has been offered
  bool is_settled;          ///< the owner is known
  std::uint8_t settled;     ///< on which candidate
  std::uint8_t recognised;  ///< on which one first: another may have taken over
  PacketPosition first;     ///< the first packet that was offered
  PacketPosition since;     ///< the packet by which it was recognised first; packet 0: it never was
  PacketPosition until;     ///< the first packet after the recognition was taken back; packet 0: it never was
  std::array<EvidenceScore, count> said;

  /// A packet is offered. To be called once for each, in the order of the capture.
  void begin(PacketPosition moment) {
    if (!was_asked) first = moment;
    was_asked = true;
  }

  /// Takes what a packet says for a candidate. @returns whether the conversation is that candidate's
  bool add(std::uint8_t candidate, const Evidence &evidence, PacketPosition moment, int prior = 0) {
    const bool is_its = said[candidate].add(evidence, prior);
    if (is_its && !is_of(candidate)) settle(candidate, moment);
    if (!is_its && is_of(candidate)) take_back(moment);
    return is_its;
  }

  /// Takes the owner away from a moment on. Earlier packets keep it: a contradiction does not make wrong what fitted
  /// before.
  void take_back(PacketPosition moment) {
    if (is_settled) until = moment;
    is_settled = false;
  }

  /// From a moment on the conversation is a candidate's, whatever it was before.
  void settle(std::uint8_t candidate, PacketPosition moment) {
    if (since.packet == 0) {
      since = moment;
      recognised = candidate;
    }
    is_settled = true;
    settled = candidate;
  }

  [[nodiscard]] bool is_of(std::uint8_t candidate) const { return is_settled && settled == candidate; }
  /// True if a packet belongs to the settled candidate. If the recognition was taken back, packets before that still
  /// do.
  [[nodiscard]] bool holds_at(PacketPosition moment) const { return is_settled || moment < until; }
};
static_assert(std::is_trivial_v<EvidenceScore>);

}  // namespace godot_codec
