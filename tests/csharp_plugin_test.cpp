// SPDX-License-Identifier: GPL-2.0-or-later
// A C# game with a partial class of eleven RPC methods in four files. The capture is of a Godot 4 game whose GDScript
// script has the same eleven methods.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "process.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

const std::filesystem::path projects = std::filesystem::path(GODOT_TESTS_DIR) / "projects";

TEST(CSharpGame, CallsOfAPartialClassInFourFilesHaveNames) {
  const Texts options = {"-o", "godot_mp.project:" + (projects / "session").string(), "-Y", "godot_mp.rpc.method"};
  std::map<std::string, std::size_t> calls;
  for (const Texts &row : read_fields(projects / "session.pcapng", options, {"godot_mp.rpc.method"})) {
    for (const std::string &method : split(row[0], between_occurrences)) ++calls[method];
  }
  EXPECT_EQ(calls, (std::map<std::string, std::size_t>{{"ClientUpdateGridWorker", 19},
                                                       {"ClientUpdatePeerIdToPlayerName", 19},
                                                       {"ServerRequestSeatForCallingPeer", 14}}));
}

}  // namespace
}  // namespace godot_codec::test
