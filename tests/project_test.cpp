// SPDX-License-Identifier: MIT
// Whole projects, compared with the engine's record, and the queries of the capture reader.
#include "godot-codec/project/project.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/regular_file.h"
#include "godot-codec/project/text_utils.h"
#include "projects/lines.h"

namespace godot_codec::project::test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

const fs::path tests_dir = fs::path(GODOT_TESTS_DIR);

std::string utf8(const fs::path &path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

// ---- the engine's record

struct EngineProject {
  const char *folder;
  const char *recorded_lists;
  std::size_t scripts;
  std::size_t nodes;         // lines of nodes
  std::size_t properties;    // properties with known types
  Names created_nodes = {};  // lines of nodes that a script creates while the game runs
};

class EveryEngineProject : public testing::TestWithParam<EngineProject> {};

TEST_P(EveryEngineProject, MethodListsAndNodesMatchTheEngine) {
  Project project;
  ASSERT_TRUE(project.read(utf8(tests_dir / GetParam().folder))) << project.message();
  EXPECT_TRUE(project.notes().empty());
  std::ifstream file(tests_dir / GetParam().recorded_lists, std::ios::binary);
  Names scripts;
  Names nodes;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("configured"))
      line = std::regex_replace(line, std::regex(":(any_peer|authority|disabled),[^|]*"), "");
    if (!line.starts_with("types")) (line.starts_with("script") ? scripts : nodes).push_back(line);
  }
  EXPECT_EQ(scripts.size(), GetParam().scripts);
  EXPECT_EQ(nodes.size(), GetParam().nodes);
  EXPECT_EQ(godot_codec::test::script_lines(project), scripts);
  Names found = godot_codec::test::node_lines(project);
  for (const std::string &line : GetParam().created_nodes) EXPECT_EQ(std::erase(found, line), 1U) << line;
  EXPECT_EQ(found, nodes);
}

Names split(std::string_view text, char separator) {
  Names parts;
  for_each_part(text, separator, [&parts](std::string_view part) { parts.emplace_back(part); });
  return parts;
}

// Returns the properties by scene, synchronizer and path.
std::map<std::string, const Property *> properties_of(const Project &project) {
  std::map<std::string, const Property *> properties;
  for (const Scene &scene : project.scenes()) {
    for (const Synchronizer &synchronizer : scene.synchronizers) {
      const std::string prefix = std::string(scene.path) + " " + std::string(synchronizer.node) + " ";
      for (const auto &list : {synchronizer.spawn, synchronizer.always, synchronizer.on_change}) {
        for (const Property &property : list) properties[prefix + std::string(property.path)] = &property;
      }
    }
  }
  return properties;
}

Type type_named(const std::string &name) {
  const auto *const found = std::find_if(type_table.begin(), type_table.end(),
                                         [&name](const TypeTraits &row) { return row.names.names[0] == name; });
  EXPECT_NE(found, type_table.end()) << name;
  return static_cast<Type>(found - type_table.begin());
}

// The engine accepted a value of each recorded type, so the project must allow messages with these types.
TEST_P(EveryEngineProject, ValueTypesOfTheEngineAreAccepted) {
  Project project;
  ASSERT_TRUE(project.read(utf8(tests_dir / GetParam().folder))) << project.message();
  const std::map<std::string, const Property *> properties = properties_of(project);
  std::ifstream file(tests_dir / GetParam().recorded_lists, std::ios::binary);
  std::size_t known = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("types\t")) continue;
    const Names columns = split(line, '\t');
    for (const std::string &each : split(columns.at(3), '|')) {
      const std::size_t colon = each.rfind(':');
      const auto found = properties.find(columns[1] + " " + columns[2] + " " + each.substr(0, colon));
      if (each.ends_with(":-") || found == properties.end()) continue;
      if (!found->second->types.is_any()) ++known;
      for (const std::string &type : split(each.substr(colon + 1), ',')) {
        EXPECT_TRUE(found->second->types.allow(type_named(type))) << each;
      }
    }
  }
  EXPECT_EQ(known, GetParam().properties);
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryEngineProject,
    testing::Values(EngineProject{"projects/arena", "projects/arena.truth", 7, 25, 15},
                    EngineProject{"projects/crowd",
                                  "projects/crowd.truth",
                                  8,
                                  72,
                                  30,
                                  {"node\tres://main.tscn\tEngine/Sync\tMultiplayerSynchronizer\t-",
                                   "sync\tres://main.tscn\tEngine/Sync\tEngine\t.:steam|.:coal\t.:steam\t.:coal"}},
                    EngineProject{"projects/nasty", "projects/nasty.truth", 56, 122, 98},
                    EngineProject{"../captures/projects/godot4", "projects/captures_godot4.truth", 42, 9, 8},
                    EngineProject{"../captures/projects/godot4_debug", "projects/captures_godot4_debug.truth", 5, 8,
                                  1}));

// ---- C#

