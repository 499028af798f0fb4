// SPDX-License-Identifier: MIT
// codec_benchmark FILE COUNT
//
// Reads the Variant in a file so many times: whoever calls it takes the time.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "sum.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const godot_codec::Bytes packet{reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()};
  double control = 0;  // used, so that nothing is left out
  for (long i = std::atol(argv[2]); i > 0; --i) {
    const godot_codec::benchmark::Sum sum = godot_codec::benchmark::sum_variant(packet);
    if (!sum.is_ok) return 1;
    control += sum.reals + static_cast<double>(sum.integers) + static_cast<double>(sum.hash);
  }
  return control == 0.5 ? 1 : 0;
}
