// SPDX-License-Identifier: MIT
/// @file
/// Does the work of a program that needs a whole Variant: sums every number and hashes every text.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"

namespace godot_codec::benchmark {

struct VariantSum {
  double reals = 0;
  std::uint64_t integers = 0;
  std::uint64_t hash = 0;
  bool is_ok = false;
};

/// Uses a sink type that the walker is compiled for, in a separate translation unit.
[[nodiscard]] VariantSum sum_variant(Bytes bytes);

}  // namespace godot_codec::benchmark
