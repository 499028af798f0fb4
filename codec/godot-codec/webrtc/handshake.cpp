// SPDX-License-Identifier: MIT
#include "godot-codec/webrtc/handshake.h"

#include <algorithm>

namespace godot_codec {

void DtlsHandshake::add_hello(const DtlsStart &start) {
  const bool is_new = covered == 0 && ahead_end == 0;
  if (is_new || start.message_number != message_number || start.message_size != message_size) {
    message_number = start.message_number;
    message_size = start.message_size;
    covered = ahead_begin = ahead_end = 0;
    is_hello_reordered = false;
  }
  const std::uint32_t end = start.fragment_offset + start.fragment_size;
  if (start.fragment_offset > covered) {
    is_hello_reordered = true;
    ahead_begin = start.fragment_offset;
    ahead_end = end;
    return;
  }
  covered = std::max(covered, end);
  if (ahead_begin <= covered) covered = std::max(covered, ahead_end);
}

void DtlsHandshake::add(const DtlsStart &start, std::uint32_t frame, unsigned sender) {
  if (start.changes_cipher) has_changed_cipher[sender] = true;
  switch (start.kind) {
    case DtlsKind::client_hello:
      if (hello == 0) hello = frame;
      add_hello(start);
      return;
    case DtlsKind::server_hello:
      if (server_hello == 0) server_hello = frame;
      is_1_3 = start.is_1_3;
      is_chacha20 = start.is_chacha20();
      return;
    case DtlsKind::handshake:
      if (other == 0) other = frame;
      return;
    case DtlsKind::data:
      is_1_3 = is_1_3 || start.is_unified;
      return;
    case DtlsKind::none:
      return;
  }
}

}  // namespace godot_codec
