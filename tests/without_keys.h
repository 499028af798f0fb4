// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// A capture as it is without the keys of TLS and DTLS that are in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "pcap.h"
#include "tshark.h"

namespace godot_codec::test {

/// Writes a pcapng file's blocks but for those with secrets. (What has secrets, editcap writes to no other file.)
/// @param left_out so many of the first packets are left out, too
inline std::filesystem::path without_keys(const std::filesystem::path &capture, std::size_t left_out = 0) {
  constexpr std::uint32_t secrets = 10;  // the Decryption Secrets Block
  constexpr std::uint32_t enhanced_packet = 6;
  const std::filesystem::path bare =
      scratch_folder() / ("without_keys_" + std::to_string(left_out) + "_" + capture.filename().string());
  const std::string file = read_file(capture);
  std::ofstream out(bare, std::ios::binary);
  for (std::size_t offset = 0; offset < file.size(); offset += read_u32(file, offset + 4)) {
    const std::uint32_t kind = read_u32(file, offset);
    const bool is_early = kind == enhanced_packet && left_out > 0;
    if (is_early) --left_out;
    if (kind != secrets && !is_early) out << file.substr(offset, read_u32(file, offset + 4));
  }
  return bare;
}

}  // namespace godot_codec::test
