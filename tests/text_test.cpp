// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "events.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec::test {
namespace {

constexpr const char *ellipsis = "\xe2\x80\xa6";

/// A TextBuffer in a heap block of exactly its size.
class Buffer {
 public:
  explicit Buffer(std::size_t capacity)
      : memory_(new char[capacity]), capacity_(capacity), text({memory_.get(), capacity}) {}

  /// Checks the guarantees of TextBuffer. @returns the first guarantee that is broken
  [[nodiscard]] std::string violated_guarantee() const {
    if (text.view().size() >= capacity_) return "past the memory";
    if (memory_[text.view().size()] != '\0') return "not terminated";
    if (!is_valid_utf8(text.view())) return "not UTF-8";
    return "";
  }

 private:
  std::unique_ptr<char[]> memory_;  // NOLINT(modernize-avoid-c-arrays)
  std::size_t capacity_;

 public:
  TextBuffer text;
};

/// Expects that the text of @p write is truncated at every capacity, and not earlier.
template <typename Write>
void expect_bounded(const std::string &whole, Write write) {
  for (std::size_t capacity = 4; capacity <= whole.size() + 2; ++capacity) {
    SCOPED_TRACE(capacity);
    Buffer buffer(capacity);
    write(buffer.text);
    EXPECT_EQ(buffer.violated_guarantee(), "");
    const std::string text(buffer.text.view());
    if (capacity > whole.size()) {
      EXPECT_EQ(text, whole);
      EXPECT_FALSE(buffer.text.is_full());
    } else {
      ASSERT_GE(text.size(), 3U);
      EXPECT_EQ(text.substr(text.size() - 3), ellipsis);
      EXPECT_EQ(text.substr(0, text.size() - 3), whole.substr(0, text.size() - 3));
      EXPECT_TRUE(buffer.text.is_full());
      EXPECT_GT(text.size() + 8, capacity) << "cut long before the end";  // an escape or character may not fit
    }
  }
}

TEST(TextBuffer, StartsEmptyAndCanBeCleared) {
  Buffer buffer(4);
  EXPECT_EQ(buffer.text.view(), "");
  EXPECT_EQ(buffer.violated_guarantee(), "");
  buffer.text.append("longer than that");
  EXPECT_EQ(buffer.text.view(), ellipsis);
  EXPECT_TRUE(buffer.text.is_full());
  buffer.text.append("nothing comes behind the ellipsis");
  buffer.text.append_integer(1);
  EXPECT_EQ(buffer.text.view(), ellipsis);
  buffer.text.clear();
  EXPECT_EQ(buffer.text.view(), "");
  EXPECT_FALSE(buffer.text.is_full());
  EXPECT_EQ(buffer.violated_guarantee(), "");
  buffer.text.append("abc");
  EXPECT_EQ(buffer.text.view(), "abc");
  EXPECT_FALSE(buffer.text.is_full());
}

TEST(TextBuffer, TextIsTruncatedAtCharacterBoundaries) {
  const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z\xf0\x9f\x98\x80";
  expect_bounded(text, [&](TextBuffer &buffer) { buffer.append(text); });
  expect_bounded(text, [&](TextBuffer &buffer) { buffer.append_escaped(text, true); });
  expect_bounded(text + text, [&](TextBuffer &buffer) {
    buffer.append(text);
    buffer.append(text);
  });
}

TEST(TextBuffer, TruncatedEscapesAndNumbersEndInAnEllipsis) {
  expect_bounded("\\n\\u202e\\xff\\\"\\\\\\n",
                 [](TextBuffer &buffer) { buffer.append_escaped("\n\xe2\x80\xae\xff\"\\\n", true); });
  expect_bounded("-9223372036854775808", [](TextBuffer &buffer) { buffer.append_integer(INT64_MIN); });
  expect_bounded("18446744073709551615", [](TextBuffer &buffer) { buffer.append_unsigned(UINT64_MAX); });
  expect_bounded("-1.7976931348623157e+308",
                 [](TextBuffer &buffer) { buffer.append_real(std::numeric_limits<double>::lowest(), false, true); });
}

std::string escaped(std::string_view text, bool quote, std::size_t max_bytes = SIZE_MAX) {
  Buffer buffer(1000);
  buffer.text.append_escaped(text, quote, max_bytes);
  EXPECT_EQ(buffer.violated_guarantee(), "");
  return std::string(buffer.text.view());
}

TEST(TextBuffer, ControlCharactersAreEscaped) {
  struct Row {
    std::string_view text;
    const char *plain;
    const char *quoted;
  };
  using namespace std::string_view_literals;
  const Row rows[] = {
      {"", "", ""},
      {"Gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x98\x80", "Gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x98\x80",
       "Gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x98\x80"},
      {"say \"hi\"", "say \"hi\"", "say \\\"hi\\\""},
      {"C:\\new", "C:\\new", "C:\\\\new"},
      {"it's", "it's", "it's"},
      {"a\nb\rc\td", "a\\nb\\rc\\td", "a\\nb\\rc\\td"},
      {"\0\x01\x07\x1b\x1f\x7f"sv, "\\u0000\\u0001\\u0007\\u001b\\u001f\\u007f",
       "\\u0000\\u0001\\u0007\\u001b\\u001f\\u007f"},
      {"\xc2\x80\xc2\x85\xc2\x9f\xc2\xa0", "\\u0080\\u0085\\u009f\xc2\xa0", "\\u0080\\u0085\\u009f\xc2\xa0"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029", "\\u2028\\u2029"},  // line separator and paragraph separator
      {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f", "\\u061c\\u200e\\u200f"},
      {"\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad\xe2\x80\xae", "\\u202a\\u202b\\u202c\\u202d\\u202e",
       "\\u202a\\u202b\\u202c\\u202d\\u202e"},
      {"\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9", "\\u2066\\u2067\\u2068\\u2069",
       "\\u2066\\u2067\\u2068\\u2069"},
      {"a\xff\xc3", "a\\xff\\xc3", "a\\xff\\xc3"},
      {"\xc0\x80\xed\xa0\x80", "\\xc0\\x80\\xed\\xa0\\x80", "\\xc0\\x80\\xed\\xa0\\x80"},
      {"\xf0\x9f\x98!", "\\xf0\\x9f\\x98!", "\\xf0\\x9f\\x98!"},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(escaped(row.text, false), row.plain);
    EXPECT_EQ(escaped(row.text, true), row.quoted);
  }
}

TEST(TextBuffer, CopiesAtMostTheRequestedBytes) {
  EXPECT_EQ(escaped("abcdef", true, 6), "abcdef");
  EXPECT_EQ(escaped("abcdef", true, 3), std::string("abc") + ellipsis);
  EXPECT_EQ(escaped("abcdef", true, 0), ellipsis);
  EXPECT_EQ(escaped("", true, 0), "");
  EXPECT_EQ(escaped("a\xc3\xa4z", true, 2), std::string("a") + ellipsis);  // never half a character
  EXPECT_EQ(escaped("a\xc3\xa4z", true, 3), std::string("a\xc3\xa4") + ellipsis);
  EXPECT_EQ(escaped("\n\n\n", true, 2), std::string("\\n\\n") + ellipsis);
}

TEST(TextBuffer, IntegersAreWritten) {
  Buffer buffer(200);
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-7}, INT64_MAX, INT64_MIN}) {
    buffer.text.append_integer(value);
    buffer.text.append(" ");
  }
  buffer.text.append_unsigned(UINT64_MAX);
  EXPECT_EQ(buffer.text.view(), "0 -7 9223372036854775807 -9223372036854775808 18446744073709551615");
}

