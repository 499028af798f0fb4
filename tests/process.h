// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Runs tshark and other programs, and hears what they print.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace godot_codec::test {

/// A folder of this process's own, gone when the process ends. The user that tshark runs as may write there.
const std::filesystem::path &scratch_folder();

/// A copy of a file or folder in the scratch folder, made anew, which tshark's user may read.
std::filesystem::path copy_of(const std::filesystem::path &path, const std::filesystem::path &name);

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

/// Names environment variables for the processes that are started, until it ends. Paths in them as in run().
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string> &values);
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;
  ~Variables();

 private:
  Texts names_;
};

/// Runs a program, as somebody who is not root: Wireshark started by root looks for no plugins but the system's. Where
/// an argument names a file or folder of the sources or the build, that user, who may not look there, is given a copy.
Output run(const std::string &program, Texts arguments, const Limits &limits = {});

}  // namespace godot_codec::test