// Four files, like those of a public game. The MD5 is the hash that Godot sends for these eleven names.
TEST(CSharpProject, PartialClassInSeveralFilesIsOneClass) {
  constexpr std::string_view head = "namespace Shared;\npublic partial class Session : Node {\n";
  const auto part = [&](std::string_view members) { return std::string(head) + std::string(members) + "}\n"; };
  const std::string main = part(
      "[Rpc(MultiplayerApi.RpcMode.AnyPeer)] public void ServerInitGameSessionForCallingPeer(string a) { }\n"
      "[Rpc] public void ClientInitGameSession(string a, string b) { Rpc(nameof(ClientInitGameSession)); }\n");
  const std::string seats = part(
      "[Rpc(Anyone)] void ServerRequestSeatForCallingPeer(int a) {}\n"
      "[Rpc(Net.Anyone, TransferChannel = (int)Channel.Seats)] void ServerRequestNewColorForCallingPeer(Color a) {}\n");
  const std::string state = part(
      "const MultiplayerApi.RpcMode Anyone = MultiplayerApi.RpcMode.AnyPeer;\n"
      "[Rpc(mode: MultiplayerApi.RpcMode.Authority)] void ClientUpdateSeatIdPeerIdMapping() {}\n"
      "[Rpc] void ClientUpdatePeerIdToPlayerName() {} [Rpc] void ClientUpdatePeerIdToColorMapping() {}\n");
  const std::string workers = part(
      "[Rpc(Unknown)] void ServerRequestAddWorkerToWorkerGrid() {} [Rpc(Twice)] void ClientUpdateSeatWorker() {}\n"
      "[Rpc] void ServerRequestRemoveWorkerFromWorkerGrid() {} [Rpc(First.Twice)] void ClientUpdateGridWorker() {}\n");
  const std::string net =
      "static class Net { public const MultiplayerApi.RpcMode Anyone = MultiplayerApi.RpcMode.AnyPeer; }\n"
      "static class First { public const MultiplayerApi.RpcMode Twice = MultiplayerApi.RpcMode.AnyPeer; }\n"
      "static class Second { public const MultiplayerApi.RpcMode Twice = MultiplayerApi.RpcMode.Authority; }\n"
      "enum Channel { Chat = 1, Seats, Moves }\n";
  const std::array<FileContent, 6> files = {{{"res://project.godot", "config_version=5\n"},
                                             {"res://Session.cs", main},
                                             {"res://SessionSeats.cs", seats},
                                             {"res://a/SessionState.cs", state},
                                             {"res://SessionWorkers.cs", workers},
                                             {"res://Net.cs", net}}};
  Project project;
  ASSERT_TRUE(project.read(files)) << project.message();
  const auto lists = project.find_lists("5b4f60d69dec192ec25c48fcefded709");
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0]->script->path, "res://Session.cs");
  ASSERT_EQ(lists[0]->methods.size(), 11U);
  EXPECT_EQ(project.lists().size(), 1U);
  const auto mode = [&](std::uint16_t id) { return lists[0]->find(id)->config.mode; };
  EXPECT_EQ(lists[0]->find(10)->name, "ServerRequestSeatForCallingPeer");
  EXPECT_EQ(mode(10), RpcMode::any_peer);  // a constant of another file of the class
  EXPECT_EQ(mode(8), RpcMode::any_peer);   // a constant of another class
  EXPECT_EQ(lists[0]->find(8)->config.channel, 2);
  EXPECT_EQ(mode(7), RpcMode::unknown);  // an unknown constant
  EXPECT_EQ(mode(5), RpcMode::unknown);  // of one of two classes
  EXPECT_EQ(mode(1), RpcMode::any_peer);
  EXPECT_EQ(mode(4), RpcMode::authority);
}

TEST(CSharpProject, BasesAreFoundByNamespaceAcrossFiles) {
  const std::array<FileContent, 4> files = {
      {{"res://project.godot", "config_version=5\n"},
       {"res://Base.cs",
        "namespace A { class Base<T> : Node { [Rpc] void FromA() {} class Inner { [Rpc] void Deep() {} } } }"},
       {"res://Other.cs", "namespace B; class Base : Node { [Rpc] void FromB() {} }"},
       {"res://Player.cs",
        "namespace B.Game; class Player : global::A.Base<int>, IThing { [Rpc] void Own() {} }\n"
        "class Near : Base { [Rpc] void Own() {} }"}}};
  Project project;
  ASSERT_TRUE(project.read(files)) << project.message();
  const auto names_of = [&](std::string_view path) {
    std::string names;
    const Script *script = project.find_script(path);
    if (script == nullptr || script->lists.empty()) return names;
    for (const RpcMethod &method : script->lists[0].methods) names.append(method.name).append(" ");
    return names;
  };
  EXPECT_EQ(names_of("res://Player.cs"), "FromA Own ");
  EXPECT_EQ(names_of("res://Player.cs::Near"), "FromB Own ");
}

// ---- queries

class ExampleProject : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(arena.read(utf8(tests_dir / "projects/arena"))) << arena.message(); }

  // Describes each match: "placement scene node script".
  [[nodiscard]] Names nodes_at(std::string_view path) const {
    Names texts;
    for (const NodeMatch &match : arena.find_nodes(path)) {
      constexpr std::array<const char *, 4> placements = {"autoload", "main", "other", "spawned"};
      std::string text = placements[static_cast<std::size_t>(match.placement)];
      text += " " + std::string(match.scene != nullptr ? match.scene->path : "-");
      text += " " + std::string(match.node != nullptr ? match.node->path : "-");
      texts.push_back(text + " " + std::string(match.script != nullptr ? match.script->path : "-"));
    }
    return texts;
  }

  Project arena;
};

TEST_F(ExampleProject, SettingsAndCountsAreRead) {
  EXPECT_EQ(arena.facts().name, "Arena");
  EXPECT_EQ(arena.facts().main_scene, "res://main.tscn");
  ASSERT_EQ(arena.autoloads().size(), 1U);
  EXPECT_EQ(arena.autoloads()[0].name, "Chat");
  EXPECT_EQ(arena.autoloads()[0].script, arena.find_script("res://chat.gd"));
  EXPECT_EQ(arena.autoloads()[0].scene, nullptr);
  EXPECT_EQ(arena.scenes().size(), 4U);
  EXPECT_EQ(arena.message(), "");
}

// This list was captured; its method 5 was take_damage.
TEST_F(ExampleProject, MethodListIsFoundByItsMd5) {
  const auto lists = arena.find_lists("3f9f838f849d808dbe055ee3eaa41817");
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(lists[0]->script->path, "res://world/world.gd");
  EXPECT_EQ(lists[0]->script->class_name, "World");
  const RpcMethod *method = lists[0]->find(5);
  ASSERT_NE(method, nullptr);
  EXPECT_EQ(method->name, "take_damage");
  EXPECT_EQ(method->line, 32U);
  EXPECT_EQ(method->source, lists[0]->script);
  EXPECT_EQ(method->config.mode, RpcMode::any_peer);
  EXPECT_EQ(method->config.transfer, TransferMode::reliable);
  EXPECT_EQ(lists[0]->find(1)->config.mode, RpcMode::authority);
  EXPECT_TRUE(lists[0]->find(1)->config.is_call_local);
  EXPECT_EQ(lists[0]->find(3)->config.channel, 2);
  EXPECT_EQ(lists[0]->find(6), nullptr);
  EXPECT_EQ(lists[0]->find(first_node_method_id), nullptr);
  EXPECT_TRUE(arena.find_lists("d41d8cd98f00b204e9800998ecf8427e").empty());
  EXPECT_TRUE(arena.find_lists("").empty());
}

