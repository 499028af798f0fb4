// SPDX-License-Identifier: MIT
#include "godot-codec/project/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace godot_codec::project {
namespace {

// Windows has the same functions under other names.
#ifdef _WIN32
using FileStatus = struct _stat64;
int open_file(const std::filesystem::path &location) {
  return _wopen(location.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}
int read_status(int file, FileStatus &status) { return _fstat64(file, &status); }
std::int64_t seek(int file, std::uint64_t offset) { return _lseeki64(file, static_cast<__int64>(offset), SEEK_SET); }
std::int64_t read_some(int file, char *to, unsigned size) { return _read(file, to, size); }
int close_file(int file) { return _close(file); }
#else
using FileStatus = struct stat;
int open_file(const std::filesystem::path &location) {
  return ::open(location.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}
int read_status(int file, FileStatus &status) { return ::fstat(file, &status); }
std::int64_t seek(int file, std::uint64_t offset) { return ::lseek(file, static_cast<off_t>(offset), SEEK_SET); }
std::int64_t read_some(int file, char *to, unsigned size) { return ::read(file, to, size); }
int close_file(int file) { return ::close(file); }
#endif

}  // namespace

RegularFile::RegularFile(const std::filesystem::path &location) : file_(open_file(location)) {
  FileStatus status = {};
  const bool is_regular = file_ >= 0 && read_status(file_, status) == 0 && (status.st_mode & S_IFMT) == S_IFREG;
  if (is_regular) size_ = static_cast<std::uint64_t>(status.st_size);
}

RegularFile::~RegularFile() {
  if (file_ >= 0) close_file(file_);
}

bool RegularFile::read(std::uint64_t offset, std::uint64_t length, std::string &content) {
  constexpr std::size_t max_step = std::size_t{1} << 30;  // Windows reads at most 2 GiB at once
  content.clear();
  if (!is_open() || offset > size_ || seek(file_, offset) < 0) return false;
  content.resize(static_cast<std::size_t>(std::min(length, size_ - offset)));
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t step = std::min(content.size() - at, max_step);
    const std::int64_t count = read_some(file_, content.data() + at, static_cast<unsigned>(step));
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace godot_codec::project
