// SPDX-License-Identifier: MIT
#include "godot-codec/project/regular_file.h"

#include <algorithm>
#include <limits>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace godot_codec::project {

#ifdef _WIN32

class FileHandle {
 public:
  explicit FileHandle(const std::filesystem::path &location)
      : handle_(CreateFileW(location.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                            nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr)) {}
  ~FileHandle() {
    if (handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
  }
  FileHandle(const FileHandle &) = delete;
  FileHandle &operator=(const FileHandle &) = delete;

  // @returns false if the file is not a regular file
  bool get_size(std::uint64_t &size) const {
    if (handle_ == INVALID_HANDLE_VALUE || GetFileType(handle_) != FILE_TYPE_DISK) return false;
    LARGE_INTEGER of_file;
    if (GetFileSizeEx(handle_, &of_file) == 0) return false;
    size = static_cast<std::uint64_t>(of_file.QuadPart);
    return true;
  }

  // @returns the number of bytes read, 0 at the end of the file, or -1 on an error
  std::int64_t read(char *to, std::size_t size) {
    constexpr std::size_t most = 1U << 30;
    DWORD count = 0;
    if (ReadFile(handle_, to, static_cast<DWORD>(std::min(size, most)), &count, nullptr) == 0) return -1;
    return count;
  }

  bool seek(std::uint64_t offset) {
    LARGE_INTEGER place;
    place.QuadPart = static_cast<LONGLONG>(offset);
    return SetFilePointerEx(handle_, place, nullptr, FILE_BEGIN) != 0;
  }

 private:
  HANDLE handle_;
};

#else

class FileHandle {
 public:
  explicit FileHandle(const std::filesystem::path &location)
      : file_(::open(location.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~FileHandle() {
    if (file_ >= 0) ::close(file_);
  }
  FileHandle(const FileHandle &) = delete;
  FileHandle &operator=(const FileHandle &) = delete;

  // @returns false if the file is not a regular file
  bool get_size(std::uint64_t &size) const {
    struct stat status = {};
    if (file_ < 0 || ::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    size = static_cast<std::uint64_t>(status.st_size);
    return true;
  }

  // @returns the number of bytes read, 0 at the end of the file, or -1 on an error
  std::int64_t read(char *to, std::size_t size) { return ::read(file_, to, size); }

  bool seek(std::uint64_t offset) { return ::lseek(file_, static_cast<off_t>(offset), SEEK_SET) >= 0; }

 private:
  int file_;
};

#endif

RegularFile::RegularFile(const std::filesystem::path &location) : file_(std::make_unique<FileHandle>(location)) {
  if (!file_->get_size(size_)) size_ = no_size;
}

RegularFile::~RegularFile() = default;

bool RegularFile::read(std::uint64_t offset, std::size_t length, std::string &content) {
  content.clear();
  if (!is_open() || offset > size_ || !file_->seek(offset)) return false;
  content.resize(static_cast<std::size_t>(std::min<std::uint64_t>(length, size_ - offset)));
  std::size_t at = 0;
  while (at < content.size()) {
    const std::int64_t count = file_->read(content.data() + at, content.size() - at);
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

FileReadResult read_regular_file(const std::filesystem::path &location, std::size_t max_size, std::string &content,
                                 std::size_t &size) {
  content.clear();
  RegularFile file(location);
  if (!file.is_open()) return FileReadResult::failed;
  size = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), std::numeric_limits<std::size_t>::max()));
  if (size > max_size) return FileReadResult::too_large;
  return file.read(0, size, content) ? FileReadResult::ok : FileReadResult::failed;
}

}  // namespace godot_codec::project
