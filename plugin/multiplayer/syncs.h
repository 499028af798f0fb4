// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The table of synchronizers, `-z godot_mp,syncs`: how regularly each one's values come, as RTP's analysis has it.
#pragma once

#include <cstdint>

#include "plugin/multiplayer/packet.h"

namespace godot_plugin {

/// One object of a sync, for the table. Texts are in the packet's memory.
struct CountedSync {
  std::uint32_t stream;
  const char *from;
  const char *to;
  const char *object;
  std::uint16_t number;   ///< the sync's number: the sender counts its rounds
  bool is_late;           ///< a sync as new, or newer, had come before: Godot drops this one
  bool has_interval;      ///< false for the first one
  std::int64_t interval;  ///< nanoseconds since the one before
};

/// Registers the tap, while protocols are registered.
void register_sync_tap();

/// Registers the table.
void register_syncs();

/// True if somebody reads the table.
[[nodiscard]] bool has_sync_listener(packet_info *pinfo);

/// Tells the table of an object.
void tap_sync(packet_info *pinfo, const CountedSync &sync);

}  // namespace godot_plugin
