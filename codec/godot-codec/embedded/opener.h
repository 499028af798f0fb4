// SPDX-License-Identifier: MIT
/// @file
/// Bytes of a game's own, opened: decompressed where they are compressed, and written as a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godot-codec/embedded/embedded.h"
#include "godot-codec/variant/inside.h"

namespace godot_codec {

/// The most that so many compressed bytes are decompressed to: a bomb goes off in a box.
[[nodiscard]] std::size_t inside_limit(std::size_t compressed);

/// Decompresses. @param out inside_limit() bytes @returns bytes written; 0: it cannot be done
[[nodiscard]] std::size_t decompress_inside(InsideKind kind, std::span<const std::uint8_t> in,
                                            std::span<std::uint8_t> out);

/// Looks inside, also of FastLZ: the bytes that it decompresses to must be something.
[[nodiscard]] Inside look_inside_packed(Bytes bytes, const InsideOptions &options);

/// Opens bytes for the texts of Variants.
class Opener final : public BytesReader {
 public:
  /// @param nesting how many layers were opened around; only in the outermost one something is decompressed
  explicit Opener(const InsideOptions &options, unsigned nesting = 0) : options_(options), nesting_(nesting) {}
  bool append_inside(TextBuffer &text, Bytes bytes) const override;
  [[nodiscard]] Confidence confidence(Bytes bytes) const override;

 private:
  InsideOptions options_;
  unsigned nesting_;
};

}  // namespace godot_codec
