// SPDX-License-Identifier: MIT
#include "godot-codec/project/property_types.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "godot-codec/core/sorted_map.h"
#include "godot-codec/project/project.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::size_t max_depth = 200;  // limits the number of base classes, because they may form a cycle

// Classes of the engine that have the same properties: a class that declares properties, and the classes derived from
// it that add none.
struct BuiltinClasses {
  std::string_view names;       // "CanvasLayer ParallaxBackground"
  std::string_view base;        // the nearest base class that has other properties, or empty
  std::string_view properties;  // "name:type name:type", without inherited properties
};

// The properties have the same types in all releases of Godot 4, except that some changed between String and
// StringName.
constexpr BuiltinClasses builtin_classes[] = {
#include "godot-codec/project/builtin_classes.inc"
};

const BuiltinClasses *find_builtin_class(std::string_view name) {
  static const auto by_name = [] {
    std::map<std::string_view, const BuiltinClasses *> map;
    for (const BuiltinClasses &each : builtin_classes)
      for_each_part(each.names, ' ', [&](std::string_view part) { map.emplace(part, &each); });
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

ValueTypes types_of_builtin(std::string_view node_class, std::string_view property) {
  for (const BuiltinClasses *each = find_builtin_class(node_class); each != nullptr;
       each = find_builtin_class(each->base)) {
    std::string_view type;
    for_each_part(each->properties, ' ', [&](std::string_view part) {
      if (part.substr(0, part.find(':')) == property) type = part.substr(part.find(':') + 1);
    });
    if (type == "String" || type == "StringName") return {Type::string, Type::string_name};
    if (!type.empty()) return types_of_gdscript(type);
  }
  return {};
}

// @returns null for an empty or unknown name, and for Nil: no variable can be declared as Nil
const TypeTraits *find_type(std::string_view name) {
  const auto *found = std::find_if(type_table.begin() + 1, type_table.end(), [name](const TypeTraits &row) {
    return row.names.names[static_cast<std::size_t>(Dialect::godot4)] == name;
  });
  return found == type_table.end() ? nullptr : found;
}

constexpr ValueTypes array_types() {
  ValueTypes types{Type::array};
  for (Type type = Type::packed_byte_array; type <= Type::packed_vector4_array;
       type = static_cast<Type>(static_cast<unsigned>(type) + 1)) {
    types = types | ValueTypes{type};
  }
  return types;
}

}  // namespace

bool is_variant_type(std::string_view name) { return find_type(name) != nullptr; }

bool is_builtin_node_class(std::string_view name) { return find_builtin_class(name) != nullptr; }

ValueTypes types_of_gdscript(std::string_view type) {
  if (type == "Variant") return {};
  const TypeTraits *found = find_type(type);
  if (found == nullptr) return {Type::integer, Type::nil, Type::object};
  const auto known = static_cast<Type>(found - type_table.data());
  if (known == Type::object) return {Type::nil, Type::object};
  return {known};
}

ValueTypes accepted_argument_types(std::string_view type) {
  // Measured with Godot 4.6.3, by passing each type to a parameter of each type.
  struct AcceptedTypes {
    std::string_view type;
    ValueTypes types;
  };
  constexpr ValueTypes numbers = {Type::boolean, Type::integer, Type::real};
  constexpr AcceptedTypes converted[] = {
      {"", {}},
      {"Variant", {}},
      {"bool", numbers},
      {"int", numbers},
      {"float", numbers},
      {"String", {Type::string, Type::string_name, Type::node_path}},
      {"StringName", {Type::string, Type::string_name}},
      {"NodePath", {Type::string, Type::node_path}},
      {"Color", {Type::color, Type::integer, Type::string}},
      {"Vector2", {Type::vector2, Type::vector2i}},
      {"Vector2i", {Type::vector2, Type::vector2i}},
      {"Vector3", {Type::vector3, Type::vector3i}},
      {"Vector3i", {Type::vector3, Type::vector3i}},
      {"Vector4", {Type::vector4, Type::vector4i}},
      {"Vector4i", {Type::vector4, Type::vector4i}},
      {"Rect2", {Type::rect2, Type::rect2i}},
      {"Rect2i", {Type::rect2, Type::rect2i}},
      {"Transform2D", {Type::transform2d, Type::transform3d}},
      {"Transform3D", {Type::transform3d, Type::transform2d, Type::quaternion, Type::basis, Type::projection}},
      {"Quaternion", {Type::quaternion, Type::basis}},
      {"Basis", {Type::basis, Type::quaternion}},
      {"Projection", {Type::projection, Type::transform3d}},
      {"RID", {Type::rid, Type::object}},
      {"Array", array_types()},
  };
  const auto *found = std::ranges::find_if(converted, [type](const AcceptedTypes &each) { return each.type == type; });
  if (found != std::end(converted)) return found->types;
  const std::string_view plain = type.substr(0, type.find('['));
  if (plain.size() < type.size()) return types_of_gdscript(plain);
  if (type.starts_with("Packed")) return types_of_gdscript(type) | ValueTypes{Type::array};
  // The name may be a class, which accepts objects, or an enum, which accepts numbers.
  return is_variant_type(type) ? types_of_gdscript(type) : types_of_gdscript(type) | numbers;
}

ValueTypes types_of_csharp(std::string_view type) {
  constexpr std::string_view integers[] = {"byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong", "char"};
  constexpr std::string_view same[] = {"bool",        "float",       "Vector2", "Vector3",    "Vector4",   "Rect2",
                                       "Transform2D", "Transform3D", "Basis",   "Quaternion", "Projection"};
  constexpr std::string_view renamed[][2] = {{"double", "float"},      {"Vector2I", "Vector2i"},
                                             {"Vector3I", "Vector3i"}, {"Vector4I", "Vector4i"},
                                             {"Rect2I", "Rect2i"},     {"Aabb", "AABB"}};
  if (type == "string") return {Type::string, Type::nil};
  if (std::ranges::find(integers, type) != std::end(integers)) return {Type::integer};
  if (std::ranges::find(same, type) != std::end(same)) return types_of_gdscript(type);
  for (const auto &[in_csharp, in_gdscript] : renamed) {
    if (type == in_csharp) return types_of_gdscript(in_gdscript);
  }
  return {};
}

ValueTypes types_of_property(std::string_view node_class, bool has_script, const Script *script,
                             std::string_view property) {
  if (has_script && script == nullptr) return {};
  for (std::size_t depth = 0; script != nullptr; script = script->base) {
    const Variable *declared = find_sorted(script->variables, property, &Variable::name);
    if (declared != nullptr && !declared->types.is_any()) return declared->types;
    if (script->has_unknown_properties || ++depth > max_depth) return {};
  }
  return types_of_builtin(node_class, property);
}

}  // namespace godot_codec::project
