// SPDX-License-Identifier: MIT
#include "godot-codec/project/game_pack.h"

#include <algorithm>

#include "godot-codec/core/bytes.h"
#include "godot-codec/project/exported_game.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::string_view pck_magic = "GDPC";
constexpr std::string_view resource_prefix = "res://";
constexpr std::size_t chunk_size = 1U << 20;

// ---- .pck

struct PckHeader {
  static constexpr std::size_t size = 40;  // size of the header up to the last needed field
  static constexpr std::size_t reserved = 16 * sizeof(std::uint32_t);
  enum Flags : std::uint32_t { encrypted_list = 1, relative_offsets = 2, known_flags = 7 };

  std::uint32_t version = 0;
  std::uint32_t engine_major = 0;
  std::uint32_t flags = 0;
  std::uint64_t files_offset = 0;  // offset of the files' contents
  std::uint64_t list_offset = 0;   // offset of the file list
};

bool read_pck_header(RegularFile &pack, std::uint64_t start, PckHeader &header) {
  std::string text;
  if (!pack.read(start, PckHeader::size, text) || !text.starts_with(pck_magic)) return false;
  Cursor cursor(bytes_of_text(text), pck_magic.size());
  header.version = cursor.read<std::uint32_t>();
  header.engine_major = cursor.read<std::uint32_t>();
  cursor.read<std::uint32_t>();
  cursor.read<std::uint32_t>();
  header.flags = cursor.read<std::uint32_t>();
  header.files_offset = cursor.read<std::uint64_t>();
  header.list_offset = cursor.read<std::uint64_t>();
  if (header.version == 2) header.list_offset = PckHeader::size - sizeof(std::uint64_t) + PckHeader::reserved;
  if ((header.flags & PckHeader::relative_offsets) != 0) header.files_offset += start;
  if (header.version == 2 || (header.flags & PckHeader::relative_offsets) != 0) header.list_offset += start;
  return cursor.ok();
}

// An executable may contain the magic number by chance, or as a constant in its code. So the fields must be plausible,
// too.
bool is_plausible_header(const PckHeader &header) {
  return header.version >= 1 && header.version <= 9 && header.engine_major >= 3 && header.engine_major <= 9 &&
         (header.version < 2 || header.flags <= PckHeader::known_flags);
}

// Finds the start of the pack: at the beginning of the file, or by the size at the end of the file. If a digital
// signature follows the pack, searches the file.
bool find_pck(RegularFile &pack, std::uint64_t &start, PckHeader &header) {
  constexpr std::size_t tail_size = 12;
  start = 0;
  if (read_pck_header(pack, start, header)) return true;
  std::string text;
  if (pack.size() < tail_size || !pack.read(pack.size() - tail_size, tail_size, text)) return false;
  if (text.ends_with(pck_magic)) {
    Cursor cursor(bytes_of_text(text));
    const auto size = cursor.read<std::uint64_t>();
    start = pack.size() - tail_size - size;
    if (size <= pack.size() - tail_size && read_pck_header(pack, start, header)) return true;
  }
  for (std::uint64_t offset = 0; offset + PckHeader::size <= pack.size(); offset += chunk_size) {
    if (!pack.read(offset, chunk_size + pck_magic.size() - 1, text)) return false;
    for (std::size_t at = text.find(pck_magic); at != std::string::npos; at = text.find(pck_magic, at + 1)) {
      start = offset + at;
      if (read_pck_header(pack, start, header) && is_plausible_header(header)) return true;
    }
  }
  return false;
}

PackFileList list_pck(RegularFile &pack, const PckHeader &header, const Limits &limits) {
  if (header.version < 2) return {{}, "is a pack of an engine before Godot 4"};
  if (header.version > 3) return {{}, "is a pack of a newer engine"};
  if ((header.flags & PckHeader::encrypted_list) != 0)
    return {{}, "is encrypted: not even the list of its files can be read"};
  std::string text;
  if (header.list_offset > pack.size()) return {{}, "has a list of files that lies outside"};
  const std::size_t most = std::min<std::uint64_t>(pack.size() - header.list_offset, limits.max_file_size);
  if (!pack.read(header.list_offset, most, text)) return {{}, "cannot be read"};
  Cursor cursor(bytes_of_text(text));
  const auto count = cursor.read<std::uint32_t>();
  PackFileList list;
  for (std::uint32_t i = 0; i < count && cursor.ok() && list.files.size() < limits.max_entries; ++i) {
    constexpr std::size_t md5_size = 16;
    enum FileFlags : std::uint32_t { encrypted = 1, removed = 2 };
    std::string_view path = take_text(cursor, cursor.read<std::uint32_t>());
    PackedFile file;
    file.offset = header.files_offset + cursor.read<std::uint64_t>();
    file.size = cursor.read<std::uint64_t>();
    cursor.take(md5_size);
    const auto flags = cursor.read<std::uint32_t>();
    if (!cursor.ok()) break;
    path = path.substr(0, path.find('\0'));  // padded with NUL
    if (path.starts_with(resource_prefix)) path.remove_prefix(resource_prefix.size());
    file.path = std::string(resource_prefix).append(path);
    file.is_encrypted = (flags & encrypted) != 0;
    if ((flags & removed) == 0) list.files.push_back(std::move(file));
  }
  if (!cursor.ok()) return {{}, "has a list of files that cannot be read"};
  return list;
}

