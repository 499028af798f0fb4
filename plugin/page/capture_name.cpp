// SPDX-License-Identifier: GPL-2.0-or-later
#include <glib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "plugin/page/match_page.h"

namespace godot_plugin {
namespace {

namespace fs = std::filesystem;

// Signatures of pcapng, pcap (both byte orders, microseconds or nanoseconds), gzip, Zstandard and LZ4.
constexpr std::array<std::string_view, 8> signatures = {"\x0a\x0d\x0d\x0a", "\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4",
                                                        "\x4d\x3c\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x1f\x8b",
                                                        "\x28\xb5\x2f\xfd", "\x04\x22\x4d\x18"};

bool is_capture_file(const fs::path &path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, 4> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  const std::string_view read{begin.data(), begin.size()};
  return std::ranges::any_of(signatures, [&](std::string_view signature) { return read.starts_with(signature); });
}

}  // namespace

std::string find_capture_name() {
  std::error_code error;
  fs::path found;
  for (fs::directory_iterator open("/proc/self/fd", error), end; !error && open != end; open.increment(error)) {
    std::error_code unreadable;
    const fs::path path = fs::read_symlink(open->path(), unreadable);
    if (unreadable || path == found || !is_capture_file(path)) continue;
    if (!found.empty()) return {};
    found = path;
  }
  return found.empty() ? "" : display_name_of(found.string());
}

std::string display_name_of(const std::string &path) {
  char *display = g_filename_display_basename(path.c_str());
  std::string name = display;
  g_free(display);
  return name;
}

}  // namespace godot_plugin
