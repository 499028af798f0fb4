// SPDX-License-Identifier: MIT
/// @file
/// What bytes that are no Variant seem to be: mistakes that Godot's users make.
#pragma once

#include <cstdint>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

/// The kinds of raw bytes that are told apart.
enum class RawKind : std::uint8_t {
  plain,         ///< bytes of the game's own
  stray_length,  ///< a length and just so many bytes of one Variant: sent as if over a stream (StreamPeer.put_var)
  gzip,          ///< begins as PackedByteArray.compress() with COMPRESSION_GZIP does
  zlib,          ///< COMPRESSION_DEFLATE
  zstd,          ///< COMPRESSION_ZSTD
};

/// Looks at a packet that no dialect reads as a Variant. @param options limits, and how reals are read
[[nodiscard]] RawKind look_at_raw(Bytes packet, const ReadOptions &options);

/// Whether a packet that begins as a Variant is bytes of the game's own all the same: what follows the Variant, or
/// keeps it from being read, weighs more than what was read. An Array or Dictionary that leaves no doubt
/// (variant_evidence()) is one whatever follows. What the capture has cut is not judged.
/// @param result of the walk from the packet's first byte on
[[nodiscard]] bool is_rather_raw(Bytes packet, const WalkResult &result, const ReadOptions &options);

}  // namespace godot_codec
