// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Changes captures of engines and browsers: reads and writes pcapng as far as they use it, including embedded keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "pcap.h"
#include "wire.h"

namespace godot_codec::test {

enum PcapngBlock : std::uint32_t {
  pcapng_section = 0x0a0d0d0a,
  pcapng_interface = 1,
  pcapng_packet = 6,
  pcapng_secrets = 10
};

inline std::string pcapng_block(std::uint32_t type, std::string body) {
  body.resize((body.size() + 3) / 4 * 4);
  const std::string size = little_endian(static_cast<std::uint32_t>(body.size() + 12));
  return little_endian(type) + size + body + size;
}

struct PcapngFrame {
  std::size_t interface = 0;
  std::string time;          ///< timestamp, in the units of the file
  std::uint32_t length = 0;  ///< original length, before truncation by the snap length
  std::string bytes;

  [[nodiscard]] std::string block(std::size_t first_interface = 0) const {
    return pcapng_block(pcapng_packet, little_endian(static_cast<std::uint32_t>(first_interface + interface)) + time +
                                           little_endian(static_cast<std::uint32_t>(bytes.size())) +
                                           little_endian(length) + bytes);
  }
  /// Replaces the bytes of the frame and its lengths.
  void set(std::string changed) {
    bytes = std::move(changed);
    length = static_cast<std::uint32_t>(bytes.size());
  }
};

struct Pcapng {
  std::vector<std::uint16_t> linktypes;  ///< link type of each interface
  std::string interfaces;                ///< the interface description blocks
  std::string secrets;                   ///< the decryption secrets blocks
  std::vector<PcapngFrame> frames;

  static std::string section() {
    return pcapng_block(pcapng_section, little_endian(0x1a2b3c4dU) + little_endian(1U) + std::string(8, '\xff'));
  }
  /// Saves the file where tshark can read it, and returns its path.
  [[nodiscard]] std::filesystem::path save(const std::string &name) const {
    std::filesystem::path path = scratch_folder() / name;
    std::ofstream file(path, std::ios::binary);
    file << section() << interfaces << secrets;
    for (const PcapngFrame &frame : frames) file << frame.block();
    return path;
  }
};

inline Pcapng parse_pcapng(const std::string &text) {
  Pcapng file;
  for (std::size_t offset = 0; offset < text.size(); offset += read_u32(text, offset + 4)) {
    const std::uint32_t type = read_u32(text, offset);
    const std::uint32_t size = read_u32(text, offset + 4);
    const std::string body = text.substr(offset + 8, size - 12);
    if (type == pcapng_packet) {
      file.frames.push_back(
          {read_u32(body, 0), body.substr(4, 8), read_u32(body, 16), body.substr(20, read_u32(body, 12))});
    } else if (type == pcapng_interface) {
      file.linktypes.push_back(static_cast<std::uint16_t>(read_u32(body, 0) & 0xffff));
      file.interfaces += text.substr(offset, size);
    } else if (type == pcapng_secrets) {
      file.secrets += text.substr(offset, size);
    }
  }
  return file;
}

inline Pcapng pcapng_of(const std::filesystem::path &capture) { return parse_pcapng(read_file(capture)); }

/// Returns a copy of a capture without its embedded TLS and DTLS keys.
/// @param left_out number of packets at the beginning that are omitted as well
inline std::filesystem::path without_keys(const std::filesystem::path &capture, std::size_t left_out = 0) {
  Pcapng file = pcapng_of(capture);
  file.secrets.clear();
  file.frames.erase(file.frames.begin(), file.frames.begin() + static_cast<std::ptrdiff_t>(left_out));
  return file.save("without_keys_" + std::to_string(left_out) + "_" + capture.filename().string());
}

}  // namespace godot_codec::test
