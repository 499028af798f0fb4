// SPDX-License-Identifier: MIT
/// @file
/// The functions of the library godot-compression that decompress the files of an exported game.
#pragma once

#include "godot-codec/enet/datagram_reader.h"
#include "godot-codec/project/project_limits.h"

namespace godot_codec::project {

inline constexpr Decompressor library_decompressor = {
    [](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
      return decompress(Compression::zstd, in, out);
    },
    decompress_deflate, decompress_file};

}  // namespace godot_codec::project
