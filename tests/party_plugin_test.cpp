// SPDX-License-Identifier: GPL-2.0-or-later
// Names of what scripts put into the game party: by spawn functions, by add_child(). Godot 4.6.3 played it; each
// property has values of its own there (party_play.gd).
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "process.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;
using Rows = std::vector<Texts>;

const fs::path projects = fs::path(GODOT_TESTS_DIR) / "projects";
const fs::path party = projects / "party.pcapng";

Texts with_party() { return {"-2", "-o", "godot_mp.project:" + readable(projects / "party").string()}; }

struct Named {
  std::string property, path, value, source;
};

std::vector<Named> read_named(Texts options) {
  options.insert(options.end(), {"-Y", "godot_mp.property_with_value"});
  std::vector<Named> all;
  for (const Texts &row : read_fields(party, options,
                                      {"godot_mp.property", "godot_mp.property_path", "godot_mp.property_with_value",
                                       "godot_mp.property_source"})) {
    std::vector<Texts> columns;
    for (const std::string &cell : row) columns.push_back(split(cell, between_occurrences));
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      const std::string path = columns[1].at(i);
      all.push_back({columns[0][i], path, columns[2].at(i).substr(path.size() + 1), columns[3].at(i)});
    }
  }
  return all;
}

TEST(Party, EveryValueHasItsName) {
  const std::map<std::string, std::regex> values = {
      {"hp", std::regex("0|1\\d\\d")},
      {"rage", std::regex("0\\.0|[57]\\d\\d\\.0")},
      {"weight", std::regex("0\\.25|5000\\.0")},
      {"gold", std::regex("0|90\\d\\d")},
      {"title", std::regex("nobody|Sir Ada")},
      {"synced_position", std::regex("Vector2\\((0, 0|\\d+\\.5, -3\\.5)\\)")},
      {"Door:position", std::regex("Vector2\\((0, 0|\\d+, 44)\\)")},
      {"motion", std::regex("Vector2i\\((0, 0|\\d, 77)\\)")},
      {"bombing", std::regex("true|false")},
  };
  std::map<std::string, std::set<std::string>> read;
  for (const Named &each : read_named(with_party())) {
    ASSERT_TRUE(values.contains(each.property)) << each.path;
    EXPECT_TRUE(std::regex_match(each.value, values.at(each.property))) << each.path << "=" << each.value;
    read[each.property].insert(each.value);
  }
  EXPECT_EQ(read.size(), values.size());
  for (const auto &[property, seen] : read) EXPECT_GT(seen.size(), 1U) << property;
}

TEST(Party, ASourceSaysHowTheSceneWasFound) {
  std::map<std::string, std::set<std::string>> sources;
  for (const Named &each : read_named(with_party())) {
    if (each.source != "unverified") sources[each.path].insert(each.source);
  }
  const std::set<std::string> preload = {"preload"};
  EXPECT_EQ(sources["1:synced_position"], preload);                  // the spawner's own script
  EXPECT_EQ(sources["Main/Players/1/Inputs:motion"], preload);       // what stands below it, and a client sends
  EXPECT_EQ(sources["Rat2:hp"], preload);                            // another node's script, by an exported scene
  EXPECT_EQ(sources["King:rage"], preload);                          // the same function makes it
  EXPECT_EQ(sources["Rat:rage"], preload);                           // despawned, and spawned as another scene
  EXPECT_EQ(sources["I1:weight"], std::set<std::string>{"script"});  // load() of no literal
  EXPECT_EQ(sources["Main/Level/Door:position"], std::set<std::string>{"paths"});  // add_child()
}

// The same game with a script that makes nothing: only the wire says what the nodes are.
TEST(Party, AnotherGameHasNoNames) {
  const Texts options = {"-2", "-o", "godot_mp.project:" + readable(projects / "arena").string()};
  for (const Named &each : read_named(options)) EXPECT_NE(each.property.find('#'), std::string::npos) << each.path;
}

}  // namespace
}  // namespace godot_codec::test
