// SPDX-License-Identifier: MIT
/// @file
/// Detects the format of a custom payload: Variants, text, compressed data, an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/types.h"
#include "godot-codec/variant/walker.h"

namespace godot_codec {

enum class EmbeddedFormat : std::uint8_t {
  nothing,  ///< not detected
  variant,  ///< one or several
  json,
  text,
  zlib,        ///< PackedByteArray.compress() with COMPRESSION_DEFLATE
  gzip,        ///< COMPRESSION_GZIP
  zstd,        ///< COMPRESSION_ZSTD
  fastlz,      ///< COMPRESSION_FASTLZ
  fileaccess,  ///< a file written by FileAccess.open_compressed()
  png,
  jpeg,
  webp,
  ogg,
};

/// Returns the value of the field godot.embedded: "variant", "json", …; empty for nothing.
[[nodiscard]] std::string_view embedded_format_name(EmbeddedFormat format);

[[nodiscard]] constexpr bool is_compressed(EmbeddedFormat format) {
  return format >= EmbeddedFormat::zlib && format <= EmbeddedFormat::fileaccess;
}

/// Detects compressed data, images and sounds by their signature. Returns nothing for text.
[[nodiscard]] EmbeddedFormat format_of_signature(Bytes bytes);

/// The result of detect_embedded().
struct EmbeddedPayload {
  EmbeddedFormat format = EmbeddedFormat::nothing;
  Range content;                      ///< without a length prefix or other bytes before it
  bool has_length = false;            ///< preceded by a length of 16 or 32 bits
  bool is_big_endian = false;         ///< byte order of the length
  std::uint32_t count = 1;            ///< number of consecutive Variants
  Dialect dialect = Dialect::godot4;  ///< of the Variants
};

/// Options for detect_embedded(), which detects the dialect if has_dialect is false.
struct EmbeddedOptions {
  ReadOptions read;
  bool has_dialect = false;
  Dialect dialect = Dialect::godot4;
  bool are_variants = false;  ///< a preference says that the game sends Variants, so weak evidence is enough for
                              ///< consecutive Variants
};

/// Detects the format of a payload. A Variant requires strong evidence (detection/evidence.h) from the first to the
/// last byte, because other binary data must not be mistaken for one. After a length prefix that fits, weak evidence is
/// enough.
///
/// Compressed data is detected by its signature. FastLZ has no signature: detect_embedded_or_fastlz() also detects it
/// (decoder.h).
[[nodiscard]] EmbeddedPayload detect_embedded(Bytes bytes, const EmbeddedOptions &options);

}  // namespace godot_codec
