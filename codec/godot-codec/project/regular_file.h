// SPDX-License-Identifier: MIT
/// @file
/// Reads files, and nothing else that may have a file's name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace godot_codec::project {

/// How reading a file ended.
enum class FileReading {
  ok,
  failed,     ///< it is gone, must not be read, or is no regular file: a pipe would keep us waiting for its writer
  too_large,  ///< nothing was read
};

/// Reads a regular file. It is opened without waiting, and asked what it is once it is open: between a look at its
/// name and the opening, another may have taken the name.
/// @param max_size bytes
/// @param content what was read; of what grows meanwhile, its beginning. Its size where it is too large is @p size
[[nodiscard]] FileReading read_regular_file(const std::filesystem::path &location, std::size_t max_size,
                                            std::string &content, std::size_t &size);

}  // namespace godot_codec::project
