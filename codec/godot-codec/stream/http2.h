// SPDX-License-Identifier: MIT
/// @file
/// Requests of HTTP/2, as far as games show in them. RFC 9113 and 8441.
#pragma once

#include "godot-codec/core/bytes.h"

namespace godot_codec {

struct Http2Request {
  bool is_web_socket = false;  ///< asks for a WebSocket (RFC 8441)
  bool is_for_pack = false;    ///< asks for a game's pack, as the page of each web export does
};

/// Reads the fields of a request's header as Wireshark has them once they are decompressed: each name and each value
/// behind its length, of 32 bits, big-endian.
[[nodiscard]] Http2Request read_http2_request(Bytes fields);

}  // namespace godot_codec
