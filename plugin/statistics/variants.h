// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Counts messages that consist of one value, for the table of variants.
#pragma once

#include <cstddef>

#include "godot-codec/variant/walker.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Counts the Variant at @p offset, with all bytes from there, by its kind.
void count_variant(packet_info *pinfo, godot_codec::Bytes bytes, std::size_t offset,
                   const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options);

/// Counts a message that is not a Variant. @param kind the row's name
void count_other(packet_info *pinfo, const char *kind, std::size_t bytes);

}  // namespace godot_plugin
