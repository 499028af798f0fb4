// SPDX-License-Identifier: MIT
/// @file
/// Decompresses the files of an exported game.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godot_codec::project {

/// Interface to the decompression libraries, so that the codec does not depend on them.
class Decompressor {
 public:
  /// Decompresses Zstandard frames.
  /// @param max_size limit of the output, in bytes
  /// @param decompressed is overwritten
  /// @returns false if the input is not a sequence of complete Zstandard frames, or if the output exceeds the limit
  [[nodiscard]] virtual bool zstd(std::string_view compressed, std::size_t max_size,
                                  std::string &decompressed) const = 0;
  /// Decompresses raw deflate data (RFC 1951, without a zlib header), as in zip files.
  [[nodiscard]] virtual bool deflate(std::string_view compressed, std::size_t max_size,
                                     std::string &decompressed) const = 0;

 protected:
  ~Decompressor() = default;
};

/// Returns the implementation with zlib and libzstd. It is in the library godot-compression.
[[nodiscard]] const Decompressor &decompressor();

}  // namespace godot_codec::project
