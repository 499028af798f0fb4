// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Messages that are just a value, for the table of these.
#pragma once

#include <cstddef>

#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Counts the Variant at @p offset, of all bytes behind it, by what kind of message it is.
void count_variant(packet_info *pinfo, godot_codec::Bytes bytes, std::size_t offset,
                   const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options);

/// Counts a message that is no Variant. @param kind what it is called
void count_other(packet_info *pinfo, const char *kind, std::size_t bytes);

}  // namespace godot_plugin
