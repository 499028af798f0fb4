// SPDX-License-Identifier: MIT
#include "godot-codec/project/exported_game.h"

#include <algorithm>
#include <array>
#include <map>

#include "godot-codec/core/bytes.h"
#include "godot-codec/project/resource_text.h"
#include "godot-codec/project/text_utils.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec::project {
namespace {

constexpr std::string_view settings_magic = "ECFG";
constexpr std::string_view uid_cache = "res://.godot/uid_cache.bin";
constexpr std::string_view remap_extension = ".remap";
constexpr std::size_t max_remap = 4096;  // maximum size of a .remap file, in bytes

// Returns the path that a `.remap` file contains.
std::string find_remap_target(std::string_view text) {
  ResourceReader reader(text);
  for (ResourceItem item; reader.next(item);) {
    if (!item.is_tag && item.name == "path" && item.value.kind == ResourceValueKind::string) return item.value.text;
  }
  return {};
}

class PackReader {
 public:
  PackReader(RegularFile &pack, ParsedSources &sources) : pack_(pack), sources_(sources) {}

  std::string read() {
    PackFileList list = list_pack(pack_, sources_.limits);
    if (!list.problem.empty()) return list.problem;
    // If the pack contains a path twice, the last file counts, as in the engine.
    for (const PackedFile &file : list.files) files_by_path_[file.path] = &file;
    for (const auto &[path, file] : files_by_path_) {
      if (path.ends_with(remap_extension)) follow_remap(path, *file);
    }
    for (const auto &[path, file] : files_by_path_) add_if_wanted(path, *file);
    if (has_empty_csharp_files_) sources_.notes.emplace_back("C# scripts are in the export without their source");
    if (!sources_.has_settings) return has_encrypted_files_ ? "is encrypted" : "has no project.binary";
    return {};
  }

 private:
  // Adds the file that a `.remap` redirects to. For example, res://main.tscn may be stored as
  // res://.godot/exported/….scn.
  void follow_remap(const std::string &path, const PackedFile &file) {
    std::string text;
    if (!read(path, file, max_remap, text)) return;
    const auto target = files_by_path_.find(find_remap_target(text));
    // A .gdc file has the same path as its script, so add_if_wanted() finds it.
    if (target == files_by_path_.end() || extension_of(target->first) == "gdc") return;
    add_file(path.substr(0, path.size() - remap_extension.size()), *target->second);
  }

  void add_if_wanted(const std::string &path, const PackedFile &file) {
    constexpr std::string_view hidden = "res://.";
    if (path == uid_cache) return read_uids(file);
    if (path == "res://project.binary") return add_file("res://project.godot", file);
    const std::string extension = extension_of(path);
    if (extension == "gdc") return add_file(path.substr(0, path.size() - 1), file);
    if (extension == "gd" && files_by_path_.contains(path + "c")) return;
    if (is_readable(path) && !path.starts_with(hidden) && !files_by_path_.contains(path + std::string(remap_extension)))
      add_file(path, file);
  }

  void add_file(const std::string &path, const PackedFile &file) {
    std::string content;
    if (extension_of(path) == "cs" && file.size == 0) has_empty_csharp_files_ = true;
    if (!is_valid_utf8(path) || !read(path, file, sources_.limits.max_file_size, content)) return;
    total_size_ += content.size();
    sources_.add_file(path, content);
  }

  bool read(const std::string &path, const PackedFile &file, std::size_t max_size, std::string &content) {
    max_size =
        std::min(max_size, sources_.limits.max_total_size - std::min(total_size_, sources_.limits.max_total_size));
    const std::string problem = read_packed_file(pack_, file, sources_.decompressor, max_size, content);
    has_encrypted_files_ = has_encrypted_files_ || file.is_encrypted;
    if (!problem.empty() && is_valid_utf8(path)) sources_.notes.push_back(path + ": not read, " + problem);
    return problem.empty();
  }

  // Rule: ResourceUID::load_from_cache()
  void read_uids(const PackedFile &file) {
    std::string content;
    if (!read(std::string(uid_cache), file, sources_.limits.max_file_size, content)) return;
    Cursor cursor(bytes_of_text(content));
    const auto count = cursor.read<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
      const auto uid = cursor.read<std::uint64_t>();
      const std::string_view path = take_text(cursor, cursor.read<std::uint32_t>());
      if (cursor.ok() && is_valid_utf8(path)) sources_.add_uid(format_uid(uid), path);
    }
  }

  RegularFile &pack_;
  ParsedSources &sources_;
  std::map<std::string, const PackedFile *, std::less<>> files_by_path_;
  std::size_t total_size_ = 0;
  bool has_encrypted_files_ = false;
  bool has_empty_csharp_files_ = false;
};

}  // namespace

std::string read_pack(RegularFile &pack, ParsedSources &sources) { return PackReader(pack, sources).read(); }

std::string decompress_content(const Decompressor *decompressor, Decompressor::Function Decompressor::*method,
                               std::string_view compressed, std::size_t size, std::size_t max_size,
                               std::string &content) {
  // The export may claim any size. No file of a game is compressed further, which limits the memory for a wrong size.
  constexpr std::size_t max_ratio = 1032;
  if (decompressor == nullptr) return "it is compressed";
  if (size > max_size || size / max_ratio > compressed.size()) return "it cannot be decompressed";
  content.resize(size);
  const Bytes in = bytes_of_text(compressed);
  const std::span<std::uint8_t> out(reinterpret_cast<std::uint8_t *>(content.data()), size);
  return (decompressor->*method)({in.data, in.captured}, out) == size ? "" : "it cannot be decompressed";
}

bool is_binary_settings(std::string_view file) { return file.starts_with(settings_magic); }

std::string convert_binary_settings(std::string_view file) {
  constexpr std::size_t longest = 4096;
  Cursor cursor(bytes_of_text(file), settings_magic.size());
  const auto count = cursor.read<std::uint32_t>();
  std::string text;
  for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
    const std::string_view key = take_text(cursor, cursor.read<std::uint32_t>());
    const std::string_view value = take_text(cursor, cursor.read<std::uint32_t>());
    if (!cursor.ok()) break;
    std::array<char, longest> memory{};
    TextBuffer written(memory);
    const WalkResult result = append_variant(written, bytes_of_text(value), 0, {}, {}, TextStyle::script);
    const std::size_t slash = key.find('/');
    if (result.outcome != Outcome::ok || written.is_full() || slash == std::string_view::npos) continue;
    text.append("[").append(key.substr(0, slash)).append("]\n").append(key.substr(slash + 1)).append("=");
    text.append(written.view()).append("\n");
  }
  return text;
}

}  // namespace godot_codec::project
