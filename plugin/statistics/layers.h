// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Finds how many bytes of a frame are headers of IP and of UDP or TCP. epan does not pass these numbers to dissectors.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Sizes in bytes. The rest of the frame is below IP, or padding.
struct Layers {
  std::uint32_t ip;
  std::uint32_t transport;
  std::uint32_t payload;  ///< payload of UDP or TCP
};

/// Finds the headers by the packet's addresses and ports. If they are not found, for example because of a small snap
/// length, the payload is @p carried and the other sizes are 0.
[[nodiscard]] Layers find_layers(const packet_info *pinfo, std::uint64_t carried);

}  // namespace godot_plugin
