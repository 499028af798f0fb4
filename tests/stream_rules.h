// SPDX-License-Identifier: MIT
/// @file
/// The stream rules, and the bytes of a text, for tests that detect the protocol of a stream.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/debugger/message.h"
#include "godot-codec/stream/stream_reader.h"

namespace godot_codec::test {

inline const FramingRules stream_rules = {FramingRule{measure_debug_message}, FramingRule{measure_packet}};

inline Bytes bytes_of(std::string_view data) {
  return {reinterpret_cast<const std::uint8_t *>(data.data()), data.size()};
}

}  // namespace godot_codec::test