std::string real(double value, bool is_single, bool as_float) {
  Buffer buffer(100);
  buffer.text.append_real(value, is_single, as_float);
  return std::string(buffer.text.view());
}

TEST(TextBuffer, RealsAreWritten) {
  struct Row {
    double value;
    const char *as_float;
    const char *as_component;
  };
  const Row rows[] = {
      {0.0, "0.0", "0"},
      {-0.0, "-0.0", "-0"},
      {1.0, "1.0", "1"},
      {1.5, "1.5", "1.5"},
      {-0.25, "-0.25", "-0.25"},
      {0.1, "0.1", "0.1"},
      {0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"},
      {100000, "100000.0", "100000"},
      {123456789, "123456789.0", "123456789"},
      {1e14, "100000000000000.0", "100000000000000"},
      {1e15, "1e+15", "1e+15"},
      {1e100, "1e+100", "1e+100"},
      {1.5e100, "1.5e+100", "1.5e+100"},
      {0.001, "0.001", "0.001"},
      {0.0001, "0.0001", "0.0001"},
      {1e-7, "1e-07", "1e-07"},
      {std::numeric_limits<double>::denorm_min(), "5e-324", "5e-324"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308", "1.7976931348623157e+308"},
      {std::numeric_limits<double>::infinity(), "inf", "inf"},
      {-std::numeric_limits<double>::infinity(), "-inf", "-inf"},
      {std::numeric_limits<double>::quiet_NaN(), "nan", "nan"},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(real(row.value, false, true), row.as_float);
    EXPECT_EQ(real(row.value, false, false), row.as_component);
  }
  EXPECT_EQ(real(-std::numeric_limits<double>::quiet_NaN(), false, true), "nan");
}

TEST(TextBuffer, FloatsAreWritten) {
  struct Row {
    float value;
    const char *text;
  };
  const Row rows[] = {
      {0.1F, "0.1"},
      {1.0F, "1.0"},
      {1.5F, "1.5"},
      {-0.0F, "-0.0"},
      {100000.0F, "100000.0"},
      {16777216.0F, "16777216.0"},
      {0.8660254F, "0.8660254"},
      {3.14159274F, "3.1415927"},
      {1e-7F, "1e-07"},
      {std::numeric_limits<float>::max(), "3.4028235e+38"},
      {std::numeric_limits<float>::denorm_min(), "1e-45"},
      {std::numeric_limits<float>::infinity(), "inf"},
      {std::numeric_limits<float>::quiet_NaN(), "nan"},
  };
  for (const Row &row : rows) EXPECT_EQ(real(row.value, true, true), row.text);
}

// Returns the shortest text that reads back as the same real, according to the standard library.
template <typename Real>
std::string shortest_text(Real value) {
  std::array<char, 400> memory;
  const auto written = [&](std::chars_format format) {
    return std::string(memory.data(), std::to_chars(memory.data(), memory.data() + memory.size(), value, format).ptr);
  };
  const std::string scientific = written(std::chars_format::scientific);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  return exponent < -4 || exponent > 14 ? scientific : written(std::chars_format::fixed);
}

TEST(TextBuffer, RealsCloseToPowersOfTenAreAsShortAsPossible) {
  for (int exponent = -12; exponent <= 20; ++exponent) {
    const double power = std::pow(10.0, exponent);
    for (const double value : {power, std::nextafter(power, 0.0), std::nextafter(power, 1e30)})
      EXPECT_EQ(real(value, false, false), shortest_text(value));
    const auto single = static_cast<float>(power);
    for (const float value : {single, std::nextafter(single, 0.0F), std::nextafter(single, 1e30F)})
      EXPECT_EQ(real(value, true, false), shortest_text(value));
  }
}

// Numbers that games send, and numbers close to them: few decimals, binary fractions, random bits.
TEST(TextBuffer, RealsAreAsShortAsPossible) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const auto bits = random();
    const double decimals = static_cast<double>(bits % 20'000'000) / std::pow(10.0, static_cast<double>(i % 9));
    const double halves = std::ldexp(static_cast<double>(bits % 3'000'000), -(i % 40));
    for (const double value : {decimals, -halves, std::nextafter(decimals, 0.0), std::bit_cast<double>(bits)}) {
      if (!std::isfinite(value)) continue;
      ASSERT_EQ(real(value, false, false), shortest_text(value));
    }
    const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const auto tenth = static_cast<float>(decimals);
    for (const float value : {tenth, static_cast<float>(-halves), std::nextafter(tenth, 0.0F), single}) {
      if (!std::isfinite(value)) continue;
      ASSERT_EQ(real(value, true, false), shortest_text(value));
    }
  }
}

