// SPDX-License-Identifier: MIT
/// @file
/// When a synchronized property is sent, and whether that is certain.
#pragma once

#include <cstdint>

namespace godot_codec::project {

/// SceneReplicationConfig's modes, with its numbers.
enum class ReplicationMode : std::uint8_t {
  never = 0,
  always = 1,     ///< in every sync
  on_change = 2,  ///< in deltas
};

/// How much is known of something that scripts may change at run time.
enum class Certainty : std::uint8_t {
  known,    ///< no script changes it, or the change was followed
  assumed,  ///< a script may change it
  unknown,  ///< a script changes it in a way that is not followed
};

}  // namespace godot_codec::project
