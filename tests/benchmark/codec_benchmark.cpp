// SPDX-License-Identifier: MIT
// codec_benchmark FILE COUNT [tree]
//
// Decodes the Variant in a file COUNT times: with a sink that sums its values, or into a tree of values. The calling
// script measures the time.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "godot-codec/variant/variant_value.h"
#include "sum.h"

namespace {

// Builds a tree each time and uses its values, so that the compiler cannot omit the work.
int read_trees(godot_codec::Bytes packet, long count) {
  godot_codec::ValueArena arena;
  std::size_t control = 0;
  for (; count > 0; --count) {
    arena.clear();
    const godot_codec::ValueTree read = godot_codec::read_value(packet, 0, {}, {}, arena);
    if (read.root == nullptr) return 1;
    control += read.root->elements().size() + read.root->entries().size() + read.root->numbers().size();
  }
  return control == 1 ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  const bool is_tree = argc == 4 && std::string_view(argv[3]) == "tree";
  if (argc != 3 && !is_tree) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const godot_codec::Bytes packet{reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()};
  if (is_tree) return read_trees(packet, std::atol(argv[2]));
  double control = 0;  // used, so that the compiler cannot omit the work
  for (long i = std::atol(argv[2]); i > 0; --i) {
    const godot_codec::benchmark::VariantSum sum = godot_codec::benchmark::sum_variant(packet);
    if (!sum.is_ok) return 1;
    control += sum.reals + static_cast<double>(sum.integers) + static_cast<double>(sum.hash);
  }
  return control == 0.5 ? 1 : 0;
}
