// SPDX-License-Identifier: MIT
// MultiplayerSynchronizers that scripts create, and nodes that scripts add: which scene they belong to, and where.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/multiplayer/game_names.h"
#include "godot-codec/project/project.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec {
namespace {

using project::FileContent;
using project::Project;
using project::Scene;
using project::Synchronizer;
using Texts = std::vector<std::string>;

std::string labels_of(std::span<const project::Property> properties) {
  std::string text;
  for (const project::Property &each : properties) text.append(text.empty() ? "" : " ").append(each.label);
  return text.empty() ? "-" : text;
}

// Describes each synchronizer: `player.tscn Sync of .: hp position, hp, position`, the properties of spawns, syncs and
// deltas, and how certain they are.
Texts synchronizers_of(const Project &project) {
  Texts lines;
  for (const Scene &scene : project.scenes()) {
    for (const Synchronizer &each : scene.synchronizers) {
      std::string line(scene.path.substr(6));
      line.append(" ").append(each.node).append(" of ").append(each.root).append(": ");
      line += labels_of(each.spawn) + ", " + labels_of(each.always) + ", " + labels_of(each.on_change);
      if (each.certainty == project::Certainty::assumed) line += " assumed";
      if (each.certainty == project::Certainty::unknown) line += " unknown";
      lines.push_back(line);
    }
  }
  return lines;
}

constexpr std::string_view player_scene =
    "[gd_scene format=3]\n"
    "[ext_resource type=\"Script\" path=\"res://player.gd\" id=\"1\"]\n"
    "[sub_resource type=\"SceneReplicationConfig\" id=\"c\"]\n"
    "properties/0/path = NodePath(\".:scale\")\n"
    "[node name=\"Player\" type=\"Node2D\"]\n"
    "script = ExtResource(\"1\")\n"
    "[node name=\"Own\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n"
    "replication_config = SubResource(\"c\")\n";

Project game(std::string_view script) {
  const std::array<FileContent, 3> files = {{{"res://project.godot", "config_version=5\n"},
                                             {"res://player.tscn", player_scene},
                                             {"res://player.gd", script}}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  return project;
}

const std::string own_synchronizer = "player.tscn Own of .: scale, scale, -";

// Lists the synchronizers that a script's function creates. Appends "and others" if the script may create more.
Texts created_by(const std::string &function, const std::string &before = "") {
  const Project project = game("extends Node2D\n" + before + "func _ready() -> void:\n" + function);
  Texts lines = synchronizers_of(project);
  std::erase(lines, own_synchronizer);
  if (project.facts().builds_synchronizers) lines.emplace_back("and others");
  return lines;
}

const std::string begin =
    "\tvar sync := MultiplayerSynchronizer.new()\n\tsync.name = \"Sync\"\n\tvar config := "
    "SceneReplicationConfig.new()\n";
const std::string end = "\tsync.replication_config = config\n\tadd_child(sync, true)\n";

TEST(SynchronizersCreatedByScripts, LiteralPropertiesAreFound) {
  const Texts expected = {"player.tscn Sync of .: hp Gun:ammo aim, hp Gun:ammo aim, -"};
  EXPECT_EQ(created_by(begin +
                       "\tconfig.add_property(NodePath(\".:hp\"))\n\tconfig.add_property(^\"Gun:ammo\")\n"
                       "\tconfig.add_property(\":aim\")\n" +
                       end),
            expected);
  EXPECT_EQ(created_by(begin +
                           "\tvar hp := NodePath(\".:hp\")\n\tconfig.add_property(hp)\n\tvar gun = ^\"Gun:ammo\"\n"
                           "\tconfig.add_property(gun)\n\tconfig.add_property(\":%s\" % AIM)\n" +
                           end,
                       "const AIM := &\"aim\"\n"),
            expected);
  EXPECT_EQ(created_by(
                begin +
                "\tfor path in [\".:hp\", \"Gun:ammo\", \":\" + \"aim\"]: config.add_property(NodePath(path))\n" + end),
            expected);
  EXPECT_EQ(
      created_by(begin +
                 "\tvar names: Array[String] = [\"hp\", \"Gun:ammo\"]\n"
                 "\tfor path: String in [\".:hp\",\n\t\t\t\"Gun:ammo\", ^\".:aim\"]:\n\t\tconfig.add_property(path)\n" +
                 end),
      expected);
}

TEST(SynchronizersCreatedByScripts, ReplicationModeCallsAreApplied) {
  EXPECT_EQ(
      created_by(begin +
                 "\tconfig.add_property(\".:hp\")\n\tconfig.property_set_spawn(\".:hp\", false)\n"
                 "\tconfig.add_property(\".:aim\")\n"
                 "\tconfig.property_set_replication_mode(\n\t\t^\":aim\", "
                 "SceneReplicationConfig.REPLICATION_MODE_ON_CHANGE\n\t)\n"
                 "\tfor each in [\".:a\", \".:b\"]:\n\t\tconfig.add_property(each)\n"
                 "\t\tconfig.property_set_replication_mode(each, SceneReplicationConfig.REPLICATION_MODE_NEVER)\n" +
                 end),
      (Texts{"player.tscn Sync of .: aim a b, hp, aim"}));
  EXPECT_EQ(created_by(begin +
                       "\tconfig.add_property(\".:hp\")\n\tconfig.property_set_sync(\".:hp\", false)\n"
                       "\tconfig.property_set_watch(\".:hp\", true)\n" +
                       end),
            (Texts{"player.tscn Sync of .: hp, -, hp"}));
}

TEST(SynchronizersCreatedByScripts, SynchronizerInAMemberVariableIsFound) {
  EXPECT_EQ(
      created_by("\t_sync = MultiplayerSynchronizer.new()\n\t_sync.name = \"Sync\"\n\t_sync.root_path = ^\"../Own\"\n"
                 "\tself._sync.replication_config = SceneReplicationConfig.new()\n"
                 "\t_sync.replication_config.add_property(\".:hp\")\n\t_sync.set_multiplayer_authority(7)\n"
                 "\t_sync.add_to_group(\"syncs\")\n\tadd_child.call_deferred(_sync)\n",
                 "var _sync: MultiplayerSynchronizer\nvar _config: SceneReplicationConfig\n"),
      (Texts{"player.tscn Sync of Own: hp, hp, -"}));
}

// Values of a spawn follow the order in which the synchronizers enter the tree.
TEST(SynchronizersCreatedByScripts, PrecedeOthersIfTheyEnterTheTreeFirst) {
  const std::string body = begin + "\tconfig.add_property(\".:hp\")\n" + end;
  EXPECT_EQ(synchronizers_of(game("func _enter_tree():\n" + body)),
            (Texts{"player.tscn Sync of .: hp, hp, -", own_synchronizer}));
  EXPECT_EQ(synchronizers_of(game("func _ready():\n" + body)),
            (Texts{own_synchronizer, "player.tscn Sync of .: hp, hp, -"}));
}

// The scene contains this synchronizer.
TEST(SynchronizersCreatedByScripts, ReplacedReplicationConfigIsUsed) {
  const std::string config = "\tvar config = SceneReplicationConfig.new()\n\tconfig.add_property(\".:hp\")\n";
  const Texts expected = {"player.tscn Own of .: hp, hp, -"};
  EXPECT_EQ(synchronizers_of(game("func _ready():\n" + config + "\t$Own.replication_config = config\n")), expected);
  EXPECT_EQ(synchronizers_of(game("@onready var sync: MultiplayerSynchronizer = $Own\nfunc _ready():\n" + config +
                                  "\tsync.replication_config = config\n")),
            expected);
  EXPECT_EQ(synchronizers_of(game("func _ready():\n" + config +
                                  "\tvar sync := get_node(\"Own\") as MultiplayerSynchronizer\n"
                                  "\tsync.replication_config = config\n")),
            expected);
  // A script that reads the config changes nothing. A script that adds or removes properties makes the list unknown.
  EXPECT_EQ(synchronizers_of(game("func _ready():\n\tif $Own.replication_config == null: return\n")),
            Texts{own_synchronizer});
  const Texts none = {"player.tscn Own of .: scale, scale, - unknown"};
  EXPECT_EQ(synchronizers_of(game("func _ready():\n\t$Own.replication_config.add_property(\".:hp\")\n")), none);
  EXPECT_EQ(synchronizers_of(game("@onready var sync = $Own\nfunc _ready():\n"
                                  "\tsync.replication_config.remove_property(\".:scale\")\n")),
            none);
}

TEST(SynchronizersCreatedByScripts, PropertiesSetByOtherCodeAreUnknown) {
  const Texts others = {"player.tscn Sync of .: -, -, - unknown", "and others"};
  const std::string add = "\tconfig.add_property(\".:hp\")\n";
  EXPECT_EQ(created_by(begin + add + "\tif is_big:\n\t\tconfig.add_property(\".:size\")\n" + end), others);
  EXPECT_EQ(created_by(begin + add + "\tif is_big: config.add_property(\".:size\")\n" + end), others);
  EXPECT_EQ(created_by(begin + "\tfor each in names:\n\t\tconfig.add_property(each)\n" + end), others);
  EXPECT_EQ(created_by(begin +
                       "\tfor each in [\".:a\", \".:b\"]:\n\t\tif each == skipped: continue\n"
                       "\t\tconfig.add_property(each)\n" +
                       end),
            others);
  EXPECT_EQ(created_by(begin + add + "\tconfig.add_property(\"%s:hp\" % get_path())\n" + end), others);
  EXPECT_EQ(created_by(begin + add + "\t_fill(config)\n" + end), others);
  EXPECT_EQ(created_by(begin + add + "\tsync.name = str(id)\n" + end),
            (Texts{"player.tscn @MultiplayerSynchronizer@ of .: hp, hp, -", "and others"}));
  EXPECT_EQ(created_by(begin +
                       "\tvar names = [\":hp\"]\n\tnames.append_array(_more())\n\tfor each in names:\n"
                       "\t\tconfig.add_property(each)\n" +
                       end),
            others);
  EXPECT_EQ(created_by(begin +
                       "\tvar path = \":hp\"\n\tif is_big:\n\t\tpath = \":size\"\n\tconfig.add_property(path)\n" + end),
            others);
  EXPECT_EQ(created_by(begin + add + "\tsync.replication_config = config\n\treturn sync\n"), Texts{"and others"});
  EXPECT_EQ(created_by("\t_setup(self)\n", "func _setup(sync):\n\tsync.replication_config.add_property(\".:hp\")\n"),
            Texts{"and others"});
}

// Lists the synchronizer of the scene after a script has changed it.
Texts after_change(const std::string &script) { return synchronizers_of(game("extends Node2D\n" + script)); }

TEST(SynchronizersChangedByScripts, ConfigReturnedByAFunctionIsUsed) {
  const std::string make =
      "func make() -> SceneReplicationConfig:\n\tvar made := SceneReplicationConfig.new()\n"
      "\tmade.add_property(^\".:hp\")\n\tmade.add_property(^\"Gun:ammo\")\n\treturn made\n";
  const Texts expected = {"player.tscn Own of .: hp Gun:ammo, hp Gun:ammo, -"};
  EXPECT_EQ(after_change("func _ready():\n\t$Own.replication_config = make()\n" + make), expected);
  EXPECT_EQ(after_change(make + "func _enter_tree():\n\tget_node(\"Own\").replication_config = self.make()\n"),
            expected);
  EXPECT_EQ(after_change(make + "func _ready():\n\t$Own.set_replication_config(make())\n"), expected);
  // Only a direct call without a condition is followed.
  const Texts unknown = {"player.tscn Own of .: -, -, - unknown"};
  EXPECT_EQ(
      after_change(make + "func other():\n\treturn make()\nfunc _ready():\n\t$Own.replication_config = other()\n"),
      unknown);
  EXPECT_EQ(after_change("func _ready():\n\t$Own.replication_config = make()\nfunc make():\n"
                         "\tvar made := SceneReplicationConfig.new()\n\tif is_big:\n\t\treturn made\n"
                         "\tmade.add_property(^\".:hp\")\n\treturn made\n"),
            unknown);
  EXPECT_EQ(after_change("func _ready():\n\t$Own.replication_config = make(2)\n" + make), unknown);
}

TEST(SynchronizersChangedByScripts, UninterpretedChangeMakesPropertiesUnknown) {
  const Texts of_scene = {"player.tscn Own of .: scale, scale, - unknown"};
  EXPECT_EQ(after_change("func _ready():\n\tvar list = $Own.replication_config\n"
                         "\tfor each in list.get_properties():\n\t\tlist.remove_property(each)\n"),
            of_scene);
  EXPECT_EQ(after_change("func _ready():\n\t$Own.replication_config.call(\"add_property\", ^\".:hp\")\n"), of_scene);
  EXPECT_EQ(after_change("func _ready():\n\t$Own.root_path = $Own.get_path_to($Gun)\n"), of_scene);
  EXPECT_EQ(after_change("func _ready():\n\tif is_big: $Own.set(\"root_path\", ^\"../Gun\")\n"), of_scene);
  const std::string list =
      "\tvar made := SceneReplicationConfig.new()\n\tfor each in names:\n\t\tmade.add_property(NodePath(each))\n"
      "\t$Own.replication_config = made\n";
  const Texts of_script = {"player.tscn Own of .: -, -, - unknown"};
  EXPECT_EQ(after_change("@export var names := [\":hp\"]\nfunc _ready():\n" + list), of_script);
  EXPECT_EQ(after_change("@export\nvar names := [\":hp\"]\nfunc _ready():\n" + list), of_script);
  EXPECT_EQ(after_change("const names = [\":hp\"]\nfunc _ready():\n" + list), Texts{"player.tscn Own of .: hp, hp, -"});
  // The result is only assumed, because another script may set a variable. Also, a function without a known caller may
  // never run.
  const Texts assumed = {"player.tscn Own of .: hp, hp, - assumed"};
  EXPECT_EQ(after_change("var names := [\":hp\"]\nfunc _ready():\n" + list), assumed);
  EXPECT_EQ(after_change("const names = [\":hp\"]\nfunc setup():\n" + list), assumed);
}

// All nodes of a scene share its config, because it is one resource.
TEST(SynchronizersChangedByScripts, ChangeAffectsAllNodesThatShareTheConfig) {
  const std::string other =
      std::string(player_scene) + "[node name=\"Other\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n" +
      "replication_config = SubResource(\"c\")\n[node name=\"Bare\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n";
  const std::array<FileContent, 3> files = {
      {{"res://project.godot", ""},
       {"res://player.tscn", other},
       {"res://player.gd", "func _ready():\n\t$Own.replication_config.remove_property(^\".:scale\")\n"}}};
  Project project;
  ASSERT_TRUE(project.read(files));
  EXPECT_EQ(synchronizers_of(project),
            (Texts{"player.tscn Own of .: scale, scale, - unknown", "player.tscn Other of .: scale, scale, - unknown",
                   "player.tscn Bare of .: -, -, -"}));
}

TEST(SynchronizersChangedByScripts, ChangeOfAnUnknownNodeAffectsAllOfThem) {
  EXPECT_TRUE(game("func f(node):\n\tnode.replication_config = null\n").facts().changes_synchronizers);
  EXPECT_TRUE(game("func f():\n\tget_child(0).set(\"root_path\", ^\"..\")\n").facts().changes_synchronizers);
  const std::string make = "func f(node):\n\tvar made = SceneReplicationConfig.new()\n";
  EXPECT_TRUE(game(make + "\tnode.replication_config = made\n").facts().changes_synchronizers);
  EXPECT_TRUE(game(make + "\t$Box.get_child(0).replication_config = made\n").facts().changes_synchronizers);
  EXPECT_TRUE(game(make + "\t$Box/Sync.replication_config = made\n").facts().changes_synchronizers);
  EXPECT_TRUE(game("func f(node):\n\tnode.add_property(\":%s\" % node)\n").facts().changes_synchronizers);
  EXPECT_FALSE(game(make + "\tmade.add_property(\":%s\" % node)\n").facts().changes_synchronizers);
  EXPECT_FALSE(game("func f():\n\t$Own.replication_config = null\n").facts().changes_synchronizers);
  EXPECT_FALSE(game("func f():\n\tmultiplayer.root_path = get_path()\n").facts().changes_synchronizers);
  EXPECT_FALSE(game("func f(node):\n\tif node.replication_config == null: return\n").facts().changes_synchronizers);
  EXPECT_FALSE(game("var root_path = 1\nfunc f():\n\troot_path = 2\n").facts().changes_synchronizers);
}

TEST(SynchronizersChangedByScripts, ChangeOutsideAFunctionIsFound) {
  EXPECT_EQ(after_change("for each in [\":hp\"]: pass; func f(): $Own.replication_config = each\n"),
            Texts{"player.tscn Own of .: scale, scale, - unknown"});
}

// A short source must not create long texts. Each line of this source copies two hundred properties.
TEST(SynchronizersCreatedByScripts, PropertyListsOverTheMemoryLimitAreUnknown) {
  std::string list = "\tvar a0 = [";
  for (int i = 0; i < 200; ++i) list += "\"a" + std::to_string(i) + "\", ";
  list += "]\n";
  for (int i = 1; i < 1000; ++i) {
    list += "\tvar a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + \"" + std::string(20, 'b') + "\"\n";
  }
  EXPECT_EQ(created_by(begin + list + "\tfor each in a999:\n\t\tconfig.add_property(each)\n" + end),
            (Texts{"player.tscn Sync of .: -, -, - unknown", "and others"}));
}

TEST(SynchronizersCreatedByScripts, AreInheritedByDerivedClasses) {
  const std::string body = begin + "\tconfig.add_property(\".:hp\")\n" + end;
  const std::array<FileContent, 4> files = {{{"res://project.godot", "config_version=5\n"},
                                             {"res://player.tscn", player_scene},
                                             {"res://base.gd", ""},
                                             {"res://player.gd", ""}}};
  const auto game_of = [&](const std::string &base, std::string_view derived) {
    std::array<FileContent, 4> all = files;
    all[2].text = base;
    all[3].text = derived;
    Project project;
    EXPECT_TRUE(project.read(all));
    return project;
  };
  EXPECT_EQ(synchronizers_of(game_of("func _ready():\n" + body, "extends \"base.gd\"\nfunc other(): pass\n"))[1],
            own_synchronizer);
  // Without super(), the function of the base class does not run.
  const Project overridden = game_of("func _ready():\n" + body, "extends \"base.gd\"\nfunc _ready(): pass\n");
  EXPECT_TRUE(overridden.facts().builds_synchronizers);
}

// ---- scripts that may change any config

// Returns the path of the script that may change configs. "other.gd" and "Other.cs" belong to no scene.
std::string config_script_of(std::string_view other, std::string_view csharp = "") {
  const std::array<FileContent, 4> files = {{{"res://project.godot", "config_version=5\n"},
                                             {"res://player.tscn", player_scene},
                                             {"res://other.gd", other},
                                             {"res://Other.cs", csharp}}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  return std::string(project.facts().config_script);
}

TEST(ReplicationConfigScript, UseOfAConfigOrItsMethodsIsDetected) {
  for (const char *line : {
           "$Own.replication_config = load(\"res://other.tres\")",
           "$Own.replication_config.add_property(\".:hp\")",
           "get_node(\"Own\").replication_config = null",
           "%Own.set_replication_config(c)",
           "$Own.set(\"replication_config\", c)",
           "$Own.set_deferred(&\"replication_config\", c)",
           "$Own[\"replication_config\"] = c",
           "replication_config = SceneReplicationConfig.new()",
           "c = $Own.replication_config.duplicate()",
           "c.add_property(^\".:hp\")",
           "c.remove_property(\".:scale\")",
           "c.property_set_spawn(\".:scale\", false)",
           "c.call(\"property_set_sync\", \".:scale\", false)",
           "load(\"res://c.tres\").set(\"properties/0/spawn\", false)",
           "var d: SceneReplicationConfig = make()",
       }) {
    EXPECT_EQ(config_script_of("extends Node\nfunc change(c):\n\t" + std::string(line) + "\n"), "res://other.gd")
        << line;
  }
  for (const char *line : {"sync.ReplicationConfig = c;", "sync.Set(\"replication_config\", c);",
                           "c.AddProperty(\".:hp\");", "c.PropertySetSpawn(\".:hp\", false);",
                           "sync.Set(MultiplayerSynchronizer.PropertyName.ReplicationConfig, c);"}) {
    EXPECT_EQ(config_script_of("", "partial class Other : Node { void F() { " + std::string(line) + " } }"),
              "res://Other.cs")
        << line;
  }
}

TEST(ReplicationConfigScript, OtherScriptsAreNotDetected) {
  EXPECT_EQ(config_script_of("extends Node\n# $Own.replication_config.add_property(\".:hp\")\n"
                             "func f(c):\n\tvar properties = get_property_list()\n\tc.add_property_info({})\n"
                             "\tprint(\"replication\", properties)\n\t$Own.public_visibility = true\n",
                             "class Other { /* ReplicationConfig */ int PropertyCount; }"),
            "");
}

TEST(ReplicationConfigScript, ScriptInsideASceneIsDetected) {
  const std::string scene =
      "[gd_scene format=3]\n[sub_resource type=\"GDScript\" id=\"s\"]\nscript/source = \"extends Node\nfunc f(c):\n"
      "\tc.add_property(NodePath(\\\".:hp\\\"))\n\"\n[node name=\"A\" type=\"Node\"]\nscript = SubResource(\"s\")\n";
  const std::array<FileContent, 2> files = {{{"res://project.godot", ""}, {"res://a.tscn", scene}}};
  Project project;
  ASSERT_TRUE(project.read(files));
  EXPECT_TRUE(project.facts().config_script.starts_with("res://a.tscn")) << project.facts().config_script;
}

// ---- rpc_config() with a name from a variable

TEST(RpcConfigMethods, NamesAreReadFromAStringArrayOfTheScript) {
  const Project project = game(
      "func _init():\n\tfor each in [\"zap\", \"zip\"]:\n\t\trpc_config(each, {\"rpc_mode\": 1})\n"
      "@rpc func own(): pass\nfunc zip(): pass\nfunc zap(): pass\nfunc zoo(): pass\n");
  project::ConfiguredList found;
  ASSERT_TRUE(project.find_configured_list("c9f49153776a03757abde0dff2f47814", found));
  std::string names;
  for (const project::RpcMethod &each : found.methods) names += std::to_string(each.id) + std::string(each.name) + " ";
  EXPECT_EQ(names, "0own 32768zap 32769zip ");
}

// ---- nodes created without a scene

Texts properties_of_spawned_node(std::string_view main_script, std::string_view ghost) {
  const std::array<FileContent, 4> files = {
      {{"res://project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"},
       {"res://main.tscn",
        "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n"
        "[node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
        "[node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\nspawn_path = NodePath(\"..\")\n"},
       {"res://main.gd", main_script},
       {"res://ghost.gd", ghost}}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  Texts lines;
  for (const std::string_view path : project.find_scene("res://main.tscn")->spawners.front().function_scenes) {
    const Scene *scene = project.find_scene(path);
    lines.push_back(scene == nullptr ? "none" : labels_of(scene->root_synchronizers.front()->spawn));
  }
  return lines;
}

TEST(SynchronizersCreatedByScripts, AreFoundInNodesThatASpawnFunctionCreates) {
  const std::string body = begin + "\tconfig.add_property(\".:hp\")\n\tsync.replication_config = config\n";
  const std::string ghost = "class_name Ghost\nextends Node2D\nfunc _init():\n" + body + "\tadd_child(sync)\n";
  EXPECT_EQ(properties_of_spawned_node("func _ready():\n\t$Spawner.spawn_function = _make\n"
                                       "func _make(data):\n\treturn Ghost.new()\n",
                                       ghost),
            (Texts{"hp"}));
  EXPECT_EQ(properties_of_spawned_node(
                "func _ready():\n\t$Spawner.spawn_function = func(data):\n"
                "\t\tvar node = Node2D.new()\n\t\tnode.set_script(load(\"res://ghost.gd\"))\n\t\treturn node\n",
                ghost),
            (Texts{"hp"}));
  EXPECT_EQ(properties_of_spawned_node("func _ready():\n\t$Spawner.spawn_function = _make\nfunc _make(data):\n"
                                       "\tvar node = Node2D.new()\n" +
                                           body + "\tnode.add_child(sync)\n\treturn node\n",
                                       ""),
            (Texts{"hp"}));
}

// ---- property names

TEST(NormalizedNodePath, ChildFollowedByParentIsRemoved) {
  EXPECT_EQ(project::remove_parent_steps("Shape/..:rotation"), ".:rotation");
  EXPECT_EQ(project::remove_parent_steps("Body/Shape/..:mass:x"), "Body:mass:x");
  EXPECT_EQ(project::remove_parent_steps("Body/Shape/../..:mass"), ".:mass");
  EXPECT_EQ(project::remove_parent_steps("./Gun:ammo"), "Gun:ammo");
}

TEST(NormalizedNodePath, LeadingParentsAreKept) {
  for (const char *path : {".:hp", "Gun:ammo", "..:x", "../..:x", "../Other:x", "%Shape/..:x", "/root/A/..:x", ":x"}) {
    EXPECT_EQ(project::remove_parent_steps(path), std::string_view(path) == ":x" ? ".:x" : path);
  }
}

TEST(PropertyLabel, NamesTheNodeThatHasTheProperty) {
  const std::array<FileContent, 2> files = {
      {{"res://project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"},
       {"res://main.tscn",
        "[gd_scene format=3]\n[sub_resource type=\"SceneReplicationConfig\" id=\"1\"]\n"
        "properties/0/path = NodePath(\"Shape/..:rotation\")\nproperties/1/path = NodePath(\"Gun/Shape/..:ammo\")\n"
        "[node name=\"Main\" type=\"Node2D\"]\n[node name=\"Shape\" type=\"Node2D\" parent=\".\"]\n"
        "[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n"
        "replication_config = SubResource(\"1\")\n"}}};
  Project project;
  ASSERT_TRUE(project.read(files)) << project.message();
  const Scene *scene = project.find_scene("res://main.tscn");
  ASSERT_NE(scene, nullptr);
  ASSERT_EQ(scene->synchronizers.size(), 1U);
  EXPECT_EQ(labels_of(scene->synchronizers[0].spawn), "rotation Gun:ammo");
}

// ---- places where nodes are added

std::string sync_scene(const std::string &root, const std::string &property) {
  return "[gd_scene format=3]\n[sub_resource type=\"SceneReplicationConfig\" id=\"1\"]\nproperties/0/path = "
         "NodePath(\".:" +
         property + "\")\n[node name=\"" + root + "\" type=\"Node2D\"]\n" +
         "[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\nreplication_config = "
         "SubResource(\"1\")\n";
}

// Returns the name of the value that the synchronizer at a path sends. By structure, each of three scenes may be at
// this path.
std::string property_name_at(std::string_view path, std::string_view script) {
  const std::string a = sync_scene("A", "fuel");
  const std::string b = sync_scene("B", "heat");
  const std::string c = sync_scene("C", "rage");
  const std::array<FileContent, 6> files = {
      {{"res://project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"},
       {"res://main.tscn",
        "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n"
        "[node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
        "[node name=\"Left\" type=\"Node\" parent=\".\"]\n[node name=\"Right\" type=\"Node\" parent=\".\" "
        "groups=[\"right\"]]\n"},
       {"res://main.gd", script},
       {"res://a.tscn", a},
       {"res://b.tscn", b},
       {"res://c.tscn", c}}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  MpSceneLookup places(project);
  MpSynchronizedObject synchronized;
  synchronized.synchronizer_path = path;
  for (const MpSceneCandidateSet &each : places.find_candidates(synchronized)) {
    if (each.candidates.size() == 1) return std::string(each.candidates.front().synchronizer->spawn.front().label);
  }
  return "";
}

constexpr std::string_view several_calls =
    "func _ready():\n"
    "\tvar a = preload(\"res://a.tscn\").instantiate()\n"
    "\tvar scene := load(\"res://b.tscn\")\n"
    "\tvar b: Node2D = scene.instantiate()\n"
    "\ta.name = \"One\"\n"
    "\t$Left.add_child(a)\n"
    "\t$Right.add_child(b, true)\n"
    "\tget_tree().root.add_child.call_deferred(preload(\"res://c.tscn\").instantiate())\n";

TEST(NodesAddedByScripts, EachAddChildCallAddsOnlyItsSceneToItsParent) {
  EXPECT_EQ(property_name_at("Main/Left/One/Sync", several_calls), "fuel");
  EXPECT_EQ(property_name_at("Main/Right/Two/Sync", several_calls), "heat");
  EXPECT_EQ(property_name_at("Three/Sync", several_calls), "rage");
}

TEST(NodesAddedByScripts, ParentIsFoundByItsGroup) {
  EXPECT_EQ(property_name_at("Main/Right/Two/Sync",
                             "func _ready():\n\tvar node = get_tree().get_first_node_in_group(\"right\")\n"
                             "\tnode.add_child(load(\"res://b.tscn\").instantiate())\n"
                             "\t$Left.add_child(load(\"res://a.tscn\").instantiate())\n"),
            "heat");
}

// With SceneMultiplayer.root_path, paths begin below the root of the scene.
TEST(NodesAddedByScripts, PathsRelativeToTheMultiplayerRootPathAreFound) {
  const std::string other = sync_scene("Other", "fuel");
  const std::string level = sync_scene("Level", "heat") + "[node name=\"World\" type=\"Node2D\" parent=\".\"]\n" +
                            "[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\"World\"]\n";
  const std::array<FileContent, 3> files = {
      {{"res://project.godot", ""}, {"res://level.tscn", level}, {"res://other.tscn", other}}};
  Project project;
  ASSERT_TRUE(project.read(files));
  std::array<project::AddedNode, 4> nodes;
  ASSERT_EQ(project.find_added_nodes("World/Sync", nodes), 1U);
  EXPECT_EQ(nodes[0].node->path, "World/Sync");
  EXPECT_EQ(nodes[0].root_path_length, 0U);
  EXPECT_EQ(project.find_added_nodes("Else/Sync", nodes), 2U);
}

// Returns the name of the value at Main/New/Sync. By structure, a scene with one node may be at this path. So may the
// ball of the main scene, if a script has renamed or moved it.
std::string new_property(const std::string &main_script, const std::string &ball_script = "") {
  const std::string a = sync_scene("A", "fuel");
  const std::string main =
      "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n"
      "[ext_resource type=\"Script\" path=\"res://ball.gd\" id=\"2\"]\n"
      "[sub_resource type=\"SceneReplicationConfig\" id=\"1\"]\nproperties/0/path = NodePath(\".:heat\")\n"
      "[node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
      "[node name=\"Ball\" type=\"Node2D\" parent=\".\"]\nscript = ExtResource(\"2\")\n"
      "[node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\"Ball\"]\n"
      "replication_config = SubResource(\"1\")\n";
  const std::array<FileContent, 5> files = {
      {{"res://project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"},
       {"res://main.tscn", main},
       {"res://main.gd", main_script},
       {"res://ball.gd", ball_script},
       {"res://a.tscn", a}}};
  Project project;
  EXPECT_TRUE(project.read(files)) << project.message();
  MpSceneLookup places(project);
  MpSynchronizedObject synchronized;
  synchronized.synchronizer_path = "Main/New/Sync";
  std::string text;
  for (const MpSceneCandidate &each : places.find_candidates(synchronized).front().candidates) {
    text.append(text.empty() ? "" : " ").append(each.synchronizer->spawn.front().label);
  }
  return text;
}

TEST(RenamedNodes, NodeRenamedOrReparentedByAScriptIsACandidate) {
  EXPECT_EQ(new_property("func _ready():\n\tpass\n"), "fuel");
  EXPECT_EQ(new_property("func _ready():\n\t$Ball.name = \"New\"\n"), "fuel heat");
  EXPECT_EQ(new_property("func _ready():\n\tfor each in get_children():\n\t\teach.name = \"New\"\n"), "fuel heat");
  EXPECT_EQ(new_property("func _ready():\n\t$Ball.reparent($New)\n"), "fuel heat");
  EXPECT_EQ(new_property("", "func _ready():\n\tname = \"New\"\n"), "fuel heat");
  EXPECT_EQ(new_property("", "func _ready():\n\tself.name = \"New\"\n"), "fuel heat");
}

TEST(RenamedNodes, NameSetBeforeAddChildIsNoRename) {
  EXPECT_EQ(new_property("func _ready():\n\tvar a := load(\"res://a.tscn\").instantiate()\n\ta.name = \"New\"\n"),
            "fuel");
  EXPECT_EQ(new_property("func _ready():\n\tif $Ball.name == \"New\": print(name == \"Main\")\n"), "fuel");
  EXPECT_EQ(new_property("func _ready():\n\tvar name = \"New\"\n\tprint(name)\n"), "fuel");
  EXPECT_EQ(new_property("func _ready():\n\tname = \"Main2\"\n"), "fuel");  // renames the root of a scene
}

TEST(RelativeNodePath, IsAsShortAsPossible) {
  const auto way = [](std::string_view node, std::string_view root) {
    const MpRelativePath found = mp_relative_path(node, root);
    return found.is_known ? std::to_string(found.levels) + " " + std::string(found.below) : "?";
  };
  EXPECT_EQ(way("Players/P1/Gun/Sync", "Players/P1"), "2 ");
  EXPECT_EQ(way("Players/P1/Sync", "Players/P10/Gun"), "2 P10/Gun");
  EXPECT_EQ(way("Sync", "Body"), "1 Body");
  EXPECT_EQ(way("Sync", "."), "1 ");
  EXPECT_EQ(way(".", "Body"), "0 Body");
  EXPECT_EQ(way("Sync", "Sync"), "0 ");
  EXPECT_EQ(way("Gun", "Gun/Barrel"), "0 Barrel");
  EXPECT_EQ(way("Sync", ""), "?");
  EXPECT_EQ(mp_ancestor_path("Main/Players/P1", 2), "Main");
  EXPECT_EQ(mp_ancestor_path("Main/Players/P1", 3), "");
  EXPECT_EQ(mp_ancestor_path("Main", 7), "");
}

// A scene that a script of a parent node names is only a guess. A scene with a known path is no candidate for other
// paths.
TEST(NodesAddedByScripts, SceneAddedElsewhereIsNoCandidate) {
  EXPECT_EQ(property_name_at("Main/Right/Two/Sync",
                             "func _ready():\n\t$Left.add_child(load(\"res://a.tscn\").instantiate())\n"),
            "");
  EXPECT_EQ(property_name_at("Main/Right/Two/Sync",
                             "const A = preload(\"res://a.tscn\")\nfunc _make():\n\treturn A.instantiate()\n"),
            "fuel");
}

}  // namespace
}  // namespace godot_codec
