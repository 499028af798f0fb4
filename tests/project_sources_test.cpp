// SPDX-License-Identifier: MIT
// The single files of a project: GDScript, C#, scenes and resources; and the helpers that all of them need.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/md5.h"
#include "godot-codec/project/parsed_scene.h"
#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/project_limits.h"
#include "godot-codec/project/property_types.h"
#include "godot-codec/project/resource_text.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project::test {
namespace {

using Names = std::vector<std::string>;

TEST(Md5, VectorsOfTheRfcMatch) {
  EXPECT_EQ(md5_of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_of("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(md5_of("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5_of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5_of("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(md5_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(md5_of("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

// The size decides how many blocks the padding needs.
TEST(Md5, TextsOfAllSizesAreHashed) {
  std::string all;
  for (std::size_t size = 0; size <= 200; ++size) all += md5_of(std::string(size, 'x'));
  EXPECT_EQ(md5_of(all), "1f0d9d949b2c16e511c7083a082d1828");
  EXPECT_EQ(md5_of("_submit_reliable_submit_unreliable_submit_unreliable_ordered"), "9cb578c905f52b3bc82346e899477cb8");
}

TEST(ProjectText, EscapesMatchGodot) {
  EXPECT_EQ(unescape(R"(a\tb\n\"\'\\\a\x)"), "a\tb\n\"'\\\ax");
  EXPECT_EQ(unescape(R"(\u00e4\U01F600\ud83d\ude00)"), "\u00e4\U0001F600\U0001F600");
  EXPECT_EQ(unescape("over\\\nlines\\\r\n."), "overlines.");
  // Half a surrogate pair, missing digits, and a backslash at the end.
  EXPECT_EQ(unescape(R"(\ud83dx\ude00\u12)"), "\ufffdx\ufffd\ufffd12");
  EXPECT_EQ(unescape("a\\"), "a");
}

TEST(ProjectText, PathsAreResolvedAgainstTheirFile) {
  EXPECT_EQ(resolve_path("res://a/./b/../c.gd", "res://x.gd"), "res://a/c.gd");
  EXPECT_EQ(resolve_path("c.gd", "res://a/b.gd"), "res://a/c.gd");
  EXPECT_EQ(resolve_path("../c.gd", "res://a/b.gd"), "res://c.gd");
  EXPECT_EQ(resolve_path("../../../c.gd", "res://a/b.gd"), "res://c.gd");
  EXPECT_EQ(resolve_path("uid://abc", "res://a/b.gd"), "uid://abc");
  EXPECT_EQ(resolve_path("c.gd", "res://main.tscn::GDScript_1"), "res://c.gd");
}

TEST(ProjectText, ExtensionIsOfTheLastComponent) {
  EXPECT_EQ(extension_of("res://a.b/c.TSCN"), "tscn");
  EXPECT_EQ(extension_of("res://a.gd.uid"), "uid");
  EXPECT_EQ(extension_of("res://a.gd/c"), "");
  EXPECT_EQ(extension_of("res://c"), "");
}

Names methods(const ScriptClass &each) {
  Names names;
  for (const RpcDeclaration &method : each.methods) names.push_back(method.name);
  return names;
}

// Returns the annotated methods of a script.
Names rpc_methods(std::string_view source) { return methods(read_gdscript(source).classes.front()); }

TEST(GdScript, OnlyAnnotatedMethodsAreRemote) {
  EXPECT_EQ(rpc_methods("@rpc func a(): pass\nfunc b(): pass\n@rpc\n\n# x\nfunc c(): pass"), (Names{"a", "c"}));
  EXPECT_EQ(rpc_methods("@rpcs func a(): pass\n@tool\nfunc b(): pass\n"), Names{});
  EXPECT_EQ(rpc_methods("@rpc\nvar x\nfunc b(): pass\n"), Names{});
  EXPECT_EQ(rpc_methods("@rpc static func a(): pass"), Names{"a"});
  EXPECT_EQ(rpc_methods("\xef\xbb\xbf@rpc func a(): pass"), Names{"a"});
  EXPECT_EQ(rpc_methods(""), Names{});
}

TEST(GdScript, CallThatClearsASpawnersListIsFound) {
  EXPECT_TRUE(read_gdscript("func f():\n\t$S.clear_spawnable_scenes()").classes.front().clears_spawnable);
  EXPECT_FALSE(read_gdscript("func f():\n\t$S.spawn()").classes.front().clears_spawnable);
}

// Returns the variables of the first class with known types: "hp int, node Nil Object".
std::string variables(const ParsedScript &read) {
  std::string text;
  for (const auto &[name, declared] : read.classes.front().variables) {
    const ValueTypes types = declared.types;
    if (types.is_any()) continue;
    text += (text.empty() ? "" : ", ") + name;
    for (std::size_t i = 0; i < type_count; ++i) {
      if (types.allow(static_cast<Type>(i))) text += " " + std::string(type_table[i].names.names[0]);
    }
  }
  return text;
}

std::string variables(std::string_view source) { return variables(read_gdscript(source)); }

// Returns the parameters of each function with their types; ? marks an optional parameter.
std::string heads(std::string_view source) {
  const ParsedScript read = read_gdscript(source);
  std::string text;
  for (const auto &[name, head] : read.classes.front().signatures) {
    text += (text.empty() ? "" : "; ") + name;
    for (const auto &each : head.parameters) {
      text += " " + each.name + ":" + each.type + (each.is_optional ? "?" : "");
    }
    if (head.has_rest_parameter) text += " ...";
  }
  return text;
}

TEST(GdScript, FunctionParametersAreRead) {
  EXPECT_EQ(heads("func a(): pass\nfunc b(c, d: int, e := 3, f: String = \"a, b)\"): pass"),
            "a; b c: d:int e:? f:String?");
  EXPECT_EQ(heads("func a(\n\t\tb: Array[Dictionary], # (c,\n\t\td = [1, {2: (3)}],\n\t) -> void:\n\tpass\nfunc e(f = "
                  "g(1, 2)): pass"),
            "a b:Array[Dictionary] d:?; e f:?");
  EXPECT_EQ(heads("func a(b: Outer.Inner, ...c: Array): pass\nfunc d(...e): pass"), "a b:Outer.Inner ...; d ...");
  EXPECT_EQ(heads("func a\nfunc b(c, d"), "b c:");
  std::string many = "func a(";
  for (int i = 0; i < 65; ++i) many += "p" + std::to_string(i) + ", ";
  EXPECT_EQ(heads(many + "): pass"), "");
}

TEST(GdScript, VariableTypesAreRead) {
  EXPECT_EQ(variables("var a: int = 3\nvar b:float\nstatic var c : Array[int]=[1]"), "a int, b float, c Array");
  EXPECT_EQ(variables("var a\nvar b = 3\nvar c: Variant = 3\nvar d := e\nvar f := g(3)\nvar h :="), "");
  EXPECT_EQ(variables("var a: Node2D\nvar b: Object\nvar c: Node.ProcessMode"),
            "a Nil int Object, b Nil Object, c Nil int Object");
  EXPECT_EQ(variables("@export_range(0, 9) var a: int = 1; var b := 2.5 # c\n@export\nvar c := true"),
            "a int, b float, c bool");
  EXPECT_EQ(variables("var a := -1 - 2\nvar b := 1 + .5\nvar c := 1e3\nvar d := 0xE1\nvar e := 1_000.5e-3"),
            "a int, b float, c float, d int, e float");
  EXPECT_EQ(variables("var a := -e\nvar b := 3 / 2\nvar c := 3 if d else 2.5\nvar d := - + ."), "");
  EXPECT_EQ(variables("var a := \"x\"\nvar b := &'x'\nvar c := ^\"x\"\nvar d := \"%s\" % 3\nvar e := $\"x\""),
            "a String, b StringName, c NodePath");
  EXPECT_EQ(variables("var a := [\n1,\n2]\nvar b := {}\nvar c := [1, 2][0]\nvar d := {}.x"), "a Array, b Dictionary");
  EXPECT_EQ(
      variables("var a := Vector2(\n1,\n2)\nvar b := Vector2.ZERO\nvar c := Vector2.AXIS_X\nvar d := Vector2(1, 2).x\n"
                "var e := Color.RED\nvar f := Color.from_hsv(1, 1, 1)"),
      "a Vector2, b Vector2, e Color");
}

TEST(GdScript, VariablesWithAGetterHaveNoKnownType) {
  EXPECT_EQ(variables("var a: int = 1: set = b\nvar b: set = c\nvar c := 3: set = d"), "a int, c int");
  EXPECT_EQ(variables("var a: int = 1: get = b\nvar b: get = c\nvar c := 3: set = d, get = e"), "");
  EXPECT_EQ(variables("var a: int:\n\tget:\n\t\treturn 3\n\tset(value):\n\t\tvar b: int = value\nvar c: int"),
            "a int, c int");
  EXPECT_EQ(variables("var a: int:\n\tset = b,\n\tget = c\nvar d: int"), "d int");
}

TEST(GdScript, VariablesBelongToTheirClass) {
  const ParsedScript source =
      read_gdscript("class A:\n\tvar a: int\n\tfunc f():\n\t\tvar a: String\nfunc g():\n\tvar b: int\nvar c: String");
  ASSERT_EQ(source.classes.size(), 2U);
  ASSERT_EQ(source.classes[0].variables.size(), 1U);
  EXPECT_EQ(source.classes[0].variables.at("c").types, ValueTypes{Type::string});
  ASSERT_EQ(source.classes[1].variables.size(), 1U);
  EXPECT_EQ(source.classes[1].variables.at("a").types, ValueTypes{Type::integer});
}

TEST(PropertyTypes, DependOnTheNodesClass) {
  const auto of = [](std::string_view node_class, std::string_view property) {
    return types_of_property(node_class, false, nullptr, property);
  };
  EXPECT_EQ(of("Sprite2D", "position"), ValueTypes{Type::vector2});
  EXPECT_EQ(of("Sprite3D", "position"), ValueTypes{Type::vector3});
  EXPECT_EQ(of("Window", "position"), ValueTypes{Type::vector2i});
  EXPECT_EQ(of("CharacterBody3D", "velocity"), ValueTypes{Type::vector3});
  EXPECT_EQ(of("Label", "text"), (ValueTypes{Type::string, Type::string_name}));
  EXPECT_TRUE(of("Sprite2D", "velocity").is_any());
  EXPECT_TRUE(of("SomebodysSprite2D", "position").is_any());
  EXPECT_TRUE(of("", "position").is_any());
  EXPECT_TRUE(types_of_property("Sprite2D", true, nullptr, "position").is_any());
}

TEST(GdScript, TextsAndCommentsAreSkipped) {
  EXPECT_EQ(rpc_methods("# @rpc func a(): pass\n@rpc func b(): pass # \"\n@rpc func c(): pass"), (Names{"b", "c"}));
  EXPECT_EQ(rpc_methods("var a = \"\"\"\n@rpc func b(): pass\n\\\"\"\" \"\"\"\n@rpc func c(): pass"), Names{"c"});
  EXPECT_EQ(rpc_methods("var a = r\"\\\" #\n@rpc func b(): pass\n\"\n@rpc func c(): pass"), Names{"c"});
  EXPECT_EQ(rpc_methods("var a = 'x\n@rpc func b(): pass'\n@rpc func c(): pass"), Names{"c"});
  EXPECT_EQ(rpc_methods("var a = \"\"; @rpc func c(): pass"), Names{"c"});
}

TEST(GdScript, NestedCodeIsSkipped) {
  EXPECT_EQ(rpc_methods("func a():\n\tpass\n\t@rpc\n\tfunc b(): pass\n@rpc func c(): pass"), Names{"c"});
  EXPECT_EQ(rpc_methods("var a = [\n@rpc\nfunc b(): pass\n]\n@rpc func c(): pass"), Names{"c"});
  EXPECT_EQ(rpc_methods("var a = 1 \\\n@rpc func b(): pass\n@rpc func c(): pass"), Names{"c"});
}

TEST(GdScript, RpcArgumentsAreRead) {
  const ParsedScript source = read_gdscript(
      "@rpc func a(): pass\n"
      "@rpc(\"any_peer\", \"call_local\", \"reliable\", 7)\nfunc b(): pass\n"
      "@rpc('unreliable_ordered', # x)\n\t\"call_remote\",\n'authority',)\nfunc c(): pass\n"
      "@rpc(MODE, \"reliable\") func d(): pass\n"
      "@rpc(\"any\" + \"_peer\") func e(): pass\n");
  const std::vector<RpcDeclaration> &methods = source.classes.front().methods;
  ASSERT_EQ(methods.size(), 5U);
  const auto expect = [&](std::size_t i, RpcMode mode, TransferMode transfer, bool is_local, int channel,
                          unsigned line) {
    EXPECT_EQ(methods[i].config.mode, mode) << i;
    EXPECT_EQ(methods[i].config.transfer, transfer) << i;
    EXPECT_EQ(methods[i].config.is_call_local, is_local) << i;
    EXPECT_EQ(methods[i].config.channel, channel) << i;
    EXPECT_EQ(methods[i].line, line) << i;
  };
  expect(0, RpcMode::authority, TransferMode::unreliable, false, 0, 1);
  expect(1, RpcMode::any_peer, TransferMode::reliable, true, 7, 3);
  expect(2, RpcMode::authority, TransferMode::unreliable_ordered, false, 0, 7);
  expect(3, RpcMode::unknown, TransferMode::reliable, false, 0, 8);
  expect(4, RpcMode::any_peer, TransferMode::unreliable, false, 0, 9);
}

TEST(GdScript, ExtendedClassIsFound) {
  const auto base = [](std::string_view source) { return read_gdscript(source).classes.front().base; };
  EXPECT_EQ(base("extends Node").names, Names{"Node"});
  EXPECT_EQ(base("class_name A extends B.C").names, (Names{"B", "C"}));
  EXPECT_EQ(base("extends \"a\\u0062.gd\"").path, "ab.gd");
  EXPECT_EQ(base("extends 'a.gd'.B.C").path, "a.gd");
  EXPECT_EQ(base("extends 'a.gd'.B.C").names, (Names{"B", "C"}));
  EXPECT_EQ(base("extends \\\n\tNode\nvar x").names, Names{"Node"});
  EXPECT_TRUE(base("extends\nNode").empty());
  EXPECT_EQ(read_gdscript("@tool class_name A\nextends B").classes.front().name, "A");
}

TEST(GdScript, InnerClassesAreFoundByIndentation) {
  const ParsedScript source = read_gdscript(
      "class A extends Node:\n"
      "  @rpc func a(): pass\n"
      "# further out\n"
      "  class B extends A:\n"
      "      @rpc\n"
      "      func b():\n"
      "        pass\n"
      "  @rpc func a2(): pass\n"
      "class C: extends A\n"
      "class D: pass\n"
      "class E:\n"
      "@rpc func own(): pass\n");
  ASSERT_EQ(source.classes.size(), 6U);
  const auto expect = [&](std::size_t i, const char *name, std::size_t outer, const Names &base,
                          const Names &rpc_methods) {
    EXPECT_EQ(source.classes[i].name, name);
    EXPECT_EQ(source.classes[i].outer_class, outer) << name;
    EXPECT_EQ(source.classes[i].base.names, base) << name;
    EXPECT_EQ(methods(source.classes[i]), rpc_methods) << name;
  };
  expect(0, "", 0, {}, {"own"});
  expect(1, "A", 0, {"Node"}, {"a", "a2"});
  expect(2, "B", 1, {"A"}, {"b"});
  expect(3, "C", 0, {"A"}, {});
  expect(4, "D", 0, {}, {});
  expect(5, "E", 0, {}, {});
  EXPECT_EQ(source.classes[0].inner_classes.at("A"), 1U);
  EXPECT_EQ(source.classes[1].inner_classes.at("B"), 2U);
}

TEST(GdScript, ConstantsThatNameClassesAreRead) {
  const ParsedScript source = read_gdscript(
      "const A = preload(\"a.gd\")\nconst B := preload('b.gd').Inner.Most\nconst C: GDScript = A.D; const D = 5 + A\n"
      "const E = preload(\"e.tscn\").instantiate()\nconst F = A\n");
  const auto &constants = source.classes.front().constants;
  EXPECT_EQ(constants.at("A").path, "a.gd");
  EXPECT_EQ(constants.at("B").path, "b.gd");
  EXPECT_EQ(constants.at("B").names, (Names{"Inner", "Most"}));
  EXPECT_EQ(constants.at("C").names, (Names{"A", "D"}));
  EXPECT_EQ(constants.at("F").names, Names{"A"});
  EXPECT_FALSE(constants.contains("D"));
  EXPECT_FALSE(constants.contains("E"));
}

TEST(GdScript, RpcConfigCallsAreFound) {
  const ParsedScript source = read_gdscript(
      "func _ready():\n"
      "\trpc_config(\"a\", {\"rpc_mode\": MultiplayerAPI.RPC_MODE_ANY_PEER, \"channel\": f(1)})\n"
      "\tself.rpc_config(&'b', {\n\"rpc_mode\": RPC_MODE_AUTHORITY})\n"
      "\trpc_config(\"c\", config); rpc_config(\"d\", null)\n"
      "\tother.rpc_config(\"e\", {})\n"
      "\trpc_config(\"f\" + x, {})\n"
      "\trpc_config(name, {})\n"
      "\trpc_config(\"g\", null if x else {})\n"
      "\t# rpc_config(\"h\", {})\n"
      "class Inner:\n"
      "\tfunc _ready(): rpc_config(\"i\", {\"rpc_mode\": MultiplayerAPI.RPC_MODE_DISABLED})\n");
  const auto &configured_methods = source.classes.front().configured_methods;
  ASSERT_EQ(configured_methods.size(), 5U);
  EXPECT_EQ(configured_methods.at("a")->config.mode, RpcMode::any_peer);
  EXPECT_EQ(configured_methods.at("b")->config.mode, RpcMode::authority);
  EXPECT_EQ(configured_methods.at("c")->config.mode, RpcMode::unknown);
  EXPECT_EQ(configured_methods.at("c")->line, 5U);
  EXPECT_FALSE(configured_methods.at("d").has_value());
  EXPECT_TRUE(configured_methods.at("g").has_value());
  ASSERT_EQ(source.classes[1].configured_methods.size(), 1U);
  EXPECT_EQ(source.classes[1].configured_methods.at("i")->config.mode, RpcMode::disabled);
}

TEST(GdScript, InvalidSourceYieldsNoMethods) {
  for (const std::string_view source : {"@",
                                        "@rpc",
                                        "@rpc(",
                                        "@rpc(\"",
                                        "@rpc func",
                                        "class",
                                        "class A",
                                        "class A:",
                                        "class A extends",
                                        "extends",
                                        "const",
                                        "const A",
                                        "const A =",
                                        "const A = preload",
                                        "const A = preload(\"",
                                        "func",
                                        "rpc_config(",
                                        "func a():\n\trpc_config(\"x\"",
                                        "\\",
                                        "\"",
                                        "'''",
                                        "r\"\\",
                                        "((((",
                                        "))))\n@",
                                        "\t\t@rpc\n\tfunc a(): pass"}) {
    const ParsedScript result = read_gdscript(source);
    ASSERT_FALSE(result.classes.empty()) << source;
    EXPECT_TRUE(result.classes.front().methods.empty()) << source;
  }
  using namespace std::string_view_literals;
  EXPECT_EQ(rpc_methods("@rpc func a(): pass\n\0\n@rpc func b(): pass"sv).front(), "a");
  EXPECT_EQ(rpc_methods(")\n@rpc func a(): pass"), Names{"a"});
}

TEST(GdScript, ClassesAndNamesOverTheLimitsAreSkipped) {
  std::string deep;
  for (std::size_t i = 0; i < 2000; ++i) deep += std::string(i, ' ') + "class C" + std::to_string(i) + ":\n";
  deep += std::string(2000, ' ') + "@rpc func a(): pass\n@rpc func b(): pass\n";
  const ParsedScript source = read_gdscript(deep);
  EXPECT_EQ(source.classes.size(), 1 + max_class_depth);
  EXPECT_EQ(methods(source.classes.front()), Names{"b"});

  const std::string longest(max_word_size, 'x');
  EXPECT_EQ(rpc_methods("@rpc func " + longest + "(): pass"), Names{longest});
  EXPECT_EQ(rpc_methods("@rpc func " + longest + "x(): pass"), Names{});
}

TEST(CSharpSource, RpcMethodsOfTheClassNamedLikeTheFileAreFound) {
  const ParsedScript source = read_csharp(
      "\xef\xbb\xbfusing Godot;\n"
      "#if X // class Nothing {\n"
      "namespace Game.Things {\n"
      "  [GlobalClass, Tool]\n"
      "  public partial class Player<T> : Game.Base<List<int>>, IThing where T : class {\n"
      "    /* [Rpc] void InComment() {} */ string a = \"[Rpc] void InText() {}\"; char c = '\"';\n"
      "    string b = @\"[Rpc] \"\" void InText() {}\"; string d = $\"{x}[Rpc]\"; string e = \"\"\"\n [Rpc] void No() "
      "{\n\"\"\";\n"
      "    [Export] public int Hp { get; set; } = Get(1);\n"
      "    [Rpc] public void Plain() { [Rpc] void Local() {} foreach (var x in y) { Call(); } }\n"
      "    [Export, Godot.Rpc(MultiplayerApi.RpcMode.AnyPeer, CallLocal = true,\n"
      "      TransferMode = MultiplayerPeer.TransferModeEnum.Reliable, TransferChannel = 3)]\n"
      "    [Obsolete(\"]\")]\n"
      "    private async Task<List<int>> Generic<U>(U value) => await Other(value);\n"
      "    [RpcAttribute()] (int, int) Both(int a) => (1, 2);\n"
      "    [Rpc] static void Static() {}\n"
      "    [Rpcs] void Other() {}\n"
      "    [Foo(Rpc)] void Another() {}\n"
      "    void NotMarked() {}\n"
      "    class Inner : Player<int> { [Rpc] void InInner() {} }\n"
      "  }\n"
      "  class Second { [Rpc] void InSecond() {} }\n"
      "}\n",
      "Player");
  ASSERT_EQ(source.classes.size(), 3U);
  const ScriptClass &player = source.classes.front();
  EXPECT_EQ(player.name, "Player");
  EXPECT_EQ(player.base.names, (Names{"Game", "Base"}));
  EXPECT_EQ(methods(player), (Names{"Plain", "Generic", "Both"}));
  EXPECT_EQ(player.methods[0].config.mode, RpcMode::authority);
  EXPECT_EQ(player.methods[0].config.transfer, TransferMode::reliable);
  EXPECT_EQ(player.methods[0].line, 11U);
  EXPECT_EQ(player.methods[1].config.mode, RpcMode::any_peer);
  EXPECT_EQ(player.methods[1].config.transfer, TransferMode::reliable);
  EXPECT_TRUE(player.methods[1].config.is_call_local);
  EXPECT_EQ(player.methods[1].config.channel, 3);
  EXPECT_EQ(player.functions, (Names{"Plain", "Generic", "Both", "Static", "Other", "Another", "NotMarked"}));
  EXPECT_EQ(source.classes[1].name, "Inner");
  EXPECT_EQ(methods(source.classes[1]), Names{"InInner"});
  EXPECT_EQ(source.classes[2].name, "Second");
  EXPECT_EQ(source.classes[2].outer_class, 0U);
  EXPECT_EQ(methods(source.classes[2]), Names{"InSecond"});
}

std::string csharp_variables(const std::string &members) {
  return variables(read_csharp("partial class A : Node { " + members + " }", "A"));
}

TEST(CSharpSource, TypesOfFieldsAndPropertiesAreRead) {
  EXPECT_EQ(csharp_variables("[Export] public int Hp { get; set; } = 3; private double _speed = 1.5; bool ready;"),
            "Hp int, _speed float, ready bool");
  EXPECT_EQ(csharp_variables("public Vector2I Cell => new(1, 2); Aabb Box; string Title = \"int No;\";"),
            "Box AABB, Cell Vector2i, Title Nil String");
  EXPECT_EQ(csharp_variables("[Export(PropertyHint.Range, \"0,1\")] float Gain\n{ get; set; } public new byte Level;"),
            "Gain float, Level int");
  EXPECT_EQ(csharp_variables("void F() { int local = 3; } ulong After;"), "After int");
}

// A type that is neither built into C# nor a Godot value type may be an enum, a class, or null.
TEST(CSharpSource, VariablesOfUnknownTypesHaveNoKnownType) {
  EXPECT_EQ(csharp_variables("Teams Side; int? Maybe; int[] Many; List<int> More; (int, int) Both; object Thing;"), "");
  EXPECT_EQ(csharp_variables("Other.Vector2 Far; Variant Any; StringName Name; event Action Done; Color Team;"), "");
}

TEST(CSharpSource, StaticsMethodsAndIndexersAreNoVariables) {
  EXPECT_EQ(csharp_variables("static int Shared; int this[int i] { get => 0; } int Method() => 3; enum E { int, Two }"),
            "");
  EXPECT_EQ(csharp_variables("delegate int D(int x); A() { } int A, B"), "");
}

TEST(CSharpSource, InterpolatedTextsAreSkipped) {
  const ParsedScript source = read_csharp(
      R"(class A { string a = $"{b["}"]} {{ {c(new D { E = "\"" })}"; [Rpc] void F() {} string g = $@"{h[""i""]}}}"; [Rpc] void J() {} })",
      "A");
  EXPECT_EQ(methods(source.classes.front()), (Names{"F", "J"}));
}

TEST(CSharpSource, InvalidSourceYieldsAtMostOneMethod) {
  for (const std::string_view source : {"[",
                                        "[Rpc",
                                        "[Rpc(",
                                        "class",
                                        "class A",
                                        "class A :",
                                        "class A {",
                                        "class A { [Rpc]",
                                        "class A { [Rpc] void",
                                        "class A { [Rpc] void F(",
                                        "/*",
                                        "\"",
                                        "@\"",
                                        "\"\"\"",
                                        "'",
                                        "}}}}",
                                        "class A<",
                                        "class A { (",
                                        "class A { <<",
                                        "$",
                                        "@",
                                        "#"}) {
    const ParsedScript result = read_csharp(source, "A");
    ASSERT_FALSE(result.classes.empty()) << source;
    EXPECT_LE(result.classes.front().methods.size(), 1U) << source;
  }
}

std::vector<ResourceItem> resource_items(std::string_view text) {
  std::vector<ResourceItem> all;
  ResourceReader reader(text);
  for (ResourceItem item; reader.next(item);) all.push_back(item);
  return all;
}

TEST(ResourceText, TagsAndKeysAreRead) {
  const std::vector<ResourceItem> all = resource_items(
      "; [comment]\n[node name=\"A \\\"]\\\"\" index=\"2\" groups=[\"]\", \"b\"] instance=ExtResource( 3 )]\n"
      "a/b = 5\n\"key with spaces\"=\"text\nover ; lines\"\nc = &\"name\" d = ^\"../x\"\n"
      "e = NodePath(\"a:b\")\nf = SubResource(\"id\")\ng=true\nh=null\ni=-1.5\nj=PackedStringArray(\"a\", \"b\")\n"
      "k=Array[String]([\"c\", \"d\"])\nl={\n\"x\": [1, \")\"], ; \"comment\"\n}\nm=Vector2(1, 2)");
  ASSERT_EQ(all.size(), 14U);
  using Kind = ResourceValueKind;
  EXPECT_TRUE(all[0].is_tag);
  EXPECT_EQ(all[0].name, "node");
  EXPECT_EQ(all[0].field_text("name"), "A \"]\"");
  EXPECT_EQ(all[0].field_text("index"), "2");
  EXPECT_EQ(all[0].fields.at("instance").kind, Kind::external);
  EXPECT_EQ(all[0].field_text("instance"), "3");
  EXPECT_EQ(all[0].field_text("none"), "");
  const auto expect = [&](std::size_t i, const char *name, Kind kind, const char *text, std::int64_t integer) {
    EXPECT_FALSE(all[i].is_tag);
    EXPECT_EQ(all[i].name, name);
    EXPECT_EQ(all[i].value.kind, kind) << name;
    EXPECT_EQ(all[i].value.text, text) << name;
    EXPECT_TRUE((kind != Kind::integer && kind != Kind::boolean) || all[i].value.integer == integer) << name;
  };
  expect(1, "a/b", Kind::integer, "", 5);
  expect(2, "key with spaces", Kind::string, "text\nover ; lines", 0);
  expect(3, "c", Kind::string, "name", 0);
  expect(4, "d", Kind::node_path, "../x", 0);
  expect(5, "e", Kind::node_path, "a:b", 0);
  expect(6, "f", Kind::internal, "id", 0);
  expect(7, "g", Kind::boolean, "", 1);
  expect(8, "h", Kind::null, "", 0);
  expect(9, "i", Kind::other, "", 0);
  expect(10, "j", Kind::other, "", 0);
  EXPECT_EQ(all[10].value.texts, (Names{"a", "b"}));
  EXPECT_EQ(all[11].value.texts, (Names{"c", "d"}));
  EXPECT_EQ(all[12].value.texts, (Names{"x", ")"}));
  expect(13, "m", Kind::other, "", 0);
}

TEST(ResourceText, TruncatedTextYieldsAtMostThreeItems) {
  const std::string whole =
      "[node name=\"A\" groups=[\"b\"]]\nscript = ExtResource(\"1\")\nx = {\"a\": [1, ^\"\\\"\"]}\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) EXPECT_LE(resource_items(whole.substr(0, size)).size(), 3U);
  for (const std::string_view text :
       {"[", "]", "=", "a=", "\"", "[a=", "[=]", "a=\"\\", "a=(", "a=)", "a=,", "}{", "^", "&"}) {
    EXPECT_LE(resource_items(text).size(), 2U) << text;
  }
}

// Returns the properties of a replication config as "path spawn mode".
Names config(std::string_view lines) {
  const ParsedScene scene =
      read_scene("[gd_resource type=\"SceneReplicationConfig\"]\n[resource]\n" + std::string(lines), "res://a.tres");
  Names texts;
  for (const ParsedReplicationConfig::Property &each : scene.configs.at("res://a.tres").properties) {
    texts.push_back(each.path + (each.is_spawned ? " spawn " : " - ") + std::to_string(static_cast<int>(each.mode)));
  }
  return texts;
}

TEST(ParsedScene, EachSpellingOfAReplicationConfigIsRead) {
  EXPECT_EQ(config("properties/0/path = NodePath(\".:a\")\n"), Names{".:a spawn 1"});
  EXPECT_EQ(
      config("properties/0/path = NodePath(\".:a\")\nproperties/0/spawn = false\nproperties/0/replication_mode = 2"),
      Names{".:a - 2"});
  EXPECT_EQ(config("properties/0/path = NodePath(\".:a\")\nproperties/0/sync = false\nproperties/0/watch = false"),
            Names{".:a spawn 0"});
  EXPECT_EQ(config("properties/0/path = NodePath(\".:a\")\nproperties/0/sync = true\nproperties/0/watch = true"),
            Names{".:a spawn 2"});
  EXPECT_EQ(config("properties/0/path = NodePath(\".:a\")\nproperties/0/sync = false\nproperties/0/watch = true"),
            Names{".:a spawn 2"});
}

TEST(ParsedScene, ConfigurationsTheEngineRejectsAreIgnored) {
  EXPECT_EQ(config("properties/1/path = NodePath(\".:a\")\n"), Names{});
  EXPECT_EQ(config("properties/0/path = NodePath(\"a\")\n"), Names{});
  EXPECT_EQ(config("properties/0/path = \".:a\"\n"), Names{});
  EXPECT_EQ(config("properties/x/path = NodePath(\".:a\")\nproperties/\nproperties/0\n"), Names{});
  EXPECT_EQ(config("properties/0/path = NodePath(\".:a\")\nproperties/0/replication_mode = 3\nproperties/0/spawn = 0"),
            Names{".:a spawn 1"});
  EXPECT_EQ(config("properties/0/path = NodePath(\".:a\")\nproperties/1/path = NodePath(\".:a\")"),
            Names{".:a spawn 1"});
}

TEST(ParsedScene, NodesAndReferencesAreRead) {
  const ParsedScene scene = read_scene(
      "[gd_scene format=3 uid=\"uid://s\"]\n[ext_resource type=\"Script\" uid=\"uid://a\" path=\"a.gd\" id=\"1_x\"]\n"
      "[ext_resource path=\"res://b.tscn\" type=\"PackedScene\" id=2]\n"
      "[sub_resource type=\"GDScript\" id=\"g\"]\nscript/source = \"extends Node\"\n"
      "[node name=\"A\" type=\"Node\"]\nscript = ExtResource(\"1_x\")\nunique_name_in_owner = true\n"
      "[node name=\"B\" parent=\".\" index=\"3\" instance=ExtResource( 2 )]\nscript = null\n"
      "_spawnable_scenes = PackedStringArray(\"x\")\nspawn_path = NodePath(\"..\")\nroot_path = NodePath(\"\")\n"
      "[node name=\"C\" parent=\"B\" type=\"Node\"]\nscript = SubResource(\"g\")\nreplication_config = "
      "ExtResource(\"gone\")\n"
      "[connection signal=\"x\"]\nscript = ExtResource(\"1_x\")\n",
      "res://s/s.tscn");
  EXPECT_EQ(scene.uid, "uid://s");
  EXPECT_EQ(scene.gd_scripts.at("res://s/s.tscn::g"), "extends Node");
  ASSERT_EQ(scene.nodes.size(), 3U);
  const ParsedNode &a = scene.nodes[0];
  EXPECT_EQ(a.name + "|" + a.type, "A|Node");
  EXPECT_FALSE(a.parent.has_value());
  EXPECT_TRUE(a.is_unique_name);
  EXPECT_EQ(a.script->uid + "|" + a.script->path, "uid://a|res://s/a.gd");
  const ParsedNode &b = scene.nodes[1];
  EXPECT_EQ(b.parent, ".");
  EXPECT_EQ(b.index, 3U);
  EXPECT_EQ(b.instance->path, "res://b.tscn");
  EXPECT_EQ(b.script->path, "");
  EXPECT_EQ(b.spawnable_scenes, Names{"x"});
  EXPECT_EQ(b.spawn_path, "..");
  EXPECT_EQ(b.root_path, "");
  EXPECT_FALSE(b.config.has_value());
  const ParsedNode &c = scene.nodes[2];
  EXPECT_EQ(c.script->path, "res://s/s.tscn::g");
  EXPECT_EQ(c.config->path, "");
}

}  // namespace
}  // namespace godot_codec::project::test