// ---- .zip

constexpr std::string_view zip_end = {"PK\5\6", 4};
constexpr std::string_view zip_entry = {"PK\1\2", 4};
constexpr std::string_view zip_file = {"PK\3\4", 4};
constexpr std::size_t zip_end_size = 22;
constexpr std::size_t zip_file_size = 30;

// Finds the end record. An optional comment of unknown length follows the record.
bool find_zip_directory(RegularFile &pack, std::uint64_t &offset, std::uint64_t &size) {
  constexpr std::size_t max_comment = 65535;
  const std::uint64_t length = std::min<std::uint64_t>(pack.size(), zip_end_size + max_comment);
  std::string text;
  if (length < zip_end_size || !pack.read(pack.size() - length, static_cast<std::size_t>(length), text)) return false;
  const std::size_t at = text.rfind(zip_end);
  if (at == std::string::npos || text.size() - at < zip_end_size) return false;
  Cursor cursor(bytes_of_text(text), at + 12);
  size = cursor.read<std::uint32_t>();
  offset = cursor.read<std::uint32_t>();
  return offset <= pack.size() && size <= pack.size() - offset;
}

PackFileList list_zip(RegularFile &pack, std::uint64_t offset, std::uint64_t size, const Limits &limits) {
  std::string text;
  const std::uint64_t length = std::min<std::uint64_t>(size, limits.max_file_size);
  if (!pack.read(offset, static_cast<std::size_t>(length), text)) return {{}, "cannot be read"};
  Cursor cursor(bytes_of_text(text));
  PackFileList list;
  while (cursor.available() >= 46 && list.files.size() < limits.max_entries) {
    constexpr std::uint16_t encrypted = 1;
    if (take_text(cursor, zip_entry.size()) != zip_entry) break;
    PackedFile file;
    file.is_zip = true;
    cursor.take(4);  // versions
    file.is_encrypted = (cursor.read<std::uint16_t>() & encrypted) != 0;
    file.method = PackedFile::StorageMethod{cursor.read<std::uint16_t>()};
    cursor.take(8);  // time, checksum
    file.size = cursor.read<std::uint32_t>();
    file.content_size = cursor.read<std::uint32_t>();
    const auto name_size = cursor.read<std::uint16_t>();
    const std::size_t others = std::size_t{cursor.read<std::uint16_t>()} + cursor.read<std::uint16_t>();
    cursor.take(8);  // disk, attributes
    file.offset = cursor.read<std::uint32_t>();
    const std::string_view name = take_text(cursor, name_size);
    cursor.take(others);
    if (!cursor.ok()) break;
    file.path = std::string(resource_prefix).append(name);
    list.files.push_back(std::move(file));
  }
  if (list.files.empty()) return {{}, "is a zip without a list of files"};
  return list;
}

// Removes the prefix assets/, which an .apk adds to the paths of the game's files.
void strip_assets_folder(PackFileList &list) {
  constexpr std::string_view assets = "res://assets/";
  const auto is_settings = [](const PackedFile &file) { return file.path == "res://assets/project.binary"; };
  if (std::ranges::none_of(list.files, is_settings)) return;
  std::erase_if(list.files, [&](const PackedFile &file) { return !file.path.starts_with(assets); });
  for (PackedFile &file : list.files) file.path.erase(resource_prefix.size(), assets.size() - resource_prefix.size());
}

}  // namespace

PackFileList list_pack(RegularFile &pack, const Limits &limits) {
  std::string begin;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  const bool begins_as_zip = pack.read(0, zip_file.size(), begin) && begin == zip_file;
  PckHeader header;
  if (!begins_as_zip && find_pck(pack, offset, header)) return list_pck(pack, header, limits);
  if (!find_zip_directory(pack, offset, size)) return {{}, "is neither a pack nor a zip, and has none in it"};
  PackFileList list = list_zip(pack, offset, size, limits);
  strip_assets_folder(list);
  return list;
}

std::string read_packed_file(RegularFile &pack, const PackedFile &file, const Decompressor *decompressor,
                             std::size_t max_size, std::string &content) {
  std::uint64_t offset = file.offset;
  if (file.is_encrypted) return "it is encrypted";
  const bool is_stored = file.method == PackedFile::StorageMethod::stored;
  if (!is_stored && file.method != PackedFile::StorageMethod::deflated)
    return "it is compressed in a way that is not known";
  if (file.size > max_size) return std::to_string(file.size) + " bytes are too many";
  if (file.is_zip) {
    std::string header;
    if (!pack.read(offset, zip_file_size, header) || header.size() < zip_file_size || !header.starts_with(zip_file)) {
      return "it cannot be read";
    }
    Cursor cursor(bytes_of_text(header), 26);
    offset += zip_file_size + std::uint64_t{cursor.read<std::uint16_t>()};
    offset += cursor.read<std::uint16_t>();
  }
  const auto size = static_cast<std::size_t>(file.size);
  if (offset > pack.size() || size > pack.size() - offset) return "it lies outside of the pack";
  if (!pack.read(offset, size, content) || content.size() != size) return "it cannot be read";
  if (is_stored) return {};
  const std::string packed = std::move(content);
  return decompress_content(decompressor, &Decompressor::deflate, packed, file.content_size, max_size, content);
}

}  // namespace godot_codec::project
