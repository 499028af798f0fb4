// SPDX-License-Identifier: MIT
// The walker with handmade bytes: every type of every dialect, every flag, every prefix, every action.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "events.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/variant_walker.h"

namespace godot_codec::test {
namespace {

constexpr std::uint32_t flag_wide = 0x10000;  // header bit 16
constexpr std::int64_t some_id = -9223372012394413809;

// --- Types and their numbers -----------------------------------------------------------------------------------

constexpr int absent = -1;

struct TypeNumbers {
  Type type;
  int numbers[dialect_count];  // type ids in Godot 4, in Godot 3, and in the documentation's table
  const char *names[dialect_count];
};

constexpr TypeNumbers type_numbers[] = {
    {Type::nil, {0, 0, 0}, {"Nil", "Nil", "Nil"}},
    {Type::boolean, {1, 1, 1}, {"bool", "bool", "bool"}},
    {Type::integer, {2, 2, 2}, {"int", "int", "int"}},
    {Type::real, {3, 3, 3}, {"float", "float", "float"}},
    {Type::string, {4, 4, 4}, {"String", "String", "String"}},
    {Type::vector2, {5, 5, 5}, {"Vector2", "Vector2", "Vector2"}},
    {Type::vector2i, {6, absent, absent}, {"Vector2i", "", ""}},
    {Type::rect2, {7, 6, 6}, {"Rect2", "Rect2", "Rect2"}},
    {Type::rect2i, {8, absent, absent}, {"Rect2i", "", ""}},
    {Type::vector3, {9, 7, 7}, {"Vector3", "Vector3", "Vector3"}},
    {Type::vector3i, {10, absent, absent}, {"Vector3i", "", ""}},
    {Type::transform2d, {11, 8, 8}, {"Transform2D", "Transform2D", "Transform2D"}},
    {Type::vector4, {12, absent, absent}, {"Vector4", "", ""}},
    {Type::vector4i, {13, absent, absent}, {"Vector4i", "", ""}},
    {Type::plane, {14, 9, 9}, {"Plane", "Plane", "Plane"}},
    {Type::quaternion, {15, 10, 10}, {"Quaternion", "Quat", "Quaternion"}},
    {Type::aabb, {16, 11, 11}, {"AABB", "AABB", "AABB"}},
    {Type::basis, {17, 12, 12}, {"Basis", "Basis", "Basis"}},
    {Type::transform3d, {18, 13, 13}, {"Transform3D", "Transform", "Transform3D"}},
    {Type::projection, {19, absent, absent}, {"Projection", "", ""}},
    {Type::color, {20, 14, 14}, {"Color", "Color", "Color"}},
    {Type::string_name, {21, absent, absent}, {"StringName", "", ""}},
    {Type::node_path, {22, 15, 15}, {"NodePath", "NodePath", "NodePath"}},
    {Type::rid, {23, 16, 16}, {"RID", "RID", "RID"}},
    {Type::object, {24, 17, 17}, {"Object", "Object", "Object"}},
    {Type::callable, {25, absent, absent}, {"Callable", "", ""}},
    {Type::signal, {26, absent, absent}, {"Signal", "", ""}},
    {Type::dictionary, {27, 18, 18}, {"Dictionary", "Dictionary", "Dictionary"}},
    {Type::array, {28, 19, 19}, {"Array", "Array", "Array"}},
    {Type::packed_byte_array, {29, 20, 20}, {"PackedByteArray", "PoolByteArray", "PackedByteArray"}},
    {Type::packed_int32_array, {30, 21, 21}, {"PackedInt32Array", "PoolIntArray", "PackedInt32Array"}},
    {Type::packed_int64_array, {31, absent, 22}, {"PackedInt64Array", "", "PackedInt64Array"}},
    {Type::packed_float32_array, {32, 22, 23}, {"PackedFloat32Array", "PoolRealArray", "PackedFloat32Array"}},
    {Type::packed_float64_array, {33, absent, 24}, {"PackedFloat64Array", "", "PackedFloat64Array"}},
    {Type::packed_string_array, {34, 23, 25}, {"PackedStringArray", "PoolStringArray", "PackedStringArray"}},
    {Type::packed_vector2_array, {35, 24, 26}, {"PackedVector2Array", "PoolVector2Array", "PackedVector2Array"}},
    {Type::packed_vector3_array, {36, 25, 27}, {"PackedVector3Array", "PoolVector3Array", "PackedVector3Array"}},
    {Type::packed_color_array, {37, 26, 28}, {"PackedColorArray", "PoolColorArray", "PackedColorArray"}},
    {Type::packed_vector4_array, {38, absent, absent}, {"PackedVector4Array", "", ""}},
};

std::size_t at(Dialect dialect) { return static_cast<std::size_t>(dialect); }

const TypeNumbers &numbers_of(Type type) { return type_numbers[static_cast<std::size_t>(type)]; }

bool has(Dialect dialect, Type type) { return numbers_of(type).numbers[at(dialect)] != absent; }

std::uint32_t number(Dialect dialect, Type type) {
  return static_cast<std::uint32_t>(numbers_of(type).numbers[at(dialect)]);
}

TEST(VariantDialect, TypeNumbersAndNamesMatchEnginesAndDocumentation) {
  for (const Dialect dialect : all_dialects) {
    const DialectTable &table = dialect_table(dialect);
    const auto is_in = [dialect](const TypeNumbers &row) { return has(dialect, row.type); };
    ASSERT_EQ(table.types.size(), static_cast<std::size_t>(std::ranges::count_if(type_numbers, is_in)));
    for (const TypeNumbers &row : type_numbers) {
      EXPECT_EQ(type_name(dialect, row.type), row.names[at(dialect)]);
      if (!has(dialect, row.type)) continue;
      EXPECT_EQ(table.types[number(dialect, row.type)].type, row.type) << row.names[at(dialect)];
      EXPECT_EQ(table.types[number(dialect, row.type)].name, row.names[at(dialect)]);
    }
  }
  EXPECT_EQ(dialect_table(Dialect::godot4).name, "Godot 4");
  EXPECT_EQ(dialect_table(Dialect::godot3).name, "Godot 3");
  EXPECT_EQ(dialect_table(Dialect::docs).name, "docs table");
}

TEST(VariantDialect, SetContainsTheAddedDialects) {
  DialectSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(first_dialect(set), Dialect::godot4);
  set.add(Dialect::docs);
  EXPECT_FALSE(set.empty());
  EXPECT_FALSE(set.has(Dialect::godot4));
  EXPECT_EQ(first_dialect(set), Dialect::docs);
  set.add(Dialect::godot3);
  EXPECT_EQ(first_dialect(set), Dialect::godot3);
  EXPECT_EQ(set & every_dialect, set);
  EXPECT_TRUE((set & DialectSet()).empty());
  set.add(Dialect::godot4);
  EXPECT_EQ(set, every_dialect);
}

// --- Fields ----------------------------------------------------------------------------------------------------

TEST(VariantField, NamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < field_count; ++i) {
    EXPECT_TRUE(names.insert(field_name(static_cast<VariantField>(i))).second) << i;
    EXPECT_NE(field_infos[i].description.empty(), field_infos[i].component_of_type.empty()) << i;
  }
}

/// How the numbers of a type with a fixed layout are sent.
enum class Number { real, always_single, int32 };

struct Layout {
  Type type;
  Number number;
  const char *fields;  // in wire order
};

#define BASIS(prefix)                                                                                      \
  prefix "x.x " prefix "y.x " prefix "z.x " prefix "x.y " prefix "y.y " prefix "z.y " prefix "x.z " prefix \
         "y.z " prefix "z.z"

constexpr Layout layouts[] = {
    {Type::vector2, Number::real, "vector2.x vector2.y"},
    {Type::vector2i, Number::int32, "vector2i.x vector2i.y"},
    {Type::rect2, Number::real, "rect2.position.x rect2.position.y rect2.size.x rect2.size.y"},
    {Type::rect2i, Number::int32, "rect2i.position.x rect2i.position.y rect2i.size.x rect2i.size.y"},
    {Type::vector3, Number::real, "vector3.x vector3.y vector3.z"},
    {Type::vector3i, Number::int32, "vector3i.x vector3i.y vector3i.z"},
    {Type::transform2d, Number::real,
     "transform2d.x.x transform2d.x.y transform2d.y.x transform2d.y.y transform2d.origin.x transform2d.origin.y"},
    {Type::vector4, Number::real, "vector4.x vector4.y vector4.z vector4.w"},
    {Type::vector4i, Number::int32, "vector4i.x vector4i.y vector4i.z vector4i.w"},
    {Type::plane, Number::real, "plane.normal.x plane.normal.y plane.normal.z plane.d"},
    {Type::quaternion, Number::real, "quaternion.x quaternion.y quaternion.z quaternion.w"},
    {Type::aabb, Number::real, "aabb.position.x aabb.position.y aabb.position.z aabb.size.x aabb.size.y aabb.size.z"},
    {Type::basis, Number::real, BASIS("basis.")},
    {Type::transform3d, Number::real,
     BASIS("transform3d.basis.") " transform3d.origin.x transform3d.origin.y transform3d.origin.z"},
    {Type::projection, Number::real,
     "projection.x.x projection.x.y projection.x.z projection.x.w projection.y.x projection.y.y projection.y.z "
     "projection.y.w projection.z.x projection.z.y projection.z.z projection.z.w projection.w.x projection.w.y "
     "projection.w.z projection.w.w"},
    {Type::color, Number::always_single, "color.r color.g color.b color.a"},
};

std::vector<std::string> words(const char *text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(VariantField, ComponentsAreInWireOrder) {
  for (const TypeNumbers &row : type_numbers) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shape_of(row.type).component_count; ++i) {
      names.push_back(field_name(component_field(row.type, i)));
    }
    std::vector<std::string> expected;
    for (const Layout &layout : layouts) {
      if (layout.type == row.type) expected = words(layout.fields);
    }
    EXPECT_EQ(names, expected) << row.names[0];
  }
}

