// SPDX-License-Identifier: MIT
/// @file
/// The fields of serialized Variants: names, kinds and descriptions.
#pragma once

#include <cstdint>
#include <string_view>

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

// The fields of Variants, except the components of vectors, colors and matrices: enumerator, name, kind, description.
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
  X(rid, "rid", uint64, "Number of a RID")                                                                    \
  X(object_id, "object.id", int64, "Instance ID of an Object, as get_instance_id() returns it")               \
  X(object_class, "object.class", text, "Class of an Object sent in full; empty for null")                    \
  X(object_property_count, "object.property_count", uint32, "Number of properties of an Object sent in full") \
  X(object_property, "object.property", text, "Name of a property, before its value")                         \
  X(signal_name, "signal.name", text, "Name of a Signal")                                                     \
  X(signal_object_id, "signal.object_id", int64, "Instance ID of the Object that has the Signal")             \
  X(count, "count", uint32, "Number of elements of an Array, Dictionary or packed array")                     \
  X(shared, "shared", boolean, "Bit 31 of the count; engines ignore this bit")                                \
  X(element_type, "element_type", text, "Type, class or script of the elements of a typed Array")             \
  X(key_type, "key_type", text, "Type, class or script of the keys of a typed Dictionary")                    \
  X(value_type, "value_type", text, "Type, class or script of the values of a typed Dictionary")              \
  X(bytes, "bytes", opaque_bytes, "Content of a PackedByteArray")

/// A component of a vector, a color or a matrix has a number after these enumerators: see component_field().
enum class VariantField : std::uint8_t {
#define GODOT_FIELD(id, name, kind, description) id,
  GODOT_VARIANT_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

/// How a VariantField is presented.
struct FieldInfo {
  std::string_view name;  ///< without the type of a component: "x" of a Vector2
  FieldKind kind;
  std::string_view description;             ///< empty for a component
  std::string_view component_of_type = {};  ///< for a component: the name of its type in Godot 4
};

inline constexpr FieldInfo named_fields[] = {
#define GODOT_FIELD(id, name, kind, description) {name, FieldKind::kind, description},
    GODOT_VARIANT_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

}  // namespace godot_codec
