// SPDX-License-Identifier: MIT
/// @file
/// The files of a game's folder, within limits, and whether any of them has changed since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/limits.h"

namespace godot_codec::project {

/// Turns UTF-8 into a path of the system's; on Windows it is UTF-16 there.
[[nodiscard]] std::filesystem::path to_path(std::string_view utf8);

/// Names of the folders in a folder, and in those, that have a project.godot, sorted; `server/`, `games/pong/`. Where a
/// folder was chosen by mistake it may be any, so that only so many entries are looked at.
[[nodiscard]] std::vector<std::string> find_projects(const std::filesystem::path &root);

/// The files and folders that a folder had when it was looked at. Functions throw only what allocation throws.
class Folder {
 public:
  struct File {
    std::string path;  ///< `res://…`, valid UTF-8
    std::filesystem::path location;
  };

  /// Looks at the folder and those in it, as Godot does: without what has a `.gdignore` or a project.godot of its own,
  /// without names that begin with a dot; and without links that lead out of it, and links to folders.
  /// @param extensions the files that are wanted, in lower case
  /// @param notes gets one for each thing that is left out for other reasons
  Folder(const std::filesystem::path &root, const std::vector<std::string_view> &extensions, const Limits &limits,
         std::vector<std::string> &notes);
  Folder() = default;

  /// The wanted files, sorted by path.
  [[nodiscard]] const std::vector<File> &files() const { return files_; }

  /// Reads a file. @returns false, with a note, if it cannot be read or is over a limit
  bool read(const File &file, std::string &content, std::vector<std::string> &notes);

  /// Takes a file into account that has_changed() would not, as it is not there or was not wanted.
  void watch(const std::filesystem::path &location);

  /// True if a file that was read, or a folder's list, is not as it was. Opens no file.
  [[nodiscard]] bool has_changed() const;

 private:
  struct Stamp {
    std::filesystem::path location;
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;  // a file's

    [[nodiscard]] bool operator==(const Stamp &) const = default;
  };

  static Stamp stamp_of(const std::filesystem::path &location);
  void list(const std::filesystem::path &location, const std::string &path, std::size_t depth);
  void add_entry(const std::filesystem::directory_entry &entry, const std::string &path, std::size_t depth);
  [[nodiscard]] bool leads_out(const std::filesystem::path &location) const;
  void note_once(std::string note);

  std::filesystem::path root_;
  std::vector<std::string_view> extensions_;
  Limits limits_;
  std::vector<std::string> *notes_ = nullptr;  // while listing
  std::vector<File> files_;
  std::vector<Stamp> stamps_;
  std::size_t entries_ = 0;
  std::size_t total_size_ = 0;
};

}  // namespace godot_codec::project
