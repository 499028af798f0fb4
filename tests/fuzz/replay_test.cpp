// SPDX-License-Identifier: MIT
// Replays a fuzzer's corpus as a test with any compiler: every file of the folder given on the command line, and every
// prefix of each file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

std::filesystem::path corpus;

TEST(CorpusReplay, EveryInputPassesTheFuzzTarget) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(corpus)) paths.push_back(entry.path());
  ASSERT_FALSE(paths.empty());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path &path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ASSERT_FALSE(content.empty()) << path;
    for (std::size_t size = 0; size <= content.size(); ++size) {
      const std::vector<std::uint8_t> input(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(LLVMFuzzerTestOneInput(input.data(), input.size()), 0);
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  corpus = argv[1];
  return RUN_ALL_TESTS();
}
