// SPDX-License-Identifier: MIT
/// @file
/// Tells what bytes that are no Variant seem to be: mistakes that Godot's users make.
#pragma once

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// True if bytes that no dialect reads as a Variant are a length and just so many bytes of one: sent as if over a
/// stream (StreamPeer.put_var()). @param options limits, and how reals are read
[[nodiscard]] bool has_stray_length(Bytes packet, const ReadOptions &options);

/// True if a packet that begins like a Variant is raw bytes of the game all the same: the bytes that follow the
/// Variant, or keep it from being read, weigh more than those that were read; or it is read to its end, and is what no
/// engine writes, or reals that hardly any game sends (surprise_of()). An Array or Dictionary that leaves no doubt
/// (variant_evidence()) is one whatever follows. A packet that the capture cuts is not judged.
/// @param result of the walk from the packet's first byte on, in that dialect
[[nodiscard]] bool is_rather_raw(Bytes packet, Dialect dialect, const WalkResult &result, const ReadOptions &options);

}  // namespace godot_codec
