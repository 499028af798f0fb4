// SPDX-License-Identifier: MIT
// codec_benchmark FILE ...
//
// How long it takes to read the Variant in each file, in nanoseconds: prints "NAME NANOSECONDS", the fastest of
// batches: other programs only add to it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "sum.h"

namespace {

using Clock = std::chrono::steady_clock;
using Packet = std::vector<std::uint8_t>;

Packet read_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Seconds of one reading, as the average of so many.
double time_batch(const Packet &packet, std::size_t count, double &control) {
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    const godot_codec::benchmark::Sum sum = godot_codec::benchmark::sum_variant({packet.data(), packet.size()});
    if (!sum.is_ok) std::exit(1);
    control += sum.reals + static_cast<double>(sum.integers) + static_cast<double>(sum.hash);
  }
  return seconds_since(start) / static_cast<double>(count);
}

double time_reading(const Packet &packet, double &control) {
  constexpr double batch_seconds = 0.002;
  constexpr int batches = 30;
  double fastest = time_batch(packet, 1, control);
  const auto count = static_cast<std::size_t>(std::clamp(batch_seconds / fastest, 1.0, 1e6));
  for (int i = 0; i < batches; ++i) fastest = std::min(fastest, time_batch(packet, count, control));
  return fastest;
}

}  // namespace

int main(int argc, char **argv) {
  double control = 0;  // used, so that nothing is left out
  for (int i = 1; i < argc; ++i) {
    const Packet packet = read_file(argv[i]);
    const double seconds = time_reading(packet, control);
    std::printf("%s %.1f\n", std::filesystem::path(argv[i]).stem().c_str(), seconds * 1e9);
  }
  return control == 0.5 ? 1 : 0;
}
