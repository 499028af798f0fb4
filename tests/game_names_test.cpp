// SPDX-License-Identifier: MIT
// Names in the project tests/projects/arena. The expected method lists and replication configs are the engine's:
// arena.truth.
#include "godot-codec/multiplayer/game_names.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "godot-codec/multiplayer/scene_lookup.h"

namespace godot_codec {
namespace {

constexpr std::string_view world = "3f9f838f849d808dbe055ee3eaa41817";
constexpr std::string_view boss = "e3d379e8e365cdafd74fa08f65d87893";
constexpr std::string_view boss_before_42 = "cc5985ab3406f600b03a786c516fb09a";
constexpr std::string_view no_methods = "d41d8cd98f00b204e9800998ecf8427e";

class ExampleProjectNames : public testing::Test {
 protected:
  ExampleProjectNames() { EXPECT_TRUE(names.read(std::string(GODOT_TESTS_DIR) + "/projects/arena")); }

  [[nodiscard]] std::string method(std::string_view md5, std::uint16_t id, std::string_view path = {}) const {
    const MpResolvedName name = names.method({md5, path, id});
    return std::string(name.text) + " " + std::string(name.source);
  }
  [[nodiscard]] MpResolvedName find_property(MpSynchronizedObject synchronized, MpCommand list,
                                             std::uint32_t index) const {
    synchronized.list = list;
    return names.property(synchronized, index);
  }
  [[nodiscard]] std::string property(const MpSynchronizedObject &synchronized, MpCommand list,
                                     std::uint32_t index) const {
    const MpResolvedName name = find_property(synchronized, list, index);
    return std::string(name.text) + " " + std::string(name.source);
  }

  [[nodiscard]] MpPropertyMatch match(MpSynchronizedObject synchronized, MpCommand list) const {
    synchronized.list = list;
    return names.match_properties(synchronized);
  }

