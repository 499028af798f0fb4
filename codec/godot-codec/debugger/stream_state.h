// SPDX-License-Identifier: MIT
/// @file
/// The state of a stream on the debugger's port: whether it carries messages of the remote debugger, and the number of
/// custom monitors of the debugged game.
#pragma once

#include <cstdint>
#include <optional>

#include "godot-codec/core/history.h"
#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/message.h"

namespace godot_codec {

/// What a stream on the debugger's port contains.
enum class DebugStreamKind : std::uint8_t {
  unknown,   ///< not decided yet
  debugger,  ///< a message was found
  other,     ///< the stream began with something else
};

/// What a stream on the debugger's port contains. Other programs, for example X11, use the same port.
class DebugStreamDetection {
 public:
  /// True once the kind is decided.
  [[nodiscard]] bool is_decided() const { return kind_ != DebugStreamKind::unknown; }
  /// Updates the kind from the next part of the stream, in either direction, until the kind is decided.
  /// @param is_boundary true if a message must begin at the start of the part
  void update(PacketPosition position, Bytes part, bool is_boundary, const StreamOptions &options);
  /// Returns the kind as of a position, including the evidence of the part at this position.
  [[nodiscard]] DebugStreamKind kind_at(PacketPosition position) const {
    return is_decided() && position >= decided_at_ ? kind_ : DebugStreamKind::unknown;
  }

 private:
  DebugStreamKind kind_ = DebugStreamKind::unknown;
  PacketPosition decided_at_;
};

/// True if a message contains the names of the game's custom monitors.
[[nodiscard]] bool is_monitor_names_message(const DebugMessage &message);

/// The number of custom monitors of the game in a stream; nullopt before a message with their names. Godot 4 sends
/// their names in performance:profile_names. Only this message shows where the engine's monitors in
/// performance:profile_frame end, because the number of engine monitors depends on the release. (Performance,
/// EngineDebugger's PerformanceProfiler)
class CustomMonitorHistory : public History<std::optional<std::uint32_t>> {
 public:
  /// Records the next message of the stream. Must be called in capture order.
  void update(PacketPosition position, Bytes bytes, const DebugMessage &message);
};

}  // namespace godot_codec
