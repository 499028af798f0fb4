// SPDX-License-Identifier: MIT
/// @file
/// Finds out if a game and its editor talk on a stream of a debugger's port.
#pragma once

#include <cstdint>

#include "godot-codec/core/packet_position.h"
#include "godot-codec/debugger/message.h"

namespace godot_codec {

/// The stream of one program that is debugged, or of another that uses the same port: X11 owns these, too.
class DebugProgram {
 public:
  enum class Kind : std::uint8_t {
    unknown,   ///< nothing has told yet
    debugger,  ///< a message was seen
    other,     ///< it began with something else
  };

  /// Nothing more can be learned.
  [[nodiscard]] bool is_settled() const { return kind_ != Kind::unknown; }
  /// Takes the next part of the stream, in either direction, unless it is settled.
  /// @param is_boundary the part begins where a message is to begin
  void learn(PacketPosition moment, Bytes part, bool is_boundary, const StreamOptions &options);
  /// The kind that was known at a moment, with the part that came then.
  [[nodiscard]] Kind at(PacketPosition moment) const {
    return is_settled() && moment >= since_ ? kind_ : Kind::unknown;
  }

 private:
  Kind kind_ = Kind::unknown;
  PacketPosition since_;
};

}  // namespace godot_codec