TEST_F(ExampleProject, MethodListIsKnownWithAndWithoutInheritedMethods) {
  const Script *boss = arena.find_script("res://players/boss.gd");
  ASSERT_NE(boss, nullptr);
  EXPECT_EQ(boss->base, arena.find_script("res://players/player.gd"));
  ASSERT_EQ(boss->lists.size(), 2U);
  EXPECT_TRUE(boss->lists[0].has_inherited);
  ASSERT_EQ(boss->lists[0].methods.size(), 3U);
  EXPECT_EQ(boss->lists[0].methods[1].name, "jump");
  EXPECT_EQ(boss->lists[0].methods[1].source, boss->base);
  EXPECT_FALSE(boss->lists[1].has_inherited);
  ASSERT_EQ(boss->lists[1].methods.size(), 1U);
  EXPECT_EQ(boss->lists[1].methods[0].name, "roar");
  EXPECT_EQ(boss->lists[1].methods[0].id, 0U);
  EXPECT_EQ(boss->lists[1].md5, "cc5985ab3406f600b03a786c516fb09a");
}

TEST_F(ExampleProject, NodesAreFoundByPathsAsSentInMessages) {
  EXPECT_EQ(nodes_at("Main/World"), (Names{"main res://main.tscn World res://world/world.gd"}));
  EXPECT_EQ(nodes_at("Main"), (Names{"main res://main.tscn . res://main.gd"}));
  EXPECT_EQ(nodes_at("Chat"), (Names{"autoload - - res://chat.gd"}));
  EXPECT_EQ(nodes_at("World/Doors"), (Names{"other res://world/world.tscn Doors -"}));
  EXPECT_EQ(nodes_at("Main/Players"), (Names{"main res://main.tscn Players -"}));
  EXPECT_EQ(nodes_at("Main/Players/P1"), (Names{"spawned res://players/player.tscn . res://players/player.gd",
                                                "spawned res://players/boss.tscn . res://players/boss.gd"}));
  EXPECT_EQ(nodes_at("Main/Players/P1/Rage"), (Names{"spawned res://players/boss.tscn Rage -"}));
  for (const char *path :
       {"", ".", "/", "Main/", "Main/None", "Chat/None", "../Main", "Main/Players/P1/None", "None"}) {
    EXPECT_EQ(nodes_at(path), Names{}) << path;
  }
}

TEST_F(ExampleProject, SpawnIndexNamesAScene) {
  const NodeMatches matches = arena.find_nodes("Main/Spawner");
  ASSERT_EQ(matches.size(), 1U);
  const NodeMatch &match = matches[0];
  ASSERT_NE(match.node->spawner, nullptr);
  EXPECT_EQ(match.node->spawner->root, "Players");
  const Scene *boss = arena.find_spawned_scene(*match.node->spawner, 1);
  ASSERT_NE(boss, nullptr);
  EXPECT_EQ(boss->path, "res://players/boss.tscn");
  EXPECT_EQ(boss->root_name, "Boss");
  EXPECT_EQ(arena.find_spawned_scene(*match.node->spawner, 2), nullptr);
  ASSERT_EQ(boss->root_synchronizers.size(), 3U);
  const Synchronizer &state = *boss->root_synchronizers[0];
  EXPECT_EQ(state.node, "State");
  ASSERT_EQ(state.spawn.size(), 3U);
  EXPECT_EQ(state.spawn[0].label, "title");
  EXPECT_EQ(state.spawn[1].label, "position");
  EXPECT_EQ(state.spawn[2].label, "hp");
  ASSERT_EQ(state.always.size(), 1U);
  EXPECT_EQ(state.always[0].path, ".:position");
  ASSERT_EQ(state.on_change.size(), 2U);
  EXPECT_EQ(state.on_change[0].label, "hp");
  EXPECT_EQ(state.on_change[1].label, "Gun:rotation");
  EXPECT_EQ(boss->root_synchronizers[1]->node, "Input");
  EXPECT_EQ(boss->root_synchronizers[2]->node, "Rage");
  EXPECT_EQ(boss->find("Rage")->synchronizer, boss->root_synchronizers[2]);
}

std::string md5_of(const Names &names) {
  std::string source = "extends Node\n";
  for (const std::string &name : names) source += "@rpc func " + name + "(): pass\n";
  const std::vector<FileContent> files = {{"res://project.godot", ""}, {"res://a.gd", source}};
  Project project;
  EXPECT_TRUE(project.read(files));
  return std::string(project.lists().front()->md5);
}

TEST_F(ExampleProject, SimilarMethodListsShowTheirDifference) {
  const Script *world = arena.find_script("res://world/world.gd");
  const auto nearest = [&](const Names &names) {
    std::array<NearestMethodList, 4> found;
    const std::array<const Script *, 2> expected = {nullptr, world};
    const std::size_t count = arena.find_nearest_lists(md5_of(names), expected, found);
    Names texts;
    for (std::size_t i = 0; i < count; ++i) {
      texts.push_back(std::string(found[i].list->script->path) + (found[i].is_certain ? " -" : " ? -") +
                      std::string(found[i].extra_names[0]) + " -" + std::string(found[i].extra_names[1]) + " +" +
                      std::string(found[i].missing_name));
    }
    return texts;
  };
  // `jump` is a method of another script.
  EXPECT_EQ(nearest({"aim", "announce", "blob", "chat", "jump", "noargs", "take_damage"}),
            Names{"res://world/world.gd - - +jump"});
  EXPECT_EQ(nearest({"announce", "blob", "chat", "noargs", "take_damage"}), Names{"res://world/world.gd -aim - +"});
  EXPECT_EQ(nearest({"announce", "blob", "chat", "noargs"}), Names{"res://world/world.gd -aim -take_damage +"});
  EXPECT_EQ(nearest({"announce", "blob", "chat", "jump", "noargs", "take_damage"}),
            Names{"res://world/world.gd -aim - +jump"});
  // Boss has two lists, with and without inherited methods.
  EXPECT_EQ(nearest({"die", "roar"}), (Names{"res://players/boss.gd - - +die", "res://players/boss.gd -jump - +"}));
  EXPECT_EQ(nearest({"nobody", "knows"}), Names{"res://world/world.gd ? - - +"});
}

