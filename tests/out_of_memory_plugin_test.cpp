// SPDX-License-Identifier: GPL-2.0-or-later
// When memory runs out, no exception may reach epan, which is C and cannot handle it.
#include <gtest/gtest.h>

#include <sstream>

#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

class OutOfMemory : public testing::TestWithParam<const char *> {
 protected:
  // Runs tshark with a failing operator new: "7" fails once, at the seventh call; "7+" at all calls from the seventh
  // on.
  [[nodiscard]] Output run_with(const std::string &failing) const {
    const Variables variables(
        {{"LD_PRELOAD", FAILING_MEMORY}, {"FAILING_MEMORY", failing}, {"FAILING_MEMORY_COUNT", count_.string()}});
    const fs::path capture = fs::path(GODOT_CAPTURES_DIR) / GetParam();
    // With -P, the test harness starts a new process (tshark_forks.h), so that the variables take effect.
    return run(TSHARK,
               {"-n", "-r", capture.string(), "-P", "-2", "-V", "-z", "godot,problems", "-z", "godot_mp,calls"});
  }

  // Returns the number of calls of operator new for the capture.
  [[nodiscard]] unsigned long calls() const {
    EXPECT_EQ(run_with("0").err, "");
    unsigned long calls = 0;
    std::istringstream(read_file(count_)) >> calls;
    return calls;
  }

 private:
  fs::path count_ = scratch_folder() / "calls_of_new";
};

TEST_P(OutOfMemory, AddsAWarning) {
  const unsigned long all = calls();
  ASSERT_GT(all, 2U);
  std::size_t warnings = 0;
  constexpr unsigned long tries = 8;
  for (unsigned long i = 0; i < tries; ++i) {
    for (const char *how : {"", "+"}) {
      const std::string failing = std::to_string(1 + i * i * all / (tries * tries)) + how;
      const Output output = run_with(failing);
      EXPECT_TRUE(output.exited) << failing << " of " << all << ": signal " << output.status;
      EXPECT_EQ(output.status, 0) << failing << ": " << output.err;
      EXPECT_NE(output.out.find("Frame 1:"), std::string::npos) << failing;
      warnings += output.err.find("some packets are shown without") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(warnings, 0U);
}

INSTANTIATE_TEST_SUITE_P(captures, OutOfMemory,
                         testing::Values("mp_rpc_godot4.6.pcapng", "game_godot4.6.pcapng",
                                         "debug_script_godot4.6.pcapng", "mp_ws_godot4.6.pcapng"));

}  // namespace
}  // namespace godot_codec::test
