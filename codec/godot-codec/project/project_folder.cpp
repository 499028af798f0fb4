// SPDX-License-Identifier: MIT
#include "godot-codec/project/project_folder.h"

#include <algorithm>
#include <deque>
#include <system_error>

#include "godot-codec/project/regular_file.h"
#include "godot-codec/project/text_utils.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec::project {
namespace fs = std::filesystem;
namespace {

// @returns false if the name is not valid Unicode
bool to_utf8(const fs::path &path, std::string &utf8) {
  try {
    const std::u8string text = path.u8string();
    utf8.assign(text.begin(), text.end());
  } catch (const std::system_error &) {
    return false;
  }
  return is_valid_utf8(utf8);
}

}  // namespace

fs::path to_path(std::string_view utf8) { return {std::u8string(utf8.begin(), utf8.end())}; }

std::vector<std::string> find_project_folders(const fs::path &root) {
  constexpr std::size_t max_entries = 1000;
  constexpr std::size_t max_depth = 2;
  struct PendingFolder {
    fs::path location;
    std::string name;
    std::size_t depth = 0;
  };
  std::vector<std::string> projects;
  std::deque<PendingFolder> levels{{root, "", 0}};
  std::size_t entries = 0;
  for (; !levels.empty(); levels.pop_front()) {
    const PendingFolder level = levels.front();
    std::error_code error;
    fs::directory_iterator entry(level.location, error);
    for (; !error && entry != fs::directory_iterator() && entries < max_entries; entry.increment(error), ++entries) {
      std::string name;
      if (!to_utf8(entry->path().filename(), name) || name.starts_with('.')) continue;
      std::error_code ignored;
      if (entry->symlink_status(ignored).type() != fs::file_type::directory) continue;
      name.insert(0, level.name).push_back('/');
      if (fs::exists(entry->path() / "project.godot", ignored)) {
        projects.push_back(name);
      } else if (level.depth + 1 < max_depth) {
        levels.push_back({entry->path(), name, level.depth + 1});
      }
    }
  }
  std::ranges::sort(projects);
  return projects;
}

bool is_readable(std::string_view file) {
  constexpr std::string_view extensions[] = {"gd", "cs", "tscn", "tres", "uid", "scn", "res", "godot"};
  return std::ranges::find(extensions, extension_of(file)) != std::end(extensions);
}

ProjectFolder::ProjectFolder(const fs::path &root, const Limits &limits, std::vector<std::string> &notes)
    : limits_(limits), notes_(&notes) {
  std::error_code error;
  root_ = fs::canonical(root, error);
  if (error) root_ = root;
  list_folder(root_, "res://", 0);
  std::ranges::sort(files_, {}, &File::path);
  notes_ = nullptr;
}

void add_note_once(std::vector<std::string> &notes, const std::string &note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

ProjectFolder::FileStamp ProjectFolder::read_stamp(const fs::path &location) {
  std::error_code error;
  FileStamp stamp{location, fs::last_write_time(location, error)};
  if (error) stamp.time = fs::file_time_type::min();
  if (fs::is_regular_file(location, error)) stamp.size = fs::file_size(location, error);
  return stamp;
}

void ProjectFolder::list_folder(const fs::path &location, const std::string &path, std::size_t depth) {
  if (depth > limits_.max_depth) {
    add_note_once(*notes_, "folders deeper than " + std::to_string(limits_.max_depth) + " are not read");
    return;
  }
  stamps_.push_back(read_stamp(location));
  std::error_code error;
  fs::directory_iterator entry(location, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (++entry_count_ > limits_.max_entries) {
      add_note_once(*notes_,
                    "only the first " + std::to_string(limits_.max_entries) + " files and folders are looked at");
      return;
    }
    add_entry(*entry, path, depth);
  }
  if (error) add_note_once(*notes_, path + ": the folder cannot be read");
}

void ProjectFolder::add_entry(const fs::directory_entry &entry, const std::string &path, std::size_t depth) {
  std::string name;
  if (!to_utf8(entry.path().filename(), name) || name.starts_with('.')) return;
  std::error_code error;
  const fs::file_type type = entry.symlink_status(error).type();
  if (error) return;
  if (type == fs::file_type::directory) {
    const bool is_left_out =
        fs::exists(entry.path() / ".gdignore", error) || fs::exists(entry.path() / "project.godot", error);
    if (!is_left_out) list_folder(entry.path(), path + name + "/", depth + 1);
    return;
  }
  const bool is_link = type == fs::file_type::symlink;
  if (is_link && fs::is_directory(entry.path(), error)) {
    notes_->push_back(path + name + ": a link to a folder is not followed");
    return;
  }
  if (!is_readable(name)) return;
  if (is_link && leads_outside_root(entry.path())) {
    notes_->push_back(path + name + ": a link out of the folder is not followed");
  } else if (fs::is_regular_file(entry.path(), error)) {
    files_.push_back({path + name, entry.path()});
  }
}

bool ProjectFolder::leads_outside_root(const fs::path &location) const {
  std::error_code error;
  const fs::path target = fs::canonical(location, error);
  if (error) return true;
  return std::mismatch(root_.begin(), root_.end(), target.begin(), target.end()).first != root_.end();
}

bool ProjectFolder::read(const File &file, std::string &content, std::vector<std::string> &notes) {
  stamps_.push_back(read_stamp(file.location));
  const std::size_t max_size = std::min(limits_.max_file_size, limits_.max_total_size - total_size_);
  RegularFile source(file.location);
  const bool is_too_large = source.size() > max_size;
  const bool is_read = !is_too_large && source.read(0, source.size(), content);
  if (is_too_large) notes.push_back(file.path + ": not read, " + std::to_string(source.size()) + " bytes are too many");
  if (!is_too_large && !is_read) notes.push_back(file.path + ": cannot be read");
  if (is_read) total_size_ += content.size();
  return is_read;
}

void ProjectFolder::watch(const fs::path &location) { stamps_.push_back(read_stamp(location)); }

bool ProjectFolder::has_changed() const {
  return std::ranges::any_of(stamps_, [](const FileStamp &stamp) { return !(stamp == read_stamp(stamp.location)); });
}

}  // namespace godot_codec::project