TEST(VariantField, PackedArraysHaveElementTypes) {
  constexpr std::pair<Type, Type> elements[] = {
      {Type::packed_byte_array, Type::integer},    {Type::packed_int32_array, Type::integer},
      {Type::packed_int64_array, Type::integer},   {Type::packed_float32_array, Type::real},
      {Type::packed_float64_array, Type::real},    {Type::packed_string_array, Type::string},
      {Type::packed_vector2_array, Type::vector2}, {Type::packed_vector3_array, Type::vector3},
      {Type::packed_color_array, Type::color},     {Type::packed_vector4_array, Type::vector4}};
  for (const auto &[array, element] : elements) {
    EXPECT_TRUE(is_packed(array));
    EXPECT_EQ(packed_element_type(array), element);
  }
  for (const Type type : {Type::nil, Type::vector2, Type::string, Type::dictionary, Type::array}) {
    EXPECT_FALSE(is_packed(type));
    EXPECT_EQ(packed_element_type(type), type);
  }
}

TEST(VariantField, HeaderFlagsDependOnTheType) {
  EXPECT_EQ(known_header_flags(Type::dictionary, Dialect::godot4), 0xf0000U);
  EXPECT_EQ(known_header_flags(Type::array, Dialect::godot4), 0x30000U);
  EXPECT_EQ(known_header_flags(Type::vector2, Dialect::godot4), flag_wide);
  EXPECT_EQ(known_header_flags(Type::color, Dialect::godot4), 0U);
  for (const Dialect dialect : all_dialects) {
    for (const Type type : {Type::integer, Type::real, Type::object}) {
      EXPECT_EQ(known_header_flags(type, dialect), flag_wide);
    }
    EXPECT_EQ(known_header_flags(Type::string, dialect), 0U);
    if (dialect == Dialect::godot4) continue;
    for (const Type type : {Type::dictionary, Type::array, Type::vector2, Type::packed_vector3_array}) {
      EXPECT_EQ(known_header_flags(type, dialect), 0U);
    }
  }
}

// --- Test vectors ----------------------------------------------------------------------------------------------

struct TestVector {
  std::string name;
  WalkOptions options;
  Data bytes;
  Lines lines;
  std::size_t optional_tail = 0;  // bytes at the end that may be missing
};

/// Builds the bytes of a Variant together with the expected lines of a walk.
class VectorBuilder {
 public:
  explicit VectorBuilder(Dialect dialect) { options_.dialect = dialect; }

  VectorBuilder &has_double_reals() {
    options_.has_double_reals = true;
    return *this;
  }
  /// Begins a value. @p flags are header bits above the type number.
  VectorBuilder &begin(Type type, std::uint32_t flags = 0, const std::string &place = "root[0] @0") {
    const std::uint32_t header = number(options_.dialect, type) | flags;
    const char *name = numbers_of(type).names[at(options_.dialect)];
    open_.push_back(bytes_.size());
    return line(u32(header), std::string("begin ") + name + ' ' + place + format(" 0x%x", header));
  }
  VectorBuilder &end() {
    const std::size_t start = open_.back();
    open_.pop_back();
    lines_.push_back(std::to_string(start) + '+' + std::to_string(bytes_.size() - start) + " end");
    return *this;
  }
  VectorBuilder &line(const Data &bytes, const std::string &text) {
    last_ = {bytes_.size(), bytes.size()};
    bytes_ += bytes;
    return add(text, last_);
  }
  /// Adds a note about the bytes of the previous line.
  VectorBuilder &note(const std::string &text) { return note(text, last_); }
  VectorBuilder &note(const std::string &text, Range range) { return add("note " + text, range); }
  /// Adds a padded string: length, text (even if empty), and padding if any.
  VectorBuilder &text(const std::string &field, const std::string &value, int index = 0) {
    const std::string brackets = index == 0 ? "" : '[' + std::to_string(index) + ']';
    line(u32(value.size()), "string.length" + brackets + ' ' + std::to_string(value.size()));
    line(raw(value), field + brackets + " \"" + value + '"');
    const std::size_t padding = (4 - value.size() % 4) % 4;
    if (padding != 0) line(little_endian(0, padding), "padding" + brackets + ' ' + std::string(2 * padding, '0'));
    return *this;
  }
  VectorBuilder &count(std::uint32_t value) { return line(u32(value), "count " + std::to_string(value)); }
  VectorBuilder &shared_count(std::uint32_t value) {
    count(value);
    bytes_.bytes.back() |= 0x80;
    return add("shared true", last_);
  }
  /// Adds a complete int.
  VectorBuilder &integer(int value, const std::string &place) {
    return begin(Type::integer, 0, place).line(u32(static_cast<std::uint32_t>(value)), format("int %d", value)).end();
  }
  /// Adds a complete String.
  VectorBuilder &string(const std::string &value, const std::string &place) {
    return begin(Type::string, 0, place).text("string", value).end();
  }

  [[nodiscard]] std::size_t position() const { return bytes_.size(); }
  [[nodiscard]] TestVector named(const std::string &name, std::size_t optional_tail = 0) const {
    static constexpr const char *dialects[] = {"godot4", "godot3", "docs"};
    return {std::string(dialects[at(options_.dialect)]) + "_" + name, options_, bytes_, lines_, optional_tail};
  }

 private:
  VectorBuilder &add(const std::string &text, Range range) {
    lines_.push_back(std::to_string(range.offset) + '+' + std::to_string(range.length) + ' ' + text);
    return *this;
  }

  WalkOptions options_;
  Data bytes_;
  Lines lines_;
  Range last_;
  std::vector<std::size_t> open_;  // offsets of the open values
};

void number_line(VectorBuilder &sketch, const std::string &field, int value, Number kind, bool wide) {
  if (kind == Number::int32) {
    sketch.line(u32(static_cast<std::uint32_t>(value)), field + format(" %d", value));
  } else if (wide && kind == Number::real) {
    sketch.line(f64(value), field + format(" %d", value));
  } else {
    sketch.line(f32(static_cast<float>(value)), field + format(" %df", value));
  }
}

