// SPDX-License-Identifier: MIT
/// @file
/// Names of the monitors of a debugged game, beyond those that every engine has.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/message.h"

namespace godot_codec {

/// True if a message names a game's own monitors.
[[nodiscard]] bool names_monitors(const DebugMessage &message);

/// How many monitors of its own the game of one stream has, as its messages say, and since when. Godot 4 sends their
/// names in performance:profile_names; without them nothing tells its own numbers in performance:profile_frame from the
/// engine's, of which each release has more. (Performance, EngineDebugger's PerformanceProfiler)
class DebugMonitors {
 public:
  /// Takes the next message of the stream. To be called in the order of the moments.
  void learn(PacketPosition moment, Bytes bytes, const DebugMessage &message);
  /// How many there were before a moment; nullopt where no message has said so.
  [[nodiscard]] std::optional<std::uint32_t> before(PacketPosition moment) const;

 private:
  struct Change {
    PacketPosition moment;
    std::uint32_t count;
  };
  std::vector<Change> changes_;
};

}  // namespace godot_codec
