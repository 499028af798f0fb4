// SPDX-License-Identifier: MIT
/// @file
/// Reads ENet datagrams without any knowledge of their senders.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "godot-codec/enet/datagram_reader.h"

namespace godot_codec::test {

/// Calls @p use with a datagram that lives only during the call, and returns its result.
template <typename Use>
auto with_datagram(Bytes bytes, const EnetExpectedFormat &expected, Use use) {
  std::pmr::monotonic_buffer_resource memory;
  return use(read_enet_datagram(bytes, expected, memory));
}

/// Returns the compression that decompresses the bytes to valid commands.
inline std::optional<Compression> recognise_compression(Bytes compressed, std::optional<Compression> remembered = {}) {
  std::vector<std::uint8_t> bytes{0x40, 0x00};  // a header with the compression flag
  bytes.insert(bytes.end(), compressed.data, compressed.data + compressed.captured);
  EnetExpectedFormat expected;
  expected.is_checksum_configured = true;
  expected.compression = remembered;
  return with_datagram({bytes.data(), bytes.size(), 2 + compressed.reported}, expected,
                       [](const EnetDatagram &datagram) {
                         return datagram.is_readable ? std::optional<Compression>(datagram.compression) : std::nullopt;
                       });
}

}  // namespace godot_codec::test
