// SPDX-License-Identifier: MIT
/// @file
/// Reading a datagram of ENet's: header, compression and commands, once, into one value.
#pragma once

#include <memory_resource>
#include <optional>

#include "godot-codec/enet/datagram.h"

namespace godot_codec {

/// What is known of a datagram's sender, or told by the user, before it is read. None of it is on the wire.
struct EnetExpectation {
  bool has_checksum = false;                 ///< as far as datagrams before it tell
  bool is_checksum_told = false;             ///< and there is no doubt of it
  std::optional<Compression> compression{};  ///< of datagrams before it: tried first
  bool is_compression_told = false;          ///< and nothing else is to be tried; `none` decompresses nothing
  bool may_decompress = true;                ///< decompressing takes time: not of what has shown to be something else
};

/// Reads a datagram.
///
/// With a checksum or without, and in the compression, in which it reads like one of ENet's; as expected if it does in
/// neither way. Decompressed bytes are at most as many as fit into ENet's own buffer (enet_max_datagram).
/// @param memory for commands and decompressed bytes; not given back: it must outlive what is returned
[[nodiscard]] EnetDatagram read_enet_datagram(Bytes datagram, const EnetExpectation &expected,
                                              std::pmr::memory_resource &memory);

}  // namespace godot_codec
