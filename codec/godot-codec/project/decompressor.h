// SPDX-License-Identifier: MIT
/// @file
/// Decompresses the files of an exported game.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godot_codec::project {

/// Interface to the decompression libraries. The codec itself does not depend on these libraries.
class Decompressor {
 public:
  /// Decompresses Zstandard frames.
  /// @param max_size limit of the output, in bytes
  /// @param decompressed is overwritten
  /// @returns false if the input is not a sequence of complete Zstandard frames, or if the output exceeds the limit
  [[nodiscard]] virtual bool decompress_zstd(std::string_view compressed, std::size_t max_size,
                                             std::string &decompressed) const = 0;
  /// Decompresses raw deflate data as in zip files (RFC 1951, without a zlib header).
  [[nodiscard]] virtual bool decompress_deflate(std::string_view compressed, std::size_t max_size,
                                                std::string &decompressed) const = 0;

 protected:
  ~Decompressor() = default;
};

/// Returns the implementation that uses zlib and libzstd. It is in the library godot-compression.
[[nodiscard]] const Decompressor &library_decompressor();

}  // namespace godot_codec::project
