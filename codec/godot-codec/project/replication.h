// SPDX-License-Identifier: MIT
/// @file
/// When a synchronized property is sent.
#pragma once

#include <cstdint>

namespace godot_codec::project {

/// SceneReplicationConfig's modes, with its numbers.
enum class ReplicationMode : std::uint8_t {
  never = 0,
  always = 1,     ///< in every sync
  on_change = 2,  ///< in deltas
};

}  // namespace godot_codec::project