/// Adds every type with a fixed layout, and some packed arrays, in every dialect: with and without header bit 16, and
/// with and without the option for double-precision builds.
void add_fixed_layouts(std::vector<TestVector> &vectors) {
  constexpr std::pair<Type, Type> packed[] = {{Type::vector2, Type::packed_vector2_array},
                                              {Type::vector3, Type::packed_vector3_array},
                                              {Type::vector4, Type::packed_vector4_array},
                                              {Type::color, Type::packed_color_array}};
  for (const Dialect dialect : all_dialects) {
    for (int bits = 0; bits < 4; ++bits) {
      const bool flag = (bits & 1) != 0;
      const bool option = (bits & 2) != 0;
      const bool wide = option || (flag && dialect == Dialect::godot4);
      const std::string suffix = std::string(flag ? "_flag" : "") + (option ? "_option" : "");
      const auto begin = [&](Type type, Number kind) {
        VectorBuilder sketch(dialect);
        if (option) sketch.has_double_reals();
        sketch.begin(type, flag ? flag_wide : 0);
        if (flag && (dialect != Dialect::godot4 || kind != Number::real)) sketch.note("header_bits");
        return sketch;
      };
      for (const Layout &layout : layouts) {
        if (!has(dialect, layout.type)) continue;
        VectorBuilder sketch = begin(layout.type, layout.number);
        int value = 0;
        for (const std::string &field : words(layout.fields)) {
          ++value;
          number_line(sketch, field, value % 2 == 0 ? -value : value, layout.number, wide);
        }
        vectors.push_back(sketch.end().named(numbers_of(layout.type).names[0] + suffix));
      }
      for (const auto &[element, array] : packed) {
        if (!has(dialect, array)) continue;
        const Layout &layout = *std::find_if(std::begin(layouts), std::end(layouts),
                                             [type = element](const Layout &row) { return row.type == type; });
        VectorBuilder sketch = begin(array, layout.number);
        sketch.count(2);
        for (int i = 0; i < 2; ++i) {
          int value = 10 * i;
          for (const std::string &field : words(layout.fields)) {
            number_line(sketch, field + (i == 0 ? "" : format("[%d]", i)), ++value, layout.number, wide);
          }
        }
        vectors.push_back(sketch.end().named(numbers_of(array).names[0] + suffix));
      }
    }
  }
}

/// Nil, bool, int, float, String, StringName, RID, Callable, Signal.
void add_scalars(std::vector<TestVector> &vectors) {
  for (const Dialect dialect : all_dialects) {
    const auto add = [&](const std::string &name, VectorBuilder sketch) {
      vectors.push_back(sketch.end().named(name));
    };
    const auto begin = [&](Type type, std::uint32_t flags = 0) { return VectorBuilder(dialect).begin(type, flags); };
    add("nil", begin(Type::nil));
    add("nil_ignored_bits", begin(Type::nil, 0xffffff00).note("header_bits"));
    add("false", begin(Type::boolean).line(u32(0), "bool false"));
    add("true", begin(Type::boolean).line(u32(1), "bool true"));
    for (const std::uint32_t word : {2U, 0x100U, 0x80000000U}) {
      add(format("bool_%x", word), begin(Type::boolean).line(u32(word), "bool true").note("bool_value"));
    }
    add("int", begin(Type::integer).line(hex("ffffffff"), "int -1"));
    add("int_min", begin(Type::integer).line(hex("00000080"), "int -2147483648"));
    add("int64", begin(Type::integer, flag_wide).line(hex("0000000001000000"), "int 4294967296"));
    add("int64_min", begin(Type::integer, flag_wide).line(hex("0000000000000080"), "int -9223372036854775808"));
    add("int_ignored_bit_17", begin(Type::integer, 0x20000).note("header_bits").line(u32(7), "int 7"));
    add("int_ignored_bit_8", begin(Type::integer, 0x100).note("header_bits").line(u32(7), "int 7"));
    add("float", begin(Type::real).line(hex("0000c03f"), "float 1.5f"));
    add("float64", begin(Type::real, flag_wide).line(hex("000000000000f8bf"), "float -1.5"));
    add("float_tenth", begin(Type::real).line(hex("cdcccc3d"), "float 0.10000000149011612f"));
    add("float_infinity", begin(Type::real).line(hex("0000807f"), "float inff"));
    add("string", begin(Type::string).text("string", "abcde"));
    add("string_empty", begin(Type::string).text("string", ""));
    add("string_no_padding", begin(Type::string).text("string", "abcd"));
    add("string_utf8", begin(Type::string).text("string", "Gr\xc3\xbc\xc3\x9f\x65"));
    add("string_padding_not_zero", begin(Type::string)
                                       .line(u32(2), "string.length 2")
                                       .line(raw("ab"), "string \"ab\"")
                                       .line(hex("00ff"), "padding 00ff")
                                       .note("padding"));
    for (const char *bytes : {"ff", "c3", "eda080", "f4908080", "f5808080", "c080", "80", "61e28261"}) {
      const Data text = hex(bytes);
      const std::string value(text.bytes.begin(), text.bytes.end());
      VectorBuilder sketch = begin(Type::string);
      sketch.line(u32(value.size()), "string.length " + std::to_string(value.size()));
      sketch.line(text, "string \"" + value + '"').note("invalid_utf8");
      if (value.size() < 4) {
        sketch.line(little_endian(0, 4 - value.size()), "padding " + std::string(8 - 2 * value.size(), '0'));
      }
      add(std::string("string_invalid_") + bytes, sketch);
    }
    if (dialect == Dialect::godot4) {
      add("rid", begin(Type::rid).line(u64(5), "rid 5"));
      add("rid_max", begin(Type::rid).line(u64(UINT64_MAX), "rid 18446744073709551615"));
      add("string_name", begin(Type::string_name).text("string_name", "jump!"));
      add("callable", begin(Type::callable));
      add("signal", begin(Type::signal)
                        .text("signal.name", "hit")
                        .line(u64(static_cast<std::uint64_t>(some_id)), "signal.object_id -9223372012394413809"));
    } else {
      add("rid", begin(Type::rid));
    }
  }
  VectorBuilder option(Dialect::docs);  // affects reals, but neither float nor int
  vectors.push_back(option.has_double_reals().begin(Type::real).line(f32(2), "float 2f").end().named("float_option"));
}

void add_node_paths(std::vector<TestVector> &vectors) {
  for (const Dialect dialect : all_dialects) {
    const auto begin = [&](std::uint32_t names, std::uint32_t subnames, std::uint32_t flags) {
      VectorBuilder sketch(dialect);
      sketch.begin(Type::node_path)
          .line(u32(0x80000000 | names), "node_path.name_count " + std::to_string(names))
          .line(u32(subnames), "node_path.subname_count " + std::to_string(subnames))
          .line(u32(flags), "node_path.flags " + std::to_string(flags));
      return sketch;
    };
    const std::string name = "node_path.name";
    const std::string subname = "node_path.subname";
    vectors.push_back(begin(0, 0, 0).end().named("node_path_empty"));
    vectors.push_back(begin(0, 0, 1).end().named("node_path_root"));
    vectors.push_back(begin(2, 0, 0).text(name, "..").text(name, "B", 1).end().named("node_path_relative"));
    vectors.push_back(begin(2, 2, 1)
                          .text(name, "root")
                          .text(name, "World", 1)
                          .text(subname, "position")
                          .text(subname, "x", 1)
                          .end()
                          .named("node_path_absolute"));
    vectors.push_back(begin(0, 1, 0).text(subname, "hp").end().named("node_path_property"));
    vectors.push_back(begin(1, 1, 3)
                          .note("obsolete_subname")
                          .text(name, "A")
                          .text(subname, "b")
                          .text(subname, "c", 1)
                          .end()
                          .named("node_path_obsolete_subname"));
    vectors.push_back(begin(1, 0, 0xfffffffc).text(name, "A").end().named("node_path_unknown_flags"));
    vectors.push_back(VectorBuilder(dialect)
                          .begin(Type::node_path)
                          .line(u32(9), "string.length 9")
                          .line(raw("/root/A:x"), "node_path \"/root/A:x\"")
                          .line(hex("000000"), "padding 000000")
                          .note("old_node_path", {4, 16})
                          .end()
                          .named("node_path_old"));
    vectors.push_back(VectorBuilder(dialect)
                          .begin(Type::node_path)
                          .line(u32(0), "string.length 0")
                          .line({}, "node_path \"\"")
                          .note("old_node_path", {4, 4})
                          .end()
                          .named("node_path_old_empty"));
    VectorBuilder padded_path = begin(1, 0, 0);
    padded_path.line(u32(3), "string.length 3").line(raw("Abc"), "node_path.name \"Abc\"");
    padded_path.line(hex("41"), "padding 41");
    // Godot 3 and 4.0 to 4.5 do not clear the padding of a path, so nonzero padding is normal.
    if (dialect == Dialect::docs) padded_path.note("padding");
    vectors.push_back(padded_path.end().named("node_path_padding_not_zero"));
  }
}

