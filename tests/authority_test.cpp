// SPDX-License-Identifier: MIT
// The authority over a game's nodes, as far as its scripts prove it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/project.h"

namespace godot_codec::project::test {
namespace {

AuthorityRule rule_of(std::string_view body, std::string_view function = "_enter_tree") {
  const std::string source =
      "extends Node\nfunc " + std::string(function) + "() -> void:\n" + std::string(body) + "\nfunc other():\n\tpass\n";
  return read_gdscript(source).classes.front().authority;
}

TEST(AuthorityRule, PeerIdFromTheNodeNameIsRecognized) {
  for (const char *const call :
       {"set_multiplayer_authority(name.to_int())", "set_multiplayer_authority(str(name).to_int())",
        "self.set_multiplayer_authority( str( name ).to_int() )", "set_multiplayer_authority(int(str(name)))",
        "set_multiplayer_authority(String(name).to_int())  # the owner"}) {
    EXPECT_EQ(rule_of("\t" + std::string(call)), AuthorityRule::by_name) << call;
    EXPECT_EQ(rule_of("\tprint(name)\n\t" + std::string(call), "_ready"), AuthorityRule::by_name) << call;
  }
  EXPECT_EQ(rule_of("\tpass"), AuthorityRule::server);
  EXPECT_EQ(rule_of("\tprint(\"set_multiplayer_authority(1)\")"), AuthorityRule::server);
}

TEST(AuthorityRule, OtherArgumentsAndConditionsMakeTheAuthorityUnknown) {
  constexpr std::string_view call = "set_multiplayer_authority(name.to_int())";
  for (const std::string &body : std::vector<std::string>{
           "\tset_multiplayer_authority(owner_id)", "\tset_multiplayer_authority(name.to_int(), false)",
           "\t$Inputs.set_multiplayer_authority(name.to_int())", "\tset_multiplayer_authority(name.to_int() + 1)",
           "\t$Gun/Inputs.set_multiplayer_authority(owner_id)", "\t%Inputs.set_multiplayer_authority(owner_id)",
           "\tself.set_multiplayer_authority(owner_id)"}) {
    EXPECT_EQ(rule_of(body), AuthorityRule::below) << body;
    EXPECT_EQ(rule_of(body, "take_over"), AuthorityRule::below) << body;
  }
  for (const std::string &body : std::vector<std::string>{
           "\t$\"../Inputs\".set_multiplayer_authority(owner_id)", "\t$/root/Main.set_multiplayer_authority(owner_id)",
           "\t$\"/root/Main\".set_multiplayer_authority(owner_id)", "\t$A.b(c).set_multiplayer_authority(owner_id)",
           "\tplayer.set_multiplayer_authority(owner_id)", "\tget_parent().set_multiplayer_authority(owner_id)"}) {
    EXPECT_EQ(rule_of(body), AuthorityRule::other) << body;
  }
  const std::string last(call);
  for (const std::string &body :
       std::vector<std::string>{"\tif is_host:\n\t\t" + last, "\tif is_host:\n\t\treturn\n\t" + last,
                                "\tawait ready\n\t" + last, "\tvar f = func():\n\t\t" + last}) {
    EXPECT_EQ(rule_of(body), AuthorityRule::below) << body;
  }
  EXPECT_EQ(rule_of("\tif is_host: " + last), AuthorityRule::other);
  EXPECT_EQ(rule_of("\t" + last, "take_over"), AuthorityRule::below);
  // An unknown call makes a known rule uncertain.
  EXPECT_EQ(rule_of("\t" + last + "\n\tset_multiplayer_authority(1)"), AuthorityRule::below);
}

TEST(AuthorityRule, CSharpScriptsAreNotAnalysed) {
  const ParsedScript source =
      read_csharp("public partial class Player : Node { void M() { SetMultiplayerAuthority(1); } }", "Player");
  EXPECT_EQ(source.classes.front().authority, AuthorityRule::other);
}

TEST(AuthorityRule, CallInAnyPartOfAPartialClassCounts) {
  constexpr std::string_view setting =
      "public partial class Player : Node { void M() { SetMultiplayerAuthority(2); } }";
  constexpr std::string_view other = "public partial class Player : Node { }";
  for (const bool is_first : {true, false}) {
    Project project;
    ASSERT_TRUE(project.read(
        std::vector<FileContent>{{"res://project.godot", ""},
                                 {"res://A.cs", is_first ? setting : other},
                                 {"res://B.cs", is_first ? other : setting},
                                 {"res://main.tscn", "[gd_scene format=3]\n[node name=\"Main\" type=\"Node\"]\n"}}));
    EXPECT_EQ(project.find_authority("Main"), 0);
  }
}

// Returns a project whose main scene has a clock and a spawner of players. @p extra is another script.
Project project_with(std::string_view player, std::string_view extra = "extends Node\n",
                     std::string_view spawned_too = "") {
  const std::string player_source(player);
  const std::string main_scene =
      "[gd_scene format=3]\n[node name=\"Main\" type=\"Node\"]\n[node name=\"Clock\" type=\"Node\" parent=\".\"]\n"
      "[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\"Clock\"]\n"
      "[node name=\"Players\" type=\"Node\" parent=\".\"]\n"
      "[node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n"
      "_spawnable_scenes = PackedStringArray(\"res://player.tscn\"" +
      std::string(spawned_too) + ")\nspawn_path = NodePath(\"../Players\")\n";
  const std::string extra_source(extra);
  const std::vector<FileContent> files = {
      {"res://project.godot",
       "config_version=5\n[application]\nconfig/name=\"x\"\nrun/main_scene=\"res://main.tscn\"\n"
       "[autoload]\nNet=\"*res://extra.gd\"\n"},
      {"res://chest.tscn", "[gd_scene format=3]\n[node name=\"Chest\" type=\"Node2D\"]\n"},
      {"res://main.tscn", main_scene},
      {"res://player.tscn",
       "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://player.gd\" id=\"1\"]\n"
       "[node name=\"Player\" type=\"Node2D\"]\nscript = ExtResource(\"1\")\n"
       "[node name=\"Gun2\" type=\"Node2D\" parent=\".\"]\n"
       "[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\"Gun2\"]\n"
       "root_path = NodePath(\"../..\")\n"},
      {"res://player.gd", player_source},
      {"res://base.gd", "extends Node2D\nfunc _enter_tree():\n\tset_multiplayer_authority(str(name).to_int())\n"},
      {"res://extra.gd", extra_source}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  return project;
}

constexpr std::string_view by_name =
    "extends Node2D\nfunc _enter_tree():\n\tset_multiplayer_authority(str(name).to_int())\n";

TEST(ScriptAuthority, NodeNamedByAPeerIdBelongsToThatPeer) {
  const Project project = project_with(by_name);
  EXPECT_EQ(project.find_authority("Main/Players/20002/Gun2/Sync"), 20002);
  EXPECT_EQ(project.find_authority("Main/Players/1/Gun2/Sync"), 1);
  EXPECT_EQ(project.find_authority("Main/Players/20002"), 20002);
  // to_int() turns some of these names into a number, too.
  for (const std::string_view name : {"0", "020002", "4294967298", "P20002", "20002b", "99999999999"}) {
    EXPECT_EQ(project.find_authority("Main/Players/" + std::string(name) + "/Gun2/Sync"), 0) << name;
  }
}

TEST(ScriptAuthority, NodeWithoutANumericNameBelongsToTheServer) {
  const Project project = project_with(by_name);
  EXPECT_EQ(project.find_authority("Main/Clock/Sync"), 1);
  EXPECT_EQ(project.find_authority("Main/Spawner"), 1);
  EXPECT_EQ(project.find_authority(""), 0);
  // A node that no scene contains may have an unknown script.
  EXPECT_EQ(project.find_authority("Main/Other/20002"), 0);
  EXPECT_EQ(project_with("extends Node2D\n").find_authority("Main/Players/20002/Gun2/Sync"), 0);
}

TEST(ScriptAuthority, AutoloadBelongsToTheServerUnlessItsScriptChangesIt) {
  constexpr std::string_view gives_below = "extends Node2D\nfunc _ready():\n\t$Gun2.set_multiplayer_authority(7)\n";
  EXPECT_EQ(project_with(gives_below).find_authority("Net"), 1);
  EXPECT_EQ(project_with(gives_below).find_authority("Net/Chat"), 0) << "nobody knows what is below it";
  EXPECT_EQ(
      project_with(gives_below, "extends Node\nfunc a():\n\tset_multiplayer_authority(7)\n").find_authority("Net"), 0);
  EXPECT_EQ(
      project_with(gives_below, "extends Node\nfunc a(b):\n\tb.set_multiplayer_authority(7)\n").find_authority("Net"),
      0);
}

// By its path alone, a spawned node may be an instance of either scene.
TEST(ScriptAuthority, ScriptSelectsTheSceneOfASpawnedNode) {
  const Project project = project_with(by_name, "extends Node\n", ", \"res://chest.tscn\"");
  const Script *player = nullptr;
  const Script *extra = nullptr;
  for (const Script &script : project.scripts()) {
    if (script.path == "res://player.gd") player = &script;
    if (script.path == "res://extra.gd") extra = &script;
  }
  EXPECT_EQ(project.find_authority("Main/Players/20002"), 0);
  EXPECT_EQ(project.find_authority("Main/Players/20002", player), 20002);
  EXPECT_EQ(project.find_authority("Main/Players/20002", extra), 0);
}

TEST(ScriptAuthority, BaseClassRuleIsInherited) {
  EXPECT_EQ(project_with("extends \"res://base.gd\"\n").find_authority("Main/Players/7/Gun2/Sync"), 7);
  // The override may or may not call the base method.
  const Project project = project_with("extends \"res://base.gd\"\nfunc _enter_tree():\n\tpass\n");
  EXPECT_EQ(project.find_authority("Main/Players/7/Gun2/Sync"), 0);
}

TEST(ScriptAuthority, ReassigningOneNodeKeepsTheOthersWithTheServer) {
  const Project project =
      project_with("extends Node2D\n@export var id := 1:\n\tset(value):\n\t\t$Gun2.set_multiplayer_authority(value)\n");
  EXPECT_EQ(project.find_authority("Main/Clock/Sync"), 1);
  EXPECT_EQ(project.find_authority("Main/Players"), 1);
  EXPECT_EQ(project.find_authority("Main"), 1);
  // The authority of all nodes of the player is unknown: the analysis does not distinguish nodes above and below the
  // gun.
  EXPECT_EQ(project.find_authority("Main/Players/20002"), 0);
  EXPECT_EQ(project.find_authority("Main/Players/20002/Gun2/Sync"), 0);
  EXPECT_EQ(project.find_authority("Main/Other"), 0);
}

TEST(ScriptAuthority, IsUnknownIfAScriptSetsTheAuthorityOfArbitraryNodes) {
  const Project project =
      project_with(by_name, "extends Node\nfunc give(node, to):\n\tnode.set_multiplayer_authority(to)\n");
  EXPECT_EQ(project.find_authority("Main/Players/20002/Gun2/Sync"), 0);
  EXPECT_EQ(project.find_authority("Main/Clock/Sync"), 0);
}

}  // namespace
}  // namespace godot_codec::project::test
