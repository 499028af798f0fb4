// SPDX-License-Identifier: MIT
/// @file
/// Reads regular files only, never pipes or devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace godot_codec::project {

/// A regular file. The constructor opens the file without blocking, and checks its type after opening. A check before
/// opening would be unsafe, because another file could get the same name in between.
class RegularFile final {
 public:
  explicit RegularFile(const std::filesystem::path &location);
  ~RegularFile();
  RegularFile(const RegularFile &) = delete;
  RegularFile &operator=(const RegularFile &) = delete;

  /// False if the file is missing, not readable, or not a regular file, because reading a pipe could block forever.
  [[nodiscard]] bool is_open() const { return size_ != no_size; }
  /// Returns the size in bytes that the file had when it was opened; 0 if it is not open.
  [[nodiscard]] std::uint64_t size() const { return is_open() ? size_ : 0; }
  /// Reads a range.
  /// @param content receives @p length bytes, or fewer bytes at the end of the file
  /// @returns false if the file is not open, if the range starts after the end, or on a read error
  bool read(std::uint64_t offset, std::uint64_t length, std::string &content);

 private:
  static constexpr std::uint64_t no_size = ~std::uint64_t{0};

  int file_;
  std::uint64_t size_ = no_size;
};

}  // namespace godot_codec::project
