// SPDX-License-Identifier: MIT
// Feeds hostile files of a pack (project_fuzzer.cpp reads whole packs): the first byte selects the file type, the rest
// is the file. Aborts if the output is longer than the limit, or if there are both a problem and a text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "godot-codec/core/utf8.h"
#include "godot-codec/project/decompressor.h"
#include "godot-codec/project/exported_game.h"
#include "require.h"

namespace {

using namespace godot_codec::project;

constexpr std::size_t max_size = std::size_t{1} << 16;

void check_text(const ConvertedText &written) {
  require(written.problem.empty() || written.text.empty());
  require(written.text.size() <= max_size);
  require(godot_codec::is_valid_utf8(written.problem));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view file(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0]) {
    case 't':
      static_cast<void>(is_binary_script(file));
      check_text(convert_binary_script(file, &library_decompressor, max_size));
      break;
    case 'r':
      static_cast<void>(is_binary_resource(file));
      check_text(convert_binary_resource(file, &library_decompressor, max_size));
      break;
    case 's':
      static_cast<void>(is_binary_settings(file));
      static_cast<void>(convert_binary_settings(file));
      break;
    default:
      break;
  }
  return 0;
}
