// SPDX-License-Identifier: MIT
/// @file
/// Reading a datagram of ENet's: header, compression and commands, once, into one value.
#pragma once

#include <memory_resource>

#include "godot-codec/enet/datagram.h"

namespace godot_codec {

/// Reads a datagram.
///
/// With a checksum or without, and in the compression, in which it reads like one of ENet's; as expected if it does in
/// neither way. Decompressed bytes are at most as many as fit into ENet's own buffer (enet_max_datagram).
/// @param memory for commands and decompressed bytes; not given back: it must outlive what is returned
[[nodiscard]] EnetDatagram read_enet_datagram(Bytes datagram, const EnetExpectation &expected,
                                              std::pmr::memory_resource &memory);

}  // namespace godot_codec