void add_objects(std::vector<TestVector> &vectors) {
  for (const Dialect dialect : all_dialects) {
    const auto by_id = [&](std::uint64_t id) {
      VectorBuilder sketch(dialect);
      sketch.begin(Type::object, flag_wide).line(u64(id), format("object.id %lld", static_cast<long long>(id))).end();
      return sketch;
    };
    vectors.push_back(by_id(static_cast<std::uint64_t>(some_id)).named("object_id"));
    vectors.push_back(by_id(5).named("object_small_id"));
    vectors.push_back(by_id(0).named("object_id_null"));
    vectors.push_back(VectorBuilder(dialect)
                          .begin(Type::object)
                          .note("full_object")
                          .text("object.class", "")
                          .end()
                          .named("object_null"));
    vectors.push_back(VectorBuilder(dialect)
                          .begin(Type::object)
                          .note("full_object")
                          .text("object.class", "Node")
                          .line(u32(0), "object.property_count 0")
                          .end()
                          .named("object_without_properties"));
    vectors.push_back(VectorBuilder(dialect)
                          .begin(Type::object)
                          .note("full_object")
                          .text("object.class", "Node2D")
                          .line(u32(3), "object.property_count 3")
                          .text("object.property", "name")
                          .string("Ada", "property[0] @1")
                          .text("object.property", "mate", 1)
                          .begin(Type::object, 0, "property[1] @1")
                          .note("full_object")
                          .text("object.class", "Node")
                          .line(u32(1), "object.property_count 1")
                          .text("object.property", "hp")
                          .integer(-3, "property[0] @2")
                          .end()
                          .text("object.property", "none", 2)
                          .begin(Type::nil, 0, "property[2] @1")
                          .end()
                          .end()
                          .named("object_nested"));
  }
}

/// Adds the declared type of a container: kind 0 none, 1 built-in, 2 class, 3 script.
void add_declared_type(VectorBuilder &sketch, std::uint32_t kind, const std::string &field) {
  if (kind == 1) sketch.line(u32(number(Dialect::godot4, Type::vector2i)), field + " \"Vector2i\"");
  if (kind == 2) sketch.text(field, "Node");
  if (kind == 3) sketch.text(field, "res://hero.gd");
}

void add_containers(std::vector<TestVector> &vectors) {
  for (const Dialect dialect : all_dialects) {
    const auto begin = [&](Type type, std::uint32_t flags = 0) { return VectorBuilder(dialect).begin(type, flags); };
    for (const Type type : {Type::array, Type::dictionary}) {
      const std::string name = type == Type::array ? "array" : "dictionary";
      vectors.push_back(begin(type).count(0).end().named(name + "_empty"));
      vectors.push_back(begin(type).shared_count(0).end().named(name + "_shared"));
    }
    vectors.push_back(begin(Type::array)
                          .count(3)
                          .integer(1, "element[0] @1")
                          .begin(Type::array, 0, "element[1] @1")
                          .count(1)
                          .string("a", "element[0] @2")
                          .end()
                          .begin(Type::nil, 0, "element[2] @1")
                          .end()
                          .end()
                          .named("array_nested"));
    vectors.push_back(begin(Type::dictionary)
                          .count(2)
                          .string("pos", "key[0] @1")
                          .begin(Type::vector2, 0, "value[0] @1")
                          .line(f32(1), "vector2.x 1f")
                          .line(f32(2), "vector2.y 2f")
                          .end()
                          .integer(7, "key[1] @1")
                          .begin(Type::dictionary, 0, "value[1] @1")
                          .count(1)
                          .begin(Type::array, 0, "key[0] @2")
                          .count(0)
                          .end()
                          .begin(Type::boolean, 0, "value[0] @2")
                          .line(u32(1), "bool true")
                          .end()
                          .end()
                          .end()
                          .named("dictionary_nested"));
    for (std::uint32_t kinds = 1; kinds < 16; ++kinds) {
      if (kinds < 4) {
        VectorBuilder array = begin(Type::array, kinds << 16);
        if (dialect == Dialect::godot4) {
          add_declared_type(array, kinds, "element_type");
        } else {
          array.note("header_bits");
        }
        array.count(1).integer(1, "element[0] @1").end();
        vectors.push_back(array.named(format("array_kind_%u", kinds)));
      }
      VectorBuilder dictionary = begin(Type::dictionary, kinds << 16);
      if (dialect == Dialect::godot4) {
        add_declared_type(dictionary, kinds & 3, "key_type");
        add_declared_type(dictionary, kinds >> 2, "value_type");
      } else {
        dictionary.note("header_bits");
      }
      dictionary.count(1).integer(1, "key[0] @1").integer(2, "value[0] @1").end();
      vectors.push_back(dictionary.named(format("dictionary_kinds_%u_%u", kinds & 3, kinds >> 2)));
    }
    vectors.push_back(begin(Type::array, 0x40000).note("header_bits").count(0).end().named("array_ignored_bit_18"));
  }
}

