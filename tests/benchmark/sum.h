// SPDX-License-Identifier: MIT
/// @file
/// Does the work of a program that wants all of a Variant: sums every number, hashes every text.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"

namespace godot_codec::benchmark {

struct EvidenceScore {
  double reals = 0;
  std::uint64_t integers = 0;
  std::uint64_t hash = 0;
  bool is_ok = false;
};

/// By a sink that the walker is compiled for, in a translation unit of their own.
[[nodiscard]] EvidenceScore sum_variant(Bytes bytes);

}  // namespace godot_codec::benchmark
