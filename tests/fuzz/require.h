// SPDX-License-Identifier: MIT
/// @file
/// The check of a guarantee by a fuzzer.
#pragma once

#include <cstdlib>

/// Aborts if a promise of the codec is broken.
inline void require(bool promise) {
  if (!promise) std::abort();
}
