// SPDX-License-Identifier: MIT
/// @file
/// Reads an ENet datagram once: header, compression and commands.
#pragma once

#include <memory_resource>

#include "godot-codec/enet/datagram.h"

namespace godot_codec {

/// Reads a datagram.
///
/// Tries reading it with and without a checksum, and with all possible compressions, until the result is plausible. If
/// no result is plausible, returns the one for @p expected. Decompressed bytes are limited to the size of ENet's own
/// buffer (enet_max_datagram).
/// @param memory for commands and decompressed bytes; never released, and must outlive the result
[[nodiscard]] EnetDatagram read_enet_datagram(Bytes datagram, const EnetExpectation &expected,
                                              std::pmr::memory_resource &memory);

}  // namespace godot_codec
