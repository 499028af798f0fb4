// SPDX-License-Identifier: MIT
// Arguments of a call compared with the method's parameters: C#, and the element types of typed arrays.
// signature_plugin_test.cpp compares calls with the decisions of Godot 4.6.3.
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "godot-codec/multiplayer/signature_check.h"
#include "godot-codec/project/parsed_script.h"
#include "godot-codec/project/property_types.h"

namespace godot_codec::test {
namespace {

using project::ScriptClass;

// Returns the parameters of a C# method: "int amount, string by = …"; empty if they are unknown.
std::string parameters_of(const std::string &members, const std::string &method) {
  const project::ParsedScript source = project::read_csharp("partial class A : Node { " + members + " }", "A");
  const auto found = source.classes.front().signatures.find(method);
  if (found == source.classes.front().signatures.end()) return "";
  std::string text = found->second.needs_all_arguments ? "" : "not exact ";
  for (const auto &each : found->second.parameters) {
    text += (text.empty() ? "" : ", ") + each.type + " " + each.name + (each.is_optional ? " = …" : "");
  }
  return "(" + text + ")";
}

TEST(MethodSignature, CSharpMethodsAreRead) {
  EXPECT_EQ(parameters_of("[Rpc] void Hit(int amount, string by = \"a, b\") {}", "Hit"), "(int amount, string by = …)");
  EXPECT_EQ(parameters_of("[Rpc] public void Leave() => QueueFree();", "Leave"), "()");
  EXPECT_EQ(parameters_of("void F(Godot.Collections.Array<int> cells, Dictionary<string, int[]> more) {}", "F"),
            "(Godot.Collections.Array<int> cells, Dictionary<string,int[]> more)");
  EXPECT_EQ(parameters_of("void F(int? maybe, params int[] all) {}", "F"), "(int? maybe, int[] all)");
  EXPECT_EQ(parameters_of("void F(int a = Max(1, 2), Vector2 b = default) {} int x;", "F"),
            "(int a = …, Vector2 b = …)");
}

TEST(MethodSignature, OverloadedMethodsHaveNoKnownSignature) {
  EXPECT_EQ(parameters_of("void F(int a) {} void F(int a, int b) {} void G(int c) {}", "F"), "");
  EXPECT_EQ(parameters_of("void F(int a) {} void F(int a, int b) {} void G(int c) {}", "G"), "(int c)");
}

TEST(MethodSignature, UnfinishedParameterListIsReadButTooLongListIsNot) {
  EXPECT_EQ(parameters_of("void F(int a, (((", "F"), "(int a)");
  std::string many = "void F(";
  for (std::size_t i = 0; i <= project::max_parameters; ++i) many += "int p" + std::to_string(i) + ", ";
  EXPECT_EQ(parameters_of(many + "int last) {} void G(int after) {}", "F"), "");
  EXPECT_EQ(parameters_of(many + "int last) {} void G(int after) {}", "G"), "(int after)");
}

// ---- methods without statements

bool is_empty(const project::ParsedScript &source) {
  const auto &signatures = source.classes.front().signatures;
  const auto found = signatures.find("f");
  EXPECT_NE(found, signatures.end());
  return found != signatures.end() && found->second.has_empty_body;
}

bool is_empty_gd(const std::string &function) {
  return is_empty(
      project::read_gdscript("extends Node\n@rpc func f" + function + "var x = 1\nfunc g():\n\tprint(1)\n"));
}

TEST(EmptyMethods, GdScriptMethodWithoutStatementsIsEmpty) {
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

TEST(EmptyMethods, CSharpMethodWithAnEmptyBlockIsEmpty) {
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

MpArgumentTypes arguments_of(std::initializer_list<Type> types) {
  MpArgumentTypes arguments;
  for (const Type type : types) arguments.types.set(arguments.count++, type);
  return arguments;
}

std::string rejection_text(const project::Function &function, const MpArgumentTypes &arguments) {
  if (is_mp_call_accepted(function, arguments)) return "";
  std::array<char, 200> memory{};
  TextBuffer text(memory);
  append_mp_call_error(function, arguments, text);
  return std::string(text.view());
}

// The engine searches for a method with this name and number of parameters, and converts the arguments.
TEST(MethodSignature, CSharpChecksOnlyTheNumberOfArguments) {
  const std::vector<project::Parameter> parameters = {{"amount", "int", {}, false}, {"by", "string", {}, true}};
  const project::Function function{"Hit", parameters, false, true};
  EXPECT_EQ(rejection_text(function, arguments_of({Type::string, Type::nil})), "");
  EXPECT_EQ(rejection_text(function, arguments_of({Type::integer})), "Method not found");
  EXPECT_EQ(rejection_text(function, arguments_of({Type::integer, Type::string, Type::string})), "Method not found");
}

// As observed in Godot 4.6.3: an untyped array is rejected as well, even an empty one.
TEST(MethodSignature, TypedArrayParametersAcceptOnlyTheirType) {
  const auto refused = [](std::string_view declared, MpElementType element) {
    const std::vector<project::Parameter> parameters = {
        {"a", std::string(declared), project::accepted_argument_types(declared), false}};
    MpArgumentTypes arguments = arguments_of({Type::array});
    arguments.containers[0].value = element;
    return rejection_text({"f", parameters, false, false}, arguments);
  };
  const char *const words = "Cannot convert argument 1 from Array to Array";
  EXPECT_EQ(refused("Array[int]", {ElementTypeKind::any, Type::nil}), words);
  EXPECT_EQ(refused("Array[int]", {ElementTypeKind::built_in, Type::string}), words);
  EXPECT_EQ(refused("Array[int]", {ElementTypeKind::built_in, Type::integer}), "");
  EXPECT_EQ(refused("Array[Node]", {ElementTypeKind::any, Type::nil}), words);
  EXPECT_EQ(refused("Array[Node]", {ElementTypeKind::class_name, Type::nil}), "");
  EXPECT_EQ(refused("Array[Variant]", {ElementTypeKind::any, Type::nil}), "");
  EXPECT_EQ(refused("Array", {ElementTypeKind::any, Type::nil}), "");
}

TEST(MethodSignature, TypedDictionaryParametersAcceptOnlyTheirTypes) {
  const auto refused = [](MpElementType key, MpElementType value) {
    const std::string declared = "Dictionary[String,int]";
    const std::vector<project::Parameter> parameters = {
        {"a", declared, project::accepted_argument_types(declared), false}};
    MpArgumentTypes arguments = arguments_of({Type::dictionary});
    arguments.containers[0] = {key, value};
    return rejection_text({"f", parameters, false, false}, arguments);
  };
  const char *const words = "Cannot convert argument 1 from Dictionary to Dictionary";
  const MpElementType untyped{};
  const MpElementType string{ElementTypeKind::built_in, Type::string};
  const MpElementType integer{ElementTypeKind::built_in, Type::integer};
  EXPECT_EQ(refused(untyped, untyped), words);
  EXPECT_EQ(refused(string, string), words);
  EXPECT_EQ(refused(integer, integer), words);
  EXPECT_EQ(refused(string, integer), "");
}

}  // namespace
}  // namespace godot_codec::test
