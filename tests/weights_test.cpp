// SPDX-License-Identifier: MIT
// The weights in doc/recognition.md, with how they were measured, must equal those of the code.
#include "godot-codec/detection/weights.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace godot_codec::weights {
namespace {

// Parses rows such as "| `weak`, `weak_again` | 10, 20 | two packets of a kind |".
std::map<std::string, int> documented() {
  std::map<std::string, int> found;
  std::ifstream page(GODOT_TESTS_DIR "/../doc/recognition.md");
  const std::regex row(R"(^\| ((?:`\w+`(?:, )?)+) \| (-?\d+(?:, -?\d+)*) \|.*)");
  const std::regex name(R"(\w+)");
  const std::regex number(R"(-?\d+)");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    const std::string names = match[1];
    const std::string numbers = match[2];
    auto value = std::sregex_iterator(numbers.begin(), numbers.end(), number);
    for (auto each = std::sregex_iterator(names.begin(), names.end(), name); each != std::sregex_iterator(); ++each) {
      if (value == std::sregex_iterator()) break;
      found[each->str()] = std::stoi((value++)->str());
    }
  }
  return found;
}

TEST(DetectionWeights, MatchTheDocumentation) {
  EXPECT_EQ(documented(), (std::map<std::string, int>{{"decided_at", decided_at},
                                                      {"revoked_below", revoked_below},
                                                      {"strong", strong},
                                                      {"weak", weak},
                                                      {"weak_again", weak_again},
                                                      {"mismatch", mismatch},
                                                      {"most_of_weak", most_of_weak},
                                                      {"most", most},
                                                      {"least", least},
                                                      {"common_again", common_again},
                                                      {"server", server},
                                                      {"greeted", greeted},
                                                      {"registered_dissector", registered_dissector}}));
}

}  // namespace
}  // namespace godot_codec::weights
