// SPDX-License-Identifier: MIT
/// @file
/// Who is who in a mesh, by what brings its peers together: texts of JSON that carry descriptions of sessions (SDP)
/// from one to another. Neither WebRTC nor Godot says what such a text looks like: known are those that name their
/// sender
/// ("from"), and Godot's demo (networking/webrtc_signaling), whose server writes the sender's id into "id".
#pragma once

#include <cstdint>
#include <string_view>

namespace godot_codec {

/// An end of ICE, and whose it is.
struct SignalledEnd {
  std::string_view fragment;  ///< ICE's user fragment; empty: the text tells none
  std::int32_t peer = 0;      ///< the id of a peer of the multiplayer; 0: the text does not say it
};

/// @param text one message of a WebSocket
/// @param is_from_server by its frame
[[nodiscard]] SignalledEnd read_signalling(std::string_view text, bool is_from_server);

/// The address of the first candidate that is a relay's, as the text has it; empty: it tells none.
[[nodiscard]] std::string_view read_signalled_relay(std::string_view text);

}  // namespace godot_codec
