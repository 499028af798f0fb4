// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Runs tshark and other programs, and captures their output.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace godot_codec::test {

/// Returns a folder of this process; it is deleted when the process ends. The user that tshark runs as can write there.
const std::filesystem::path &scratch_folder();

/// Copies a file or folder into the scratch folder, replaces an earlier copy, and makes it readable for tshark's user.
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
  int seconds = 120;                          ///< of processor time; the limit of real time is ten times as long
  std::size_t memory = std::size_t{4} << 30;  ///< bytes of address space
};

struct Output {
  bool exited = false;  ///< true if the process ended by itself in time, not by a signal
  int status = -1;
  std::string out;
  std::string err;
};

/// Sets environment variables for the processes that are started while this object exists. Paths are copied as in
/// run().
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string> &values);
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;
  ~Variables();

 private:
  Texts names_;
};

/// Runs a program as a user other than root, because Wireshark started by root loads only system plugins. That user
/// cannot read the source and build folders, so arguments that name a file or folder there are replaced by a copy.
Output run(const std::string &program, Texts arguments, const Limits &limits = {});

}  // namespace godot_codec::test
