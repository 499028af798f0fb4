// SPDX-License-Identifier: MIT
/// @file
/// The compressions of ENet's datagrams. Which one a host uses is not on the wire; the bytes tell.
///
/// The modes are those of ENetConnection.compress() (modules/enet/enet_connection.cpp, core/io/compression.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "godot-codec/core/bytes.h"

namespace godot_codec {

enum class Compression : std::uint8_t {
  none,
  range_coder,  ///< ENet's own; of Godot 3.4 and later 3.x unless told otherwise
  fastlz,
  zlib,
  zstd,
};

inline constexpr std::size_t compression_count = 5;

/// As shown to a user: "range coder", "FastLZ", "zlib", "Zstandard".
[[nodiscard]] std::string_view compression_name(Compression compression);

/// Decompresses what stands behind a datagram's header. `none` copies.
///
/// Whatever the input, nothing is written outside of @p out. What does not fit there is a failure, as it is to a
/// receiver, whose buffer has enet_max_datagram bytes for the header and this.
/// @returns bytes written; 0 on failure, and then @p out may have been written to
[[nodiscard]] std::size_t decompress(Compression compression, std::span<const std::uint8_t> in,
                                     std::span<std::uint8_t> out);

/// Finds the compression that turns bytes into ENet's commands, up to their exact end.
/// @param remembered what other datagrams of the same sender were compressed with: tried first
/// @returns nothing where no compression does, and where not all of the bytes were captured
[[nodiscard]] std::optional<Compression> recognise_compression(Bytes compressed,
                                                               std::optional<Compression> remembered = {});

}  // namespace godot_codec