TEST(ShortestDouble, IsTheDoubleOfTheShortestText) {
  EXPECT_EQ(shortest_double(0.1F), 0.1);
  EXPECT_EQ(shortest_double(-0.1F), -0.1);
  EXPECT_EQ(shortest_double(1.5F), 1.5);
  EXPECT_EQ(shortest_double(0.8660254F), 0.8660254);
  EXPECT_EQ(shortest_double(16777216.0F), 16777216.0);
  EXPECT_EQ(shortest_double(1e-45F), 1e-45);
  EXPECT_EQ(shortest_double(std::numeric_limits<float>::max()), 3.4028235e38);
  EXPECT_EQ(shortest_double(std::numeric_limits<float>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(shortest_double(-std::numeric_limits<float>::infinity()), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(shortest_double(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(shortest_double(-0.0F), 0.0);
  EXPECT_TRUE(std::signbit(shortest_double(-0.0F)));
}

// --- Variants --------------------------------------------------------------------------------------------------

constexpr std::uint32_t wide = 0x10000;
constexpr std::uint64_t id = static_cast<std::uint64_t>(-9223372012394413809);

Data integer(std::uint32_t value) { return u32(2) + u32(value); }
Data string(std::string_view text) { return u32(4) + padded(text); }
Data float_bytes(std::initializer_list<float> values) {
  Data data;
  for (const float value : values) data += f32(value);
  return data;
}

std::string text_of(const Data &data, TextStyle style, Dialect dialect = Dialect::godot4) {
  Buffer buffer(4000);
  const Encoding encoding{.dialect = dialect};
  const ExactBytes bytes(data);
  const WalkResult result = append_variant(buffer.text, bytes.get(), 0, encoding, {}, style);
  EXPECT_EQ(name_of(result.outcome), "ok");
  if (!result.is_stopped || style != TextStyle::plain) {  // the plain text of an Object needs only its class name
    EXPECT_FALSE(result.is_stopped);
    EXPECT_EQ(result.offset, data.size());
  }
  EXPECT_EQ(buffer.violated_guarantee(), "");
  return std::string(buffer.text.view());
}

struct Row {
  const char *name;
  Data bytes;
  const char *script;
  const char *brief;
  const char *plain = nullptr;  // null if it is the same as script
  Dialect dialect = Dialect::godot4;
};

constexpr Dialect g3 = Dialect::godot3;
constexpr Dialect docs = Dialect::docs;

const Data move = u32(27) + u32(2) + string("cmd") + string("move") + string("pos") + u32(5) + float_bytes({1, 2});
const Data root_a_x = hex("16000000 02000080 01000000 01000000 04000000 726f6f74 01000000 41000000 01000000 78000000");
const Data identity2d = float_bytes({1, 0, 0, 1, 0, 0});
const Data basis = float_bytes({1, 4, 7, 2, 5, 8, 3, 6, 9});

Data node_path(std::uint32_t type, std::initializer_list<const char *> names,
               std::initializer_list<const char *> subnames, std::uint32_t flags) {
  Data data = u32(type) + u32(0x80000000 | names.size()) + u32(subnames.size()) + u32(flags);
  for (const char *name : names) data += padded(name);
  for (const char *name : subnames) data += padded(name);
  return data;
}

const Row rows[] = {
    {"nil", u32(0), "null", "null"},
    {"bool_false", u32(1) + u32(0), "false", "false"},
    {"bool_true", u32(1) + u32(7), "true", "true"},
    {"integer", integer(7), "7", "7"},
    {"int64", u32(2 | wide) + u64(static_cast<std::uint64_t>(INT64_MIN)), "-9223372036854775808",
     "-9223372036854775808"},
    {"float32", u32(3) + f32(0.1F), "0.1", "0.1"},
    {"float64", u32(3 | wide) + f64(0.1), "0.1", "0.1"},
    {"float_whole", u32(3) + f32(2), "2.0", "2.0"},
    {"string", string("hi"), "\"hi\"", "\"hi\"", "hi"},
    {"string_empty", string(""), "\"\"", "\"\"", ""},
    {"string_escaped", string("\"a\\b\"\n"), "\"\\\"a\\\\b\\\"\\n\"", "\"\\\"a\\\\b\\\"\\n\"", "\"a\\b\"\\n"},
    {"string_name", u32(21) + padded("name"), "&\"name\"", "\"name\"", "name"},
    {"node_path", root_a_x, "^\"/root/A:x\"", "^\"/root/A:x\"", "/root/A:x"},
    {"node_path_3", node_path(15, {"root", "A"}, {"x"}, 1), "@\"/root/A:x\"", "@\"/root/A:x\"", "/root/A:x", g3},
    {"node_path_docs", node_path(15, {"root", "A"}, {"x"}, 1), "^\"/root/A:x\"", "^\"/root/A:x\"", "/root/A:x", docs},
    {"node_path_relative", node_path(22, {"..", "B"}, {}, 0), "^\"../B\"", "^\"../B\"", "../B"},
    {"node_path_root", node_path(22, {}, {}, 1), "^\"/\"", "^\"/\"", "/"},
    {"node_path_empty", node_path(22, {}, {}, 0), "^\"\"", "^\"\"", ""},
    {"node_path_property", node_path(22, {}, {"modulate", "a"}, 0), "^\":modulate:a\"", "^\":modulate:a\"",
     ":modulate:a"},
    {"node_path_quoted", node_path(22, {"a\"b\n"}, {}, 0), "^\"a\\\"b\\n\"", "^\"a\\\"b\\n\"", "a\"b\\n"},
    {"node_path_old", u32(22) + padded("/root/A:x"), "^\"/root/A:x\"", "^\"/root/A:x\"", "/root/A:x"},
    {"vector2", u32(5) + float_bytes({1, -2.5}), "Vector2(1, -2.5)", "(1, -2.5)"},
    {"vector2_single", u32(5) + float_bytes({0.1F, 1e-7F}), "Vector2(0.1, 1e-07)", "(0.1, 1e-07)"},
    {"vector2_double", u32(5 | wide) + f64(0.1) + f64(1.0 / 3), "Vector2(0.1, 0.3333333333333333)",
     "(0.1, 0.3333333333333333)"},
    {"vector2i", u32(6) + u32(1) + hex("feffffff"), "Vector2i(1, -2)", "(1, -2)"},
    {"rect2", u32(7) + float_bytes({1, 2, 3, 4}), "Rect2(1, 2, 3, 4)", "(1, 2, 3, 4)"},
    {"rect2i", u32(8) + u32(1) + u32(2) + u32(3) + u32(4), "Rect2i(1, 2, 3, 4)", "(1, 2, 3, 4)"},
    {"vector3", u32(9) + float_bytes({1, 2, 3}), "Vector3(1, 2, 3)", "(1, 2, 3)"},
    {"vector3i", u32(10) + u32(1) + u32(2) + u32(3), "Vector3i(1, 2, 3)", "(1, 2, 3)"},
    {"transform2d", u32(11) + identity2d, "Transform2D(Vector2(1, 0), Vector2(0, 1), Vector2(0, 0))",
     "((1, 0), (0, 1), (0, 0))"},
    {"vector4", u32(12) + float_bytes({1, 2, 3, 4}), "Vector4(1, 2, 3, 4)", "(1, 2, 3, 4)"},
    {"vector4i", u32(13) + u32(1) + u32(2) + u32(3) + u32(4), "Vector4i(1, 2, 3, 4)", "(1, 2, 3, 4)"},
    {"plane", u32(14) + float_bytes({0, 1, 0, 5}), "Plane(0, 1, 0, 5)", "(0, 1, 0, 5)"},
    {"quaternion", u32(15) + float_bytes({0, 0, 0, 1}), "Quaternion(0, 0, 0, 1)", "(0, 0, 0, 1)"},
    {"quat_3", u32(10) + float_bytes({0, 0, 0, 1}), "Quat(0, 0, 0, 1)", "(0, 0, 0, 1)", nullptr, g3},
    {"aabb", u32(16) + float_bytes({1, 2, 3, 4.5, 5.5, 6.5}), "AABB(Vector3(1, 2, 3), Vector3(4.5, 5.5, 6.5))",
     "((1, 2, 3), (4.5, 5.5, 6.5))"},
    {"basis", u32(17) + basis, "Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))",
     "((1, 2, 3), (4, 5, 6), (7, 8, 9))"},
    {"transform3d", u32(18) + basis + float_bytes({10, 11, 12}),
     "Transform3D(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9), Vector3(10, 11, 12))",
     "((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12))"},
    {"transform_3", u32(13) + basis + float_bytes({10, 11, 12}),
     "Transform(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9), Vector3(10, 11, 12))",
     "((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12))", nullptr, g3},
    {"projection", u32(19) + float_bytes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
     "Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 10, 11, 12), Vector4(13, 14, 15, 16))",
     "((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16))"},
    {"color", u32(20) + float_bytes({1, 0.5, 0.1F, 1}), "Color(1, 0.5, 0.1, 1)", "(1, 0.5, 0.1, 1)"},
    {"rid", u32(23) + u64(5), "RID(5)", "RID(5)"},
    {"rid_3", u32(16), "RID()", "RID()", nullptr, g3},
    {"object_id", u32(24 | wide) + u64(id), "<Object#-9223372012394413809>", "<Object#-9223372012394413809>"},
    {"object_id_null", u32(24 | wide) + u64(0), "null", "null"},
    {"object_null", u32(24) + u32(0), "null", "null"},
    {"object_full", u32(24) + padded("Node") + u32(2) + padded("name") + string("a") + padded("hp") + integer(3),
     "Object(Node, \"name\": \"a\", \"hp\": 3)", "Object(Node, name: \"a\", hp: 3)", "Node"},
    {"object_without_properties", u32(24) + padded("Node") + u32(0), "Object(Node)", "Object(Node)", "Node"},
    {"object_in_array", u32(28) + u32(1) + u32(24) + padded("Node") + u32(0), "[Object(Node)]", "[Object(Node)]"},
    {"callable", u32(25), "Callable()", "Callable()"},
    {"signal", u32(26) + padded("hit") + u64(5), "Signal(<Object#5>, \"hit\")", "Signal(<Object#5>, \"hit\")"},
    {"signal_null", u32(26) + padded("") + u64(0), "Signal(<Object#0>, \"\")", "Signal(<Object#0>, \"\")"},
    {"dictionary", move, "{\"cmd\": \"move\", \"pos\": Vector2(1, 2)}", "{cmd: \"move\", pos: (1, 2)}"},
    {"dictionary_empty", u32(27) + u32(0), "{}", "{}"},
    {"dictionary_keys",
     u32(27) + u32(3) + integer(1) + u32(0) + u32(21) + padded("jump") + integer(2) + u32(27) + u32(0) + integer(3),
     "{1: null, &\"jump\": 2, {}: 3}", "{1: null, jump: 2, {}: 3}"},
    {"dictionary_nested", u32(27) + u32(1) + string("a") + u32(27) + u32(1) + string("b") + u32(28) + u32(0),
     "{\"a\": {\"b\": []}}", "{a: {b: []}}"},
    {"dictionary_typed", hex("1b000500 04000000 02000000 01000000 04000000 01000000 61000000 02000000 01000000"),
     "Dictionary[String, int]({\"a\": 1})", "{a: 1}"},
    {"dictionary_typed_keys", u32(27 | wide) + u32(2) + u32(1) + integer(1) + string("a"),
     "Dictionary[int, Variant]({1: \"a\"})", "{1: \"a\"}"},
    {"dictionary_typed_values", u32(27 | 0x40000) + u32(2) + u32(1) + string("a") + integer(1),
     "Dictionary[Variant, int]({\"a\": 1})", "{a: 1}"},
    {"dictionary_typed_empty", u32(27 | 0x50000) + u32(4) + u32(2) + u32(0), "Dictionary[String, int]({})", "{}"},
    {"array", u32(28) + u32(4) + integer(1) + u32(3) + f32(2) + u32(0) + u32(1) + u32(1), "[1, 2.0, null, true]",
     "[1, 2.0, null, true]"},
    {"array_empty", u32(28) + u32(0), "[]", "[]"},
    {"array_texts", u32(28) + u32(3) + string("a") + u32(21) + padded("b") + node_path(22, {"c"}, {}, 0),
     "[\"a\", &\"b\", ^\"c\"]", "[\"a\", \"b\", ^\"c\"]"},
    {"array_typed", hex("1c000100 02000000 02000000 02000000 01000000 02000000 02000000"), "Array[int]([1, 2])",
     "[1, 2]"},
    {"array_typed_empty", u32(28 | wide) + u32(9) + u32(0), "Array[Vector3]([])", "[]"},
    {"array_of_class", u32(28 | 0x20000) + padded("Node") + u32(1) + u32(24 | wide) + u64(5),
     "Array[Node]([<Object#5>])", "[<Object#5>]"},
    {"array_nested_typed", u32(28) + u32(2) + u32(28 | wide) + u32(2) + u32(1) + integer(1) + integer(2),
     "[Array[int]([1]), 2]", "[[1], 2]"},
    {"array_ignored_bit", u32(28 | 0x40000) + u32(1) + integer(7), "[7]", "[7]"},
    {"packed_bytes", u32(29) + u32(3) + hex("0180ff00"), "PackedByteArray([1, 128, 255])", "[1, 128, 255]"},
    {"packed_bytes_empty", u32(29) + u32(0), "PackedByteArray([])", "[]"},
    {"packed_int32", u32(30) + u32(2) + u32(1) + u32(2), "PackedInt32Array([1, 2])", "[1, 2]"},
    {"packed_int_3", u32(21) + u32(2) + u32(1) + u32(2), "PoolIntArray([1, 2])", "[1, 2]", nullptr, g3},
    {"packed_int64", u32(31) + u32(1) + u64(UINT64_MAX), "PackedInt64Array([-1])", "[-1]"},
    {"packed_float32", u32(32) + u32(3) + float_bytes({0, 0.1F, -1.5}), "PackedFloat32Array([0, 0.1, -1.5])",
     "[0, 0.1, -1.5]"},
    {"packed_float64", u32(33) + u32(2) + f64(1e100) + f64(0.1), "PackedFloat64Array([1e+100, 0.1])", "[1e+100, 0.1]"},
    {"packed_strings", hex("22000000 02000000 02000000 61000000 04000000 62636400"),
     "PackedStringArray([\"a\", \"bcd\"])", "[\"a\", \"bcd\"]"},
    {"packed_vector2", u32(35) + u32(2) + float_bytes({1, 2, 0.1F, -3}),
     "PackedVector2Array([Vector2(1, 2), Vector2(0.1, -3)])", "[(1, 2), (0.1, -3)]"},
    {"packed_vector2_3", u32(24) + u32(1) + float_bytes({1, 2}), "PoolVector2Array([Vector2(1, 2)])", "[(1, 2)]",
     nullptr, g3},
    {"packed_vector3", u32(36) + u32(1) + float_bytes({1, 2, 3}), "PackedVector3Array([Vector3(1, 2, 3)])",
     "[(1, 2, 3)]"},
    {"packed_color", u32(37) + u32(1) + float_bytes({1, 0.5, 0.25, 1}), "PackedColorArray([Color(1, 0.5, 0.25, 1)])",
     "[(1, 0.5, 0.25, 1)]"},
    {"packed_vector4", u32(38) + u32(1) + float_bytes({1, 2, 3, 4}), "PackedVector4Array([Vector4(1, 2, 3, 4)])",
     "[(1, 2, 3, 4)]"},
};

TEST(VariantText, ScriptFormMatchesGdScriptSyntax) {
  for (const Row &row : rows) EXPECT_EQ(text_of(row.bytes, TextStyle::script, row.dialect), row.script) << row.name;
}

TEST(VariantText, PlainFormHasNoQuotesOutsideContainers) {
  for (const Row &row : rows) {
    const char *plain = row.plain != nullptr ? row.plain : row.script;
    EXPECT_EQ(text_of(row.bytes, TextStyle::plain, row.dialect), plain) << row.name;
  }
}

TEST(VariantText, BriefFormMatchesTheExpectedText) {
  for (const Row &row : rows) EXPECT_EQ(text_of(row.bytes, TextStyle::brief, row.dialect), row.brief) << row.name;
}

TEST(VariantText, TextStaysWithinTheBuffer) {
  for (const Row &row : rows) {
    SCOPED_TRACE(row.name);
    const ExactBytes bytes(row.bytes);
    const Encoding encoding{.dialect = row.dialect};
    expect_bounded(row.script, [&](TextBuffer &buffer) {
      const WalkResult result = append_variant(buffer, bytes.get(), 0, encoding, {}, TextStyle::script);
      EXPECT_EQ(result.outcome, Outcome::ok);
      EXPECT_EQ(result.is_stopped, buffer.is_full());
    });
  }
}

TEST(VariantText, VariantAtAnyOffsetIsWritten) {
  const ExactBytes bytes(hex("ffffff") + integer(7) + hex("ff"));
  Buffer buffer(100);
  buffer.text.append("x = ");
  const WalkResult result = append_variant(buffer.text, bytes.get(), 3, {}, {}, TextStyle::script);
  EXPECT_EQ(buffer.text.view(), "x = 7");
  EXPECT_EQ(result.offset, 11U);
}

TEST(VariantText, BriefFormTruncatesLongTexts) {
  const std::string long_text(2000, 'x');
  const std::string brief = text_of(string(long_text), TextStyle::brief);
  EXPECT_LT(brief.size(), 500U);
  EXPECT_NE(brief.find(ellipsis), std::string::npos);
  EXPECT_EQ(brief.back(), '"');
  EXPECT_EQ(text_of(string(long_text), TextStyle::script), '"' + long_text + '"');
}

TEST(VariantText, BriefFormCountsLongPackedArrays) {
  const auto bytes = [](std::uint32_t type, std::uint32_t count) {
    return u32(type) + u32(count) + repeat(hex("07000000"), count / 4);
  };
  EXPECT_EQ(text_of(bytes(29, 16), TextStyle::brief), "[7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0]");
  EXPECT_EQ(text_of(bytes(29, 20), TextStyle::brief), "PackedByteArray[20 bytes]");
  EXPECT_EQ(text_of(bytes(20, 2000), TextStyle::brief, g3), "PoolByteArray[2000 bytes]");
  EXPECT_EQ(text_of(u32(30) + u32(17) + repeat(u32(1), 17), TextStyle::brief), "PackedInt32Array[17 elements]");
  EXPECT_EQ(text_of(u32(34) + u32(17) + repeat(u32(1) + u32(0), 17), TextStyle::brief),
            "PackedStringArray[17 elements]");
  EXPECT_EQ(text_of(u32(35) + u32(17) + repeat(float_bytes({1, 2}), 17), TextStyle::brief),
            "PackedVector2Array[17 elements]");
  // Values after a long array are written as usual; if the array is the whole packet, its beginning is written.
  const Data array = u32(28) + u32(3) + bytes(29, 20) + integer(7) + bytes(29, 4);
  EXPECT_EQ(text_of(array, TextStyle::brief), "[PackedByteArray[20 bytes], 7, [7, 0, 0, 0]]");
  EXPECT_EQ(text_of(bytes(29, 20), TextStyle::script).substr(0, 21), "PackedByteArray([7, 0");
  const ExactBytes alone(bytes(29, 20));
  Buffer buffer(100);
  append_brief(buffer.text, alone.get(), 0, {}, {}, TextStyle::summary);
  EXPECT_EQ(buffer.text.view().substr(0, 25), "PackedByteArray(20) [7, 0");
}

TEST(VariantText, StopsWhenFull) {
  const Data many = u32(28) + u32(1000) + repeat(integer(7), 1000);
  const ExactBytes bytes(many);
  Buffer buffer(50);
  const WalkResult result = append_variant(buffer.text, bytes.get(), 0, {}, {}, TextStyle::script);
  EXPECT_TRUE(result.is_stopped);
  EXPECT_LT(result.offset, 500U);
  EXPECT_TRUE(buffer.text.is_full());
}

/// Returns the number of brackets that are opened but not closed; negative if more are closed. Not for texts that
/// contain brackets.
std::ptrdiff_t unbalanced_brackets(std::string_view text) {
  const auto is_one_of = [](const char *set) { return [=](char c) { return std::string_view(set).find(c) < 3; }; };
  return std::count_if(text.begin(), text.end(), is_one_of("([{")) -
         std::count_if(text.begin(), text.end(), is_one_of(")]}"));
}

TEST(VariantText, ReadablePartOfATruncatedVariantIsShown) {
  for (const Row &row : rows) {
    const Encoding encoding{.dialect = row.dialect};
    for (std::size_t length = 0; length < row.bytes.size(); ++length) {
      for (const TextStyle style : {TextStyle::script, TextStyle::plain, TextStyle::brief}) {
        const ExactBytes bytes(row.bytes.first(length), row.bytes.size());
        Buffer buffer(1000);
        const WalkResult result = append_variant(buffer.text, bytes.get(), 0, encoding, {}, style);
        SCOPED_TRACE(std::string(row.name) + ": " + std::string(buffer.text.view()));
        EXPECT_EQ(name_of(result.outcome), result.is_stopped ? "ok" : "truncated");
        EXPECT_TRUE(!result.is_stopped || style == TextStyle::plain);
        EXPECT_EQ(buffer.violated_guarantee(), "");
        EXPECT_EQ(unbalanced_brackets(buffer.text.view()), 0);
      }
    }
  }
  const ExactBytes cut(u32(28) + u32(3) + integer(1) + integer(2) + u32(2), 100);
  Buffer buffer(100);
  append_variant(buffer.text, cut.get(), 0, {}, {}, TextStyle::script);
  EXPECT_EQ(buffer.text.view().substr(0, 5), "[1, 2");
}

TEST(VariantSummary, IsTypeCountAndBriefText) {
  struct SummaryRow {
    Data bytes;
    const char *text;
    Dialect dialect = Dialect::godot4;
  };
  const SummaryRow summaries[] = {
      {u32(27) + u32(3) + string("cmd") + string("move") + string("pos") + u32(5) + float_bytes({1, 2}) + string("id") +
           integer(7),
       "Dictionary(3) {cmd: \"move\", pos: (1, 2), id: 7}"},
      {integer(7), "int 7"},
      {u32(3) + f32(1.5), "float 1.5"},
      {u32(1) + u32(1), "bool true"},
      {u32(0), "Nil"},
      {string("hi"), "String \"hi\""},
      {u32(5) + float_bytes({1, 2}), "Vector2 (1, 2)"},
      {u32(11) + identity2d, "Transform2D ((1, 0), (0, 1), (0, 0))"},
      {u32(13) + basis + float_bytes({0, 0, 0}), "Transform ((1, 2, 3), (4, 5, 6), (7, 8, 9), (0, 0, 0))", g3},
      {u32(28) + u32(2) + integer(1) + integer(2), "Array(2) [1, 2]"},
      {u32(28) + u32(0), "Array(0) []"},
      {u32(27) + u32(0), "Dictionary(0) {}"},
      {u32(28 | wide) + u32(2) + u32(2) + integer(1) + integer(2), "Array[int](2) [1, 2]"},
      {u32(27 | 0x50000) + u32(4) + u32(2) + u32(1) + string("a") + integer(1), "Dictionary[String, int](1) {a: 1}"},
      {u32(30) + u32(2) + u32(1) + u32(2), "PackedInt32Array(2) [1, 2]"},
      {u32(21) + u32(2) + u32(1) + u32(2), "PoolIntArray(2) [1, 2]", g3},
      {u32(35) + u32(1) + float_bytes({1, 2}), "PackedVector2Array(1) [(1, 2)]"},
      {hex("22000000 02000000 02000000 61000000 04000000 62636400"), "PackedStringArray(2) [\"a\", \"bcd\"]"},
  };
  for (const SummaryRow &row : summaries) {
    SCOPED_TRACE(row.text);
    const Encoding encoding{.dialect = row.dialect};
    const ExactBytes bytes(row.bytes);
    expect_bounded(row.text, [&](TextBuffer &buffer) {
      EXPECT_EQ(append_brief(buffer, bytes.get(), 0, encoding, {}, TextStyle::summary).outcome, Outcome::ok);
    });
    for (std::size_t length = 0; length < row.bytes.size(); ++length) {
      const ExactBytes cut(row.bytes.first(length), row.bytes.size());
      Buffer buffer(100);
      EXPECT_EQ(name_of(append_brief(buffer.text, cut.get(), 0, encoding, {}, TextStyle::summary).outcome),
                "truncated");
      EXPECT_EQ(buffer.violated_guarantee(), "");
      EXPECT_EQ(unbalanced_brackets(buffer.text.view()), 0) << buffer.text.view();
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
