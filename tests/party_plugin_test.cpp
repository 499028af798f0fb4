// SPDX-License-Identifier: GPL-2.0-or-later
// Names of nodes that scripts add to the games party and crowd, by spawn functions and by add_child(). Godot 4.6.3
// played the games; the values of each property have their own range (party/play.gd, crowd_play.gd).
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "process.h"
#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path party = projects / "party.pcapng";
const fs::path crowd = projects / "crowd.pcapng";

Texts with_party() { return Texts{"-2"} + with_project(projects / "party"); }
Texts with_crowd() { return Texts{"-2"} + with_project(projects / "crowd"); }

struct NamedValue {
  std::string property, path, value, source;
};

std::vector<NamedValue> read_named(Texts options, const fs::path &capture = party) {
  options.insert(options.end(), {"-Y", "godot_mp.property_with_value"});
  std::vector<NamedValue> all;
  for (const Texts &row : read_fields(capture, options,
                                      {"godot_mp.property", "godot_mp.property_path", "godot_mp.property_with_value",
                                       "godot_mp.property_source"})) {
    std::vector<Texts> columns;
    for (const std::string &cell : row) columns.push_back(split(cell, between_occurrences));
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      const std::string path = columns[1].at(i);
      // A value without a name has no source.
      const std::string source = i < columns[3].size() ? columns[3][i] : "";
      all.push_back({columns[0][i], path, columns[2].at(i).substr(path.size() + 1), source});
    }
  }
  return all;
}

TEST(PartyGame, EveryPropertyValueHasItsName) {
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
  for (const NamedValue &each : read_named(with_party())) {
    ASSERT_TRUE(values.contains(each.property)) << each.path;
    EXPECT_TRUE(std::regex_match(each.value, values.at(each.property))) << each.path << "=" << each.value;
    read[each.property].insert(each.value);
  }
  EXPECT_EQ(read.size(), values.size());
  for (const auto &[property, seen] : read) EXPECT_GT(seen.size(), 1U) << property;
}

TEST(PartyGame, SourceFieldExplainsHowTheSceneWasFound) {
  std::map<std::string, std::set<std::string>> sources;
  for (const NamedValue &each : read_named(with_party())) {
    if (each.source != "unverified") sources[each.path].insert(each.source);
  }
  const std::set<std::string> preload = {"preload"};
  EXPECT_EQ(sources["1:synced_position"], preload);             // found in the spawner's own script
  EXPECT_EQ(sources["Main/Players/1/Inputs:motion"], preload);  // its child node, whose values a client sends
  EXPECT_EQ(sources["Rat2:hp"], preload);                       // found in another node's script, by an exported scene
  EXPECT_EQ(sources["King:rage"], preload);                     // created by the same function
  EXPECT_EQ(sources["Rat:rage"], preload);                      // despawned, and respawned from another scene
  EXPECT_EQ(sources["Main/Level/Door:position"], preload);      // added by add_child() in a script
  // load() without a literal path is found only by the MD5. In a game that changes the scripts of nodes, the result is
  // therefore only assumed.
  EXPECT_EQ(sources["I1:weight"], std::set<std::string>{"assumed"});
}

std::string info_of(const std::string &filter) {
  Texts options = with_party();
  options.insert(options.end(), {"-Y", filter, "-T", "fields", "-e", "_ws.col.Info"});
  return tshark(party, options);
}

TEST(PartyGame, SpawnShowsItsSceneAndValues) {
  EXPECT_EQ(info_of("godot_mp.command == spawn && godot_mp.node == \"King\""),
            "Spawn King by Main/MobSpawner as boss.tscn from [\"King\", 2000] rage=500.0 [Reliable ch 0 #8]\n");
  // A name that consists of digits would look like a number.
  EXPECT_EQ(
      info_of("godot_mp.command == spawn && godot_mp.node == \"1\""),
      "Spawn node 1 by Main/PlayerSpawner as player.tscn from 1 synced_position=(0, 0) title=\"nobody\" [Reliable ch 0 "
      "#5]\n");
}

// Another script called rpc_config() of the node.
TEST(PartyGame, MethodsConfiguredByAnotherScriptHaveNames) {
  EXPECT_EQ(info_of("godot_mp.rpc.method_id >= 32768"),
            "RPC Main/Horn.honk(3) [Reliable ch 0 #25]\nRPC Main/Horn.toot() [Reliable ch 0 #25]\n");
}

// A script makes the client the authority of Paddle, and no other peer calls slide().
TEST(PartyGame, OnlyCallerOfANodeIsAssumedToBeItsAuthority) {
  EXPECT_EQ(lines_of(info_of("godot_mp.rpc.method == \"slide\"")).size(), 8U);
  EXPECT_EQ(info_of("godot_mp.not_allowed"), "");
}

