// SPDX-License-Identifier: MIT
/// @file
/// Adds up what the messages of a conversation say for one candidate, in bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "godot-codec/detection/evidence.h"

namespace godot_codec {

/// Sums up what all messages say for and against a candidate. Plain data: all zeros is the initial state.
struct EvidenceScore {
  /// So many kinds are told apart.
  static constexpr std::size_t max_kinds = 4;

  std::int16_t bits;
  bool is_settled;  ///< above one bound, and not below the other one since
  /// Then misfits are bytes of the game's own, and leave it settled: captures/own_bytes_tcp_godot4.6.pcapng.
  bool has_strong;
  bool has_misfit;
  /// The next one is as good as a strong message, whatever else came: captures/enet_none_godot4.6.pcapng, cut to 120
  /// bytes.
  bool has_container;
  std::uint8_t kind_count;
  std::uint32_t kinds[max_kinds];  ///< that weak messages had; further ones are not remembered

  /// Takes the next message.
  /// @param prior bits that are known beforehand; not added to the sum
  /// @returns is_settled
  bool add(const Evidence &evidence, int prior = 0);

 private:
  bool is_again(const Evidence &evidence);
};

}  // namespace godot_codec
