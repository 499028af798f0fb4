// SPDX-License-Identifier: MIT
/// @file
/// Detects the format of a custom payload: Variants, text, compressed data, images or sounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/variant_types.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec {

enum class EmbeddedFormat : std::uint8_t {
  nothing,  ///< not detected
  variant,  ///< one or several Variants
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

/// Detects compressed data, images and sounds by their signature. Returns EmbeddedFormat::nothing for text.
[[nodiscard]] EmbeddedFormat detect_signature(Bytes bytes);

/// The result of detect_embedded().
struct EmbeddedPayload {
  EmbeddedFormat format = EmbeddedFormat::nothing;
  Range content;                      ///< the content, without a length prefix or other bytes before it
  bool has_length_prefix = false;     ///< true if a length of 16 or 32 bits precedes the content
  std::uint32_t count = 1;            ///< number of consecutive Variants
  Dialect dialect = Dialect::godot4;  ///< of the Variants
};

/// Options for detect_embedded(). Without a dialect, detect_embedded() also detects the dialect.
struct EmbeddedOptions {
  ReadOptions read;
  std::optional<Dialect> dialect = std::nullopt;
  bool expects_variants = false;  ///< true if a preference says that the game sends Variants; then weak evidence is
                                  ///< enough for consecutive Variants
};

/// Detects the format of a payload. A Variant requires strong evidence (detection/evidence.h) and must fill the whole
/// payload, because other binary data must not be mistaken for a Variant. After a matching length prefix, weak evidence
/// is enough.
///
/// Compressed data is detected by its signature. FastLZ has no signature, so only detect_embedded_or_fastlz()
/// (embedded_decoder.h) detects it.
[[nodiscard]] EmbeddedPayload detect_embedded(Bytes bytes, const EmbeddedOptions &options);

/// True if the whole text is a JSON object or array (RFC 8259), nested at most 64 levels deep. Also accepts numbers
/// without digits before or after the point, because JSON.stringify() of some releases writes them.
[[nodiscard]] bool is_json(std::string_view text);

}  // namespace godot_codec
