// SPDX-License-Identifier: MIT
/// @file
/// The stream rules, and the bytes of a text, for tests that detect the protocol of a stream.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/debugger/message.h"
#include "godot-codec/stream/framing.h"

namespace godot_codec::test {

inline const StreamRules stream_rules = {StreamRule{measure_debug_message}, StreamRule{measure_packet}};

inline Bytes bytes_of(std::string_view data) {
  return {reinterpret_cast<const std::uint8_t *>(data.data()), data.size()};
}

}  // namespace godot_codec::test
