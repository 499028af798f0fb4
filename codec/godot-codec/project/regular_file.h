// SPDX-License-Identifier: MIT
/// @file
/// Reads regular files only, never pipes or devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace godot_codec::project {

enum class FileReadResult {
  ok,
  failed,     ///< the file is missing, not readable, or not a regular file (reading a pipe could block forever)
  too_large,  ///< the file exceeds the limit; nothing was read
};

/// Reads a regular file. Opens it without blocking, and checks its type after opening. A check before opening would be
/// unsafe, because another file could get the same name in between.
/// @param max_size in bytes
/// @param content the file's bytes; if the file grows while it is read, its first @p size bytes
/// @param size the file's size in bytes, even if the file is too large
[[nodiscard]] FileReadResult read_regular_file(const std::filesystem::path &location, std::size_t max_size,
                                               std::string &content, std::size_t &size);

/// Bytes with random access.
class ByteSource {
 public:
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Reads a range.
  /// @param content receives @p length bytes, or fewer bytes at the end
  /// @returns false if the range starts after the end, or on a read error
  virtual bool read(std::uint64_t offset, std::size_t length, std::string &content) = 0;

 protected:
  ~ByteSource() = default;
};

/// A regular file. It is opened as in read_regular_file().
class RegularFile final : public ByteSource {
 public:
  explicit RegularFile(const std::filesystem::path &location);
  ~RegularFile();
  RegularFile(const RegularFile &) = delete;
  RegularFile &operator=(const RegularFile &) = delete;

  [[nodiscard]] bool is_open() const { return size_ != no_size; }
  /// Returns the size in bytes that the file had when it was opened; 0 if it is not open.
  [[nodiscard]] std::uint64_t size() const override { return is_open() ? size_ : 0; }
  bool read(std::uint64_t offset, std::size_t length, std::string &content) override;

 private:
  static constexpr std::uint64_t no_size = ~std::uint64_t{0};

  int file_;
  std::uint64_t size_ = no_size;
};

}  // namespace godot_codec::project