TEST(Project, MethodsOfTheCapturesAreFound) {
  Project project;
  ASSERT_TRUE(project.read(utf8(tests_dir / "../captures/projects/godot4")));
  const Script *world = project.find_script("res://mp/world.gd");
  ASSERT_NE(world, nullptr);
  Names names;
  for (const RpcMethod &method : world->lists[0].methods) names.emplace_back(method.name);
  EXPECT_EQ(names,
            (Names{"aim", "announce", "blob", "chat", "everything", "look", "move", "ready_up", "trade", "voice"}));
}

TEST(Project, RpcConfigMethodsAreLastInTheListAndFirstInTheMd5) {
  const std::vector<FileContent> files = {
      {"res://project.godot", ""},
      {"res://a.gd", "extends Node\n@rpc func b(): pass\nfunc _init():\n\trpc_config('z', {})\n\trpc_config('b', {})"}};
  Project project;
  ASSERT_TRUE(project.read(files));
  const Script &script = project.scripts().front();
  ASSERT_EQ(script.lists.size(), 2U);
  EXPECT_FALSE(script.lists[0].has_configured);
  EXPECT_TRUE(script.lists[1].has_configured);
  EXPECT_EQ(script.lists[1].md5, "474965207f751b5f89d7a9df78a26960");
  EXPECT_EQ(script.lists[1].find(0)->name, "b");
  EXPECT_EQ(script.lists[1].find(0x8000)->name, "b");
  EXPECT_EQ(script.lists[1].find(0x8001)->name, "z");
  EXPECT_EQ(script.lists[1].find(0x8001)->config.mode, RpcMode::unknown);
  EXPECT_EQ(script.lists[1].find(1), nullptr);
}

TEST(Project, CSharpBaseClassIsFoundByItsName) {
  const std::vector<FileContent> files = {
      {"res://project.godot", ""},
      {"res://Base.cs", "class Base : Node { [Rpc] void B() {} [Rpc] void C() {} }"},
      {"res://Child.cs",
       "partial class Child : Base { [Rpc] void A() {} [Rpc(MultiplayerApi.RpcMode.AnyPeer)] void C() {} }"}};
  Project project;
  ASSERT_TRUE(project.read(files));
  const Script *child = project.find_script("res://Child.cs");
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(child->base, project.find_script("res://Base.cs"));
  ASSERT_EQ(child->lists[0].methods.size(), 3U);
  EXPECT_EQ(child->lists[0].methods[1].name, "B");
  EXPECT_EQ(child->lists[0].methods[2].config.mode, RpcMode::any_peer);
}

TEST(Project, CSharpPropertiesHaveTypes) {
  const std::vector<FileContent> files = {
      {"res://project.godot", ""},
      {"res://Base.cs", "class Base : Node2D { public float Speed; }"},
      {"res://Child.cs", "partial class Child : Base { [Export] public int Hp; public Teams Team; }"},
      {"res://main.tscn",
       "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://Child.cs\" id=\"1\"]\n"
       "[sub_resource type=\"SceneReplicationConfig\" id=\"2\"]\nproperties/0/path = NodePath(\".:Hp\")\n"
       "properties/1/path = NodePath(\".:Speed\")\nproperties/2/path = NodePath(\".:Team\")\n"
       "properties/3/path = NodePath(\".:position\")\n[node name=\"Main\" type=\"Node2D\"]\n"
       "script = ExtResource(\"1\")\n[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n"
       "replication_config = SubResource(\"2\")\n"}};
  Project project;
  ASSERT_TRUE(project.read(files));
  const Scene *main = project.find_scene("res://main.tscn");
  ASSERT_NE(main, nullptr);
  const std::span<const Property> properties = main->synchronizers[0].always;
  ASSERT_EQ(properties.size(), 4U);
  EXPECT_EQ(properties[0].types, ValueTypes{Type::integer});
  EXPECT_TRUE(properties[1].types.is_any()) << "a class may have another one of its base's name";
  EXPECT_TRUE(properties[2].types.is_any());
  EXPECT_TRUE(properties[3].types.is_any());
}

// ---- cycles

TEST(Project, ScriptsThatExtendEachOtherAreRead) {
  const std::vector<FileContent> files = {
      {"res://project.godot", "[autoload]\nG=\"*res://a.gd\"\n"},
      {"res://a.gd",
       "extends 'b.gd'\n@rpc func a(): pass\nconst X = Y\nconst Y = X\nclass C extends X:\n\tclass D extends C.D: "
       "pass"},
      {"res://b.gd", "extends 'a.gd'\n@rpc func b(): pass"},
      {"res://c.gd", "class_name C\nextends C\n@rpc func c(): pass"},
      {"res://d.gd", "extends G.C.D.E\nclass A extends B:\n\tpass\nclass B extends A:\n\t@rpc func b(): pass"}};
  Project project;
  ASSERT_TRUE(project.read(files));
  for (const char *path : {"res://a.gd", "res://b.gd", "res://c.gd", "res://d.gd::B"}) {
    const Script *script = project.find_script(path);
    ASSERT_NE(script, nullptr) << path;
    ASSERT_FALSE(script->lists.empty()) << path;
    EXPECT_LE(script->lists[0].methods.size(), 2U) << path;
  }
  EXPECT_EQ(project.find_script("res://c.gd")->base, nullptr);
}

TEST(Project, ScenesThatInstanceEachOtherAreRead) {
  const std::vector<FileContent> files = {
      {"res://project.godot", "[application]\nrun/main_scene=\"res://a.tscn\"\n"},
      {"res://a.tscn",
       "[ext_resource path=\"res://b.tscn\" id=1]\n[node name=\"A\" type=\"Node\"]\n"
       "[node name=\"B\" parent=\".\" instance=ExtResource(1)]\n"},
      {"res://b.tscn",
       "[ext_resource path=\"res://a.tscn\" id=1]\n[node name=\"B\" instance=ExtResource(1)]\n"
       "[node name=\"S\" type=\"MultiplayerSpawner\" parent=\".\"]\nspawn_path=NodePath(\"..\")\n"
       "_spawnable_scenes=PackedStringArray(\"res://b.tscn\", \"res://a.tscn\")\n"}};
  Project project;
  ASSERT_TRUE(project.read(files));
  ASSERT_EQ(project.scenes().size(), 2U);
  EXPECT_EQ(project.scenes()[0].nodes.size(), 3U);
  std::string path = "A";
  for (int i = 0; i < 1000; ++i) path += "/x";
  EXPECT_EQ(project.find_nodes(path).size(), 0U);
  EXPECT_EQ(project.find_nodes("A/B/S").size(), 1U);
}

