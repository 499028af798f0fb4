// SPDX-License-Identifier: MIT
/// @file
/// Detects whether a stream on the debugger's port contains messages of the remote debugger.
#pragma once

#include <cstdint>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/message.h"

namespace godot_codec {

/// What a stream on the debugger's port contains. Other programs, for example X11, use the same port.
class DebugProgram {
 public:
  enum class Kind : std::uint8_t {
    unknown,   ///< not decided yet
    debugger,  ///< a message was found
    other,     ///< the stream began with something else
  };

  /// True once the kind is decided.
  [[nodiscard]] bool is_settled() const { return kind_ != Kind::unknown; }
  /// Updates the kind from the next part of the stream, in either direction. Does nothing after the kind is decided.
  /// @param is_boundary true if a message must begin at the start of the part
  void update(PacketPosition position, Bytes part, bool is_boundary, const StreamOptions &options);
  /// Returns the kind as of a position, including the evidence of the part at this position.
  [[nodiscard]] Kind at(PacketPosition position) const {
    return is_settled() && position >= since_ ? kind_ : Kind::unknown;
  }

 private:
  Kind kind_ = Kind::unknown;
  PacketPosition since_;
};

}  // namespace godot_codec
