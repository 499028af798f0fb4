// SPDX-License-Identifier: MIT
/// @file
/// Reads the archive that an exported game's files are in: a .pck, an .exe with one at its end, a
/// .zip, an .apk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/limits.h"
#include "godot-codec/project/regular_file.h"
#include "godot-codec/project/unpack.h"

namespace godot_codec::project {

/// Bytes that are read here and there.
class ByteSource {
 public:
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// @param content @p length bytes, or as many as there are
  /// @returns whether they could be read
  virtual bool read(std::uint64_t offset, std::size_t length, std::string &content) = 0;

 protected:
  ~ByteSource() = default;
};

/// Bytes in memory, which has to outlive this.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  bool read(std::uint64_t offset, std::size_t length, std::string &content) override;

 private:
  std::string_view bytes_;
};

/// A file's bytes.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(RegularFile &file) : file_(&file) {}
  [[nodiscard]] std::uint64_t size() const override { return file_->size(); }
  bool read(std::uint64_t offset, std::size_t length, std::string &content) override {
    return file_->read(offset, length, content);
  }

 private:
  RegularFile *file_;
};

/// A file in a pack.
struct PackedFile {
  enum class Method : std::uint8_t { stored, deflated, unknown };

  std::string path;  ///< `res://…`, as the pack has it: not more than that is
                     ///< known of it
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  ///< in the pack
  Method method = Method::stored;
  bool is_zip = false;  ///< at the offset stands a header
  bool is_encrypted = false;
};

/// The list of a pack's files.
struct PackList {
  std::vector<PackedFile> files;
  std::string problem;  ///< why there is none, as the end of a sentence; empty
                        ///< if there is
};

/// Finds the pack and lists its files.
/// Rules: PackedSourcePCK::try_open_pack(), formats 2 (Godot 4.0) and 3 (4.5);
/// EditorExportPlatformPC::fixup_embedded_pck(); APPNOTE.TXT of zip.
[[nodiscard]] PackList list_pack(ByteSource &source, const Limits &limits);

/// Reads one of the files.
/// @returns why it cannot be read, as the end of a sentence; empty if it can
[[nodiscard]] std::string read_packed(ByteSource &source, const PackedFile &file, const Unpacker *unpacker,
                                      std::size_t max_size, std::string &content);

}  // namespace godot_codec::project
