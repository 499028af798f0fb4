// SPDX-License-Identifier: MIT
/// @file
/// The options of the candidates of a stream, and the bytes of a text, for tests that detect the protocol of a stream.
#pragma once

#include <cstdint>
#include <string_view>

#include "godot-codec/debugger/message.h"
#include "godot-codec/stream/stream_reader.h"

namespace godot_codec::test {

inline const StreamCandidateOptions stream_options = {StreamOptions{.measure = measure_debug_message}, StreamOptions{}};

inline Bytes bytes_of(std::string_view data) {
  return {reinterpret_cast<const std::uint8_t *>(data.data()), data.size()};
}

}  // namespace godot_codec::test
