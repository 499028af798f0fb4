// SPDX-License-Identifier: MIT
/// @file
/// The compressions of ENet's datagrams. Which one a host uses is not on the wire; the bytes tell.
///
/// The modes are those of ENetConnection.compress() (modules/enet/enet_connection.cpp, core/io/compression.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "godot-codec/enet/datagram.h"

namespace godot_codec {

/// The name that users see: "range coder", "FastLZ", "zlib", "Zstandard".
[[nodiscard]] std::string_view compression_name(Compression compression);

/// Decompresses what stands behind a datagram's header. `none` copies.
///
/// Whatever the input, nothing is written outside of @p out. What does not fit there is a failure, as it is to a
/// receiver, whose buffer has enet_max_datagram bytes for the header and this.
/// @returns bytes written; 0 on failure, and then @p out may have been written to
[[nodiscard]] std::size_t decompress(Compression compression, std::span<const std::uint8_t> in,
                                     std::span<std::uint8_t> out);

/// Decompresses gzip, as decompress() does: files are compressed with it, and no datagram.
[[nodiscard]] std::size_t decompress_gzip(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

/// The first bytes that a compression gives, which takes next to no time: to see what they may be.
/// @param out the rest is zeros where the input is none of that compression's
/// @returns how many of its bytes are known; 0 where there is no quick way
[[nodiscard]] std::size_t decompress_start(Compression compression, std::span<const std::uint8_t> in,
                                           std::span<std::uint8_t> out);

/// The compressions that bytes may be of, by their first ones.
struct PossibleCompressions {
  std::array<Compression, compression_count - 1> compressions{};
  std::size_t count = 0;

  [[nodiscard]] std::span<const Compression> get() const { return {compressions.data(), count}; }
};

/// @param remembered the compression of the sender's other datagrams: comes first; then the surest
[[nodiscard]] PossibleCompressions possible_compressions(std::span<const std::uint8_t> in,
                                                         std::optional<Compression> remembered);

}  // namespace godot_codec