  MpGameNames names;
};

// Returns a synchronizer of the level.
MpSynchronizedObject level_sync(std::string_view path, std::uint32_t values) {
  MpSynchronizedObject synchronized;
  synchronized.synchronizer_path = path;
  synchronized.values = values;
  synchronized.is_proven = true;
  return synchronized;
}

// Returns a synchronizer of a spawned node. A boss is spawned with State and Rage, or with all three.
MpSynchronizedObject spawned_sync(std::uint8_t scene, std::uint32_t place, std::uint32_t synchronizers,
                                  std::uint32_t spawn_value_count, std::uint32_t values) {
  MpSynchronizedObject synchronized;
  synchronized.spawner = "Main/Spawner";
  synchronized.node = "Ogre";
  synchronized.scene = scene;
  synchronized.synchronizer_index = place;
  synchronized.synchronizers = synchronizers;
  synchronized.spawn_value_count = spawn_value_count;
  synchronized.values = values;
  synchronized.is_proven = true;
  return synchronized;
}

// The source lines of nodes, functions and variables in the games of scripts/variants.
TEST(SourceLines, PointToTheDefinitions) {
  MpGameNames names;
  const std::string variants = std::string(GODOT_TESTS_DIR) + "/../scripts/variants/";
  ASSERT_TRUE(names.read(variants + "game"));
  EXPECT_EQ(names.find_node_line("Main/World"), (MpSourceLine{"res://main.tscn", 17}));
  EXPECT_EQ(names.find_node_line("Main/Clock/Sync"), (MpSourceLine{"res://main.tscn", 26}));
  EXPECT_EQ(names.find_node_line("Main/Players/7/Sync"), (MpSourceLine{"res://player.tscn", 16}));
  EXPECT_EQ(names.find_node_line("Main/Nobody"), MpSourceLine{});
  EXPECT_TRUE(names.is_always_synchronized("Main/Spawner", 0)) << "a player";
  EXPECT_FALSE(names.is_always_synchronized("Main/Spawner", 1)) << "a chest";
  using Callers = project::RemoteCallers;
  ASSERT_TRUE(names.read(variants + "game3"));
  const MpRemoteMember heal = names.find_remote_member("heal", false);
  EXPECT_EQ(heal.callers, Callers::anyone);
  EXPECT_EQ(heal.source, (MpSourceLine{"res://player.gd", 7}));
  const MpRemoteMember hp = names.find_remote_member("hp", true);
  EXPECT_EQ(hp.callers, Callers::master);
  EXPECT_EQ(hp.source, (MpSourceLine{"res://player.gd", 4}));
  EXPECT_EQ(names.find_remote_member("announce", false).callers, Callers::master);
  EXPECT_EQ(names.find_remote_member("rounds", true).callers, Callers::none);
  EXPECT_FALSE(names.find_remote_member("position", true).is_known) << "the engine's own";
  EXPECT_FALSE(names.find_remote_member("position", true).is_missing);
  EXPECT_FALSE(heal.is_missing);
  EXPECT_TRUE(names.find_remote_member("heel", false).is_missing);
  ASSERT_TRUE(names.read(variants + "game"));
  EXPECT_FALSE(names.find_remote_member("heel", false).is_missing) << "Godot 4 has no remote functions";
}

// A full cache is cleared, so a frequent lookup is repeated once per filling.
TEST_F(ExampleProjectNames, FrequentLookupsAreRarelyRepeated) {
  MpSceneLookup places(names.project());
  const auto steps = [this] { return names.project().work_counters().search_steps; };
  (void)places.find_candidates(level_sync("Main/Clock/Sync", 1));
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < 3 * MpSceneLookup::max_results; ++i) {
    (void)places.find_candidates(level_sync("Main/No" + std::to_string(i), 1));
    const std::size_t before = steps();
    EXPECT_EQ(places.find_candidates(level_sync("Main/Clock/Sync", 1)).size(), 1U);
    if (steps() != before) ++repeated;
  }
  EXPECT_EQ(repeated, 3U);
  EXPECT_LE(places.cached_count(), MpSceneLookup::max_results);
}

TEST_F(ExampleProjectNames, MethodsAreFoundByMd5) {
  EXPECT_EQ(method(world, 5), "take_damage project");
  EXPECT_EQ(method(world, 5, "Somewhere"), "take_damage project");
  EXPECT_EQ(method(world, 6), " ");
  EXPECT_EQ(method(boss, 2), "roar project");
  EXPECT_EQ(method(boss_before_42, 0), "roar project");
  EXPECT_EQ(method("", 5, "Main/World"), " ");
  EXPECT_EQ(method(no_methods, 0, "Main/World"), " ");
}

// The MD5 is the hash of the concatenated names, so two lists may have the same MD5.
TEST(GameNames, MethodListsWithTheSameMd5HaveNoNames) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "ambiguous_game";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "project.godot") << "config_version=5\n";
  std::ofstream(folder / "a.gd") << "@rpc func ab(): pass\n@rpc func c(): pass\n";
  MpGameNames names;
  constexpr std::string_view md5_of_abc = "900150983cd24fb0d6963f7d28e17f72";
  ASSERT_TRUE(names.read(folder.string()));
  EXPECT_EQ(names.method({md5_of_abc, "", 0}).text, "ab");
  std::ofstream(folder / "b.gd") << "@rpc func a(): pass\n@rpc func bc(): pass\n";
  ASSERT_TRUE(names.read(folder.string()));
  EXPECT_EQ(names.method({md5_of_abc, "", 0}).text, "");
  std::filesystem::remove_all(folder);
}

// The search for lists that a script creates with rpc_config() is slow, so the number of searches is limited.
TEST(GameNames, AtMostAHundredUnknownMethodListsAreSearched) {
  constexpr std::string_view configured = "c9f49153776a03757abde0dff2f47814";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "configured_game";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "project.godot") << "config_version=5\n";
  std::ofstream(folder / "player.gd")
      << "func _init():\n\tfor each in [\"zap\", \"zip\"]:\n\t\trpc_config(each, {\"rpc_mode\": 1})\n"
         "@rpc func own(): pass\nfunc zip(): pass\nfunc zap(): pass\nfunc zoo(): pass\n";
  for (const int others : {99, 100}) {
    MpGameNames names;
    ASSERT_TRUE(names.read(folder.string()));
    for (int i = 0; i < 2 * others; ++i) {
      const std::string md5 = std::to_string(1000 + i % others) + std::string(28, '0');
      EXPECT_EQ(names.method({md5, "", 0}).text, "");
    }
    EXPECT_EQ(names.method({configured, "", 0}).text, others < 100 ? "own" : "") << others;
  }
  std::filesystem::remove_all(folder);
}

