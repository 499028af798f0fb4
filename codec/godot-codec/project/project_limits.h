// SPDX-License-Identifier: MIT
/// @file
/// Limits for reading a project folder, and the functions that decompress exported games.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace godot_codec::project {

/// The limits. If something exceeds a limit, it is skipped, and a note reports it.
struct Limits {
  std::size_t max_entries = 200'000;        ///< files and folders that are visited
  std::size_t max_depth = 32;               ///< nesting of folders
  std::size_t max_file_size = 16U << 20;    ///< size of one file, in bytes
  std::size_t max_total_size = 128U << 20;  ///< size of all files that are read, in bytes
  std::size_t max_classes = 100'000;        ///< scripts and their inner classes
  std::size_t max_nodes = 200'000;  ///< nodes of all scenes; an instanced scene counts once per instance, even if its
                                    ///< nodes are skipped for another reason
  std::size_t max_node_bytes = 64U << 20;  ///< total size of the texts of all these nodes, in bytes: paths, types,
                                           ///< references
  std::size_t max_properties = 500'000;    ///< properties that are looked up for their types, counted once per
                                           ///< synchronizer
  std::size_t max_methods = 500'000;       ///< methods of all lists; an inherited method counts in every list
};

/// Functions of compression libraries. The codec itself does not depend on these libraries. Each function returns the
/// number of bytes written; 0 on failure.
struct Decompressor {
  using Function = std::size_t (*)(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

  Function zstd;
  Function deflate;  ///< raw deflate data as in zip files (RFC 1951, without a zlib header)
  Function file;     ///< a file that FileAccess.open_compressed() has written
};

/// Maximum length of a node's path, in bytes. Nodes with longer paths are skipped.
constexpr std::size_t max_node_path_size = 2048;

}  // namespace godot_codec::project