// ---- limits

TEST(Project, NodesOfNestedInstancesCountTowardsTheLimit) {
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    texts.push_back("res://" + std::to_string(i) + ".tscn");
    std::string text =
        "[ext_resource path=\"res://" + std::to_string(i + 1) + ".tscn\" id=1]\n[node name=\"A\" type=\"Node\"]\n";
    for (int j = 0; j < 4; ++j) {
      text += "[node name=\"N" + std::to_string(j) + "\" parent=\".\" instance=ExtResource(1)]\n";
    }
    texts.push_back(text);
  }
  std::vector<FileContent> files = {{"res://project.godot", ""}};
  for (std::size_t i = 0; i < texts.size(); i += 2) files.push_back({texts[i], texts[i + 1]});
  Project project;
  ASSERT_TRUE(project.read(files, {.max_nodes = 1000}));
  std::size_t count = 0;
  for (const Scene &scene : project.scenes()) count += scene.nodes.size();
  EXPECT_LE(count, 1000U + 5 * 40);
  EXPECT_FALSE(project.notes().empty());
}

// Returns a chain of scenes. Each scene is the root of the previous scene, and the root of the last scene is a
// MultiplayerSpawner.
Project chain_of(int length) {
  Project project;
  std::vector<std::string> texts;
  for (int i = 0; i < length; ++i) {
    texts.push_back("res://" + std::to_string(i) + ".tscn");
    texts.push_back("[ext_resource path=\"res://" + std::to_string(i + 1) + ".tscn\" id=1]\n" +
                    (i + 1 == length ? "[node name=\"A\" type=\"Node\"]\n[node name=\"S\" type=\"Node\" parent=\".\"]\n"
                                     : "[node name=\"A\" instance=ExtResource(1)]\n"));
  }
  std::vector<FileContent> files = {{"res://project.godot", ""}};
  for (std::size_t i = 0; i < texts.size(); i += 2) files.push_back({texts[i], texts[i + 1]});
  EXPECT_TRUE(project.read(files));
  return project;
}

