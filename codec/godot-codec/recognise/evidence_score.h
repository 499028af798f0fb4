// SPDX-License-Identifier: MIT
/// @file
/// Adds up what the messages of a conversation say for one candidate, in bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "godot-codec/recognise/evidence.h"

namespace godot_codec {

/// One number, from every message, for and against. Zeros are the beginning.
struct EvidenceScore {
  /// So many kinds are told apart, of either side.
  static constexpr std::size_t max_kinds = 4;

  std::int16_t bits;
  bool is_settled;  ///< above one bound, and not below the other one since
  bool has_strong;  ///< then misfits are bytes of the game's own, and leave it settled
  bool has_misfit;
  bool has_container;  ///< the next one is as good as a strong message, whatever else came
  std::uint8_t kind_counts[2];
  std::uint32_t kinds[2][max_kinds];  ///< that weak messages had, by side; further ones are not remembered

  /// Takes the next message.
  /// @param prior bits that are known beforehand; not added to the sum
  /// @returns is_settled
  bool add(const Evidence &evidence, int prior = 0);

 private:
  bool is_again(const Evidence &evidence);
  [[nodiscard]] int weight_of_weak(bool is_again) const;
};

}  // namespace godot_codec
