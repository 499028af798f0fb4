// SPDX-License-Identifier: MIT
/// @file
/// When a synchronized property is sent, and whether this is certain.
#pragma once

#include <cstdint>

namespace godot_codec::project {

/// Values of SceneReplicationConfig::ReplicationMode.
enum class ReplicationMode : std::uint8_t {
  never = 0,
  always = 1,     ///< sent in every sync
  on_change = 2,  ///< sent in deltas
};

/// The certainty of a fact that scripts can change at run time.
enum class Certainty : std::uint8_t {
  known,    ///< no script changes it, or the change could be followed
  assumed,  ///< a script may change it
  unknown,  ///< a script changes it in a way that cannot be followed
};

}  // namespace godot_codec::project
