// SPDX-License-Identifier: MIT
/// @file
/// Reads ENet datagrams once: header, compression and commands. A datagram does not contain the compression that its
/// host uses. So the compression is detected from the bytes.
///
/// The modes are those of ENetConnection.compress() (modules/enet/enet_connection.cpp, core/io/compression.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>

#include "godot-codec/enet/datagram.h"

namespace godot_codec {

/// Returns the name that is shown to users: "none", "range coder", "FastLZ", "zlib", "Zstandard".
[[nodiscard]] std::string_view compression_name(Compression compression);

/// Decompresses the bytes after a datagram's header.
///
/// Never writes outside of @p out. Fails if the output does not fit. ENet's receiver then fails, too, because its
/// buffer has enet_max_datagram bytes for the header and the output.
/// @returns number of bytes written; 0 on failure, and for `none`. After a failure, the content of @p out is undefined
[[nodiscard]] std::size_t decompress(Compression compression, std::span<const std::uint8_t> in,
                                     std::span<std::uint8_t> out);

/// Decompresses gzip like decompress(). Only files use gzip, not datagrams.
[[nodiscard]] std::size_t decompress_gzip(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);
/// Decompresses the raw deflate data of a zip file like decompress(): RFC 1951, without a zlib header.
[[nodiscard]] std::size_t decompress_deflate(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);
/// Decompresses a file that FileAccess.open_compressed() has written, like decompress().
[[nodiscard]] std::size_t decompress_file(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

/// Decompresses only the first bytes, for a quick check that takes almost no time.
/// @param out filled with zeros after the known bytes
/// @returns number of known bytes in @p out; 0 if the first bytes of this compression cannot be read separately
[[nodiscard]] std::size_t decompress_first_bytes(Compression compression, std::span<const std::uint8_t> in,
                                                 std::span<std::uint8_t> out);

/// Tries to read the datagram with and without a checksum, and with all possible compressions, until the result is
/// plausible. If no result is plausible, returns the result for @p format. Decompressed bytes are limited to the size
/// of ENet's own buffer (enet_max_datagram).
/// @param memory for commands and decompressed bytes; never released, and must outlive the result
[[nodiscard]] EnetDatagram read_enet_datagram(Bytes datagram, const EnetExpectedFormat &format,
                                              std::pmr::memory_resource &memory);

}  // namespace godot_codec
