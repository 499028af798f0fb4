// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that do not match their methods: the game damage, played by Godot 4.6.3, and what its server printed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "process.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

Rows read_damage_fields(const Texts &options, const Texts &fields) {
  return read_fields(projects / "damage.pcapng", with_project(projects / "damage") + options, fields);
}

// Returns the server's message for each call, in order: "refused heal: Method expected …"; for an accepted call, only
// its name.
Texts server_log() {
  Texts lines;
  std::ifstream file(projects / "damage.said");
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line.starts_with("refused ") ? line : line.substr(0, line.find(' ')));
  }
  return lines;
}

TEST(MethodSignatures, RejectedCallsHaveTheErrorOfTheServersLog) {
  Texts found;
  for (const Texts &row :
       read_damage_fields({"-Y", "godot_mp.rpc.method"},
                          {"godot_mp.rpc.method", "godot_mp.signature_mismatch", "_ws.expert.message"})) {
    std::string line = row[0];
    if (!row[1].empty()) {
      const std::size_t begin = row[2].rfind(": \"") + 3;
      std::string words = row[2].substr(begin, row[2].rfind('"') - begin);
      // The declaration does not show which names are enums.
      if (words.ends_with(" to Mood")) words.replace(words.size() - 4, 4, "int");
      line = "refused " + line + ": " + words;
    }
    found.push_back(line);
  }
  EXPECT_EQ(found, server_log());
  EXPECT_EQ(found.size(), 15U);
}

TEST(MethodSignatures, RejectedCallsShowTheSourceOfTheMethod) {
  const Rows rows = read_damage_fields({"-Y", "frame.number == 8 or frame.number == 26"}, {"_ws.expert.message"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(
      rows[0][0],
      "Main/Hero.take_damage(5) fails on the server: \"Method expected 2 argument(s), but called with 1\" (res://fighter.gd:6)");
  // The counts are those of the nearest class.
  EXPECT_EQ(
      rows[1][0],
      "Main/Hero.heal(1, 2, 3) fails on the server: \"Method expected 2 argument(s), but called with 3\" (res://hero.gd:8)");
}

TEST(MethodSignatures, ParameterNamesPrecedeTheValues) {
  const std::string tree =
      tshark(projects / "damage.pcapng", with_project(projects / "damage") + Texts{"-V", "-Y", "frame.number == 30"});
  for (const char *line :
       {"\n    mood: 1\n", "\n    at: Vector2(3, 4)\n", "\n    friends: []\n", "\n    Argument 4: 8\n"}) {
    EXPECT_NE(tree.find(line), std::string::npos) << line << tree;
  }
}

}  // namespace
}  // namespace godot_codec::test
