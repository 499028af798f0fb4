// SPDX-License-Identifier: MIT
/// @file
/// Decodes custom payloads: decompresses them and formats them as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godot-codec/embedded/embedded.h"
#include "godot-codec/variant/inside.h"

namespace godot_codec {

/// Returns the maximum size after decompression, for a compressed size in bytes. Protects against decompression bombs.
[[nodiscard]] std::size_t inside_limit(std::size_t compressed);

/// Decompresses a payload.
/// @param out inside_limit() bytes
/// @returns the number of bytes written; 0 on failure
[[nodiscard]] std::size_t decompress_inside(InsideKind kind, std::span<const std::uint8_t> in,
                                            std::span<std::uint8_t> out);

/// Like look_inside(), but also detects FastLZ, if the decompressed bytes have a known format.
[[nodiscard]] Inside look_inside_packed(Bytes bytes, const InsideOptions &options);

/// Decodes byte arrays for the text of Variants.
class Opener final : public BytesReader {
 public:
  /// @param nesting number of enclosing payloads; only decompresses in the outermost one
  explicit Opener(const InsideOptions &options, unsigned nesting = 0) : options_(options), nesting_(nesting) {}
  bool append_inside(TextBuffer &text, Bytes bytes) const override;
  [[nodiscard]] Confidence confidence(Bytes bytes) const override;

 private:
  InsideOptions options_;
  unsigned nesting_;
};

}  // namespace godot_codec
