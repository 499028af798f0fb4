// SPDX-License-Identifier: MIT
/// @file
/// The one walker of serialized Variants: bytes in, events with offsets out.
///
/// A Variant is a u32 header (type number in bits 0-7, flags from bit 16), then the value; everything is
/// little-endian and padded to 4 bytes. Rules: Godot's core/io/marshalls.cpp, decode_variant().
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include "godot-codec/core/bytes.h"
#include "godot-codec/variant/dialect.h"

namespace godot_codec {

/// Header bit 16 of a number, of an Object, and, in Godot 4, of what holds reals.
inline constexpr std::uint32_t header_flag_wide = 1U << 16;
inline constexpr std::uint32_t header_flag_object_id = 1U << 16;
/// Header bits 16-17 of an Array: how its elements' type is given; 16-17 and 18-19 of a Dictionary: its keys', values'.
inline constexpr std::uint32_t header_mask_types = 0xfU << 16;

/// What a field's value is, and so which member of Event holds it.
enum class FieldKind : std::uint8_t {
  boolean,       ///< Event::integer, 0 or 1
  int32,         ///< Event::integer
  int64,         ///< Event::integer
  uint32,        ///< Event::integer
  uint64,        ///< Event::integer, to be read as unsigned
  real,          ///< Event::real
  text,          ///< Event::text, UTF-8 as sent: it may be invalid, and hold control characters
  opaque_bytes,  ///< Event::text, raw bytes
};

// Every field of a Variant: enumerator, name, kind, description. The components of a type stand in the order in
// which a script writes them, which is not always that of the wire.
#define GODOT_VARIANT_FIELDS(X)                                                                                 \
  X(boolean, "bool", boolean, "A bool")                                                                         \
  X(integer, "int", int64, "An int, or an element of a packed array of them")                                   \
  X(real, "float", real, "A float, or an element of a packed array of them")                                    \
  X(string, "string", text, "Text of a String, or of an element of a packed array of them")                     \
  X(string_name, "string_name", text, "Text of a StringName")                                                   \
  X(node_path, "node_path", text, "A NodePath as a script writes it")                                           \
  X(string_length, "string.length", uint32, "Bytes of the text that follows, without its padding")              \
  X(padding, "padding", opaque_bytes, "What fills a text or byte array up to a multiple of 4 bytes")            \
  X(node_path_name_count, "node_path.name_count", uint32, "Names of the nodes on the path")                     \
  X(node_path_subname_count, "node_path.subname_count", uint32, "Names of properties behind the path's colons") \
  X(node_path_flags, "node_path.flags", uint32, "Bit 0: absolute; bit 1: an obsolete form")                     \
  X(node_path_name, "node_path.name", text, "One node's name on a path")                                        \
  X(node_path_subname, "node_path.subname", text, "One property's name behind a path's colon")                  \
  X(vector2_x, "vector2.x", real, "Component x of a Vector2")                                                   \
  X(vector2_y, "vector2.y", real, "Component y of a Vector2")                                                   \
  X(vector2i_x, "vector2i.x", int32, "Component x of a Vector2i")                                               \
  X(vector2i_y, "vector2i.y", int32, "Component y of a Vector2i")                                               \
  X(rect2_position_x, "rect2.position.x", real, "Left edge of a Rect2")                                         \
  X(rect2_position_y, "rect2.position.y", real, "Top edge of a Rect2")                                          \
  X(rect2_size_x, "rect2.size.x", real, "Width of a Rect2")                                                     \
  X(rect2_size_y, "rect2.size.y", real, "Height of a Rect2")                                                    \
  X(rect2i_position_x, "rect2i.position.x", int32, "Left edge of a Rect2i")                                     \
  X(rect2i_position_y, "rect2i.position.y", int32, "Top edge of a Rect2i")                                      \
  X(rect2i_size_x, "rect2i.size.x", int32, "Width of a Rect2i")                                                 \
  X(rect2i_size_y, "rect2i.size.y", int32, "Height of a Rect2i")                                                \
  X(vector3_x, "vector3.x", real, "Component x of a Vector3")                                                   \
  X(vector3_y, "vector3.y", real, "Component y of a Vector3")                                                   \
  X(vector3_z, "vector3.z", real, "Component z of a Vector3")                                                   \
  X(vector3i_x, "vector3i.x", int32, "Component x of a Vector3i")                                               \
  X(vector3i_y, "vector3i.y", int32, "Component y of a Vector3i")                                               \
  X(vector3i_z, "vector3i.z", int32, "Component z of a Vector3i")                                               \
  X(transform2d_x_x, "transform2d.x.x", real, "x of the x axis of a Transform2D")                               \
  X(transform2d_x_y, "transform2d.x.y", real, "y of the x axis of a Transform2D")                               \
  X(transform2d_y_x, "transform2d.y.x", real, "x of the y axis of a Transform2D")                               \
  X(transform2d_y_y, "transform2d.y.y", real, "y of the y axis of a Transform2D")                               \
  X(transform2d_origin_x, "transform2d.origin.x", real, "x of the origin of a Transform2D")                     \
  X(transform2d_origin_y, "transform2d.origin.y", real, "y of the origin of a Transform2D")                     \
  X(vector4_x, "vector4.x", real, "Component x of a Vector4")                                                   \
  X(vector4_y, "vector4.y", real, "Component y of a Vector4")                                                   \
  X(vector4_z, "vector4.z", real, "Component z of a Vector4")                                                   \
  X(vector4_w, "vector4.w", real, "Component w of a Vector4")                                                   \
  X(vector4i_x, "vector4i.x", int32, "Component x of a Vector4i")                                               \
  X(vector4i_y, "vector4i.y", int32, "Component y of a Vector4i")                                               \
  X(vector4i_z, "vector4i.z", int32, "Component z of a Vector4i")                                               \
  X(vector4i_w, "vector4i.w", int32, "Component w of a Vector4i")                                               \
  X(plane_normal_x, "plane.normal.x", real, "x of the normal of a Plane")                                       \
  X(plane_normal_y, "plane.normal.y", real, "y of the normal of a Plane")                                       \
  X(plane_normal_z, "plane.normal.z", real, "z of the normal of a Plane")                                       \
  X(plane_d, "plane.d", real, "Distance of a Plane from the origin, along its normal")                          \
  X(quaternion_x, "quaternion.x", real, "Imaginary component i of a Quaternion")                                \
  X(quaternion_y, "quaternion.y", real, "Imaginary component j of a Quaternion")                                \
  X(quaternion_z, "quaternion.z", real, "Imaginary component k of a Quaternion")                                \
  X(quaternion_w, "quaternion.w", real, "Real component of a Quaternion")                                       \
  X(aabb_position_x, "aabb.position.x", real, "x of the smallest corner of an AABB")                            \
  X(aabb_position_y, "aabb.position.y", real, "y of the smallest corner of an AABB")                            \
  X(aabb_position_z, "aabb.position.z", real, "z of the smallest corner of an AABB")                            \
  X(aabb_size_x, "aabb.size.x", real, "Extent of an AABB along x")                                              \
  X(aabb_size_y, "aabb.size.y", real, "Extent of an AABB along y")                                              \
  X(aabb_size_z, "aabb.size.z", real, "Extent of an AABB along z")                                              \
  X(basis_x_x, "basis.x.x", real, "x of the x axis of a Basis")                                                 \
  X(basis_x_y, "basis.x.y", real, "y of the x axis of a Basis")                                                 \
  X(basis_x_z, "basis.x.z", real, "z of the x axis of a Basis")                                                 \
  X(basis_y_x, "basis.y.x", real, "x of the y axis of a Basis")                                                 \
  X(basis_y_y, "basis.y.y", real, "y of the y axis of a Basis")                                                 \
  X(basis_y_z, "basis.y.z", real, "z of the y axis of a Basis")                                                 \
  X(basis_z_x, "basis.z.x", real, "x of the z axis of a Basis")                                                 \
  X(basis_z_y, "basis.z.y", real, "y of the z axis of a Basis")                                                 \
  X(basis_z_z, "basis.z.z", real, "z of the z axis of a Basis")                                                 \
  X(transform3d_basis_x_x, "transform3d.basis.x.x", real, "x of the x axis of a Transform3D")                   \
  X(transform3d_basis_x_y, "transform3d.basis.x.y", real, "y of the x axis of a Transform3D")                   \
  X(transform3d_basis_x_z, "transform3d.basis.x.z", real, "z of the x axis of a Transform3D")                   \
  X(transform3d_basis_y_x, "transform3d.basis.y.x", real, "x of the y axis of a Transform3D")                   \
  X(transform3d_basis_y_y, "transform3d.basis.y.y", real, "y of the y axis of a Transform3D")                   \
  X(transform3d_basis_y_z, "transform3d.basis.y.z", real, "z of the y axis of a Transform3D")                   \
  X(transform3d_basis_z_x, "transform3d.basis.z.x", real, "x of the z axis of a Transform3D")                   \
  X(transform3d_basis_z_y, "transform3d.basis.z.y", real, "y of the z axis of a Transform3D")                   \
  X(transform3d_basis_z_z, "transform3d.basis.z.z", real, "z of the z axis of a Transform3D")                   \
  X(transform3d_origin_x, "transform3d.origin.x", real, "x of the origin of a Transform3D")                     \
  X(transform3d_origin_y, "transform3d.origin.y", real, "y of the origin of a Transform3D")                     \
  X(transform3d_origin_z, "transform3d.origin.z", real, "z of the origin of a Transform3D")                     \
  X(projection_x_x, "projection.x.x", real, "x of the x column of a Projection")                                \
  X(projection_x_y, "projection.x.y", real, "y of the x column of a Projection")                                \
  X(projection_x_z, "projection.x.z", real, "z of the x column of a Projection")                                \
  X(projection_x_w, "projection.x.w", real, "w of the x column of a Projection")                                \
  X(projection_y_x, "projection.y.x", real, "x of the y column of a Projection")                                \
  X(projection_y_y, "projection.y.y", real, "y of the y column of a Projection")                                \
  X(projection_y_z, "projection.y.z", real, "z of the y column of a Projection")                                \
  X(projection_y_w, "projection.y.w", real, "w of the y column of a Projection")                                \
  X(projection_z_x, "projection.z.x", real, "x of the z column of a Projection")                                \
  X(projection_z_y, "projection.z.y", real, "y of the z column of a Projection")                                \
  X(projection_z_z, "projection.z.z", real, "z of the z column of a Projection")                                \
  X(projection_z_w, "projection.z.w", real, "w of the z column of a Projection")                                \
  X(projection_w_x, "projection.w.x", real, "x of the w column of a Projection")                                \
  X(projection_w_y, "projection.w.y", real, "y of the w column of a Projection")                                \
  X(projection_w_z, "projection.w.z", real, "z of the w column of a Projection")                                \
  X(projection_w_w, "projection.w.w", real, "w of the w column of a Projection")                                \
  X(color_r, "color.r", real, "Red, 1.0 at full intensity")                                                     \
  X(color_g, "color.g", real, "Green, 1.0 at full intensity")                                                   \
  X(color_b, "color.b", real, "Blue, 1.0 at full intensity")                                                    \
  X(color_a, "color.a", real, "Alpha, 1.0 where opaque")                                                        \
  X(rid, "rid", uint64, "Number of a RID")                                                                      \
  X(object_id, "object.id", int64, "Instance id of an Object, as get_instance_id() prints it")                  \
  X(object_class, "object.class", text, "Class of an Object sent in full; empty of a null one")                 \
  X(object_property_count, "object.property_count", uint32, "Properties of an Object sent in full")             \
  X(object_property, "object.property", text, "Name of the property whose value follows")                       \
  X(signal_name, "signal.name", text, "Name of a Signal")                                                       \
  X(signal_object_id, "signal.object_id", int64, "Instance id of the Object that has a Signal")                 \
  X(count, "count", uint32, "Elements of an Array, a Dictionary or a packed array")                             \
  X(shared, "shared", boolean, "Bit 31 of the count, which engines ignore")                                     \
  X(element_type, "element_type", text, "Type, class or script of a typed Array's elements")                    \
  X(key_type, "key_type", text, "Type, class or script of a typed Dictionary's keys")                           \
  X(value_type, "value_type", text, "Type, class or script of a typed Dictionary's values")                     \
  X(bytes, "bytes", opaque_bytes, "What a PackedByteArray holds")

/// A leaf of a serialized Variant.
enum class Field : std::uint8_t {
#define GODOT_FIELD(id, name, kind, description) id,
  GODOT_VARIANT_FIELDS(GODOT_FIELD)
#undef GODOT_FIELD
};

/// How a Field is presented. The name is what stands behind "godot." in a display filter.
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

[[nodiscard]] constexpr const FieldInfo &field_info(Field field) {
  return field_infos[static_cast<std::size_t>(field)];
}

/// What a value is to the one that holds it.
enum class Role : std::uint8_t {
  root,
  element,   ///< of an Array, or of a packed array of vectors or colors
  key,       ///< of a Dictionary
  value,     ///< of a Dictionary
  property,  ///< of an Object sent in full
};

/// Oddities: readable, but worth a word.
enum class Note : std::uint8_t {
  header_bits,       ///< header bits are set that the engine ignores
  bool_value,        ///< a bool is neither 0 nor 1; the engine reads true
  padding,           ///< padding is not zero; the engine never looks
  missing_padding,   ///< a PackedByteArray ends the packet unpadded; Event::integer is how many bytes are missing
  invalid_utf8,      ///< the engine refuses the value
  old_node_path,     ///< the NodePath format of Godot 2; engines of today refuse it
  obsolete_subname,  ///< NodePath flag bit 1: one more sub-name than counted
  negative_count,    ///< a count with bit 31 set where it is not a flag; the engine reads none
  full_object,       ///< the engine refuses it unless told to allow objects
  nesting,           ///< deeper than the engine allows
};

inline constexpr std::size_t note_count = static_cast<std::size_t>(Note::nesting) + 1;

/// A set of notes.
class NoteSet {
 public:
  constexpr NoteSet() = default;
  constexpr NoteSet(std::initializer_list<Note> notes) {
    for (const Note note : notes) add(note);
  }
  constexpr void add(Note note) { bits_ |= bit(note); }
  [[nodiscard]] constexpr bool has(Note note) const { return (bits_ & bit(note)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool intersects(NoteSet other) const { return (bits_ & other.bits_) != 0; }

 private:
  static constexpr std::uint32_t bit(Note note) { return 1U << static_cast<unsigned>(note); }
  std::uint32_t bits_ = 0;
};

/// The notes of which any makes Godot 4.6's bytes_to_var() refuse the whole value.
inline constexpr NoteSet refused_notes{Note::invalid_utf8, Note::old_node_path, Note::full_object, Note::nesting};

/// The notes of what no engine writes. (A full Object it does, when it is told to.)
inline constexpr NoteSet never_sent_notes{Note::header_bits,      Note::bool_value,     Note::padding,
                                          Note::missing_padding,  Note::invalid_utf8,   Note::old_node_path,
                                          Note::obsolete_subname, Note::negative_count, Note::nesting};

/// Values that the engine lets lie around one another (Variant::MAX_RECURSION_DEPTH): a Note beyond it.
inline constexpr std::uint32_t engine_max_nesting = 1024;

/// Named limits of a walk.
struct Limits {
  /// Values around one another that are walked; Outcome::over_limit beyond. At most max_nesting.
  std::uint32_t nesting = max_nesting;

  static constexpr std::uint32_t max_nesting = 4096;
};

/// One thing that the walker met. Plain data: it may be copied, and jumped over by longjmp.
struct Event {
  enum class Kind : std::uint8_t {
    begin_value,  ///< range: the header. type, text (the type's name in the dialect), header, role, index, depth
    end_value,    ///< range: the whole value, or what could be read of it. type, header, role, index, depth
    begin_entry,  ///< of a Dictionary, or an element of a packed array of vectors. range: its start, length 0
    end_entry,    ///< range: the whole entry
    field,        ///< range: exactly its bytes. field, index, and a value by its FieldKind
    note,         ///< range: the bytes it is about. note
  };

  Kind kind = Kind::field;
  Type type = Type::nil;   ///< of the value begun, ended, or being read
  Role role = Role::root;  ///< of the value begun or ended; of an entry: value (Dictionary) or element
  Field field = Field::boolean;
  Note note = Note::header_bits;
  bool is_single = false;    ///< a real had 32 bits: its shortest text is that of a float
  std::uint32_t index = 0;   ///< of an element, entry or property in what holds it, from 0
  std::uint32_t depth = 0;   ///< values around this one; 0 at the root
  std::uint32_t header = 0;  ///< the header word
  Range range;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;  ///< into the walked bytes, or a static string
};
static_assert(std::is_trivially_destructible_v<Event>);

/// What a sink wants next.
enum class Verdict : std::uint8_t {
  proceed,
  skip,  ///< nothing more of the innermost open value but its end_value; its bytes are still checked. No answer to an
         ///< end_value
  stop,  ///< no further event at all; the walk ends at once
};

/// Receives the events of a walk, in the order of the bytes.
///
/// Every begin is followed by its end, after a failure too, unless the sink stops the walk.
/// Not owned by anybody through this interface, hence the protected destructor, which keeps sinks
/// trivially destructible.
class VariantSink {
 public:
  virtual Verdict on_event(const Event &event) = 0;

 protected:
  ~VariantSink() = default;
};

struct WalkOptions {
  Dialect dialect = Dialect::godot4;
  bool double_reals = false;  ///< reals have 64 bits with no flag, as the documentation says of double-precision builds
  Limits limits;
  bool compact = false;  ///< the value at the root is in the compact form of Godot 4's multiplayer
};

struct WalkResult {
  Outcome outcome = Outcome::ok;
  bool stopped = false;    ///< the sink said so
  std::size_t offset = 0;  ///< where the walk ended: behind the value, or at what could not be read
  NoteSet notes;           ///< all notes met, told to the sink or not
};

/// Walks the one Variant that starts at @p offset. Allocates nothing, does not recurse, and needs time in
/// proportion to the bytes. Bytes behind the value are not looked at.
WalkResult walk_variant(Bytes bytes, std::size_t offset, const WalkOptions &options, VariantSink &sink);

/// Walks the one compact Variant that starts at @p offset: a bool or an int whose header is one byte (type in bits
/// 0-5; bool: its value in bit 7, where the field lies, too; int: its size in bits 6-7, then 1, 2, 4 or 8 bytes), or
/// any other value as usual. The same as walk_variant() with WalkOptions::compact. Event::header of a one-byte header
/// is the type number alone. Rules: Godot 4's MultiplayerAPI::decode_and_decompress_variant().
WalkResult walk_compact_variant(Bytes bytes, std::size_t offset, WalkOptions options, VariantSink &sink);

/// The header bits from 16 up that mean something to a type; others are ignored (Note::header_bits).
[[nodiscard]] std::uint32_t known_header_flags(Type type, Dialect dialect);

/// The type of which each element of a packed array is (vector2 of a PackedVector2Array); other types as they are.
[[nodiscard]] Type packed_element(Type type);

[[nodiscard]] constexpr bool is_packed(Type type) {
  return type >= Type::packed_byte_array && type <= Type::packed_vector4_array;
}

/// The components of a type of fixed layout (vectors, colors, matrices), in the order of the wire.
/// Empty of other types.
[[nodiscard]] std::span<const Field> components(Type type);

/// Bytes of the well-formed UTF-8 sequence (Unicode, table 3-7) that @p text begins with; 0 where there is none.
[[nodiscard]] std::size_t utf8_sequence_length(std::string_view text);

/// Whether text is well-formed UTF-8 throughout: no surrogates, nothing over-long.
[[nodiscard]] bool is_valid_utf8(std::string_view text);

}  // namespace godot_codec
