// SPDX-License-Identifier: MIT
/// @file
/// Lists and reads the files of a project folder, within limits. Detects changes of the folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/project_limits.h"

namespace godot_codec::project {

/// Converts UTF-8 to a native path (UTF-16 on Windows).
[[nodiscard]] std::filesystem::path to_path(std::string_view utf8);

/// Returns the folders that contain a project.godot, down to two levels below @p root. The paths are sorted and
/// relative to @p root: `server/`, `games/pong/`. Visits a limited number of entries, because the user may have chosen
/// any folder by mistake.
[[nodiscard]] std::vector<std::string> find_project_folders(const std::filesystem::path &root);

/// True if files with this name are read, according to their extension.
[[nodiscard]] bool is_readable(std::string_view file);

/// Adds a note, unless the list already contains it.
void add_note_once(std::vector<std::string> &notes, const std::string &note);

/// The files and folders that were found when a folder was listed. Functions throw only on allocation failure.
class ProjectFolder {
 public:
  struct File {
    std::string path;  ///< `res://…`, valid UTF-8
    std::filesystem::path location;
  };

  /// Lists the folder and its subfolders as Godot does. Skips subfolders that contain a `.gdignore` or a project.godot,
  /// and names that begin with a dot. Also skips links to folders, and links to files outside of the folder.
  /// @param notes receives a note for everything that is skipped because of a limit, a link or an error
  ProjectFolder(const std::filesystem::path &root, const Limits &limits, std::vector<std::string> &notes);
  ProjectFolder() = default;

  /// Returns the files with an extension that is read (see is_readable()), sorted by path.
  [[nodiscard]] const std::vector<File> &files() const { return files_; }

  /// Reads a file.
  /// @returns false, and adds a note, if the file cannot be read or exceeds a limit
  bool read(const File &file, std::string &content, std::vector<std::string> &notes);

  /// Lets has_changed() also watch a file that does not exist yet or is not in files().
  void watch(const std::filesystem::path &location);

  /// True if a listed folder, a file that was read, or a watched file has changed. Opens no files.
  [[nodiscard]] bool has_changed() const;

 private:
  struct FileStamp {
    std::filesystem::path location;
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;  // size of a file in bytes; 0 for a folder

    [[nodiscard]] bool operator==(const FileStamp &) const = default;
  };

  static FileStamp read_stamp(const std::filesystem::path &location);
  void list_folder(const std::filesystem::path &location, const std::string &path, std::size_t depth);
  void add_entry(const std::filesystem::directory_entry &entry, const std::string &path, std::size_t depth);
  [[nodiscard]] bool leads_outside_root(const std::filesystem::path &location) const;

  std::filesystem::path root_;
  Limits limits_;
  std::vector<std::string> *notes_ = nullptr;  // only while listing
  std::vector<File> files_;
  std::vector<FileStamp> stamps_;
  std::size_t entry_count_ = 0;
  std::size_t total_size_ = 0;
};

}  // namespace godot_codec::project