TEST_F(ExampleProjectNames, KnownAndForeignMethodListsAreDistinguished) {
  EXPECT_TRUE(names.has_method_list(world));
  EXPECT_FALSE(names.has_method_list(no_methods));
  EXPECT_FALSE(names.has_method_list(""));
  EXPECT_FALSE(names.is_foreign_method_list(world));
  EXPECT_FALSE(names.is_foreign_method_list(no_methods));
  EXPECT_FALSE(names.is_foreign_method_list(""));
  EXPECT_TRUE(names.is_foreign_method_list("00000000000000000000000000000000"));
}

TEST_F(ExampleProjectNames, AuthorityOnlyMethodsAreKnown) {
  EXPECT_TRUE(
      names.has_mode({"07bf07eedf89f0016f198c64ab6b6ba0", "Main/Players/P7", 0}, project::RpcMode::authority));  // die
  EXPECT_FALSE(names.has_mode({world, "Main/World", 1}, project::RpcMode::authority))
      << "announce does nothing: it may be a stub";
  EXPECT_FALSE(names.has_mode({world, "Main/World", 5}, project::RpcMode::authority));   // take_damage
  EXPECT_FALSE(names.has_mode({world, "Main/World", 99}, project::RpcMode::authority));  // no such method
  EXPECT_FALSE(names.has_mode({"", "Main/World", 1}, project::RpcMode::authority));
}

TEST_F(ExampleProjectNames, PathFromASynchronizerToItsRootNodeIsKnown) {
  const auto way = [this](std::string_view path) {
    const MpRelativePath found = names.find_relative_root(path);
    return found.is_known ? std::to_string(found.levels) + " " + std::string(found.below) : "?";
  };
  EXPECT_EQ(way("Main/Spawner"), "1 Players");
  EXPECT_EQ(way("Main/Clock/Sync"), "1 ");
  EXPECT_EQ(way("Main/Players/P7/State"), "1 ");  // both scenes may be there
  EXPECT_EQ(way("Main/Players/P7/Input"), "0 ");  // the synchronizer replicates its own properties
  EXPECT_EQ(way("Main/World"), "?");
  EXPECT_EQ(way("Nowhere"), "?");
}

TEST_F(ExampleProjectNames, ScriptOfAMethodListIsFound) {
  EXPECT_EQ(names.source_of_method_list(world), "res://world/world.gd");
  EXPECT_EQ(names.source_of_method_list(no_methods), "");
  const std::array<MpNameTableRow, 1> table = {{{"00000000000000000000000000000000", 5, "hurt"}}};
  names.set_name_table(table);
  EXPECT_EQ(names.source_of_method_list("00000000000000000000000000000000"), "the table of names");
  EXPECT_EQ(names.source_of_method_list("0000000000000000000000000000000"), "");
}

TEST_F(ExampleProjectNames, NamesTablePreferencePrecedesTheProject) {
  const std::string before(world);
  const std::array<MpNameTableRow, 3> table = {
      {{before, 5, "hurt"}, {"Main/World", 0, "look"}, {"Main/Other", 7, "other"}}};
  names.set_name_table(table);
  EXPECT_EQ(method(world, 5), "hurt table");
  EXPECT_EQ(method(world, 0, "Main/World"), "look table");
  EXPECT_EQ(method("", 7, "Main/Other"), "other table");
  EXPECT_EQ(method(world, 1), "announce project");
  names.set_name_table({});
  EXPECT_EQ(method(world, 5), "take_damage project");
}

