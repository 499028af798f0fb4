// SPDX-License-Identifier: MIT
/// @file
/// Decompresses the files of an exported game.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godot_codec::project {

/// Decompresses, as far as libraries are at hand.
class Unpacker {
 public:
  /// @param max_size bytes; a longer text is none
  /// @param unpacked what was there before goes
  /// @returns false if the bytes are no whole Zstandard frames, or too many
  [[nodiscard]] virtual bool zstd(std::string_view packed, std::size_t max_size, std::string &unpacked) const = 0;
  /// Unpacks deflate without a header, which the files of a zip have.
  [[nodiscard]] virtual bool deflate(std::string_view packed, std::size_t max_size, std::string &unpacked) const = 0;

 protected:
  ~Unpacker() = default;
};

/// Does it with zlib and Zstandard; in the library godot-compression.
[[nodiscard]] const Unpacker &unpacker();

}  // namespace godot_codec::project
