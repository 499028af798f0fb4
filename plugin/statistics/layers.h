// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// How many bytes of a frame are headers of IP and of UDP or TCP. epan tells the dissectors above nothing of it.
#pragma once

#include <cstdint>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// In bytes; all that they leave of the frame lies below IP, or is padding.
struct Layers {
  std::uint32_t ip;
  std::uint32_t transport;
  std::uint32_t payload;  ///< the payload of UDP or TCP
};

/// Finds the headers by the packet's addresses and ports. Where they are not there, as under snap lengths of few bytes:
/// the payload is what was carried, all else none.
[[nodiscard]] Layers find_layers(const packet_info *pinfo, std::uint64_t carried);

}  // namespace godot_plugin