TEST_F(ExampleProjectNames, PropertiesOfNodesInTheMainSceneHaveNames) {
  EXPECT_EQ(property(level_sync("Main/Clock/Sync", 1), MpCommand::sync, 0), "seconds project");
  EXPECT_EQ(property(level_sync("Main/Clock/Sync", 1), MpCommand::delta, 0), "weather project");
  EXPECT_EQ(property(level_sync("Main/Other/Sync", 1), MpCommand::sync, 0), " ");
  EXPECT_EQ(find_property(level_sync("Main/Clock/Sync", 1), MpCommand::sync, 0).relative.levels, 1U);
  MpSynchronizedObject unproven = level_sync("Main/Clock/Sync", 1);
  unproven.is_proven = false;
  EXPECT_EQ(property(unproven, MpCommand::sync, 0), "seconds unverified");
}

// Nodes of either of two scenes are spawned under any name. The two scenes have these properties in common.
TEST_F(ExampleProjectNames, PropertiesCommonToAllCandidateScenesHaveNames) {
  EXPECT_EQ(property(level_sync("Main/Players/P7/Input", 1), MpCommand::sync, 0), "Input:direction project");
  EXPECT_EQ(property(level_sync("Main/Players/P7/Input", 1), MpCommand::delta, 0), "Input:firing project");
}

TEST_F(ExampleProjectNames, PropertiesOfSpawnedNodesHaveNames) {
  EXPECT_EQ(property(spawned_sync(0, 0, 1, 3, 3), MpCommand::spawn, 2), "hp project");
  EXPECT_EQ(property(spawned_sync(0, 0, 1, 3, 1), MpCommand::sync, 0), "position project");
  EXPECT_EQ(find_property(spawned_sync(0, 0, 1, 3, 1), MpCommand::sync, 0).relative.levels, 0U);
  EXPECT_EQ(property(spawned_sync(0, 0, 1, 3, 2), MpCommand::delta, 1), "Gun:rotation project");
  EXPECT_EQ(property(spawned_sync(1, 1, 2, 4, 1), MpCommand::delta, 0), "modulate project");
  EXPECT_EQ(property(spawned_sync(1, 2, 3, 4, 1), MpCommand::delta, 0), "modulate project");
  EXPECT_EQ(property(spawned_sync(2, 0, 1, 3, 1), MpCommand::sync, 0), " ");
  EXPECT_EQ(property(spawned_sync(255, 0, 1, 3, 1), MpCommand::sync, 0), " ");
}

// The values of a spawn identify which synchronizers of the scene were spawned with it.
TEST_F(ExampleProjectNames, SynchronizersNotInTheSpawnAreSkipped) {
  EXPECT_EQ(property(spawned_sync(1, 0, 2, 3, 1), MpCommand::sync, 0), "position project");
  EXPECT_EQ(property(spawned_sync(0, 0, 1, 0, 1), MpCommand::sync, 0), "Input:direction project");
}

TEST_F(ExampleProjectNames, UnexpectedValueCountGivesNoNames) {
  EXPECT_EQ(match(level_sync("Main/Clock/Sync", 1), MpCommand::sync), MpPropertyMatch::matching);
  EXPECT_EQ(match(level_sync("Main/Clock/Sync", 2), MpCommand::sync), MpPropertyMatch::other_count);
  EXPECT_EQ(property(level_sync("Main/Clock/Sync", 2), MpCommand::sync, 0), " ");
  EXPECT_EQ(match(level_sync("Main/Clock/Sync", 2), MpCommand::delta), MpPropertyMatch::other_count);
  EXPECT_EQ(match(level_sync("Main/Other", 2), MpCommand::delta), MpPropertyMatch::unknown);
  EXPECT_EQ(match(spawned_sync(0, 0, 1, 3, 2), MpCommand::sync), MpPropertyMatch::other_count);
  EXPECT_EQ(match(spawned_sync(0, 0, 1, 3, 4), MpCommand::spawn), MpPropertyMatch::other_count);
  EXPECT_EQ(match(spawned_sync(0, 0, 9, 3, 4), MpCommand::spawn), MpPropertyMatch::unknown);
}

