// SPDX-License-Identifier: MIT
#include "godot-codec/core/counts.h"

#ifdef GODOT_CODEC_COUNTS

#include <cstdlib>
#include <fstream>

namespace godot_codec {

Counts::~Counts() {
  if (const char *path = std::getenv("GODOT_CODEC_COUNTS"); path != nullptr) {
    std::ofstream(path) << "messages " << messages << "\nbytes " << bytes << "\nlookups " << lookups << "\n";
  }
}

Counts &counts() {
  static Counts counts;
  return counts;
}

}  // namespace godot_codec

#endif
