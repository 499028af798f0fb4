// SPDX-License-Identifier: MIT
/// @file
/// Helpers of the fuzzers.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

/// Aborts if a promise of the codec is broken.
inline void require(bool promise) {
  if (!promise) std::abort();
}

/// Writes the input to a file, for code that reads only files. Replaces the file of the previous input, because some
/// file systems write a file that is overwritten to the disk at once.
inline std::filesystem::path write_input(std::string_view input) {
  static const std::string name = "fuzzer_input_" + std::to_string(std::random_device{}());
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << input;
  return path;
}
