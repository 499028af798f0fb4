// SPDX-License-Identifier: MIT
/// @file
/// Finds out what a game's own bytes hold: a Variant, text, something compressed, a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/types.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

enum class InsideKind : std::uint8_t {
  nothing,  ///< that could be told
  variant,  ///< one or several
  json,
  text,
  zlib,        ///< PackedByteArray.compress() with COMPRESSION_DEFLATE
  gzip,        ///< COMPRESSION_GZIP
  zstd,        ///< COMPRESSION_ZSTD
  fastlz,      ///< COMPRESSION_FASTLZ
  fileaccess,  ///< a file of FileAccess.open_compressed()
  png,
  jpeg,
  webp,
  ogg,
};

/// "variant", "json", …; empty for nothing.
[[nodiscard]] std::string_view inside_name(InsideKind kind);

[[nodiscard]] constexpr bool is_compressed(InsideKind kind) {
  return kind >= InsideKind::zlib && kind <= InsideKind::fileaccess;
}

/// Tells something compressed, a picture or a sound by its first bytes. A text is nothing of these.
[[nodiscard]] InsideKind kind_of_signature(Bytes bytes);

/// The result of looking inside.
struct Inside {
  InsideKind kind = InsideKind::nothing;
  Range content;                      ///< without what stands in front: a length, or some bytes of the game's own
  bool has_length = false;            ///< a length of 16 or 32 bits stands in front
  bool is_big_endian = false;         ///< it is
  std::uint32_t count = 1;            ///< Variants, one behind the other
  Dialect dialect = Dialect::godot4;  ///< the Variants' dialect
};

/// A dialect that is known, or one that the bytes show.
struct InsideOptions {
  ReadOptions read;
  bool has_dialect = false;
  Dialect dialect = Dialect::godot4;
  bool are_variants = false;  ///< the sender is told to send Variants: small ones in a row are some, too
};

/// Looks at all bytes that there are. What may be a Variant is one only where bytes of another kind hardly ever read
/// so: strong evidence (detection/evidence.h), from its first byte to the last one; or any evidence at all where a
/// length in front fits.
///
/// Compressed bytes are told by their first bytes. FastLZ has none of its own: see Opener (opener.h).
[[nodiscard]] Inside look_inside(Bytes bytes, const InsideOptions &options);

}  // namespace godot_codec