void add_packed_arrays(std::vector<TestVector> &vectors) {
  for (const Dialect dialect : all_dialects) {
    const auto begin = [&](Type type, std::uint32_t flags = 0) { return VectorBuilder(dialect).begin(type, flags); };
    for (const auto &[type, numbers, names] : type_numbers) {
      if (!is_packed(type) || !has(dialect, type)) continue;
      vectors.push_back(begin(type).count(0).end().named(std::string(names[0]) + "_empty"));
    }
    vectors.push_back(
        begin(Type::packed_byte_array).count(4).line(hex("01ff0203"), "bytes 01ff0203").end().named("bytes_4"));
    vectors.push_back(begin(Type::packed_byte_array)
                          .count(5)
                          .line(hex("0102030405"), "bytes 0102030405")
                          .line(hex("000000"), "padding 000000")
                          .end()
                          .named("bytes_5", 3));
    vectors.push_back(begin(Type::packed_byte_array)
                          .count(2)
                          .line(hex("0102"), "bytes 0102")
                          .line(hex("0009"), "padding 0009")
                          .note("padding")
                          .end()
                          .named("bytes_padding_not_zero", 2));
    vectors.push_back(begin(Type::array)
                          .count(2)
                          .begin(Type::packed_byte_array, 0, "element[0] @1")
                          .count(1)
                          .line(hex("ff"), "bytes ff")
                          .line(hex("000000"), "padding 000000")
                          .end()
                          .begin(Type::packed_byte_array, 0, "element[1] @1")
                          .count(2)
                          .line(hex("0102"), "bytes 0102")
                          .line(hex("0000"), "padding 0000")
                          .end()
                          .end()
                          .named("bytes_in_array", 2));
    for (const std::uint32_t flags : {0U, flag_wide}) {  // bit 16 does not affect elements of fixed width
      const auto begin_flagged = [&](Type type) {
        VectorBuilder sketch = begin(type, flags);
        if (flags != 0) sketch.note("header_bits");
        return sketch;
      };
      const std::string suffix = flags != 0 ? "_flag" : "";
      vectors.push_back(begin_flagged(Type::packed_int32_array)
                            .count(3)
                            .line(u32(1), "int 1")
                            .line(hex("ffffffff"), "int[1] -1")
                            .line(hex("00000080"), "int[2] -2147483648")
                            .end()
                            .named("int32s" + suffix));
      vectors.push_back(begin_flagged(Type::packed_float32_array)
                            .count(2)
                            .line(f32(1.5), "float 1.5f")
                            .line(f32(-2), "float[1] -2f")
                            .end()
                            .named("float32s" + suffix));
      if (dialect == Dialect::godot3) continue;
      vectors.push_back(begin_flagged(Type::packed_int64_array)
                            .count(2)
                            .line(u64(0x100000000), "int 4294967296")
                            .line(u64(UINT64_MAX), "int[1] -1")
                            .end()
                            .named("int64s" + suffix));
      vectors.push_back(begin_flagged(Type::packed_float64_array)
                            .count(2)
                            .line(f64(0.1), "float 0.10000000000000001")
                            .line(f64(-2), "float[1] -2")
                            .end()
                            .named("float64s" + suffix));
    }
    vectors.push_back(begin(Type::packed_string_array)
                          .count(4)
                          .line(u32(2), "string.length 2")
                          .line(raw("a"), "string \"a\"")
                          .line(hex("000000"), "padding 000000")
                          .line(u32(4), "string.length[1] 4")
                          .line(raw("bcd"), "string[1] \"bcd\"")
                          .line(hex("00"), "padding[1] 00")
                          .line(u32(5), "string.length[2] 5")
                          .line(raw("efgh"), "string[2] \"efgh\"")
                          .line(hex("00000000"), "padding[2] 00000000")
                          .line(u32(1), "string.length[3] 1")
                          .line({}, "string[3] \"\"")
                          .line(hex("00000000"), "padding[3] 00000000")
                          .end()
                          .named("strings_zero_counted"));
    vectors.push_back(begin(Type::packed_string_array)
                          .count(3)
                          .text("string", "abc", 0)
                          .text("string", "", 1)
                          .text("string", "abcd", 2)
                          .end()
                          .named("strings_zero_not_counted"));
    vectors.push_back(begin(Type::packed_string_array)
                          .line(u32(0xffffffff), "count 4294967295")
                          .note("negative_count")
                          .end()
                          .named("strings_negative_count"));
  }
}

std::vector<TestVector> all_vectors() {
  std::vector<TestVector> vectors;
  add_fixed_layouts(vectors);
  add_scalars(vectors);
  add_node_paths(vectors);
  add_objects(vectors);
  add_containers(vectors);
  add_packed_arrays(vectors);
  return vectors;
}

/// Calls @p test with every test vector.
template <typename Test>
void for_each_vector(Test test) {
  for (const TestVector &vector : all_vectors()) {
    SCOPED_TRACE(vector.name);
    test(vector);
  }
}

bool includes_notes(EncodingNoteSet all, EncodingNoteSet some) {
  for (std::size_t i = 0; i < std::size(note_names); ++i) {
    if (some.has(static_cast<EncodingNote>(i)) && !all.has(static_cast<EncodingNote>(i))) return false;
  }
  return true;
}

bool same_notes(EncodingNoteSet first, EncodingNoteSet second) {
  return includes_notes(first, second) && includes_notes(second, first);
}

EncodingNoteSet notes_of(const std::vector<Event> &events) {
  EncodingNoteSet notes;
  for (const Event &event : events) {
    if (event.kind == Event::Kind::note) notes.add(event.note);
  }
  return notes;
}

TEST(VariantTestVectors, WalkEmitsExactlyTheExpectedEvents) {
  for_each_vector([](const TestVector &vector) {
    const Walk whole = walk(vector.bytes, vector.options);
    EXPECT_EQ(describe(whole.events), vector.lines);
    EXPECT_EQ(violated_guarantee(whole.events, vector.bytes.size()), "");
    EXPECT_EQ(whole.result.outcome, Outcome::ok);
    EXPECT_EQ(whole.result.offset, vector.bytes.size());
    EXPECT_FALSE(whole.result.is_stopped);
    EXPECT_TRUE(same_notes(whole.result.notes, notes_of(whole.events)));
  });
}

TEST(VariantTestVectors, WalkEmitsTheSameEventsAnywhereInAPacket) {
  for_each_vector([](const TestVector &vector) {
    const Walk alone = walk(vector.bytes, vector.options);
    const Walk inside = walk(hex("fefefe") + vector.bytes + hex("ffffffffff"), vector.options, {.offset = 3});
    EXPECT_EQ(inside.result.outcome, Outcome::ok);
    EXPECT_EQ(inside.result.offset, vector.bytes.size() + 3);
    ASSERT_EQ(inside.events.size(), alone.events.size());
    for (std::size_t i = 0; i < alone.events.size(); ++i) {
      Event moved = inside.events[i];
      moved.range.offset -= 3;
      EXPECT_EQ(describe(moved), describe(alone.events[i]));
    }
  });
}

/// Checks that the events of a truncated walk are the first events of the whole walk, followed only by end events. (A
/// note about missing padding of a PackedByteArray is permitted, because a packet may end without padding.)
std::string describe_prefix_mismatch(const std::vector<Event> &cut, const std::vector<Event> &whole) {
  std::size_t i = 0;
  while (i < cut.size() && i < whole.size() && describe(cut[i]) == describe(whole[i])) ++i;
  for (; i < cut.size(); ++i) {
    const Event &event = cut[i];
    const bool is_end = event.kind == Event::Kind::end_value;
    const bool is_cut_padding = event.type == Type::packed_byte_array &&
                                (event.kind == Event::Kind::note ? event.note == EncodingNote::missing_padding
                                                                 : event.field == VariantField::padding);
    if (!is_end && !is_cut_padding) return describe(event);
  }
  return "";
}

TEST(VariantTestVectors, EveryPrefixIsMalformedOrTruncated) {
  for_each_vector([](const TestVector &vector) {
    const Walk whole = walk(vector.bytes, vector.options);
    for (std::size_t length = 0; length < vector.bytes.size(); ++length) {
      SCOPED_TRACE(length);
      const std::size_t missing = vector.bytes.size() - length;
      for (const Outcome outcome : {Outcome::malformed, Outcome::truncated}) {
        const std::size_t reported = outcome == Outcome::truncated ? vector.bytes.size() : length;
        const Walk cut = walk(vector.bytes.first(length), vector.options, {.reported = reported});
        EXPECT_EQ(violated_guarantee(cut.events, length), "");
        EXPECT_LE(cut.result.offset, length);
        if (missing <= vector.optional_tail && outcome == Outcome::malformed) {
          EXPECT_EQ(name_of(cut.result.outcome), "ok");
          EXPECT_EQ(cut.result.offset, length);
          EXPECT_TRUE(cut.result.notes.has(EncodingNote::missing_padding));
        } else {
          EXPECT_EQ(name_of(cut.result.outcome), name_of(outcome));
          EXPECT_EQ(describe_prefix_mismatch(cut.events, whole.events), "");
          EXPECT_FALSE(cut.result.is_stopped);
        }
      }
    }
  });
}

/// Returns the expected lines if the sink answers event @p at with skip.
Lines expected_after_skip(const std::vector<Event> &events, std::size_t at) {
  Lines lines;
  std::uint32_t open = 0;  // number of open values
  for (std::size_t i = 0; i <= at; ++i) {
    lines.push_back(describe(events[i]));
    if (events[i].kind == Event::Kind::begin_value) ++open;
    if (events[i].kind == Event::Kind::end_value) --open;
  }
  bool is_skipping = events[at].kind != Event::Kind::end_value;  // a value that has ended yields nothing more
  std::uint32_t level = open;
  for (std::size_t i = at + 1; i < events.size(); ++i) {
    const Event::Kind kind = events[i].kind;
    if (kind == Event::Kind::begin_value) ++level;
    if (is_skipping && kind == Event::Kind::end_value && level == open) is_skipping = false;
    if (!is_skipping) lines.push_back(describe(events[i]));
    if (kind == Event::Kind::end_value) --level;
  }
  return lines;
}

