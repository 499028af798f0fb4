// SPDX-License-Identifier: MIT
#include "godot-codec/variant/dialect.h"

#include <algorithm>

namespace godot_codec {
namespace {

// Godot 4's core/variant/variant.h, enum Type, and Variant::get_type_name().
constexpr TypeRow godot4_types[] = {
    {Type::nil, "Nil"},
    {Type::boolean, "bool"},
    {Type::integer, "int"},
    {Type::real, "float"},
    {Type::string, "String"},
    {Type::vector2, "Vector2"},
    {Type::vector2i, "Vector2i"},
    {Type::rect2, "Rect2"},
    {Type::rect2i, "Rect2i"},
    {Type::vector3, "Vector3"},
    {Type::vector3i, "Vector3i"},
    {Type::transform2d, "Transform2D"},
    {Type::vector4, "Vector4"},
    {Type::vector4i, "Vector4i"},
    {Type::plane, "Plane"},
    {Type::quaternion, "Quaternion"},
    {Type::aabb, "AABB"},
    {Type::basis, "Basis"},
    {Type::transform3d, "Transform3D"},
    {Type::projection, "Projection"},
    {Type::color, "Color"},
    {Type::string_name, "StringName"},
    {Type::node_path, "NodePath"},
    {Type::rid, "RID"},
    {Type::object, "Object"},
    {Type::callable, "Callable"},
    {Type::signal, "Signal"},
    {Type::dictionary, "Dictionary"},
    {Type::array, "Array"},
    {Type::packed_byte_array, "PackedByteArray"},
    {Type::packed_int32_array, "PackedInt32Array"},
    {Type::packed_int64_array, "PackedInt64Array"},
    {Type::packed_float32_array, "PackedFloat32Array"},
    {Type::packed_float64_array, "PackedFloat64Array"},
    {Type::packed_string_array, "PackedStringArray"},
    {Type::packed_vector2_array, "PackedVector2Array"},
    {Type::packed_vector3_array, "PackedVector3Array"},
    {Type::packed_color_array, "PackedColorArray"},
    {Type::packed_vector4_array, "PackedVector4Array"},
};

// Godot 3's core/variant.h, and the class names of its documentation.
constexpr TypeRow godot3_types[] = {
    {Type::nil, "Nil"},
    {Type::boolean, "bool"},
    {Type::integer, "int"},
    {Type::real, "float"},
    {Type::string, "String"},
    {Type::vector2, "Vector2"},
    {Type::rect2, "Rect2"},
    {Type::vector3, "Vector3"},
    {Type::transform2d, "Transform2D"},
    {Type::plane, "Plane"},
    {Type::quaternion, "Quat"},
    {Type::aabb, "AABB"},
    {Type::basis, "Basis"},
    {Type::transform3d, "Transform"},
    {Type::color, "Color"},
    {Type::node_path, "NodePath"},
    {Type::rid, "RID"},
    {Type::object, "Object"},
    {Type::dictionary, "Dictionary"},
    {Type::array, "Array"},
    {Type::packed_byte_array, "PoolByteArray"},
    {Type::packed_int32_array, "PoolIntArray"},
    {Type::packed_float32_array, "PoolRealArray"},
    {Type::packed_string_array, "PoolStringArray"},
    {Type::packed_vector2_array, "PoolVector2Array"},
    {Type::packed_vector3_array, "PoolVector3Array"},
    {Type::packed_color_array, "PoolColorArray"},
};

// "Binary serialization API" of the documentation of 4.1 and 4.2.
constexpr TypeRow docs_types[] = {
    {Type::nil, "Nil"},
    {Type::boolean, "bool"},
    {Type::integer, "int"},
    {Type::real, "float"},
    {Type::string, "String"},
    {Type::vector2, "Vector2"},
    {Type::rect2, "Rect2"},
    {Type::vector3, "Vector3"},
    {Type::transform2d, "Transform2D"},
    {Type::plane, "Plane"},
    {Type::quaternion, "Quaternion"},
    {Type::aabb, "AABB"},
    {Type::basis, "Basis"},
    {Type::transform3d, "Transform3D"},
    {Type::color, "Color"},
    {Type::node_path, "NodePath"},
    {Type::rid, "RID"},
    {Type::object, "Object"},
    {Type::dictionary, "Dictionary"},
    {Type::array, "Array"},
    {Type::packed_byte_array, "PackedByteArray"},
    {Type::packed_int32_array, "PackedInt32Array"},
    {Type::packed_int64_array, "PackedInt64Array"},
    {Type::packed_float32_array, "PackedFloat32Array"},
    {Type::packed_float64_array, "PackedFloat64Array"},
    {Type::packed_string_array, "PackedStringArray"},
    {Type::packed_vector2_array, "PackedVector2Array"},
    {Type::packed_vector3_array, "PackedVector3Array"},
    {Type::packed_color_array, "PackedColorArray"},
};

constexpr DialectTable tables[dialect_count] = {
    {"Godot 4", godot4_types, true, true, true, true, "^"},
    {"Godot 3", godot3_types, false, false, false, false, "@"},
    {"docs table", docs_types, false, false, false, true, "^"},
};

}  // namespace

const DialectTable &dialect_table(Dialect dialect) { return tables[static_cast<std::size_t>(dialect)]; }

std::string_view type_name(Dialect dialect, Type type) {
  const std::span<const TypeRow> types = dialect_table(dialect).types;
  const auto row = std::find_if(types.begin(), types.end(), [type](const TypeRow &each) { return each.type == type; });
  return row == types.end() ? std::string_view{} : row->name;
}

}  // namespace godot_codec
