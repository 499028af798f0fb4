// SPDX-License-Identifier: MIT
/// @file
/// Detects the requests of games in HTTP/2 headers (RFC 9113 and 8441).
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

struct Http2Request {
  bool is_web_socket = false;  ///< requests a WebSocket (RFC 8441)
  bool is_for_pack = false;    ///< requests a game's .pck file, as the page of each web export does
};

/// Reads the header fields of a request as Wireshark stores them after decompression. Each name and each value follows
/// its length, a big-endian u32.
[[nodiscard]] Http2Request read_http2_request(Bytes fields);

}  // namespace godot_codec