/// Returns the whole packet and every truncation of it, with the reported length.
std::vector<std::pair<Data, std::size_t>> cuts_of(const Data &bytes) {
  std::vector<std::pair<Data, std::size_t>> cuts;  // with the reported length
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    cuts.emplace_back(bytes.first(length), length);
    cuts.emplace_back(bytes.first(length), bytes.size());
  }
  cuts.emplace_back(bytes, bytes.size());
  return cuts;
}

TEST(VariantTestVectors, SkipOmitsOnlyTheRestOfTheCurrentValue) {
  for_each_vector([](const TestVector &vector) {
    for (const auto &[bytes, reported] : cuts_of(vector.bytes)) {
      const Walk all = walk(bytes, vector.options, {.reported = reported});
      for (std::size_t i = 0; i < all.events.size(); ++i) {
        if (!all.events[i].is_answered) continue;
        const Walk skipped = walk(bytes, vector.options, {.reported = reported, .at = i, .action = VisitAction::skip});
        SCOPED_TRACE(format("%zu of %zu bytes, ", bytes.size(), reported) + describe(all.events[i]));
        ASSERT_EQ(describe(skipped.events), expected_after_skip(all.events, i));
        ASSERT_EQ(violated_guarantee(skipped.events, bytes.size()), "");
        ASSERT_EQ(skipped.result.outcome, all.result.outcome);
        ASSERT_EQ(skipped.result.offset, all.result.offset);
        ASSERT_FALSE(skipped.result.is_stopped);
        ASSERT_TRUE(same_notes(skipped.result.notes, all.result.notes));
      }
    }
  });
}

TEST(VariantTestVectors, StopEndsTheWalkAtOnce) {
  for_each_vector([](const TestVector &vector) {
    for (const auto &[bytes, reported] : cuts_of(vector.bytes)) {
      const Walk all = walk(bytes, vector.options, {.reported = reported});
      Lines lines = describe(all.events);
      for (std::size_t i = all.events.size(); i-- > 0;) {
        if (!all.events[i].is_answered) continue;
        const Walk stopped = walk(bytes, vector.options, {.reported = reported, .at = i, .action = VisitAction::stop});
        SCOPED_TRACE(format("%zu of %zu bytes, ", bytes.size(), reported) + lines[i]);
        lines.resize(i + 1);
        ASSERT_EQ(describe(stopped.events), lines);
        ASSERT_TRUE(stopped.result.is_stopped);
        ASSERT_LE(stopped.result.offset, all.result.offset);
        ASSERT_TRUE(includes_notes(all.result.notes, stopped.result.notes));
        ASSERT_TRUE(includes_notes(stopped.result.notes, notes_of(stopped.events)));
      }
    }
  });
}

TEST(StoppedVariantWalk, UnknownHeaderBitsAreStillNoted) {
  const Walk stopped = walk(u32(2 | 1U << 20) + u32(7), {}, {.at = 0, .action = VisitAction::stop});
  EXPECT_EQ(stopped.events.size(), 1U);
  EXPECT_TRUE(stopped.result.notes.has(EncodingNote::header_bits));
  EXPECT_EQ(stopped.result.offset, 4U);
}

TEST(StoppedVariantWalk, OffsetIsAfterTheClassNameOfAnObject) {
  const Data object = u32(24) + padded("Node") + u32(0);
  const Walk stopped = walk(object, {}, {.at = 1, .action = VisitAction::stop});
  EXPECT_EQ(describe(stopped.events), (Lines{"0+4 begin Object root[0] @0 0x18", "0+4 note full_object"}));
  EXPECT_EQ(stopped.result.outcome, Outcome::ok);
  EXPECT_EQ(stopped.result.offset, 12U);
}

// --- Bytes of real engines -------------------------------------------------------------------------------------

struct RealBytes {
  const char *name;
  const char *bytes;
  Lines lines;
};

const RealBytes real_bytes[] = {
    {"dictionary",
     "1b000000 01000000 04000000 01000000 61000000 02000000 01000000",
     {"0+4 begin Dictionary root[0] @0 0x1b", "4+4 count 1", "8+4 begin String key[0] @1 0x4", "12+4 string.length 1",
      "16+1 string \"a\"", "17+3 padding 000000", "8+12 end", "20+4 begin int value[0] @1 0x2", "24+4 int 1",
      "20+8 end", "0+28 end"}},
    {"typed_array",
     "1c000100 02000000 02000000 02000000 01000000 02000000 02000000",
     {"0+4 begin Array root[0] @0 0x1001c", "4+4 element_type \"int\"", "8+4 count 2",
      "12+4 begin int element[0] @1 0x2", "16+4 int 1", "12+8 end", "20+4 begin int element[1] @1 0x2", "24+4 int 2",
      "20+8 end", "0+28 end"}},
    {"typed_dictionary",
     "1b000500 04000000 02000000 01000000 04000000 01000000 61000000 02000000 01000000",
     {"0+4 begin Dictionary root[0] @0 0x5001b", "4+4 key_type \"String\"", "8+4 value_type \"int\"", "12+4 count 1",
      "16+4 begin String key[0] @1 0x4", "20+4 string.length 1", "24+1 string \"a\"", "25+3 padding 000000",
      "16+12 end", "28+4 begin int value[0] @1 0x2", "32+4 int 1", "28+8 end", "0+36 end"}},
    {"node_path",
     "16000000 02000080 01000000 01000000 04000000 726f6f74 01000000 41000000 01000000 78000000",
     {"0+4 begin NodePath root[0] @0 0x16", "4+4 node_path.name_count 2", "8+4 node_path.subname_count 1",
      "12+4 node_path.flags 1", "16+4 string.length 4", "20+4 node_path.name \"root\"", "24+4 string.length[1] 1",
      "28+1 node_path.name[1] \"A\"", "29+3 padding[1] 000000", "32+4 string.length 1", "36+1 node_path.subname \"x\"",
      "37+3 padding 000000", "0+40 end"}},
    {"object_id",
     "18000100 0f00000006000080",
     {"0+4 begin Object root[0] @0 0x10018", "4+8 object.id -9223372011084972017", "0+12 end"}},
    {"packed_strings",
     "22000000 02000000 02000000 61000000 04000000 62636400",
     {"0+4 begin PackedStringArray root[0] @0 0x22", "4+4 count 2", "8+4 string.length 2", "12+1 string \"a\"",
      "13+3 padding 000000", "16+4 string.length[1] 4", "20+3 string[1] \"bcd\"", "23+1 padding[1] 00", "0+24 end"}},
    {"basis",
     "11000000 0000803f 00008040 0000e040 00000040 0000a040 00000041 00004040 0000c040 00001041",
     {"0+4 begin Basis root[0] @0 0x11", "4+4 basis.x.x 1f", "8+4 basis.y.x 4f", "12+4 basis.z.x 7f",
      "16+4 basis.x.y 2f", "20+4 basis.y.y 5f", "24+4 basis.z.y 8f", "28+4 basis.x.z 3f", "32+4 basis.y.z 6f",
      "36+4 basis.z.z 9f", "0+40 end"}},
};

TEST(VariantTestVectors, VariantsRecordedFromGodot46AreRead) {
  for (const RealBytes &row : real_bytes) {
    SCOPED_TRACE(row.name);
    const Data bytes = hex(row.bytes);
    const Walk whole = walk(bytes, {});
    EXPECT_EQ(describe(whole.events), row.lines);
    EXPECT_EQ(whole.result.outcome, Outcome::ok);
    EXPECT_EQ(whole.result.offset, bytes.size());
    EXPECT_TRUE(whole.result.notes.empty());
  }
}

// --- Failures --------------------------------------------------------------------------------------------------

