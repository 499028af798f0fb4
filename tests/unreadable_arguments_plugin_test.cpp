// SPDX-License-Identifier: GPL-2.0-or-later
// Calls with an argument that the receiver cannot decode: what reaches the method according to tshark, and according to
// the engine.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "pcap.h"
#include "tables.h"
#include "tshark.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

const std::string name = "lost_arguments_godot4.6";

// Returns the arguments that the method received in each call, as the engine recorded them: "(42, null, null)".
Texts received_arguments() {
  std::filesystem::path path = capture(name.c_str());
  std::ifstream file(path.replace_extension(".expected"));
  Texts found;
  for (std::string line; std::getline(file, line);) {
    const Texts columns = split(line, '\t');
    if (columns[0] == "heard") found.push_back("(" + columns[2] + ", " + columns[3] + ", " + columns[4] + ")");
  }
  return found;
}

TEST(UnreadableArguments, ReceivedAsFieldMatchesTheEngine) {
  const Texts fields = {"godot_mp.received_as", "godot_mp.summary", "godot_mp.unreadable_argument",
                        "godot_mp.arguments_refusable"};
  const auto rows = read_fields(capture(name.c_str()), {"-Y", "godot_mp.command == \"rpc\""}, fields);
  const Texts engine = received_arguments();
  ASSERT_EQ(rows.size(), 9U);
  ASSERT_EQ(engine.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i][1]);
    const bool is_whole = engine[i] == "(1, 2, 3)";
    EXPECT_EQ(rows[i][0], is_whole ? "" : engine[i]);
    // Full Objects may be allowed, so there is no warning.
    const bool is_refusable = i == 4;
    EXPECT_EQ(rows[i][2].empty(), is_whole || is_refusable);
    EXPECT_EQ(rows[i][3].empty(), !is_refusable);
    // The text may be too long. It is then truncated after the words that introduce the received arguments.
    const bool is_cut = rows[i][1].ends_with("unless objects are allowed…");
    EXPECT_EQ(rows[i][1].find("received as " + engine[i]) == std::string::npos, is_whole || is_cut);
  }
}

TEST(UnreadableArguments, SummaryShowsTheSentAndTheReceivedArguments) {
  Texts summaries;
  for (const Texts &row :
       read_fields(capture(name.c_str()), {"-Y", "godot_mp.command == \"rpc\""}, {"godot_mp.summary"})) {
    summaries.push_back(row[0]);
  }
  const Texts expected = {
      "RPC Main/Ears.#0(42, null, 43), received as (42, null, null)",
      "RPC Main/Ears.#0(42, null, 43), received as (42, null, null)",
      "RPC Main/Ears.#0(1, 2, null), received as (1, 2, null)",
      "RPC Main/Ears.#0(1, 2, 3)",
  };
  ASSERT_EQ(summaries.size(), 9U);
  EXPECT_EQ(Texts(summaries.begin(), summaries.begin() + 4), expected);
  EXPECT_TRUE(summaries[4].ends_with("friend: null), 3), unless objects are allowed…")) << summaries[4];
  EXPECT_EQ(summaries[5], "RPC Main/Ears.#0(1, \"a\\xffb\", \"third\"), received as (1, null, null)");
  EXPECT_EQ(summaries[6], "RPC Main/Ears.#0(1, ?), received as (1, null, null) [unsupported]");
  EXPECT_EQ(summaries[7], "RPC Main/Ears.#0(1, ?), received as (1, null, null) [malformed]");
  EXPECT_EQ(summaries[8], "RPC Main/Ears.#0(1), received as (1, null, null) [malformed]");
}

TEST(UnreadableArguments, CauseAWarning) {
  const std::string details = tshark(capture(name.c_str()), {"-V", "-O", "godot_mp"});
  EXPECT_NE(
      details.find(
          "The receiver cannot decode argument 2 of Main/Ears.#0(), so this argument and all later ones arrive as null"),
      std::string::npos);
  EXPECT_NE(
      details.find(
          "Argument 2 of Main/Ears.#0() is an object, so this argument and all later ones arrive as null unless the receiver allows objects"),
      std::string::npos);
  EXPECT_NE(details.find("A text is not valid UTF-8, so Godot 4 cannot decode it"), std::string::npos);
  EXPECT_EQ(details.find("rejects the whole packet"), std::string::npos);
}

// Godot only reports the packet: get_var() of UDP, TCP and WebSockets returns nothing.
TEST(UnreadableArguments, UnreadablePacketIsLostAsAWhole) {
  const std::string value = u32(27) + u32(1) + u32(4) + text("name") + u32(4) +
                            text(
                                "a\xff"
                                "b");
  Pcap pcap;
  pcap.frames = {udp({50001, 5009}, value)};
  const std::string details = tshark(saved(pcap), {"-o", "godot.udp.port:5009", "-V", "-O", "godot"});
  EXPECT_NE(
      details.find("A text is not valid UTF-8, so Godot 4 cannot decode it, and the receiver rejects the whole packet"),
      std::string::npos)
      << details;
}

}  // namespace
}  // namespace godot_codec::test
