// SPDX-License-Identifier: MIT
// Arguments of a call compared with the method's parameters: C#, and the element types of typed arrays.
// signature_plugin_test.cpp compares calls with the decisions of Godot 4.6.3.
#include "godot-codec/multiplayer/signature.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/project/property_types.h"
#include "godot-codec/project/script.h"

namespace godot_codec::test {
namespace {

using project::FunctionHead;
using project::ScriptClass;

// Returns the parameters of a C# method: "int amount, string by = …"; empty if they are unknown.
std::string head_of(const std::string &members, const std::string &method) {
  const project::ScriptSource source = project::read_csharp("partial class A : Node { " + members + " }", "A");
  const auto found = source.classes.front().heads.find(method);
  if (found == source.classes.front().heads.end()) return "";
  std::string text = found->second.is_exact ? "" : "not exact ";
  for (const auto &each : found->second.parameters) {
    text += (text.empty() ? "" : ", ") + each.type + " " + each.name + (each.is_optional ? " = …" : "");
  }
  return "(" + text + ")";
}

TEST(Signature, CSharpMethodsAreRead) {
  EXPECT_EQ(head_of("[Rpc] void Hit(int amount, string by = \"a, b\") {}", "Hit"), "(int amount, string by = …)");
  EXPECT_EQ(head_of("[Rpc] public void Leave() => QueueFree();", "Leave"), "()");
  EXPECT_EQ(head_of("void F(Godot.Collections.Array<int> cells, Dictionary<string, int[]> more) {}", "F"),
            "(Godot.Collections.Array<int> cells, Dictionary<string,int[]> more)");
  EXPECT_EQ(head_of("void F(int? maybe, params int[] all) {}", "F"), "(int? maybe, int[] all)");
  EXPECT_EQ(head_of("void F(int a = Max(1, 2), Vector2 b = default) {} int x;", "F"), "(int a = …, Vector2 b = …)");
}

TEST(Signature, OverloadedMethodsHaveNoKnownSignature) {
  EXPECT_EQ(head_of("void F(int a) {} void F(int a, int b) {} void G(int c) {}", "F"), "");
  EXPECT_EQ(head_of("void F(int a) {} void F(int a, int b) {} void G(int c) {}", "G"), "(int c)");
}

TEST(Signature, EndsWithTheSource) {
  EXPECT_EQ(head_of("void F(int a, (((", "F"), "(int a)");
  std::string many = "void F(";
  for (std::size_t i = 0; i <= project::max_parameters; ++i) many += "int p" + std::to_string(i) + ", ";
  EXPECT_EQ(head_of(many + "int last) {} void G(int after) {}", "F"), "");
  EXPECT_EQ(head_of(many + "int last) {} void G(int after) {}", "G"), "(int after)");
}

// ---- methods without statements

bool is_empty(const project::ScriptSource &source) {
  const auto &heads = source.classes.front().heads;
  const auto found = heads.find("f");
  EXPECT_NE(found, heads.end());
  return found != heads.end() && found->second.is_empty;
}

bool is_empty_gd(const std::string &function) {
  return is_empty(
      project::read_gdscript("extends Node\n@rpc func f" + function + "var x = 1\nfunc g():\n\tprint(1)\n"));
}

TEST(EmptyMethods, HaveNoStatements) {
  EXPECT_TRUE(is_empty_gd("(): pass\n"));
  EXPECT_TRUE(is_empty_gd("(a: int, b := \"x\") -> void: pass  # the server has it\n"));
  EXPECT_TRUE(is_empty_gd("() -> Array[int]:\n\t# only a comment\n\tpass\n\n"));
  EXPECT_TRUE(is_empty_gd("():\n\t\"\"\"The server\n\thas it.\"\"\"\n\tpass\n"));
  EXPECT_TRUE(is_empty_gd("():\n\treturn\n"));
  EXPECT_FALSE(is_empty_gd("(): print(1)\n"));
  EXPECT_FALSE(is_empty_gd("():\n\tpass\n\tprint(1)\n"));
  EXPECT_FALSE(is_empty_gd("():\n\treturn 1\n"));
  EXPECT_FALSE(is_empty_gd("():\n\tif is_server():\n\t\tpass\n"));
  EXPECT_FALSE(is_empty_gd("():\n\t\"text\".length()\n"));
  // Code on other lines makes the reader examine all method bodies.
  EXPECT_TRUE(is_empty_gd("(): pass\nconst A = \"res://a.tscn\"\n"));
  EXPECT_FALSE(is_empty_gd("():\n\tpass\n\tadd_child(x)\n"));
}

TEST(EmptyMethods, AreEmptyBlocksInCSharp) {
  const auto is_empty_cs = [](const std::string &rest) {
    return is_empty(
        project::read_csharp("partial class A : Node { [Rpc] void f" + rest + " int x; void g() {} }", "A"));
  };
  EXPECT_TRUE(is_empty_cs("(int a) {}"));
  EXPECT_TRUE(is_empty_cs("() { /* the server has it */ }"));
  EXPECT_TRUE(is_empty_cs("() { return; }"));
  EXPECT_FALSE(is_empty_cs("() { Go(); }"));
  EXPECT_FALSE(is_empty_cs("() { return Go(); }"));
  EXPECT_FALSE(is_empty_cs("() { { } }"));
  EXPECT_FALSE(is_empty_cs("() => Go();"));
  EXPECT_FALSE(is_empty_cs("();"));
}

MpArguments arguments_of(std::initializer_list<Type> types) {
  MpArguments arguments;
  for (const Type type : types) arguments.types.set(arguments.count++, type);
  return arguments;
}

std::string refusal(const project::Function &function, const MpArguments &arguments) {
  if (is_mp_call_accepted(function, arguments)) return "";
  std::array<char, 200> memory{};
  TextBuffer text(memory);
  append_mp_refusal(function, arguments, text);
  return std::string(text.view());
}

// The engine searches for a method with this name and number of parameters, and converts the arguments.
TEST(Signature, CSharpChecksOnlyTheNumberOfArguments) {
  const std::vector<project::Parameter> parameters = {{"amount", "int", {}, false}, {"by", "string", {}, true}};
  const project::Function function{"Hit", parameters, false, true};
  EXPECT_EQ(refusal(function, arguments_of({Type::string, Type::nil})), "");
  EXPECT_EQ(refusal(function, arguments_of({Type::integer})), "Method not found");
  EXPECT_EQ(refusal(function, arguments_of({Type::integer, Type::string, Type::string})), "Method not found");
}

// As observed in Godot 4.6.3: an untyped array is rejected as well, even an empty one.
TEST(Signature, TypedArraysTakeArraysOfTheirType) {
  const auto refused = [](std::string_view declared, MpElementType element) {
    const std::vector<project::Parameter> parameters = {{"a", declared, project::types_of_argument(declared), false}};
    MpArguments arguments = arguments_of({Type::array});
    arguments.containers[0].value = element;
    return refusal({"f", parameters, false, false}, arguments);
  };
  const char *const words = "Cannot convert argument 1 from Array to Array";
  EXPECT_EQ(refused("Array[int]", {ElementKind::any, Type::nil}), words);
  EXPECT_EQ(refused("Array[int]", {ElementKind::built_in, Type::string}), words);
  EXPECT_EQ(refused("Array[int]", {ElementKind::built_in, Type::integer}), "");
  EXPECT_EQ(refused("Array[Node]", {ElementKind::any, Type::nil}), words);
  EXPECT_EQ(refused("Array[Node]", {ElementKind::class_name, Type::nil}), "");
  EXPECT_EQ(refused("Array[Variant]", {ElementKind::any, Type::nil}), "");
  EXPECT_EQ(refused("Array", {ElementKind::any, Type::nil}), "");
}

TEST(Signature, TypedDictionariesTakeDictionariesOfTheirTypes) {
  const auto refused = [](MpElementType key, MpElementType value) {
    const std::string_view declared = "Dictionary[String,int]";
    const std::vector<project::Parameter> parameters = {{"a", declared, project::types_of_argument(declared), false}};
    MpArguments arguments = arguments_of({Type::dictionary});
    arguments.containers[0] = {key, value};
    return refusal({"f", parameters, false, false}, arguments);
  };
  const char *const words = "Cannot convert argument 1 from Dictionary to Dictionary";
  const MpElementType untyped{};
  const MpElementType string{ElementKind::built_in, Type::string};
  const MpElementType integer{ElementKind::built_in, Type::integer};
  EXPECT_EQ(refused(untyped, untyped), words);
  EXPECT_EQ(refused(string, string), words);
  EXPECT_EQ(refused(integer, integer), words);
  EXPECT_EQ(refused(string, integer), "");
}

}  // namespace
}  // namespace godot_codec::test
