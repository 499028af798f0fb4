// SPDX-License-Identifier: MIT
/// @file
/// Decides which protocol a conversation contains. Each transport has a fixed list of candidates. The conversation's
/// messages are evidence for and against the candidates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/detection/evidence.h"

namespace godot_codec {

/// Adds up the evidence for and against one candidate, in bits. Plain data: all zeros is the initial state.
struct EvidenceScore {
  static constexpr std::size_t max_kinds = 4;

  std::int16_t bits;
  bool is_decided;  ///< true after the score reached weights::decided_at, until it drops below weights::revoked_below
  /// True after a strong message. Later mismatches are then custom payload and do not revoke the decision:
  /// captures/own_bytes_tcp_godot4.6.pcapng.
  bool has_strong_message;
  /// True after a message with is_container. The second one then counts as strong: captures/enet_none_godot4.6.pcapng,
  /// cut to 120 bytes.
  bool has_container_message;
  std::uint8_t kind_count;
  std::uint32_t weak_kinds[max_kinds];  ///< kinds of the weak messages so far; at most max_kinds are stored

  /// Adds the evidence of the next message.
  /// @param prior bits that are known before the first message; they count for the decision, but are not added to the
  /// score
  /// @returns is_decided
  bool add(const Evidence &evidence, int prior = 0);

 private:
  bool is_repeated_kind(const Evidence &evidence);
};
static_assert(std::is_trivial_v<EvidenceScore>);

/// The scores of the candidates for one conversation, and the decision. Plain data: all zeros is the initial state.
/// @tparam count number of candidates
template <std::size_t count>
struct ProtocolDetection {
  bool was_offered;                      ///< true if a packet was offered
  bool is_decided;                       ///< false before the first decision, and after a decision was revoked
  std::uint8_t decided_candidate;        ///< the candidate of the latest decision
  std::uint8_t first_decided_candidate;  ///< the candidate of the first decision; others may follow on these ports
  PacketPosition first_offered;          ///< the first packet that was offered
  PacketPosition decided_since;          ///< the packet of the first decision; packet 0 if there was none
  PacketPosition revoked_at;             ///< the first packet after the latest revocation; packet 0 if there was none
  std::array<EvidenceScore, count> scores;

  /// Records that a packet was offered. Must be called once per packet, in capture order.
  void offer(PacketPosition position) {
    if (!was_offered) first_offered = position;
    was_offered = true;
  }

  /// Adds the evidence of a packet for a candidate.
  /// @returns true if the candidate is decided
  bool add(std::uint8_t candidate, const Evidence &evidence, PacketPosition position, int prior = 0) {
    const bool is_its = scores[candidate].add(evidence, prior);
    if (is_its && !is_decided_as(candidate)) decide(candidate, position);
    if (!is_its && is_decided_as(candidate)) revoke(position);
    return is_its;
  }

  /// Revokes the decision from a position on. Earlier packets keep their protocol, because a mismatch does not make
  /// earlier matches wrong.
  void revoke(PacketPosition position) {
    if (is_decided) revoked_at = position;
    is_decided = false;
  }

  /// Decides for a candidate from a position on, even if another candidate was decided.
  void decide(std::uint8_t candidate, PacketPosition position) {
    if (!was_decided()) {
      decided_since = position;
      first_decided_candidate = candidate;
    }
    is_decided = true;
    decided_candidate = candidate;
  }

  [[nodiscard]] bool was_decided() const { return decided_since.packet != 0; }
  [[nodiscard]] bool is_decided_as(std::uint8_t candidate) const {
    return is_decided && decided_candidate == candidate;
  }
  /// True if the decision applies to a packet. It does, unless it was revoked before the packet.
  [[nodiscard]] bool applies_at(PacketPosition position) const { return is_decided || position < revoked_at; }
};

/// True if the packet with this number in an undecided conversation is checked with the expensive methods:
/// decompression, and a search for embedded Variants. Numbers start at 1; true for 1, 2, 3, 4, 6, 8, 12, 16, …. Later
/// packets are checked, too, because other packets may precede a game: tests/data/damaged_pong.pcapng.
[[nodiscard]] constexpr bool is_checked_closely(std::uint32_t number) {
  constexpr std::uint32_t last = 4096;
  const auto is_power = [](std::uint32_t each) { return (each & (each - 1)) == 0; };
  return number <= last && (is_power(number) || (number % 3 == 0 && is_power(number / 3)));
}

}  // namespace godot_codec