// The client's log has "Node not found" only once, because the server makes only one call.
TEST(PartyGame, UnconfirmedPathIsReportedWithoutASecondCall) {
  const Rows rows = read_fields(party, {"-2", "-Y", "godot_mp.unconfirmed_path"}, {"frame.number", "godot_mp.path"});
  EXPECT_EQ(rows, (Rows{{"53", "Main/Secret"}, {"54", "Main/Secret"}}));  // the path, and the call after it
}

// The script of this game creates no nodes, so only the packets show what the nodes are.
TEST(PartyGame, ProjectOfAnotherGameGivesNoNames) {
  const Texts options = {"-2", "-o", "godot_mp.project:" + (projects / "arena").string()};
  for (const NamedValue &each : read_named(options)) EXPECT_NE(each.property.find('#'), std::string::npos) << each.path;
}

// A node's spawner sends the node's values by an id; the authority sends them by the synchronizer's path.
TEST(PartyGame, PropertyHasOnePathFromTheRoot) {
  std::map<std::string, std::set<std::string>> paths;
  for (const Texts &row : read_fields(party, with_party() + Texts{"-Y", "godot_mp.property_full_path"},
                                      {"godot_mp.property_path", "godot_mp.property_full_path"})) {
    const Texts shorter = split(row[0], between_occurrences);
    const Texts full = split(row[1], between_occurrences);
    ASSERT_EQ(shorter.size(), full.size()) << "each has a name";
    for (std::size_t i = 0; i < full.size(); ++i) paths[full[i]].insert(shorter[i]);
  }
  EXPECT_EQ(paths.at("Main/Players/1:synced_position"), (std::set<std::string>{"1:synced_position"}));
  EXPECT_EQ(paths.at("Main/Players/1/Inputs:motion"), (std::set<std::string>{"Main/Players/1/Inputs:motion"}));
  EXPECT_EQ(paths.at("Main/Mobs/King:rage"), (std::set<std::string>{"King:rage"}));
  EXPECT_EQ(paths.size(), 16U);
}

// In this game, each property has a separate range of values.
const std::map<std::string, std::regex> &values_of_crowd() {
  static const std::map<std::string, std::regex> values = {
      {"position", std::regex("Vector2\\(\\d, (0|44)\\)")},
      {"Blade:position", std::regex("Vector2\\(\\d, (0|44)\\)")},
      {"scale", std::regex("Vector2\\(1(\\.\\d+)?, (1|2\\.5)\\)")},
      {"rotation", std::regex("0\\.0|1\\.\\d")},
      {"Arm:rotation", std::regex("0\\.0|1\\.\\d")},
      {"skew", std::regex("0\\.0|0\\.25")},
      {"fuel", std::regex("0|10\\d")},
      {"title", std::regex("nobody|Ann|Bob")},
      {"steam", std::regex("0\\.[05]")},
      {"coal", std::regex("0|70\\d")},
  };
  return values;
}

// A created scene is identified by the script that adds it and by its path. Other scenes have the same synchronizer,
// but with another property order.
TEST(CrowdGame, EveryPropertyValueHasItsName) {
  std::map<std::string, std::size_t> named, unnamed;
  for (const NamedValue &each : read_named(with_crowd(), crowd)) {
    if (each.property.find('#') != std::string::npos) {
      ++unnamed[each.path];
      continue;
    }
    ASSERT_TRUE(values_of_crowd().contains(each.property)) << each.path;
    EXPECT_TRUE(std::regex_match(each.value, values_of_crowd().at(each.property))) << each.path << "=" << each.value;
    ++named[each.path.substr(0, each.path.find(':'))];
  }
  EXPECT_EQ(named["Main/1"], 46U) << "an autoload adds it to the scene that runs";
  EXPECT_EQ(named["Main/1801246212"], 48U);
  EXPECT_EQ(named["Main/Level/Players/Ann"], 11U) << "a script's spawn_function, which is another script's";
  EXPECT_EQ(named["Main/Rudder"], 23U) << "the root of Main/Helm/Sync";
  EXPECT_EQ(named["Main/Twice"], 28U) << "inherited twice, with another configuration on the way";
  EXPECT_EQ(named["Main/Engine"], 28U) << "a script makes it";
  EXPECT_EQ(named["Main/Pennant"], 23U) << "it was renamed: all scenes that may be there agree";
  EXPECT_EQ(unnamed, (std::map<std::string, std::size_t>{}));
}

}  // namespace
}  // namespace godot_codec::test