// In arena, hp is an int and title a String. Properties without a declared type may have any type.
TEST_F(ExampleProjectNames, UnexpectedValueTypeGivesNoNames) {
  MpSynchronizedObject clock = level_sync("Main/Clock/Sync", 1);
  clock.types.set(0, Type::real);
  EXPECT_EQ(match(clock, MpCommand::sync), MpPropertyMatch::matching);
  EXPECT_EQ(match(clock, MpCommand::delta), MpPropertyMatch::other_types);
  EXPECT_EQ(property(clock, MpCommand::sync, 0), "seconds project");
  EXPECT_EQ(property(clock, MpCommand::delta, 0), " ");

  MpSynchronizedObject player = spawned_sync(0, 0, 1, 3, 3);
  player.types.set(0, Type::string);
  player.types.set(1, Type::vector2);
  player.types.set(2, Type::integer);
  EXPECT_EQ(match(player, MpCommand::spawn), MpPropertyMatch::matching);
  player.types.set(2, Type::real);
  EXPECT_EQ(match(player, MpCommand::spawn), MpPropertyMatch::other_types);
  EXPECT_EQ(property(player, MpCommand::spawn, 0), " ");
  player.values = 4;
  EXPECT_EQ(match(player, MpCommand::spawn), MpPropertyMatch::other_count);
}

// hp is the first property of the delta, Gun:rotation the second.
TEST_F(ExampleProjectNames, DeltaValuesAreMatchedByTheirMask) {
  MpSynchronizedObject player = spawned_sync(0, 0, 1, 3, 2);
  player.types.set(1, Type::real);
  EXPECT_EQ(property(player, MpCommand::delta, 1), "Gun:rotation project");
  player.types.set(1, Type::integer);
  EXPECT_EQ(match(player, MpCommand::delta), MpPropertyMatch::other_types);
}

// The types of the boss's spawn values also identify its synchronizers: State and Rage, or Input alone.
TEST_F(ExampleProjectNames, SpawnValueTypesIdentifyTheSynchronizers) {
  MpSynchronizedObject boss = spawned_sync(1, 0, 1, 1, 1);
  EXPECT_EQ(property(boss, MpCommand::delta, 0), "modulate project");
  MpTypeList spawn_types;
  spawn_types.set(0, Type::color);
  boss.spawn_types = spawn_types.text();
  EXPECT_EQ(property(boss, MpCommand::delta, 0), "modulate project");
  spawn_types.set(0, Type::integer);
  EXPECT_EQ(property(boss, MpCommand::delta, 0), " ");
}

TEST_F(ExampleProjectNames, MostSimilarMethodListsAreFound) {
  // The list of world.gd without one method: md5 of "aimannounceblobchattake_damage".
  EXPECT_EQ(names.describe_method_mismatch("1a5fead373c7358ab6b0f836acfe9f08", "Main/World"),
            "no script of the project has these methods: the captured game lacks noargs() of res://world/world.gd");
  // The list also contains roar(), which belongs to another script.
  EXPECT_EQ(
      names.describe_method_mismatch("5e0667dbfc640203331bbeb08cdee497", "Main/World"),
      "no script of the project has these methods: the captured game has roar(), which res://world/world.gd lacks");
  EXPECT_EQ(
      names.describe_method_mismatch("00000000000000000000000000000000", "Main/World"),
      "no script of the project has these methods: the node should have res://world/world.gd, which has other methods");
  EXPECT_EQ(names.describe_method_mismatch("00000000000000000000000000000000", "Nowhere"),
            "no script of the project has these methods");
  EXPECT_EQ(names.describe_method_mismatch(world, "Main/World"), "");
  EXPECT_EQ(names.describe_method_mismatch(no_methods, "Main/World"), "");
}

TEST_F(ExampleProjectNames, AreEmptyWithoutAProject) {
  EXPECT_FALSE(names.read("/nowhere"));
  EXPECT_EQ(names.project().message(), "/nowhere is not a folder");
  EXPECT_EQ(method(world, 5), " ");
  EXPECT_EQ(property(level_sync("Main/Clock/Sync", 1), MpCommand::sync, 0), " ");
  EXPECT_EQ(names.describe_method_mismatch("00000000000000000000000000000000", "Main/World"), "");
  EXPECT_TRUE(names.read(std::string(GODOT_TESTS_DIR) + "/projects/arena"));
  EXPECT_EQ(method(world, 5), "take_damage project");
  names.clear();
  EXPECT_EQ(method(world, 5), " ");
}

}  // namespace
}  // namespace godot_codec
