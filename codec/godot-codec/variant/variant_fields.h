// SPDX-License-Identifier: MIT
/// @file
/// The fields of serialized Variants: names, types and descriptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace godot_codec {

/// The kind of a field's value: of a Variant's field, or of a multiplayer message's field.
enum class FieldKind : std::uint8_t {
  boolean,  ///< 0 or 1
  uint8,
  uint16,
  uint32,
  uint64,
  int32,
  int64,
  real,
  text,          ///< UTF-8 as sent, so it may be invalid and may contain control characters
  opaque_bytes,  ///< raw bytes
};

// Every field of a Variant: enumerator, name, kind, description. The components of a type are in the order in which a
// script writes them. The wire order may differ.
#define GODOT_VARIANT_FIELDS(X)                                                                               \
  X(boolean, "bool", boolean, "A bool")                                                                       \
  X(integer, "int", int64, "An int, or an element of a packed array of them")                                 \
  X(real, "float", real, "A float, or an element of a packed array of them")                                  \
  X(string, "string", text, "Text of a String, or of an element of a packed array of them")                   \
  X(string_name, "string_name", text, "Text of a StringName")                                                 \
  X(node_path, "node_path", text, "A NodePath as a script writes it")                                         \
  X(string_length, "string.length", uint32, "Length of the following text without padding, in bytes")         \
  X(padding, "padding", opaque_bytes, "Padding of a text or byte array to a multiple of 4 bytes")             \
  X(node_path_name_count, "node_path.name_count", uint32, "Number of node names in the path")                 \
  X(node_path_subname_count, "node_path.subname_count", uint32,                                               \
    "Number of property names after the colons of the path")                                                  \
  X(node_path_flags, "node_path.flags", uint32, "Bit 0: absolute; bit 1: an obsolete form")                   \
  X(node_path_name, "node_path.name", text, "Node name in a path")                                            \
  X(node_path_subname, "node_path.subname", text, "Property name after a colon of a path")                    \
  X(vector2_x, "vector2.x", real, "Component x of a Vector2")                                                 \
  X(vector2_y, "vector2.y", real, "Component y of a Vector2")                                                 \
  X(vector2i_x, "vector2i.x", int32, "Component x of a Vector2i")                                             \
  X(vector2i_y, "vector2i.y", int32, "Component y of a Vector2i")                                             \
  X(rect2_position_x, "rect2.position.x", real, "Left edge of a Rect2")                                       \
  X(rect2_position_y, "rect2.position.y", real, "Top edge of a Rect2")                                        \
  X(rect2_size_x, "rect2.size.x", real, "Width of a Rect2")                                                   \
  X(rect2_size_y, "rect2.size.y", real, "Height of a Rect2")                                                  \
  X(rect2i_position_x, "rect2i.position.x", int32, "Left edge of a Rect2i")                                   \
  X(rect2i_position_y, "rect2i.position.y", int32, "Top edge of a Rect2i")                                    \
  X(rect2i_size_x, "rect2i.size.x", int32, "Width of a Rect2i")                                               \
  X(rect2i_size_y, "rect2i.size.y", int32, "Height of a Rect2i")                                              \
  X(vector3_x, "vector3.x", real, "Component x of a Vector3")                                                 \
  X(vector3_y, "vector3.y", real, "Component y of a Vector3")                                                 \
  X(vector3_z, "vector3.z", real, "Component z of a Vector3")                                                 \
  X(vector3i_x, "vector3i.x", int32, "Component x of a Vector3i")                                             \
  X(vector3i_y, "vector3i.y", int32, "Component y of a Vector3i")                                             \
  X(vector3i_z, "vector3i.z", int32, "Component z of a Vector3i")                                             \
  X(transform2d_x_x, "transform2d.x.x", real, "x of the x axis of a Transform2D")                             \
  X(transform2d_x_y, "transform2d.x.y", real, "y of the x axis of a Transform2D")                             \
  X(transform2d_y_x, "transform2d.y.x", real, "x of the y axis of a Transform2D")                             \
  X(transform2d_y_y, "transform2d.y.y", real, "y of the y axis of a Transform2D")                             \
  X(transform2d_origin_x, "transform2d.origin.x", real, "x of the origin of a Transform2D")                   \
  X(transform2d_origin_y, "transform2d.origin.y", real, "y of the origin of a Transform2D")                   \
  X(vector4_x, "vector4.x", real, "Component x of a Vector4")                                                 \
  X(vector4_y, "vector4.y", real, "Component y of a Vector4")                                                 \
  X(vector4_z, "vector4.z", real, "Component z of a Vector4")                                                 \
  X(vector4_w, "vector4.w", real, "Component w of a Vector4")                                                 \
  X(vector4i_x, "vector4i.x", int32, "Component x of a Vector4i")                                             \
  X(vector4i_y, "vector4i.y", int32, "Component y of a Vector4i")                                             \
  X(vector4i_z, "vector4i.z", int32, "Component z of a Vector4i")                                             \
  X(vector4i_w, "vector4i.w", int32, "Component w of a Vector4i")                                             \
  X(plane_normal_x, "plane.normal.x", real, "x of the normal of a Plane")                                     \
  X(plane_normal_y, "plane.normal.y", real, "y of the normal of a Plane")                                     \
  X(plane_normal_z, "plane.normal.z", real, "z of the normal of a Plane")                                     \
  X(plane_d, "plane.d", real, "Distance of a Plane from the origin, along its normal")                        \
  X(quaternion_x, "quaternion.x", real, "Imaginary component i of a Quaternion")                              \
  X(quaternion_y, "quaternion.y", real, "Imaginary component j of a Quaternion")                              \
  X(quaternion_z, "quaternion.z", real, "Imaginary component k of a Quaternion")                              \
  X(quaternion_w, "quaternion.w", real, "Real component of a Quaternion")                                     \
  X(aabb_position_x, "aabb.position.x", real, "x of the smallest corner of an AABB")                          \
  X(aabb_position_y, "aabb.position.y", real, "y of the smallest corner of an AABB")                          \
  X(aabb_position_z, "aabb.position.z", real, "z of the smallest corner of an AABB")                          \
  X(aabb_size_x, "aabb.size.x", real, "Extent of an AABB along x")                                            \
  X(aabb_size_y, "aabb.size.y", real, "Extent of an AABB along y")                                            \
  X(aabb_size_z, "aabb.size.z", real, "Extent of an AABB along z")                                            \
  X(basis_x_x, "basis.x.x", real, "x of the x axis of a Basis")                                               \
  X(basis_x_y, "basis.x.y", real, "y of the x axis of a Basis")                                               \
  X(basis_x_z, "basis.x.z", real, "z of the x axis of a Basis")                                               \
  X(basis_y_x, "basis.y.x", real, "x of the y axis of a Basis")                                               \
  X(basis_y_y, "basis.y.y", real, "y of the y axis of a Basis")                                               \
  X(basis_y_z, "basis.y.z", real, "z of the y axis of a Basis")                                               \
  X(basis_z_x, "basis.z.x", real, "x of the z axis of a Basis")                                               \
  X(basis_z_y, "basis.z.y", real, "y of the z axis of a Basis")                                               \
  X(basis_z_z, "basis.z.z", real, "z of the z axis of a Basis")                                               \
  X(transform3d_basis_x_x, "transform3d.basis.x.x", real, "x of the x axis of a Transform3D")                 \
  X(transform3d_basis_x_y, "transform3d.basis.x.y", real, "y of the x axis of a Transform3D")                 \
  X(transform3d_basis_x_z, "transform3d.basis.x.z", real, "z of the x axis of a Transform3D")                 \
  X(transform3d_basis_y_x, "transform3d.basis.y.x", real, "x of the y axis of a Transform3D")                 \
  X(transform3d_basis_y_y, "transform3d.basis.y.y", real, "y of the y axis of a Transform3D")                 \
  X(transform3d_basis_y_z, "transform3d.basis.y.z", real, "z of the y axis of a Transform3D")                 \
  X(transform3d_basis_z_x, "transform3d.basis.z.x", real, "x of the z axis of a Transform3D")                 \
  X(transform3d_basis_z_y, "transform3d.basis.z.y", real, "y of the z axis of a Transform3D")                 \
  X(transform3d_basis_z_z, "transform3d.basis.z.z", real, "z of the z axis of a Transform3D")                 \
  X(transform3d_origin_x, "transform3d.origin.x", real, "x of the origin of a Transform3D")                   \
  X(transform3d_origin_y, "transform3d.origin.y", real, "y of the origin of a Transform3D")                   \
  X(transform3d_origin_z, "transform3d.origin.z", real, "z of the origin of a Transform3D")                   \
  X(projection_x_x, "projection.x.x", real, "x of the x column of a Projection")                              \
  X(projection_x_y, "projection.x.y", real, "y of the x column of a Projection")                              \
  X(projection_x_z, "projection.x.z", real, "z of the x column of a Projection")                              \
  X(projection_x_w, "projection.x.w", real, "w of the x column of a Projection")                              \
  X(projection_y_x, "projection.y.x", real, "x of the y column of a Projection")                              \
  X(projection_y_y, "projection.y.y", real, "y of the y column of a Projection")                              \
  X(projection_y_z, "projection.y.z", real, "z of the y column of a Projection")                              \
  X(projection_y_w, "projection.y.w", real, "w of the y column of a Projection")                              \
  X(projection_z_x, "projection.z.x", real, "x of the z column of a Projection")                              \
  X(projection_z_y, "projection.z.y", real, "y of the z column of a Projection")                              \
  X(projection_z_z, "projection.z.z", real, "z of the z column of a Projection")                              \
  X(projection_z_w, "projection.z.w", real, "w of the z column of a Projection")                              \
  X(projection_w_x, "projection.w.x", real, "x of the w column of a Projection")                              \
  X(projection_w_y, "projection.w.y", real, "y of the w column of a Projection")                              \
  X(projection_w_z, "projection.w.z", real, "z of the w column of a Projection")                              \
  X(projection_w_w, "projection.w.w", real, "w of the w column of a Projection")                              \
  X(color_r, "color.r", real, "Red, 1.0 at full intensity")                                                   \
  X(color_g, "color.g", real, "Green, 1.0 at full intensity")                                                 \
  X(color_b, "color.b", real, "Blue, 1.0 at full intensity")                                                  \
  X(color_a, "color.a", real, "Alpha, 1.0 if opaque")                                                         \
  X(rid, "rid", uint64, "Number of a RID")                                                                    \
  X(object_id, "object.id", int64, "Instance ID of an Object, as get_instance_id() returns it")               \
  X(object_class, "object.class", text, "Class of an Object sent in full; empty for null")                    \
  X(object_property_count, "object.property_count", uint32, "Number of properties of an Object sent in full") \
  X(object_property, "object.property", text, "Name of the property whose value follows")                     \
  X(signal_name, "signal.name", text, "Name of a Signal")                                                     \
  X(signal_object_id, "signal.object_id", int64, "Instance ID of the Object that has the Signal")             \
  X(count, "count", uint32, "Number of elements of an Array, Dictionary or packed array")                     \
  X(shared, "shared", boolean, "Bit 31 of the count; engines ignore this bit")                                \
  X(element_type, "element_type", text, "Type, class or script of the elements of a typed Array")             \
  X(key_type, "key_type", text, "Type, class or script of the keys of a typed Dictionary")                    \
  X(value_type, "value_type", text, "Type, class or script of the values of a typed Dictionary")              \
  X(bytes, "bytes", opaque_bytes, "Content of a PackedByteArray")

enum class VariantField : std::uint8_t {
#define GODOT_FIELD(id, name, kind, description) id,
  GODOT_VARIANT_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

/// How a VariantField is presented. In display filters, its name has the prefix "godot.".
struct FieldInfo {
  const char *name;
  FieldKind kind;
  const char *description;
};

inline constexpr FieldInfo field_infos[] = {
#define GODOT_FIELD(id, name, kind, description) {name, FieldKind::kind, description},
    GODOT_VARIANT_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

inline constexpr std::size_t field_count = std::size(field_infos);

[[nodiscard]] constexpr const FieldInfo &field_info(VariantField field) {
  return field_infos[static_cast<std::size_t>(field)];
}

}  // namespace godot_codec
