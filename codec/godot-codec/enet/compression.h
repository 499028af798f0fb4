// SPDX-License-Identifier: MIT
/// @file
/// Reads ENet datagrams once: header, compression and commands. A datagram does not contain which compression its host
/// uses, so that is detected from the bytes.
///
/// The modes are those of ENetConnection.compress() (modules/enet/enet_connection.cpp, core/io/compression.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>

#include "godot-codec/enet/datagram.h"

namespace godot_codec {

/// Returns the name that users see: "none", "range coder", "FastLZ", "zlib", "Zstandard".
[[nodiscard]] std::string_view compression_name(Compression compression);

/// Decompresses the bytes after a datagram's header. `none` copies them.
///
/// Never writes outside of @p out. Output that does not fit is a failure. ENet's receiver fails as well, because its
/// buffer has enet_max_datagram bytes for the header and the output.
/// @returns number of bytes written; 0 on failure, and then @p out may have been overwritten
[[nodiscard]] std::size_t decompress(Compression compression, std::span<const std::uint8_t> in,
                                     std::span<std::uint8_t> out);

/// Decompresses gzip, with the rules of decompress(). Only files use gzip, not datagrams.
[[nodiscard]] std::size_t decompress_gzip(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

/// Decompresses only the first bytes, which takes almost no time: a quick check of what they may be.
/// @param out filled with zeros after the known bytes
/// @returns how many bytes of @p out are known; 0 if the compression has no quick way
[[nodiscard]] std::size_t decompress_start(Compression compression, std::span<const std::uint8_t> in,
                                           std::span<std::uint8_t> out);

/// The compressions that are possible for some bytes, judging by the first bytes.
struct PossibleCompressions {
  std::array<Compression, compression_count - 1> compressions{};
  std::size_t count = 0;

  [[nodiscard]] std::span<const Compression> get() const { return {compressions.data(), count}; }
};

/// Returns the possible compressions, in the order in which to try them.
/// @param remembered compression of the sender's other datagrams, which is tried first; the others follow in order of
/// certainty
[[nodiscard]] PossibleCompressions possible_compressions(std::span<const std::uint8_t> in,
                                                         std::optional<Compression> remembered);

/// Reads a datagram.
///
/// Tries reading it with and without a checksum, and with all possible compressions, until the result is plausible. If
/// no result is plausible, returns the one for @p expected. Decompressed bytes are limited to the size of ENet's own
/// buffer (enet_max_datagram).
/// @param memory for commands and decompressed bytes; never released, and must outlive the result
[[nodiscard]] EnetDatagram read_enet_datagram(Bytes datagram, const EnetExpectation &expected,
                                              std::pmr::memory_resource &memory);

}  // namespace godot_codec
