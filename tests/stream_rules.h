// SPDX-License-Identifier: MIT
/// @file
/// The rules of streams, and bytes of a text, for tests of what a stream's segments are.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/debugger/message.h"
#include "godot-codec/stream/framing.h"
#include "godot-codec/stream/rules.h"

namespace godot_codec::test {

inline const StreamRules stream_rules = {StreamRule{measure_debug_message}, StreamRule{measure_packet}};

inline Bytes bytes_of(std::string_view data) {
  return {reinterpret_cast<const std::uint8_t *>(data.data()), data.size()};
}

}  // namespace godot_codec::test
