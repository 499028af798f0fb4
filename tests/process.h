// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Runs tshark and other programs, and hears what they print.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace godot_codec::test {

/// A folder of this process's own, gone when the process ends. Whoever tshark runs as may write there.
const std::filesystem::path &scratch_folder();

/// A file or folder where tshark's user may read it: itself, or a copy.
std::filesystem::path readable(const std::filesystem::path &path);

std::string read_file(const std::filesystem::path &path);

using Texts = std::vector<std::string>;
using Rows = std::vector<Texts>;

inline Texts operator+(Texts first, const Texts &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The resources that a child process may use before it is killed.
struct Limits {
  int seconds = 120;                          ///< processor time; ten times as long by the clock
  std::size_t memory = std::size_t{4} << 30;  ///< bytes of address space
};

struct Output {
  bool exited = false;  ///< by itself, in time, and not by a signal
  int status = -1;
  std::string out;
  std::string err;
};

/// Names environment variables for the processes that are started, until it ends.
class Variables {
 public:
  explicit Variables(std::map<std::string, std::string> values) : values_(std::move(values)) {
    for (const auto &[name, value] : values_) setenv(name.c_str(), value.c_str(), 1);
  }
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;
  ~Variables() {
    for (const auto &[name, value] : values_) unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::string> values_;
};

/// Runs a program, as somebody who is not root: Wireshark started by root looks for no plugins but the system's.
Output run(const std::string &program, const std::vector<std::string> &arguments, const Limits &limits = {});

}  // namespace godot_codec::test
