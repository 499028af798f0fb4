// SPDX-License-Identifier: MIT
/// @file
/// Reads files, and nothing else that may have a file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
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
/// @param content what was read; if the file grows meanwhile, its beginning. If it is too large, its size is @p size
[[nodiscard]] FileReading read_regular_file(const std::filesystem::path &location, std::size_t max_size,
                                            std::string &content, std::size_t &size);

/// A regular file that is read here and there, opened likewise.
class RegularFile {
 public:
  explicit RegularFile(const std::filesystem::path &location);
  ~RegularFile();
  RegularFile(const RegularFile &) = delete;
  RegularFile &operator=(const RegularFile &) = delete;

  [[nodiscard]] bool is_open() const { return size_ != no_size; }
  /// The size in bytes when the file was opened.
  [[nodiscard]] std::uint64_t size() const { return is_open() ? size_ : 0; }
  /// @param content @p length bytes, or as many as there are
  /// @returns whether they could be read
  bool read(std::uint64_t offset, std::size_t length, std::string &content);

 private:
  static constexpr std::uint64_t no_size = ~std::uint64_t{0};

  std::unique_ptr<class OpenFile> file_;
  std::uint64_t size_ = no_size;
};

}  // namespace godot_codec::project