struct Failure {
  const char *name;
  Dialect dialect;
  const char *bytes;
  Outcome outcome;
  std::size_t offset;  // offset of the first undecodable byte
};

constexpr Dialect g4 = Dialect::godot4;
constexpr Dialect g3 = Dialect::godot3;
constexpr Dialect docs = Dialect::docs;

const Failure failures[] = {
    {"godot4_unknown_type", g4, "ff000000 00000000", Outcome::unsupported, 0},
    {"godot3_unknown_type", g3, "ff000000 00000000", Outcome::unsupported, 0},
    {"docs_unknown_type", docs, "ff000000 00000000", Outcome::unsupported, 0},
    {"unknown_type_nested", g4, "1c000000 02000000 02000000 05000000 ff000000 00000000", Outcome::unsupported, 16},
    {"unknown_type_as_key", g4, "1b000000 01000000 ff000000 00000000", Outcome::unsupported, 8},
    {"unknown_type_as_value", g4, "1b000000 01000000 02000000 05000000 ff000000 00000000", Outcome::unsupported, 16},
    {"unknown_type_as_property", g4, "18000000 01000000 41000000 01000000 01000000 62000000 ff000000",
     Outcome::unsupported, 24},
    {"unknown_element_type", g4, "1c000100 ff000000 00000000", Outcome::unsupported, 4},
    {"unknown_key_type", g4, "1b000100 ff000000 00000000", Outcome::unsupported, 4},
    {"unknown_value_type", g4, "1b000500 02000000 ff000000 00000000", Outcome::unsupported, 8},
    {"nothing", g4, "", Outcome::malformed, 0},
    {"half_a_header", g4, "0200", Outcome::malformed, 0},
    {"no_value", g4, "02000000", Outcome::malformed, 4},
    {"half_a_value", g4, "02000100 00000000 0000", Outcome::malformed, 4},
    {"second_component", g4, "05000000 00000000 0000", Outcome::malformed, 8},
    {"element", g4, "1c000000 02000000 00000000 02000000 0000", Outcome::malformed, 16},
};

TEST(VariantWalk, FailureHasTheExpectedOutcomeAndOffset) {
  for (const Failure &row : failures) {
    SCOPED_TRACE(row.name);
    const Data bytes = hex(row.bytes);
    WalkOptions options;
    options.dialect = row.dialect;
    const Walk whole = walk(bytes, options);
    EXPECT_EQ(name_of(whole.result.outcome), name_of(row.outcome));
    EXPECT_EQ(whole.result.offset, row.offset);
    EXPECT_EQ(violated_guarantee(whole.events, bytes.size()), "");
  }
}

TEST(VariantWalk, TypeNumberAfterTheLastTypeIsUnsupported) {
  for (const Dialect dialect : all_dialects) {
    WalkOptions options;
    options.dialect = dialect;
    const Walk behind = walk(u32(static_cast<std::uint32_t>(dialect_table(dialect).types.size())) + u32(0), options);
    EXPECT_EQ(name_of(behind.result.outcome), "unsupported");
    EXPECT_EQ(behind.result.offset, 0U);
  }
}

TEST(VariantWalk, CountPastTheEndIsMalformedBeforeAnyElementIsRead) {
  struct Counted {
    const char *name;
    Data before;  // the bytes before the count
    Data after;
  };
  const Counted rows[] = {
      {"String", u32(4), u32(0)},
      {"StringName", u32(21), u32(0)},
      {"NodePath names", u32(22), u32(0) + u32(0) + u32(0)},
      {"NodePath old", u32(22), u32(0)},
      {"NodePath subnames", u32(22) + u32(0x80000000), u32(0) + u32(0)},
      {"Object class", u32(24), u32(0)},
      {"Object properties", u32(24) + padded("A"), u32(0)},
      {"Object property", u32(24) + padded("A") + u32(1), u32(0)},
      {"Signal", u32(26), u32(0) + u64(0)},
      {"Dictionary", u32(27), u32(0) + u32(0)},
      {"Dictionary key class", u32(27 | 0x20000), u32(0)},
      {"Array", u32(28), u32(0) + u32(0)},
      {"Array element class", u32(28 | 0x20000), u32(0)},
      {"PackedByteArray", u32(29), u32(0)},
      {"PackedInt32Array", u32(30), u32(0)},
      {"PackedInt64Array", u32(31), u64(0)},
      {"PackedFloat32Array", u32(32), u32(0)},
      {"PackedFloat64Array", u32(33), u64(0)},
      {"PackedStringArray", u32(34), u32(0)},
      {"PackedStringArray element", u32(34) + u32(1), u32(0)},
      {"PackedVector2Array", u32(35), u64(0)},
      {"PackedVector3Array", u32(36), u64(0) + u32(0)},
      {"PackedColorArray", u32(37), u64(0) + u64(0)},
      {"PackedVector4Array", u32(38), u64(0) + u64(0)},
  };
  for (const Counted &row : rows) {
    for (const std::uint32_t count : {100U, 0x3fffffffU, 0x7ffffffeU, 0x7fffffffU, 0x80000064U, 0xffffffffU}) {
      const bool is_properties = std::string_view(row.name) == "Object properties";
      const bool is_packed_strings = row.before.bytes[0] == 34 && row.before.size() == 4;
      if ((is_packed_strings || is_properties) && count > 0x7fffffff) continue;  // is read as zero
      if (std::string_view(row.name) == "NodePath names" && count < 0x80000000) continue;
      if (std::string_view(row.name) == "NodePath old" && count > 0x7fffffff) continue;
      SCOPED_TRACE(row.name + format(" %x", count));
      const Data bytes = row.before + u32(count) + row.after;
      const Walk whole = walk(bytes, {});
      EXPECT_EQ(name_of(whole.result.outcome), "malformed");
      EXPECT_EQ(violated_guarantee(whole.events, bytes.size()), "");
      // The walk fails after the count and before the first element. (A NodePath's names are checked after its flags.)
      const bool is_names = std::string_view(row.name) == "NodePath names";
      const bool is_subnames = std::string_view(row.name) == "NodePath subnames";
      EXPECT_EQ(whole.result.offset, row.before.size() + (is_names ? 12 : is_subnames ? 8 : 4));
      // If the packet was longer than the captured bytes, the count is only truncated, not wrong.
      const Walk cut = walk(bytes, {}, {.reported = std::size_t{1} << 40});
      EXPECT_EQ(name_of(cut.result.outcome), "truncated");
      EXPECT_EQ(violated_guarantee(cut.events, bytes.size()), "");
    }
  }
}

TEST(VariantWalk, OneElementTooManyIsMalformedBeforeAnyElementIsRead) {
  const std::pair<unsigned, std::size_t> element_sizes[] = {{29, 1}, {30, 4},  {31, 8},  {32, 4}, {33, 8},
                                                            {35, 8}, {36, 12}, {37, 16}, {38, 16}};
  for (const auto &[type, size] : element_sizes) {
    for (const std::uint32_t present : {0U, 1U, 5U}) {
      SCOPED_TRACE(format("%u, ", type) + std::to_string(present));
      const Data elements = repeat(hex("00"), present * size);
      const Walk whole = walk(u32(type) + u32(present) + elements, {});
      EXPECT_EQ(name_of(whole.result.outcome), "ok");
      const Walk more = walk(u32(type) + u32(present + 1) + elements, {});
      EXPECT_EQ(name_of(more.result.outcome), "malformed");
      EXPECT_EQ(more.result.offset, 8U);
    }
  }
}

TEST(VariantWalk, NegativeCountReadsNoElements) {
  const Data strings = u32(34) + u32(0xffffffff);
  const Data properties = u32(24) + padded("A") + u32(0x80000064);
  for (const Data &value : {strings, properties}) {
    const Data bytes = u32(28) + u32(2) + value + u32(2) + u32(5);
    const Walk whole = walk(bytes, {});
    EXPECT_EQ(whole.result.outcome, Outcome::ok);
    EXPECT_EQ(whole.result.offset, bytes.size());
    EXPECT_TRUE(whole.result.notes.has(EncodingNote::negative_count));
  }
}

