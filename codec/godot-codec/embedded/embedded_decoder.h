// SPDX-License-Identifier: MIT
/// @file
/// Decodes custom payloads: decompresses them and formats them as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godot-codec/embedded/embedded_format.h"
#include "godot-codec/variant/text_sink.h"

namespace godot_codec {

/// Returns the maximum size after decompression for a compressed size, in bytes. Protects against decompression bombs.
[[nodiscard]] std::size_t max_decompressed_size(std::size_t compressed);

/// Decompresses a payload.
/// @param out a buffer of max_decompressed_size() bytes
/// @returns the number of bytes written; 0 on failure
[[nodiscard]] std::size_t decompress_embedded(EmbeddedFormat format, std::span<const std::uint8_t> in,
                                              std::span<std::uint8_t> out);

/// Like detect_embedded(), but also detects FastLZ, if its decompressed bytes have a known format.
[[nodiscard]] EmbeddedPayload detect_embedded_or_fastlz(Bytes bytes, const EmbeddedOptions &options);

/// Decodes byte arrays, so that the text of a Variant can show their contents.
class EmbeddedDecoder final : public BytesDecoder {
 public:
  /// @param nesting number of enclosing payloads; a nested payload is not decompressed
  explicit EmbeddedDecoder(const EmbeddedOptions &options, unsigned nesting = 0)
      : options_(options), nesting_depth_(nesting) {}
  bool append_decoded(TextBuffer &text, Bytes bytes) const override;
  [[nodiscard]] Confidence confidence(Bytes bytes) const override;

 private:
  EmbeddedOptions options_;
  unsigned nesting_depth_;
};

}  // namespace godot_codec
