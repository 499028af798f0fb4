// SPDX-License-Identifier: MIT
/// @file
/// How much of a game's folder is read.
#pragma once

#include <cstddef>

namespace godot_codec::project {

/// Beyond a limit, things are left out, and a note says so.
struct Limits {
  std::size_t max_entries = 200'000;        ///< files and folders looked at
  std::size_t max_depth = 32;               ///< folders in folders
  std::size_t max_file_size = 16U << 20;    ///< bytes of one file
  std::size_t max_total_size = 128U << 20;  ///< bytes of all files read
  std::size_t max_classes = 100'000;        ///< scripts and the classes in them
  std::size_t max_nodes = 200'000;          ///< in all scenes; an instance's are counted wherever it is put in,
                                            ///< or would be if they were not left out for another reason
  std::size_t max_node_bytes = 64U << 20;   ///< texts of all nodes, counted as nodes are: paths, types, references
  std::size_t max_properties = 500'000;     ///< in each synchronizer, whose types are looked for
  std::size_t max_methods = 500'000;        ///< in all lists; inherited ones are counted in every list
};

/// Bytes of a node's path; what is longer is left out.
constexpr std::size_t max_node_path_size = 2048;

}  // namespace godot_codec::project