TEST(VariantWalk, MissingPaddingIsAcceptedOnlyAtTheEndOfThePacket) {
  const Data last = u32(28) + u32(1) + u32(29) + u32(3) + hex("010203");
  const Walk at_end = walk(last, {});
  EXPECT_EQ(describe(at_end.events),
            (Lines{"0+4 begin Array root[0] @0 0x1c", "4+4 count 1", "8+4 begin PackedByteArray element[0] @1 0x1d",
                   "12+4 count 3", "16+3 bytes 010203", "19+0 note missing_padding 1", "8+11 end", "0+19 end"}));
  EXPECT_EQ(at_end.result.outcome, Outcome::ok);
  EXPECT_EQ(at_end.result.offset, last.size());
  // If another element follows, the engine reads its first bytes as padding, and the walker does the same. The int 8
  // becomes a Nil with unknown flags.
  const Walk inside = walk(u32(28) + u32(2) + u32(29) + u32(3) + hex("010203") + u32(2) + u32(8), {});
  EXPECT_EQ(inside.result.outcome, Outcome::ok);
  EXPECT_EQ(inside.result.offset, 24U);
  const Lines lines = describe(inside.events);
  EXPECT_EQ(Lines(lines.begin() + 5, lines.end()),
            (Lines{"19+1 padding 02", "19+1 note padding", "8+12 end", "20+4 begin Nil element[1] @1 0x8000000",
                   "20+4 note header_bits", "20+4 end", "0+24 end"}));
}

TEST(VariantWalk, TypedContainerOfNilIsUntyped) {
  const Walk whole = walk(u32(28 | flag_wide) + u32(0) + u32(1) + u32(2) + u32(7), {});
  EXPECT_EQ(whole.result.outcome, Outcome::ok);
}

TEST(VariantWalk, StartOffsetAfterTheDataIsMalformed) {
  for (const std::size_t offset : {std::size_t{4}, std::size_t{5}, SIZE_MAX}) {
    const Walk behind = walk(u32(0), {}, {.offset = offset});
    EXPECT_EQ(behind.result.outcome, Outcome::malformed);
    EXPECT_TRUE(behind.events.empty());
  }
}

// --- Nesting ---------------------------------------------------------------------------------------------------

/// Returns @p levels nested values: arrays, and a Nil in the innermost array.
Data nested(std::size_t levels) { return repeat(u32(28) + u32(1), levels - 1) + u32(0); }

TEST(VariantNesting, NestingBeyondTheEnginesLimitIsNoted) {
  for (const std::size_t levels : {1UL, 1024UL, 1025UL, 1026UL, 1027UL, 1040UL}) {
    SCOPED_TRACE(levels);
    const Walk whole = walk(nested(levels), {});
    EXPECT_EQ(whole.result.outcome, Outcome::ok);
    EXPECT_EQ(whole.result.offset, nested(levels).size());
    EXPECT_EQ(whole.result.notes.has(EncodingNote::nesting), levels > 1025);
    EXPECT_EQ(violated_guarantee(whole.events, nested(levels).size()), "");
  }
}

TEST(VariantNesting, NestingBeyondTheConfiguredLimitIsOverLimit) {
  for (const std::uint32_t limit : {1U, 2U, 3U, 1024U, 1040U}) {
    const WalkOptions options{.limits = {.nesting = limit}};
    SCOPED_TRACE(limit);
    const Walk within = walk(nested(limit), options);
    EXPECT_EQ(within.result.outcome, Outcome::ok);
    for (const std::size_t levels : {limit + 1, limit + 2, 10000U}) {
      SCOPED_TRACE(levels);
      const Walk beyond = walk(nested(levels), options);
      EXPECT_EQ(name_of(beyond.result.outcome), "over_limit");
      EXPECT_EQ(beyond.result.offset, 8 * limit);  // the header of the first value beyond the limit
      EXPECT_EQ(violated_guarantee(beyond.events, nested(levels).size()), "");
    }
  }
}

TEST(VariantNesting, ConfiguredLimitIsCappedAt1040) {
  const WalkOptions options{.limits = {.nesting = UINT32_MAX}};
  EXPECT_EQ(walk(nested(1040), options).result.outcome, Outcome::ok);
  EXPECT_EQ(walk(nested(1041), options).result.outcome, Outcome::over_limit);
  EXPECT_EQ(walk(nested(100000), options).result.outcome, Outcome::over_limit);
}

TEST(VariantNesting, DictionariesAndObjectsCountLikeArrays) {
  const WalkOptions options{.limits = {.nesting = 3}};
  const Data in_key = u32(27) + u32(1);
  const Data in_property = u32(24) + padded("A") + u32(1) + padded("b");
  EXPECT_EQ(walk(in_key + in_key + u32(0) + u32(0) + u32(0), options).result.outcome, Outcome::ok);
  EXPECT_EQ(walk(in_key + in_key + in_key + u32(0) + u32(0) + u32(0) + u32(0), options).result.outcome,
            Outcome::over_limit);
  EXPECT_EQ(walk(in_property + in_property + u32(0), options).result.outcome, Outcome::ok);
  EXPECT_EQ(walk(in_property + in_property + in_property + u32(0), options).result.outcome, Outcome::over_limit);
}

TEST(VariantNesting, SkipAndStopWorkAtAnyDepth) {
  const Data bytes = nested(1040);
  const Walk skipped = walk(bytes, {}, {.at = 0, .action = VisitAction::skip});
  EXPECT_EQ(skipped.result.outcome, Outcome::ok);
  EXPECT_TRUE(skipped.result.notes.has(EncodingNote::nesting));
  EXPECT_EQ(describe(skipped.events), (Lines{"0+4 begin Array root[0] @0 0x1c", format("0+%zu end", bytes.size())}));
  const Walk beyond = walk(nested(10000), {}, {.at = 0, .action = VisitAction::skip});
  EXPECT_EQ(beyond.result.outcome, Outcome::over_limit);
  EXPECT_EQ(beyond.events.size(), 2U);
  const Walk stopped = walk(nested(10000), {}, {.at = 2000, .action = VisitAction::stop});
  EXPECT_EQ(stopped.events.size(), 2001U);
  EXPECT_TRUE(stopped.result.is_stopped);
}

// --- UTF-8 -----------------------------------------------------------------------------------------------------

TEST(Utf8, SequencesFollowUnicodeTable37) {
  struct Row {
    const char *bytes;
    std::size_t length;
  };
  const Row rows[] = {
      {"", 0},         {"00", 1},       {"7f", 1},       {"80", 0},       {"bf", 0},       {"c080", 0},
      {"c1bf", 0},     {"c280", 2},     {"dfbf", 2},     {"c2", 0},       {"c27f", 0},     {"c2c0", 0},
      {"e0a080", 3},   {"e09fbf", 0},   {"e0a0", 0},     {"e18080", 3},   {"ed9fbf", 3},   {"eda080", 0},
      {"edbfbf", 0},   {"ee8080", 3},   {"efbfbf", 3},   {"f0908080", 4}, {"f08fbfbf", 0}, {"f09080", 0},
      {"f1808080", 4}, {"f48fbfbf", 4}, {"f4908080", 0}, {"f5808080", 0}, {"ff", 0},       {"f8888080", 0},
      {"e282ac61", 3}, {"6180", 1},
  };
  for (const Row &row : rows) {
    const Data data = hex(row.bytes);
    const ExactBytes bytes(data);
    const std::string_view text(reinterpret_cast<const char *>(bytes.get().data), data.size());
    EXPECT_EQ(utf8_sequence_length(text), row.length) << row.bytes;
    const bool is_whole = row.length == data.size();
    EXPECT_EQ(is_valid_utf8(text), is_whole || std::string_view(row.bytes) == "e282ac61") << row.bytes;
  }
  EXPECT_TRUE(is_valid_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"));
  EXPECT_FALSE(is_valid_utf8("a\xc3\xa4\xe2\x82"));
}

}  // namespace
}  // namespace godot_codec::test
