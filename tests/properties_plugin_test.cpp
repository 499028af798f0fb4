// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of synchronized properties in tshark, compared with the sizes of the values in the tree.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tables.h"
#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

const fs::path arena = projects / "arena.pcapng";

struct CountAndBytes {
  double count = 0;
  double bytes = 0;
  bool operator==(const CountAndBytes &) const = default;
};

/// Sums by "object:property|message".
using Sums = std::map<std::string, CountAndBytes>;

/// Patterns of node names, and the names in the table.
using NameReplacements = std::vector<std::pair<std::regex, std::string>>;

std::string replace_names(std::string property, const NameReplacements &namings) {
  for (const auto &[node, name] : namings) property = std::regex_replace(property, node, name);
  return property;
}

Sums sums_of_tree(const fs::path &path, const Texts &options, const NameReplacements &namings) {
  Sums sums;
  for (const Item &frame : read_details(path, options + Texts{"-Y", "godot_mp.property_path"})) {
    for (const Item &packet : frame.children) {
      if (packet.name != "godot_mp") continue;
      const std::string command = find_all(packet, "godot_mp.command").back();
      walk(packet, [&](const Item &item) {
        if (item.name != "godot_mp.property_path") return true;
        // A named property belongs to the node, whichever of its synchronizers sends it.
        const std::string path = std::regex_replace(item.show, std::regex("#\\d+(?=[:/][^#]*$)"), "");
        CountAndBytes &sum = sums[replace_names(path, namings) + "|" + command + " property"];
        ++sum.count;
        sum.bytes += static_cast<double>(item.size);
        return true;
      });
    }
  }
  return sums;
}

Sums sums_of_table(const std::vector<TableRow> &rows, const NameReplacements &namings) {
  Sums sums;
  for (const TableRow &row : rows) {
    if (!row.at("Message").ends_with(" property")) continue;
    CountAndBytes &sum = sums[replace_names(row.at("Object"), namings) + "|" + row.at("Message")];
    sum.count += number(row, "Count");
    sum.bytes += number(row, "Bytes");
  }
  return sums;
}

TEST(ObjectsTable, PropertyBytesAreCountedByName) {
  const Texts options = with_project(projects / "arena");
  const std::vector<TableRow> rows = read_table(arena, "godot_mp,objects", options);
  // The player's input is counted by path until the player's script is known, and by scene afterwards.
  const NameReplacements namings = {{std::regex("^Main/Players/P2124112936(?=/Input:)"), "res://players/player.tscn"},
                                    {std::regex("^P2124112936(?=[:/])"), "res://players/player.tscn"},
                                    {std::regex("^Ogre(?=[:/])"), "res://players/boss.tscn"},
                                    {std::regex("^Main/Clock(?=:)"), "res://main.tscn"}};
  const Sums sums = sums_of_table(rows, namings);
  EXPECT_EQ(sums, sums_of_tree(arena, options, namings));
  EXPECT_EQ(sums.at("res://players/player.tscn:position|sync property"), (CountAndBytes{209, 2508}));
  // A sub-row adds nothing to the total.
  double share = 0;
  for (const TableRow &row : rows) {
    if (!row.at("Message").ends_with(" property")) share += number(row, "Share (%)");
  }
  EXPECT_NEAR(share, 100, 0.2);
}

TEST(ObjectsTable, PropertyBytesAreCountedByIndexWithoutNames) {
  const fs::path path = capture("mp_spawn_godot4.6");
  // Both players have the same scene.
  const NameReplacements namings = {{std::regex("^208133179(?=:)"), "840567798"},
                                    {std::regex("^208133179#6(?=:)"), "840567798#3"}};
  const Sums sums = sums_of_table(read_table(path, "godot_mp,objects"), namings);
  ASSERT_GT(sums.size(), 10U);
  EXPECT_EQ(sums, sums_of_tree(path, {}, namings));
}

/// Returns a copy of the project in which the first synchronizer of the boss always sends a property of its second one.
fs::path project_with_a_property_sent_twice() {
  fs::path folder = copy_of(projects / "arena", "twice");
  const fs::path scene = folder / "players" / "boss.tscn";
  const std::string text = std::regex_replace(read_file(scene), std::regex("\\.:modulate"), ".:position");
  std::ofstream(scene) << text;
  // The captured values are colors, which a position cannot have unless a script overrides the property.
  std::ofstream(folder / "players" / "player.gd", std::ios::app) << "\n\nfunc _get(_property):\n\treturn null\n";
  return folder;
}

TEST(ObjectsTable, PropertiesSentAlwaysAndOnChangeAreFlagged) {
  std::map<std::string, std::string> flagged;
  const Texts options = with_project(project_with_a_property_sent_twice());
  for (const TableRow &row : read_table(arena, "godot_mp,objects", options)) {
    if (row.at("Message").find(" too") != std::string::npos) flagged[row.at("Message")] = row.at("Object");
  }
  EXPECT_EQ(flagged,
            (std::map<std::string, std::string>{{"sync property, in delta too", "res://players/boss.tscn:position"},
                                                {"delta property, in sync too", "res://players/boss.tscn:position"}}));
}

}  // namespace
}  // namespace godot_codec::test
