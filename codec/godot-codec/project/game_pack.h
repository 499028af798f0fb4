// SPDX-License-Identifier: MIT
/// @file
/// Reads the archive that contains an exported game's files: a .pck, an executable with an embedded .pck, a .zip or an
/// .apk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/project_limits.h"
#include "godot-codec/project/regular_file.h"

namespace godot_codec::project {

struct PackedFile {
  enum class StorageMethod : std::uint16_t { stored = 0, deflated = 8 };  // values of zip; a file may have another

  std::string path;  ///< `res://…`, as listed in the pack; not validated
  std::uint64_t offset = 0;
  std::uint64_t size = 0;          ///< stored size in the pack, in bytes
  std::uint64_t content_size = 0;  ///< size after decompression, in bytes
  StorageMethod method = StorageMethod::stored;
  bool is_zip = false;  ///< true if a zip's local file header precedes the content at the offset
  bool is_encrypted = false;
};

struct PackFileList {
  std::vector<PackedFile> files;
  std::string problem;  ///< the reason why there is no list, as the predicate of a sentence about the file; empty on
                        ///< success
};

/// Finds the pack and lists its files.
/// Rules: PackedSourcePCK::try_open_pack(), formats 2 (Godot 4.0) and 3 (4.5);
/// EditorExportPlatformPC::fixup_embedded_pck(); APPNOTE.TXT of zip.
[[nodiscard]] PackFileList list_pack(RegularFile &pack, const Limits &limits);

/// Reads a file of a pack.
/// @returns the reason why it cannot be read, as the end of a sentence; empty on success
[[nodiscard]] std::string read_packed_file(RegularFile &pack, const PackedFile &file, const Decompressor *decompressor,
                                           std::size_t max_size, std::string &content);

}  // namespace godot_codec::project
