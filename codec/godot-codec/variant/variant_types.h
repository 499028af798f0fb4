// SPDX-License-Identifier: MIT
/// @file
/// The types of Variants. One table has a row per type; everything that depends on the type is derived from this table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "godot-codec/variant/variant_fields.h"

namespace godot_codec {

/// The engine versions with different type numbers (dialect.h). If nothing else decides, the first possible dialect is
/// preferred.
enum class Dialect : std::uint8_t {
  godot4,  ///< sent by Godot 4.x
  godot3,  ///< sent by Godot 3.x
  docs,    ///< the table in the documentation of 4.1 and 4.2; no engine uses it, but some clients were written from it
};

inline constexpr std::size_t dialect_count = 3;
inline constexpr Dialect all_dialects[dialect_count] = {Dialect::godot4, Dialect::godot3, Dialect::docs};

/// How the bytes after a value's header are read.
enum class BodyFormat : std::uint8_t {
  nothing,
  boolean,
  integer,
  real,
  string,
  string_name,
  node_path,
  rid,
  object,
  signal,
  components,  ///< numbers, component_count of them
  dictionary,
  array,
  packed_bytes,
  packed_numbers,  ///< numbers, or several numbers per element for vectors and colors
  packed_strings,
};

/// Header bit 16. In a number: the number has 64 bits; in Godot 4 this also applies to types that consist of reals. In
/// an Object: only the instance ID is sent.
inline constexpr std::uint32_t header_flag_wide = 1U << 16;
inline constexpr std::uint32_t header_flag_object_id = 1U << 16;
/// Header bits that give the types of a typed container. Bits 16-17 are for an Array's elements or a Dictionary's keys,
/// bits 18-19 for a Dictionary's values.
inline constexpr std::uint32_t header_mask_types = 0xfU << 16;

/// The header bits from 16 up that have a meaning for a type.
struct HeaderFlags {
  std::uint32_t bits = 0;
  bool is_only_godot4 = false;  ///< true if they have this meaning only in Godot 4
};

/// The encoding of a number, little-endian.
enum class NumberKind : std::uint8_t { uint8, int32, int64, float32, float64 };

// A type's names and numbers, by Dialect.
struct TypeNames {
  static constexpr int absent = -1;

  std::string_view names[dialect_count];
  int numbers[dialect_count];
};

// How a type's values are encoded and written.
struct TypeShape {
  BodyFormat body = BodyFormat::nothing;
  HeaderFlags header_flags = {};
  NumberKind number_kind = NumberKind::float32;  // encoding of components and packed numbers, unless a flag widens them
  std::string_view component_names = {};  // separated by commas, in the order in which a script writes the components
  std::uint8_t component_count = 0;
  VariantField first_component = {};  // the field of the first component in script order; set for all types below
  bool is_sent_by_rows = false;       // true if the first nine components are a basis, which is sent row by row
  // Number of components that a script groups into one vector: 2 for Transform2D(Vector2(1, 0), …).
  std::uint8_t group_size = 0;
  std::string_view group_name = {};        // the type name of this vector
  std::uint8_t element_type = no_element;  // for a packed array: the type of each element
  std::string_view script_literal = {};    // what a script writes for a type that consists of a header only
  bool is_common = false;                  // true if such bytes are common in other protocols
  std::uint8_t surprise = 4;  // in bits: how unexpected this type is at a place where any Variant may be sent

  static constexpr std::uint8_t no_element = 0xff;

