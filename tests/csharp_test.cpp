// SPDX-License-Identifier: MIT
// C# games: nodes that their scripts create, and their RPC configuration.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/project.h"

namespace godot_codec::project::test {
namespace {

constexpr std::string_view main_scene =
    "[gd_scene format=3]\n"
    "[ext_resource type=\"Script\" path=\"res://Main.cs\" id=\"1\"]\n"
    "[ext_resource type=\"PackedScene\" path=\"res://mob.tscn\" id=\"2\"]\n"
    "[node name=\"Main\" type=\"Node\"]\n"
    "script = ExtResource(\"1\")\n"
    "MobScene = ExtResource(\"2\")\n"
    "[node name=\"Players\" type=\"Node\" parent=\".\"]\n"
    "[node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n"
    "spawn_path = NodePath(\"../Players\")\n";

std::vector<std::string> scenes_spawned_by(std::string_view script) {
  const std::array<FileContent, 5> files = {
      {{"res://project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"},
       {"res://main.tscn", main_scene},
       {"res://Main.cs", script},
       {"res://player.tscn", "[gd_scene format=3]\n[node name=\"Player\" type=\"Node2D\"]\n"},
       {"res://mob.tscn", "[gd_scene format=3]\n[node name=\"Mob\" type=\"Node2D\"]\n"}}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  std::vector<std::string> made;
  for (const NodeMatch &match : project.find_nodes("Main/Players/P1")) {
    if (match.placement == NodePlacement::made && match.scene != nullptr) made.emplace_back(match.scene->path);
  }
  return made;
}

// The parser does not search for the method that creates the nodes, so the exported scene counts as well.
TEST(CSharpScripts, SceneLoadedForTheSpawnFunctionIsFound) {
  EXPECT_EQ(scenes_spawned_by(
                "public partial class Main : Node {\n"
                "  public override void _Ready() {\n"
                "    GetNode<MultiplayerSpawner>(\"Spawner\").SpawnFunction = Callable.From<Variant, Node>(Make);\n"
                "  }\n"
                "  Node Make(Variant id) => GD.Load<PackedScene>(\"res://player.tscn\").Instantiate();\n"
                "}\n"),
            (std::vector<std::string>{"res://mob.tscn", "res://player.tscn"}));
}

TEST(CSharpScripts, ExportedSceneIsFoundForTheSpawnFunction) {
  EXPECT_EQ(scenes_spawned_by(
                "public partial class Main : Node {\n"
                "  [Export] public PackedScene MobScene { get; set; }\n"
                "  public override void _Ready() => _spawner.SpawnFunction = new Callable(this, nameof(Make));\n"
                "  Node Make(Variant id) => MobScene.Instantiate();\n"
                "}\n"),
            std::vector<std::string>{"res://mob.tscn"});
}

TEST(CSharpScripts, NothingIsSpawnedWithoutASpawnFunction) {
  EXPECT_EQ(scenes_spawned_by("public partial class Main : Node {\n"
                              "  Node Make(Variant id) => GD.Load<PackedScene>(\"res://player.tscn\").Instantiate();\n"
                              "}\n"),
            std::vector<std::string>{});
}

TEST(CSharpScripts, RpcConfigMethodIsReadFromStringNameofAndMethodName) {
  const ParsedScript source = read_csharp(
      "partial class Main : Node { void F(Node horn, Dictionary how) {\n"
      "  horn.RpcConfig(\"Honk\", how);\n"
      "  horn.RpcConfig(nameof(Horn.Toot), how);\n"
      "  horn.RpcConfig(Horn.MethodName.Blare, how);\n"
      "  horn.Rpc(nameof(Horn.Called));\n"
      "} }",
      "Main");
  std::vector<std::string> names;
  for (const auto &[name, method] : source.classes.front().methods_configured_elsewhere) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"Blare", "Honk", "Toot"}));
}

}  // namespace
}  // namespace godot_codec::project::test