TEST(Project, InstancesNestedMoreThan64DeepAreOmitted) {
  const auto nodes_of = [](const Project &project) { return project.find_scene("res://0.tscn")->nodes.size(); };
  EXPECT_EQ(nodes_of(chain_of(64)), 2U);
  EXPECT_EQ(nodes_of(chain_of(65)), 1U) << "the last one is not put in";
  EXPECT_EQ(nodes_of(chain_of(10'000)), 1U);
}

TEST(Project, AutoloadsThatAreNoSingletonsAreRead) {
  Project project;
  ASSERT_TRUE(project.read(
      std::vector<FileContent>{{"res://project.godot", "[autoload]\nNet=\"*res://net.gd\"\nLog=\"res://log.gd\"\n"},
                               {"res://net.gd", "extends Node\n"},
                               {"res://log.gd", "extends Node\n"}}));
  ASSERT_EQ(project.autoloads().size(), 2U);
  for (const auto &each : project.autoloads()) {
    EXPECT_EQ(each.script, project.find_script(each.name == "Net" ? "res://net.gd" : "res://log.gd")) << each.name;
  }
}

// If a scene is copied, the editor keeps the uid in the copy.
TEST(Project, PathTakesPrecedenceOverADuplicateUid) {
  const std::string copy = "[gd_scene format=3 uid=\"uid://abc\"]\n[node name=\"Root\" type=\"";
  const auto root_of = [&](const std::string &reference) {
    Project project;
    EXPECT_TRUE(project.read(std::vector<FileContent>{
        {"res://project.godot", ""},
        {"res://a.tscn", copy + "Node2D\"]\n"},
        {"res://b.tscn", copy + "Node3D\"]\n"},
        {"res://main.tscn", "[ext_resource type=\"PackedScene\" " + reference +
                                " id=\"1\"]\n[node name=\"M\" type=\"Node\"]\n"
                                "[node name=\"C\" parent=\".\" instance=ExtResource(\"1\")]\n"}}));
    return std::string(project.find_scene("res://main.tscn")->find("C")->type);
  };
  EXPECT_EQ(root_of("uid=\"uid://abc\" path=\"res://a.tscn\""), "Node2D");
  EXPECT_EQ(root_of("uid=\"uid://abc\" path=\"res://b.tscn\""), "Node3D");
  EXPECT_EQ(root_of("uid=\"uid://abc\" path=\"res://gone.tscn\""), "Node2D");
}

TEST(Project, AtMostEightFilesWithTheSameUidAreKept) {
  std::vector<FileContent> files = {{"res://project.godot", ""}};
  std::deque<std::string> names;
  const std::string scene = "[gd_scene format=3 uid=\"uid://abc\"]\n[node name=\"Root\" type=\"Node2D\"]\n";
  for (char name = 'a'; name < 'a' + 9; ++name)
    files.push_back({names.emplace_back("res://" + std::string(1, name) + ".tscn"), scene});
  // The path decides between the copies of a scene, except for the ninth.
  const auto instance_of = [&](const std::string &path) {
    std::vector<FileContent> all = files;
    const std::string main = "[ext_resource type=\"PackedScene\" uid=\"uid://abc\" path=\"" + path +
                             "\" id=\"1\"]\n[node name=\"M\" type=\"Node\"]\n"
                             "[node name=\"C\" parent=\".\" instance=ExtResource(\"1\")]\n";
    all.push_back({"res://main.tscn", main});
    Project project;
    EXPECT_TRUE(project.read(all));
    return std::string(project.find_scene("res://main.tscn")->find("C")->instance);
  };
  EXPECT_EQ(instance_of("res://h.tscn"), "res://h.tscn");
  EXPECT_EQ(instance_of("res://i.tscn"), "res://a.tscn");
}

// Children with too long paths are examined and counted, too.
TEST(Project, NodesOverTheLimitAreReported) {
  std::string children = "[node name=\"Root\" type=\"Node\"]\n";
  for (int i = 0; i < 500; ++i) children += "[node name=\"N" + std::to_string(i) + "\" type=\"Node\" parent=\".\"]\n";
  std::string main = "[ext_resource path=\"res://children.tscn\" id=1]\n[node name=\"Main\" type=\"Node\"]\n";
  const std::string deep(2044, 'd');
  main += "[node name=\"" + deep + "\" type=\"Node\" parent=\".\"]\n";
  for (int i = 0; i < 9; ++i) {
    main += "[node name=\"" + std::to_string(i) + "\" parent=\"" + deep + "\" instance=ExtResource(1)]\n";
  }
  const std::vector<FileContent> files = {
      {"res://project.godot", ""}, {"res://children.tscn", children}, {"res://main.tscn", main}};
  Project whole;
  ASSERT_TRUE(whole.read(files));
  EXPECT_EQ(whole.work_counters().processed_nodes, 501U + 11 + 9 * 500);
  EXPECT_EQ(whole.find_scene("res://main.tscn")->nodes.size(), 11U);
  EXPECT_TRUE(whole.notes().empty());
  Project limited;
  ASSERT_TRUE(limited.read(files, {.max_nodes = 2000}));
  EXPECT_GE(limited.work_counters().processed_nodes, 2000U);
  EXPECT_LE(limited.work_counters().processed_nodes, 2002U);
  ASSERT_EQ(limited.notes().size(), 2U);
  EXPECT_EQ(limited.notes()[0], "res://children.tscn: not put in, there are too many nodes");
  EXPECT_EQ(limited.notes()[1], "res://main.tscn: not whole, there are too many nodes");
}

TEST(Project, NodeTextsAndGroupsCountTowardsTheMemoryLimit) {
  const std::string text(1000, 't');
  for (const std::string &large : {" type=\"" + text + '"', " type=\"T\" groups=[\"" + text + "\"]"}) {
    std::string part = "[node name=\"Root\" type=\"Node\"]\n";
    for (int i = 0; i < 100; ++i) part += "[node name=\"N" + std::to_string(i) + "\" parent=\".\"" + large + "]\n";
    std::string main = "[ext_resource path=\"res://part.tscn\" id=1]\n[node name=\"Main\" type=\"Node\"]\n";
    for (int i = 0; i < 50; ++i) {
      main += "[node name=\"P" + std::to_string(i) + "\" parent=\".\" instance=ExtResource(1)]\n";
    }
    const std::vector<FileContent> files = {
        {"res://project.godot", ""}, {"res://part.tscn", part}, {"res://main.tscn", main}};
    Project project;
    ASSERT_TRUE(project.read(files, {.max_node_bytes = 1'000'000}));
    std::size_t bytes = 0;
    for (const Scene &scene : project.scenes()) {
      for (const Node &node : scene.nodes) {
        bytes += node.path.size() + node.type.size();
        for (const std::string_view group : node.groups) bytes += group.size();
      }
    }
    EXPECT_GT(bytes, 700'000U) << large;
    EXPECT_LT(bytes, 1'002'000U) << large;
    EXPECT_FALSE(project.notes().empty());
  }
}

// Each of 30 spawners can spawn each of 30 scenes. These scenes have spawners again, eight levels deep.
TEST(Project, PathSearchStopsAfter4000Steps) {
  constexpr int count = 30;
  std::vector<std::string> texts;
  std::string scenes;
  for (int i = 0; i < count; ++i) scenes += (i > 0 ? ", " : "") + ("\"res://" + std::to_string(i)) + ".tscn\"";
  for (int i = 0; i < count; ++i) {
    texts.push_back("res://" + std::to_string(i) + ".tscn");
    std::string text = "[node name=\"A\" type=\"Node\"]\n";
    for (int j = 0; j < count; ++j) {
      text += "[node name=\"S" + std::to_string(j) + "\" type=\"MultiplayerSpawner\" parent=\".\"]\n" +
              "spawn_path=NodePath(\"..\")\n_spawnable_scenes=PackedStringArray(" + scenes + ")\n";
    }
    texts.push_back(text);
  }
  std::vector<FileContent> files = {{"res://project.godot", ""}};
  for (std::size_t i = 0; i < texts.size(); i += 2) files.push_back({texts[i], texts[i + 1]});
  Project project;
  ASSERT_TRUE(project.read(files));
  for (std::size_t i = 1; i <= 100; ++i) {
    EXPECT_EQ(project.find_nodes("A/x/x/x/x/x/x/x/x/" + std::to_string(i)).size(), 0U);
    EXPECT_EQ(project.work_counters().search_steps, i * 4000);
  }
}

// A hundred queries compute no more hashes than one.
TEST(Project, ManyUnknownMethodListsHashNoMoreThanOne) {
  std::vector<std::string> texts;
  for (int i = 0; i < 150; ++i) {
    texts.push_back("res://" + std::to_string(i) + ".gd");
    std::string text = "extends Node\n";
    for (int j = 0; j < 10; ++j) text += "@rpc func m" + std::to_string(i) + "_" + std::to_string(j) + "(): pass\n";
    texts.push_back(text);
  }
  std::vector<FileContent> files = {{"res://project.godot", ""}};
  for (std::size_t i = 0; i < texts.size(); i += 2) files.push_back({texts[i], texts[i + 1]});
  Project project;
  ASSERT_TRUE(project.read(files));
  EXPECT_EQ(project.work_counters().hashed_bytes, 0U);
  std::array<NearestMethodList, 3> found;
  constexpr std::size_t budget = std::size_t{64} << 20;
  for (int i = 0; i < 100; ++i) {
    const std::string md5 = std::to_string(1000 + i) + std::string(28, 'a');
    EXPECT_EQ(project.find_nearest_lists(md5, {}, found), 0U);
    EXPECT_GT(project.work_counters().hashed_bytes, budget);
    EXPECT_LT(project.work_counters().hashed_bytes, budget + 1000);
  }
}

TEST(Project, InheritedMethodsCountTowardsTheLimit) {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) {
    texts.push_back("res://" + std::to_string(i) + ".gd");
    std::string text = "extends '" + std::to_string(i + 1) + ".gd'\n";
    for (int j = 0; j < 10; ++j) text += "@rpc func m" + std::to_string(i) + "_" + std::to_string(j) + "(): pass\n";
    texts.push_back(text);
  }
  std::vector<FileContent> files = {{"res://project.godot", ""}};
  for (std::size_t i = 0; i < texts.size(); i += 2) files.push_back({texts[i], texts[i + 1]});
  Project whole;
  ASSERT_TRUE(whole.read(files));
  EXPECT_EQ(whole.find_script("res://0.gd")->lists[0].methods.size(), 3000U);
  EXPECT_TRUE(whole.notes().empty());
  Project limited;
  ASSERT_TRUE(limited.read(files, {.max_methods = 10'000}));
  std::size_t count = 0;
  for (const Script &script : limited.scripts()) count += script.lists.empty() ? 0 : script.lists[0].methods.size();
  EXPECT_LE(count, 10'000U);
  ASSERT_EQ(limited.notes().size(), 1U);
}

// The types of two synchronizers with one property each. The second synchronizer exceeds the limit.
TEST(Project, PropertyTypesOverTheLimitAreUnknown) {
  const std::vector<FileContent> files = {
      {"res://project.godot", ""},
      {"res://main.tscn",
       "[sub_resource type=\"SceneReplicationConfig\" id=\"c\"]\nproperties/0/path = NodePath(\".:position\")\n"
       "[node name=\"Main\" type=\"Node2D\"]\n"
       "[node name=\"A\" type=\"MultiplayerSynchronizer\" parent=\".\"]\nreplication_config = SubResource(\"c\")\n"
       "[node name=\"B\" type=\"MultiplayerSynchronizer\" parent=\".\"]\nreplication_config = SubResource(\"c\")\n"}};
  // Each property is in two lists, for spawns and for syncs.
  for (const std::size_t limit : {4U, 3U}) {
    Project project;
    ASSERT_TRUE(project.read(files, {.max_properties = limit}));
    const Scene *main = project.find_scene("res://main.tscn");
    ASSERT_NE(main, nullptr);
    ASSERT_EQ(main->synchronizers.size(), 2U);
    EXPECT_EQ(main->synchronizers[0].always[0].types, ValueTypes{Type::vector2});
    EXPECT_EQ(main->synchronizers[1].spawn[0].types, ValueTypes{Type::vector2});
    EXPECT_EQ(main->synchronizers[1].always[0].types.is_any(), limit < 4);
    EXPECT_EQ(project.notes().size(), limit < 4 ? 1U : 0U);
  }
}

TEST(Project, ClassesAndTextsOverTheLimitsAreReported) {
  const std::vector<FileContent> files = {{"res://project.godot", ""},
                                          {"res://a.gd", "class A: pass\nclass B: pass\n"},
                                          {"res://b.gd", "@rpc func b(): pass"},
                                          {"res://c.gd", "@rpc func c(): pass # \xff"}};
  Project project;
  ASSERT_TRUE(project.read(files, {.max_classes = 2}));
  EXPECT_EQ(project.find_script("res://a.gd"), nullptr);
  EXPECT_NE(project.find_script("res://b.gd"), nullptr);
  ASSERT_EQ(project.notes().size(), 2U);
  EXPECT_EQ(project.notes()[0], "res://a.gd: not read, there are too many classes");
  EXPECT_EQ(project.notes()[1], "res://c.gd: not read, it is not UTF-8 text");
}

// ---- folders

class ProjectFiles : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) /
           ("project_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root);
    write("project.godot", "config_version=5\n");
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string &path, std::string_view text) const {
    const fs::path location = root / fs::path(std::u8string(path.begin(), path.end()));
    fs::create_directories(location.parent_path());
    std::ofstream(location, std::ios::binary) << text;
  }

  // Sets an old modification time. Then a change has another time at any clock resolution.
  void make_files_older() const {
    const fs::file_time_type time = fs::last_write_time(root / "project.godot") - std::chrono::hours(1);
    for (const auto &entry : fs::recursive_directory_iterator(root)) fs::last_write_time(entry.path(), time);
    fs::last_write_time(root, time);
  }

  [[nodiscard]] Names scripts() const {
    Names paths;
    for (const Script &script : project.scripts()) paths.emplace_back(script.path);
    return paths;
  }

  bool read(const Limits &limits = {}) { return project.read(utf8(root), limits); }

  fs::path root;
  Project project;
};

#ifndef _WIN32  // Windows has no pipes in folders
// A pipe does not end while a writer may open it, so a read could block forever.
TEST_F(ProjectFiles, NamedPipeDoesNotBlock) {
  const fs::path pipe = root / "player.gd";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string content = "old";
  EXPECT_FALSE(RegularFile(pipe).read(0, 1000, content));
  EXPECT_EQ(content, "");
  EXPECT_FALSE(RegularFile(root).is_open());
  EXPECT_FALSE(RegularFile(root / "none").is_open());
  RegularFile settings(root / "project.godot");
  EXPECT_EQ(settings.size(), 17U);
  EXPECT_TRUE(settings.read(0, 1000, content));
  EXPECT_EQ(content, "config_version=5\n");
}
#endif

// root can read any file, but even root cannot follow a symbolic link to itself.
TEST_F(ProjectFiles, UnreadableFileIsNotReportedAsMissing) {
  fs::remove(root / "project.godot");
  fs::create_symlink("project.godot", root / "project.godot");
  EXPECT_FALSE(read());
  EXPECT_EQ(project.message(), utf8(root) + ": project.godot cannot be read");
  fs::create_symlink("circle", root / "circle");
  EXPECT_FALSE(project.read(utf8(root / "circle")));
  EXPECT_EQ(project.message(), utf8(root / "circle") + " cannot be read");
}

TEST_F(ProjectFiles, FolderWithoutAProjectFileIsRejected) {
  EXPECT_EQ(project.message(), "the folder cannot be read");
  fs::remove(root / "project.godot");
  EXPECT_FALSE(read());
  EXPECT_EQ(project.message(), utf8(root) + " has no project.godot: choose the folder of one game, or its export");
  EXPECT_FALSE(project.has_changed());
  write("project.godot", "");
  EXPECT_TRUE(project.has_changed());
  EXPECT_TRUE(read());
  EXPECT_EQ(project.message(), "");
}

TEST_F(ProjectFiles, WarningAboutAFolderOfProjectsSuggestsOne) {
  fs::remove(root / "project.godot");
  write("server/project.godot", "");
  write(".hidden/project.godot", "");
  write("a/b/c/project.godot", "");
  EXPECT_FALSE(read());
  EXPECT_EQ(project.message(), utf8(root) + " has no project.godot, which is in server/: choose that");
  write("games/client/project.godot", "");
  write("server/inner/project.godot", "");
  EXPECT_FALSE(read());
  EXPECT_EQ(project.message(),
            utf8(root) + " has no project.godot, which is in games/client/, server/: choose one of these");
  write("games/pong/project.godot", "");
  write("games/quiz/project.godot", "");
  EXPECT_FALSE(read());
  EXPECT_EQ(project.message(), utf8(root) +
                                   " has no project.godot, which is in games/client/, games/pong/, games/quiz/ and "
                                   "others: choose one of these");
}

// The user may choose any folder by mistake, with any number of files.
TEST_F(ProjectFiles, SearchForOtherProjectsStopsInLargeFolders) {
  fs::remove(root / "project.godot");
  for (int i = 0; i < 1000; ++i) write("many/" + std::to_string(i), "");
  for (int i = 0; i < 1000; ++i) write("more/" + std::to_string(i), "");
  write("many/project/project.godot", "");
  write("more/project/project.godot", "");
  EXPECT_FALSE(read());
  EXPECT_TRUE(project.message().find("many/project/, more/project/") == std::string_view::npos) << project.message();
  EXPECT_FALSE(project.read(utf8(root / "none")));
  EXPECT_EQ(project.message(), utf8(root / "none") + " is not a folder");
  EXPECT_TRUE(project.scripts().empty());
  EXPECT_FALSE(project.read(""));
  EXPECT_FALSE(project.read(std::string_view("a\0b", 3)));
  EXPECT_FALSE(project.read("\xff\xfe"));
}

TEST_F(ProjectFiles, HiddenAndIgnoredFoldersAreNotRead) {
  write("späti/日.gd", "@rpc func a(): pass");
  write(".godot/b.gd", "");
  write(".hidden.gd", "");
  write("ignored/.gdignore", "");
  write("ignored/sub/c.gd", "");
  write("other/project.godot", "");
  write("other/d.gd", "");
  write("e.GD", "");
  write("f.scn", "RSRC");
  write("g.txt", "");
  fs::create_directory(root / "folder.gd");
  ASSERT_TRUE(read());
  EXPECT_EQ(scripts(), (Names{"res://e.GD", "res://späti/日.gd"}));
  ASSERT_EQ(project.notes().size(), 1U);
  EXPECT_EQ(project.notes()[0], "res://f.scn: not read, it is cut off");
}

TEST_F(ProjectFiles, LinksOutOfTheFolderAreNotFollowed) {
  const fs::path outside = fs::path(testing::TempDir()) / "outside";
  fs::create_directories(outside);
  std::ofstream(outside / "secret.gd") << "@rpc func secret(): pass";
  write("a/real.gd", "");
  fs::create_symlink(outside / "secret.gd", root / "out.gd");
  fs::create_directory_symlink(outside, root / "out");
  fs::create_symlink("a/real.gd", root / "in.gd");
  fs::create_directory_symlink(root, root / "a/circle");
  fs::create_symlink("nowhere.gd", root / "broken.gd");
  fs::create_symlink("self.gd", root / "self.gd");
  ASSERT_TRUE(read());
  EXPECT_EQ(scripts(), (Names{"res://a/real.gd", "res://in.gd"}));
  EXPECT_EQ(project.notes().size(), 5U);
  fs::remove_all(outside);
}

TEST_F(ProjectFiles, FilesOverTheLimitsAreNotRead) {
  write("a/b/c.gd", "");
  write("large.gd", std::string(100, '#'));
  write("small.gd", std::string(50, '#'));
  ASSERT_TRUE(read({.max_depth = 1, .max_file_size = 99}));
  EXPECT_EQ(scripts(), Names{"res://small.gd"});
  ASSERT_EQ(project.notes().size(), 2U);
  EXPECT_EQ(project.notes()[0], "folders deeper than 1 are not read");
  EXPECT_EQ(project.notes()[1], "res://large.gd: not read, 100 bytes are too many");
  ASSERT_TRUE(read({.max_total_size = 120}));
  EXPECT_EQ(scripts(), (Names{"res://a/b/c.gd", "res://large.gd"}));
  read({.max_entries = 2});
  EXPECT_LE(project.scripts().size(), 2U);
  EXPECT_FALSE(read({.max_file_size = 1}));
  EXPECT_EQ(project.message(), utf8(root) + ": project.godot cannot be read");
}

TEST_F(ProjectFiles, ChangesAreNoticed) {
  write("a/b.gd", "extends Node");
  write("c.txt", "");
  const auto changes = [this](const auto &change) {
    make_files_older();
    EXPECT_TRUE(read());
    EXPECT_FALSE(project.has_changed());
    change();
    return project.has_changed();
  };
  EXPECT_TRUE(changes([this] { write("a/b.gd", "extends Nodf"); }));
  EXPECT_TRUE(changes([this] { write("a/new.gd", ""); }));
  EXPECT_TRUE(changes([this] { fs::remove(root / "a/new.gd"); }));
  EXPECT_TRUE(changes([this] { write("project.godot", "config_version=5\n"); }));
  EXPECT_TRUE(changes([this] { fs::rename(root / "a/b.gd", root / "a/c.gd"); }));
  EXPECT_FALSE(changes([this] { write("c.txt", "not read"); }));
  EXPECT_TRUE(changes([this] { fs::remove_all(root); }));
}

}  // namespace
}  // namespace godot_codec::project::test