  [[nodiscard]] constexpr TypeShape grouped(std::uint8_t size, std::string_view name) const {
    TypeShape shape = *this;
    shape.group_size = size;
    shape.group_name = name;
    return shape;
  }
  [[nodiscard]] constexpr TypeShape by_rows() const {
    TypeShape shape = *this;
    shape.is_sent_by_rows = true;
    return shape;
  }
  // Marks a type as common in foreign protocols. Its bytes look like a number followed by a length and as many bytes,
  // or like four unrelated numbers. Games hardly ever send such a Variant alone.
  [[nodiscard]] constexpr TypeShape common() const {
    TypeShape shape = *this;
    shape.is_common = true;
    return shape;
  }
  [[nodiscard]] constexpr TypeShape surprising(std::uint8_t bits) const {
    TypeShape shape = *this;
    shape.surprise = bits;
    return shape;
  }
};

// Helpers to write the rows below.
namespace rows {

// Values of TypeShape::surprise, in bits.
inline constexpr std::uint8_t zero = 2;     // for Nil: equal to the surprise of the number 0, because zero bytes read
                                            // as a Nil
inline constexpr std::uint8_t rare = 8;     // for Callable and Signal: the value means nothing on another computer
inline constexpr std::uint8_t handle = 20;  // for RID and Object: the value is different in each run

inline constexpr HeaderFlags wide{header_flag_wide};
inline constexpr HeaderFlags wide_reals{header_flag_wide, true};
inline constexpr HeaderFlags object_id{header_flag_object_id};
inline constexpr HeaderFlags element_type{0x3U << 16, true};
inline constexpr HeaderFlags key_and_value_types{header_mask_types, true};

inline constexpr int absent = TypeNames::absent;

constexpr TypeNames named(std::string_view name, int godot4, int godot3 = absent, int docs = absent) {
  return {{name, name, name}, {godot4, godot3, docs}};
}
constexpr TypeNames named(std::string_view name, std::string_view name3, int godot4, int godot3, int docs) {
  return {{name, name3, name}, {godot4, godot3, docs}};
}

constexpr TypeShape nothing(std::string_view text) { return {.script_literal = text}; }
constexpr TypeShape read_as(BodyFormat body, HeaderFlags header_flags = {}) {
  return {.body = body, .header_flags = header_flags};
}
constexpr TypeShape components(NumberKind number, HeaderFlags header_flags, std::string_view names) {
  return {.body = BodyFormat::components,
          .header_flags = header_flags,
          .number_kind = number,
          .component_names = names,
          .component_count = static_cast<std::uint8_t>(std::ranges::count(names, ',') + 1)};
}
constexpr TypeShape reals(std::string_view names) { return components(NumberKind::float32, wide_reals, names); }
constexpr TypeShape singles(std::string_view names) { return components(NumberKind::float32, {}, names); }
constexpr TypeShape integers(std::string_view names) { return components(NumberKind::int32, {}, names); }
template <typename Type>
constexpr TypeShape packed(BodyFormat body, NumberKind number, Type element, HeaderFlags header_flags = {}) {
  return {.body = body,
          .header_flags = header_flags,
          .number_kind = number,
          .element_type = static_cast<std::uint8_t>(element)};
}

}  // namespace rows

// Every type: enumerator, names and numbers, shape. The rows are in the order of Godot 4's type numbers; the code does
// not depend on this order.
// Sources: enum Type of Godot 4's core/variant/variant.h and of Godot 3's core/variant.h; encode_variant() and
// decode_variant() of their core/io/marshalls.cpp; "Binary serialization API" of the documentation of 4.1 and 4.2.
#define GODOT_VARIANT_TYPES(X)                                                                                     \
  X(nil, named("Nil", 0, 0, 0), nothing("null").surprising(zero))                                                  \
  X(boolean, named("bool", 1, 1, 1), read_as(BodyFormat::boolean))                                                 \
  X(integer, named("int", 2, 2, 2), read_as(BodyFormat::integer, wide))                                            \
  X(real, named("float", 3, 3, 3), read_as(BodyFormat::real, wide))                                                \
  X(string, named("String", 4, 4, 4), read_as(BodyFormat::string))                                                 \
  X(vector2, named("Vector2", 5, 5, 5), reals("x,y"))                                                              \
  X(vector2i, named("Vector2i", 6), integers("x,y"))                                                               \
  X(rect2, named("Rect2", 7, 6, 6), reals("position.x,position.y,size.x,size.y").common())                         \
  X(rect2i, named("Rect2i", 8), integers("position.x,position.y,size.x,size.y").common())                          \
  X(vector3, named("Vector3", 9, 7, 7), reals("x,y,z"))                                                            \
  X(vector3i, named("Vector3i", 10), integers("x,y,z"))                                                            \
  X(transform2d, named("Transform2D", 11, 8, 8), reals("x.x,x.y,y.x,y.y,origin.x,origin.y").grouped(2, "Vector2")) \
  X(vector4, named("Vector4", 12), reals("x,y,z,w").common())                                                      \
  X(vector4i, named("Vector4i", 13), integers("x,y,z,w").common())                                                 \
  X(plane, named("Plane", 14, 9, 9), reals("normal.x,normal.y,normal.z,d").common())                               \
  X(quaternion, named("Quaternion", "Quat", 15, 10, 10), reals("x,y,z,w"))                                         \
  X(aabb, named("AABB", 16, 11, 11),                                                                               \
    reals("position.x,position.y,position.z,size.x,size.y,size.z").grouped(3, "Vector3").common())                 \
  X(basis, named("Basis", 17, 12, 12),                                                                             \
    reals("x.x,x.y,x.z,y.x,y.y,y.z,z.x,z.y,z.z").by_rows().grouped(3, "Vector3").common())                         \
  X(transform3d, named("Transform3D", "Transform", 18, 13, 13),                                                    \
    reals("basis.x.x,basis.x.y,basis.x.z,basis.y.x,basis.y.y,basis.y.z,basis.z.x,basis.z.y,basis.z.z,"             \
          "origin.x,origin.y,origin.z")                                                                            \
        .by_rows()                                                                                                 \
        .grouped(3, "Vector3"))                                                                                    \
  X(projection, named("Projection", 19),                                                                           \
    reals("x.x,x.y,x.z,x.w,y.x,y.y,y.z,y.w,z.x,z.y,z.z,z.w,w.x,w.y,w.z,w.w").grouped(4, "Vector4").common())       \
  X(color, named("Color", 20, 14, 14), singles("r,g,b,a"))                                                         \
  X(string_name, named("StringName", 21), read_as(BodyFormat::string_name))                                        \
  X(node_path, named("NodePath", 22, 15, 15), read_as(BodyFormat::node_path))                                      \
  X(rid, named("RID", 23, 16, 16), read_as(BodyFormat::rid).common().surprising(handle))                           \
  X(object, named("Object", 24, 17, 17), read_as(BodyFormat::object, object_id).surprising(handle))                \
  X(callable, named("Callable", 25), nothing("Callable()").surprising(rare))                                       \
  X(signal, named("Signal", 26), read_as(BodyFormat::signal).surprising(rare))                                     \
  X(dictionary, named("Dictionary", 27, 18, 18), read_as(BodyFormat::dictionary, key_and_value_types))             \
  X(array, named("Array", 28, 19, 19), read_as(BodyFormat::array, element_type))                                   \
  X(packed_byte_array, named("PackedByteArray", "PoolByteArray", 29, 20, 20),                                      \
    packed(BodyFormat::packed_bytes, NumberKind::uint8, Type::integer).common())                                   \
  X(packed_int32_array, named("PackedInt32Array", "PoolIntArray", 30, 21, 21),                                     \
    packed(BodyFormat::packed_numbers, NumberKind::int32, Type::integer))                                          \
  X(packed_int64_array, named("PackedInt64Array", 31, absent, 22),                                                 \
    packed(BodyFormat::packed_numbers, NumberKind::int64, Type::integer))                                          \
  X(packed_float32_array, named("PackedFloat32Array", "PoolRealArray", 32, 22, 23),                                \
    packed(BodyFormat::packed_numbers, NumberKind::float32, Type::real))                                           \
  X(packed_float64_array, named("PackedFloat64Array", 33, absent, 24),                                             \
    packed(BodyFormat::packed_numbers, NumberKind::float64, Type::real))                                           \
  X(packed_string_array, named("PackedStringArray", "PoolStringArray", 34, 23, 25),                                \
    packed(BodyFormat::packed_strings, NumberKind::uint8, Type::string))                                           \
  X(packed_vector2_array, named("PackedVector2Array", "PoolVector2Array", 35, 24, 26),                             \
    packed(BodyFormat::packed_numbers, NumberKind::float32, Type::vector2, wide_reals))                            \
  X(packed_vector3_array, named("PackedVector3Array", "PoolVector3Array", 36, 25, 27),                             \
    packed(BodyFormat::packed_numbers, NumberKind::float32, Type::vector3, wide_reals))                            \
  X(packed_color_array, named("PackedColorArray", "PoolColorArray", 37, 26, 28),                                   \
    packed(BodyFormat::packed_numbers, NumberKind::float32, Type::color))                                          \
  X(packed_vector4_array, named("PackedVector4Array", 38),                                                         \
    packed(BodyFormat::packed_numbers, NumberKind::float32, Type::vector4, wide_reals))

/// The types of all dialects. A type with different names in two dialects is one enumerator, for example Quat and
/// Quaternion, or PoolIntArray and PackedInt32Array.
enum class Type : std::uint8_t {
#define GODOT_TYPE(id, names, shape) id,
  GODOT_VARIANT_TYPES(GODOT_TYPE)
#undef GODOT_TYPE
};

struct TypeTraits {
  TypeNames names;
  TypeShape shape;
};

inline constexpr auto type_table = [] {
  using namespace rows;
  auto table = std::to_array<TypeTraits>({
#define GODOT_TYPE(id, names, shape) {names, shape},
      GODOT_VARIANT_TYPES(GODOT_TYPE)
#undef GODOT_TYPE
  });
  std::size_t next_field = std::size(named_fields);
  for (TypeTraits &row : table) {
    row.shape.first_component = static_cast<VariantField>(next_field);
    next_field += row.shape.component_count;
  }
  return table;
}();

inline constexpr std::size_t type_count = type_table.size();

[[nodiscard]] constexpr const TypeShape &shape_of(Type type) {
  return type_table[static_cast<std::size_t>(type)].shape;
}

/// Returns the type of each element of a packed array (vector2 for a PackedVector2Array); any other type unchanged.
[[nodiscard]] constexpr Type packed_element_type(Type type) {
  const std::uint8_t element = shape_of(type).element_type;
  return element == TypeShape::no_element ? type : static_cast<Type>(element);
}

[[nodiscard]] constexpr bool is_packed(Type type) { return shape_of(type).element_type != TypeShape::no_element; }

/// Returns the script position of the component at wire position @p index. The wire contains the rows of a basis, but a
/// script sees its columns, the axes (core/io/marshalls.cpp, BASIS). The function is its own inverse.
[[nodiscard]] constexpr std::size_t script_index(const TypeShape &shape, std::size_t index) {
  constexpr std::size_t rows = 3;
  return shape.is_sent_by_rows && index < rows * rows ? index % rows * rows + index / rows : index;
}

/// Returns the field of the component at wire position @p index.
/// @param index less than component_count
[[nodiscard]] constexpr VariantField component_field(Type type, std::size_t index) {
  const TypeShape &shape = shape_of(type);
  return static_cast<VariantField>(static_cast<std::size_t>(shape.first_component) + script_index(shape, index));
}

inline constexpr std::size_t field_count =
    static_cast<std::size_t>(type_table.back().shape.first_component) + type_table.back().shape.component_count;

/// By VariantField.
inline constexpr auto field_infos = [] {
  constexpr FieldKind kinds[] = {FieldKind::uint8, FieldKind::int32, FieldKind::int64, FieldKind::real,
                                 FieldKind::real};  // in the order of NumberKind
  std::array<FieldInfo, field_count> infos{};
  auto next = std::ranges::copy(named_fields, infos.begin()).out;
  for (const TypeTraits &row : type_table) {
    std::string_view names = row.shape.component_names;
    for (std::size_t i = 0; i < row.shape.component_count; ++i) {
      const std::size_t end = std::min(names.find(','), names.size());
      const FieldKind kind = kinds[static_cast<std::size_t>(row.shape.number_kind)];
      *next++ = {names.substr(0, end), kind, "", row.names.names[0]};
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  return infos;
}();

[[nodiscard]] constexpr const FieldInfo &field_info(VariantField field) {
  return field_infos[static_cast<std::size_t>(field)];
}

/// Returns the full name of a field: "string.length" or "vector2.x". In display filters, it has the prefix "godot.".
[[nodiscard]] inline std::string field_name(VariantField field) {
  const FieldInfo &info = field_info(field);
  std::string name(info.component_of_type);
  for (char &c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return name.append(name.empty() ? "" : ".").append(info.name);
}

[[nodiscard]] constexpr std::size_t number_size(NumberKind kind) {
  constexpr std::uint8_t sizes[] = {1, 4, 8, 4, 8};  // in the order of NumberKind
  return sizes[static_cast<std::size_t>(kind)];
}

}  // namespace godot_codec
