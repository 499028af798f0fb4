// SPDX-License-Identifier: MIT
// Scenes that scripts add to the list of a MultiplayerSpawner; the scene file does not list them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/multiplayer/scene_lookup.h"
#include "godot-codec/project/project.h"

namespace godot_codec {
namespace {

using project::FileContent;
using project::Project;
using project::Scene;
using project::Spawner;
using Texts = std::vector<std::string>;

constexpr std::string_view main_scene =
    "[gd_scene format=3]\n"
    "[ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n"
    "[ext_resource type=\"Script\" path=\"res://Main.cs\" id=\"2\"]\n"
    "[node name=\"Main\" type=\"Node\"]\n"
    "script = ExtResource(\"1\")\n"
    "[node name=\"Factory\" type=\"Node\" parent=\".\"]\n"
    "script = ExtResource(\"2\")\n"
    "[node name=\"Players\" type=\"Node\" parent=\".\"]\n"
    "[node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n"
    "_spawnable_scenes = PackedStringArray(\"res://player.tscn\")\n"
    "spawn_path = NodePath(\"../Players\")\n";

constexpr std::string_view handler_scene =
    "[gd_scene format=3]\n"
    "[node name=\"Handler\" type=\"MultiplayerSpawner\"]\n"
    "_spawnable_scenes = PackedStringArray(\"res://mob.tscn\")\n"
    "spawn_path = NodePath(\"..\")\n";

std::string sync_scene(const std::string &root, const std::string &property) {
  return "[gd_scene format=3]\n"
         "[sub_resource type=\"SceneReplicationConfig\" id=\"1\"]\n"
         "properties/0/path = NodePath(\".:" +
         property +
         "\")\n"
         "properties/0/spawn = true\n"
         "properties/0/replication_mode = 1\n"
         "[node name=\"" +
         root +
         "\" type=\"Node2D\"]\n"
         "[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n"
         "replication_config = SubResource(\"1\")\n";
}

Project game(std::string_view gdscript, std::string_view csharp = "") {
  const std::string player = sync_scene("Player", "position");
  const std::string mob = sync_scene("Mob", "rotation");
  const std::string chest = sync_scene("Chest", "scale");
  const std::array<FileContent, 8> files = {
      {{"res://project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"},
       {"res://main.tscn", main_scene},
       {"res://main.gd", gdscript},
       {"res://Main.cs", csharp},
       {"res://player.tscn", player},
       {"res://mob.tscn", mob},
       {"res://chest.tscn", chest},
       {"res://handler.tscn", handler_scene}}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  return project;
}

const Spawner &spawner_path_of(const Project &project) {
  return project.find_scene("res://main.tscn")->spawners.front();
}

Texts added(const Project &project) {
  const auto paths = spawner_path_of(project).listed_by_scripts;
  return {paths.begin(), paths.end()};
}

// Returns how each possible scene was found and its path: "preload res://mob.tscn".
Texts candidate_scenes(const Project &project, std::uint8_t scene, const std::string &node,
                       const std::string &spawner = "Main/Spawner") {
  MpSceneLookup lookup(project);
  MpSynchronizedObject spawned;
  spawned.spawner = spawner;
  spawned.node = node;
  spawned.scene = scene;
  spawned.synchronizers = 1;
  Texts texts;
  for (const MpSceneCandidateSet &set : lookup.find_candidates(spawned)) {
    for (const MpSceneCandidate &each : set.candidates) {
      texts.push_back(std::string(set.source) + " " + std::string(each.scene->path));
    }
  }
  return texts;
}

TEST(AddSpawnableScene, LiteralPathNamesTheScene) {
  const Project project = game(
      "extends Node\n"
      "var icon := preload(\"res://chest.tscn\")\n"
      "func _ready():\n"
      "\t$Spawner.add_spawnable_scene(\"res://mob.tscn\")\n"
      "\tprint(icon)\n");
  EXPECT_EQ(added(project), Texts{"res://mob.tscn"});
  EXPECT_TRUE(project.may_add_scenes(spawner_path_of(project)));
}

TEST(AddSpawnableScene, SceneAlreadyInTheListIsNotAddedAgain) {
  const Project project = game(
      "extends Node\n"
      "func _ready():\n"
      "\t$Spawner.add_spawnable_scene(\"res://player.tscn\")\n");
  EXPECT_FALSE(project.may_add_scenes(spawner_path_of(project)));
  EXPECT_EQ(candidate_scenes(project, 1, "7"), Texts{}) << "it has a number";
  EXPECT_FALSE(game("extends Node\n").may_add_scenes(spawner_path_of(project)));
}

TEST(AddSpawnableScene, NonLiteralArgumentAddsAllScenesNamedInTheFunction) {
  for (const std::string argument :
       {"MOB.resource_path", "str(\"res://player.tscn\")", "\"res://player.tscn\" + \"\""}) {
    const Project project = game(
        "extends Node\n"
        "const MOB := preload(\"res://mob.tscn\")\n"
        "var icon := preload(\"res://chest.tscn\")\n"
        "func _ready():\n"
        "\t$Spawner.add_spawnable_scene(" +
        argument +
        ")\n"
        "\tprint(MOB)\n");
    EXPECT_EQ(std::ranges::count(added(project), "res://mob.tscn"), 1) << argument;
    EXPECT_EQ(std::ranges::count(added(project), "res://chest.tscn"), 0) << argument;
    EXPECT_TRUE(project.may_add_scenes(spawner_path_of(project))) << argument;
  }
}

TEST(AddSpawnableScene, CSharpCallsAddScenes) {
  const Project project = game("extends Node\n",
                               "public partial class Main : Node {\n"
                               "  public void Add(MultiplayerSpawner spawner) {\n"
                               "    spawner.AddSpawnableScene(\"res://mob.tscn\");\n"
                               "  }\n"
                               "}\n");
  EXPECT_EQ(added(project), Texts{"res://mob.tscn"});
  EXPECT_TRUE(project.may_add_scenes(spawner_path_of(project)));
}

TEST(AddSpawnableScene, SpawnIndexAfterTheListIsAnAddedScene) {
  const Project project = game(
      "extends Node\n"
      "func _ready():\n"
      "\t$Spawner.add_spawnable_scene(\"res://mob.tscn\")\n");
  EXPECT_EQ(candidate_scenes(project, 0, "7"), Texts{"project res://player.tscn"});
  EXPECT_EQ(candidate_scenes(project, 1, "7"), Texts{"preload res://mob.tscn"});
}

TEST(AddSpawnableScene, SpawnerInASeparateSceneIsFoundByNodeName) {
  const Project project = game("extends Node\n");
  for (const std::string path : {"Menu/Handler", "Menu/Handler2", "Menu/@Handler@3"}) {
    EXPECT_EQ(candidate_scenes(project, 0, "7", path), Texts{"paths res://mob.tscn"}) << path;
  }
  EXPECT_EQ(candidate_scenes(project, 0, "7", "Menu/Other"), Texts{});
  EXPECT_EQ(candidate_scenes(project, 0, "7", "Handler/Other"), Texts{});
  EXPECT_EQ(candidate_scenes(project, 1, "7", "Menu/Handler"), Texts{});
}

TEST(AddSpawnableScene, SpawnedNodesNameGivesTheSceneIfNoScriptDoes) {
  const Project project = game(
      "extends Node\n"
      "func add(path):\n"
      "\t$Spawner.add_spawnable_scene(path)\n");
  EXPECT_EQ(candidate_scenes(project, 1, "Mob"), Texts{"paths res://mob.tscn"});
  EXPECT_EQ(candidate_scenes(project, 1, "@Chest@12"), Texts{"paths res://chest.tscn"});
  EXPECT_EQ(candidate_scenes(project, 1, "7"), Texts{});
}

// ---- spawners created by scripts

// Returns the scenes of the spawner whose path ends with @p name, in a game whose main.gd contains the script.
Texts scripted_scenes(const std::string &script, const std::string &name, std::uint8_t scene) {
  return candidate_scenes(game("extends Node\n" + script), scene, "1", "Net/" + name);
}

constexpr std::uint8_t custom_scene = 255;
const std::string make_mob_function = "func make_mob(data):\n\treturn preload(\"res://mob.tscn\").instantiate()\n";
const std::string make_chest_function =
    "func make_chest(data):\n\treturn preload(\"res://chest.tscn\").instantiate()\n";

TEST(AddSpawnableScene, SpawnerCreatedByAScriptIsFoundByName) {
  const std::string script =
      "const NAME := \"Chests\"\nvar mobs: MultiplayerSpawner\n@onready var chests := MultiplayerSpawner.new()\n"
      "func _ready():\n\tmobs = MultiplayerSpawner.new()\n\tmobs.name = &\"Mobs\"\n\tmobs.spawn_function = make_mob\n"
      "\tchests.name = NAME\n\tchests.spawn_function = make_chest\n\tadd_child(mobs)\n\tadd_child(chests)\n" +
      make_mob_function + make_chest_function;
  EXPECT_EQ(scripted_scenes(script, "Mobs", custom_scene), Texts{"preload res://mob.tscn"});
  EXPECT_EQ(scripted_scenes(script, "Chests", custom_scene), Texts{"preload res://chest.tscn"});
  EXPECT_EQ(scripted_scenes(script, "Others", custom_scene), Texts{});
  EXPECT_EQ(scripted_scenes(script, "@MultiplayerSpawner@2", custom_scene), Texts{});
}

TEST(AddSpawnableScene, UnnamedScriptedSpawnerIsFoundByItsGeneratedName) {
  const std::string script =
      "var all := {\"mob\": preload(\"res://mob.tscn\")}\nvar spawner\nfunc _ready():\n"
      "\tspawner = MultiplayerSpawner.new()\n\tadd_child(spawner)\n"
      "\tfor scene in all.values():\n\t\tspawner.add_spawnable_scene(scene.resource_path)\n";
  EXPECT_EQ(scripted_scenes(script, "@MultiplayerSpawner@2", 0), Texts{"preload res://mob.tscn"});
  EXPECT_EQ(scripted_scenes(script, "Other", 0), Texts{});
}

TEST(AddSpawnableScene, SpawnerWithUnknownNameOrSpawnFunctionHasNoScenes) {
  const std::string begin =
      "var spawner\nfunc _ready():\n\tspawner = MultiplayerSpawner.new()\n\tspawner.name = \"Mobs\"\n";
  const std::string set = "\tspawner.spawn_function = make_mob\n";
  EXPECT_EQ(scripted_scenes(begin + set + make_mob_function, "Mobs", custom_scene), Texts{"preload res://mob.tscn"});
  EXPECT_EQ(scripted_scenes(begin + set + "\tspawner.name += str(1)\n" + make_mob_function, "Mobs", custom_scene),
            Texts{"preload res://mob.tscn"});
  const std::string other = "func other(maker):\n\tspawner.spawn_function = maker\n";
  EXPECT_EQ(scripted_scenes(begin + set + other + make_mob_function, "Mobs", custom_scene), Texts{});
  const std::string put_together =
      "var spawner\nfunc _ready():\n\tspawner = MultiplayerSpawner.new()\n\tspawner.name = \"Mobs\" + str(id)\n";
  EXPECT_EQ(scripted_scenes(put_together + set + make_mob_function, "Mobs", custom_scene), Texts{});
  EXPECT_EQ(scripted_scenes(put_together + set + make_mob_function, "@MultiplayerSpawner@3", custom_scene), Texts{});
}

TEST(AddSpawnableScene, SpawnerInASceneAndInAScriptHasTheScenesOfBoth) {
  const std::string script =
      "var spawner\nfunc _ready():\n\tspawner = MultiplayerSpawner.new()\n\tspawner.name = \"Spawner\"\n"
      "\tspawner.add_spawnable_scene(\"res://mob.tscn\")\n\tspawner.spawn_function = make_chest\n" +
      make_chest_function;
  EXPECT_EQ(scripted_scenes(script, "Spawner", 0), Texts{"paths res://player.tscn"});
  EXPECT_EQ(scripted_scenes(script, "Spawner", custom_scene), Texts{"preload res://chest.tscn"});
}

}  // namespace
}  // namespace godot_codec
