// SPDX-License-Identifier: MIT
/// @file
/// The number of a debugged game's custom monitors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/message.h"

namespace godot_codec {

/// True if a message contains the names of the game's custom monitors.
[[nodiscard]] bool is_monitor_names_message(const DebugMessage &message);

/// The number of custom monitors of the game in a stream, by position. Godot 4 sends their names in
/// performance:profile_names. Only this message shows where the engine's monitors in performance:profile_frame end,
/// because each release has more of them. (Performance, EngineDebugger's PerformanceProfiler)
class DebugMonitors {
 public:
  /// Records the next message of the stream. Must be called in capture order.
  void update(PacketPosition position, Bytes bytes, const DebugMessage &message);
  /// Returns the number of custom monitors as of a position; nullopt if no message has sent their names.
  [[nodiscard]] std::optional<std::uint32_t> before(PacketPosition position) const;

 private:
  struct CountChange {
    PacketPosition position;
    std::uint32_t count;
  };
  std::vector<CountChange> changes_;
};

}  // namespace godot_codec
