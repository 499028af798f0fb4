// SPDX-License-Identifier: MIT
#include "godot-codec/layout/layout.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/layout/walker.h"

namespace godot_codec::test {
namespace {

using namespace std::string_literals;

Bytes bytes_of(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

const Encoding godot4{};
const ReadOptions options;

/// Returns the errors of a file as "line: text".
std::vector<std::string> errors_of(std::string_view text) {
  std::vector<std::string> found;
  const LayoutFile layouts = LayoutFile::parse(text);
  for (const LayoutError &mistake : layouts.errors()) {
    found.push_back(std::to_string(mistake.line) + ": " + mistake.message);
  }
  return found;
}

/// Decodes bytes with the first layout of a file, and writes them in one line.
std::string text_of(const std::string &file, const std::string &bytes, LayoutWalkResult *result = nullptr) {
  const LayoutFile layouts = LayoutFile::parse(file);
  EXPECT_TRUE(layouts.errors().empty()) << layouts.errors()[0].line << ": " << layouts.errors()[0].message;
  if (layouts.layouts().empty()) return "no layout";
  std::array<char, 400> memory{};
  TextBuffer text(memory);
  const LayoutWalkResult walked =
      append_layout_text(text, layouts.layouts()[0], {layouts, bytes_of(bytes), godot4, options});
  if (result != nullptr) *result = walked;
  return std::string(text.view()) + outcome_mark(walked.outcome);
}

std::string raw(const std::string &lines) { return "raw 7777\n" + lines; }

// Writes a line for each event of a walk.
class LoggingSink final : public LayoutSink {
 public:
  explicit LoggingSink(LayoutFields fields) : fields_(fields) {}
  void begin_list(const LayoutNode &node) override { lines.push_back("[ " + node.name); }
  void end_list(const LayoutNode &node) override { lines.push_back("] " + node.name); }
  void begin_group(const LayoutValue &group) override { lines.push_back("( " + place(group)); }
  void end_group(const LayoutValue &group) override { lines.push_back(") " + place(group)); }
  void value(const LayoutValue &value) override { lines.push_back(place(value)); }
  void trailing_bytes(Range range) override {
    lines.push_back("rest " + std::to_string(range.offset) + "+" + std::to_string(range.length));
  }

  std::vector<std::string> lines;

 private:
  // Describes path, index and bit range of a value.
  [[nodiscard]] std::string place(const LayoutValue &value) const {
    return fields_[value.node->field].path + "#" + std::to_string(value.index) + " " +
           std::to_string(value.bit_offset) + "+" + std::to_string(value.bit_length);
  }
  LayoutFields fields_;
};

std::vector<std::string> walk(const std::string &file, const std::string &bytes) {
  const LayoutFile layouts = LayoutFile::parse(file);
  EXPECT_TRUE(layouts.errors().empty());
  LoggingSink log(layouts.fields());
  walk_layout(layouts.layouts()[0], {layouts, bytes_of(bytes), godot4, options}, &log);
  return log.lines;
}

// ---- the file

constexpr std::string_view example = R"(
# where, then what lies there
call World.blob
  kind: u8 {1: heal, 2: hit}
  target: utf8_string
  amount: float
raw 7777
  big_endian
  id: u16
  count: u8
  players: count * (slot: u8, pos: 3 * half, name: string if slot != 255)
  rest: var
)";

TEST(CustomFormatFile, FormatsAreReadWithTheirFields) {
  const LayoutFile layouts = LayoutFile::parse(example);
  ASSERT_TRUE(layouts.errors().empty()) << layouts.errors()[0].message;
  ASSERT_EQ(layouts.layouts().size(), 2U);
  EXPECT_EQ(layouts.layouts()[0].node, "World");
  EXPECT_EQ(layouts.layouts()[0].method, "blob");
  EXPECT_EQ(layouts.layouts()[1].port, 7777);
  std::vector<std::string> paths;
  for (const LayoutField &field : layouts.fields()) paths.push_back(field.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"kind", "target", "amount", "id", "count", "players", "players.slot",
                                             "players.pos", "players.name", "rest"}));
  EXPECT_EQ(layouts.fields()[0].kind, LayoutFieldKind::unsigned_number);
  ASSERT_EQ(layouts.fields()[0].names.size(), 2U);
  EXPECT_EQ(layouts.fields()[0].names[1].number, 2);
  EXPECT_EQ(layouts.fields()[0].names[1].name, "hit");
  EXPECT_EQ(layouts.fields()[7].kind, LayoutFieldKind::real);
  EXPECT_EQ(layouts.fields()[9].kind, LayoutFieldKind::variant);
}

TEST(CustomFormatFile, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  EXPECT_TRUE(errors_of("\xef\xbb\xbfraw 1\r\n\ta: u8\r\n\r\n").empty());
  EXPECT_EQ(text_of("\xef\xbb\xbfraw 1\r\n\ta: u8 # one\r\n", "\x05"), "{a: 5}");
}

TEST(CustomFormatFile, ErrorsNameTheLineAndReadingContinues) {
  EXPECT_EQ(errors_of("raw 7777\n  a: u8\n  b: u24\n  c: u8\nraw 7778\n  d: u8\n  e: 7\ncall\nraw 0\nfoo\n"),
            (std::vector<std::string>{
                "3: \"u24\" is neither a part nor a type: u8 to u64, 8 to 64, varint, bits, half, float, double, "
                "string, utf8_string, cstring, data, var",
                "7: \"7\" is not a type; integers have 8, 16, 32 or 64 bits",
                "8: Expected a method name, found the end of the line",
                "9: Expected the port of the game server, found \"0\"",
            }))
      << "what follows a mistake belongs to it, up to the next heading";
  const LayoutFile layouts = LayoutFile::parse("raw 7777\n  a: u8\n  b: u24\n  c: u8\nraw 7778\n  d: u8\n");
  ASSERT_EQ(layouts.layouts().size(), 2U);
  EXPECT_TRUE(layouts.layouts()[0].is_incomplete);
  EXPECT_EQ(layouts.layouts()[0].fields.size(), 1U) << "what is behind it lies nobody knows where";
  EXPECT_FALSE(layouts.layouts()[1].is_incomplete);
}

TEST(CustomFormatFile, EachErrorHasItsMessage) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"a: u8", "1: A line without indentation must begin with call, raw or part"},
      {"  a: u8", "1: No line that begins with call, raw or part precedes this indented line"},
      {"raw 1", "1: No fields follow"},
      {"raw 1 2\n a: u8", "1: Expected the end of the line, found \"2\""},
      {"raw 1\n a u8", "2: Expected \":\", found \"u8\""},
      {"raw 1\n a: u8 b", "2: Expected the end of the line, found \"b\""},
      {"raw 1\n a: n * u8", "2: No number named n precedes this field"},
      {"raw 1\n a: data(n)", "2: No number named n precedes this field"},
      {"raw 1\n a: u8 if b == 1", "2: No number named b precedes this field"},
      {"raw 1\n a: float\n b: u8 if a == 1", "3: No number named a precedes this field"},
      {"raw 1\n a: u8 {1: x}\n b: u8 if a == y", "3: a has no value named y"},
      {"raw 1\n a: u8 if", "2: Expected a field name, found the end of the line"},
      {"raw 1\n a: u8\n b: u8 if a", "3: Expected ==, !=, <, <=, >, >= or &, found the end of the line"},
      {"raw 1\n a: bits(65)", "2: The number of bits must be 1 to 64"},
      {"raw 1\n a: bits", "2: Expected \"(\" and a number of bits, found the end of the line"},
      {"raw 1\n a: 3 * (", "2: Expected a field name, found the end of the line"},
      {"raw 1\n a: ()", "2: No fields between ( and )"},
      {"raw 1\n a: float {1: x}", "2: Only integers can have names for their values"},
      {"raw 1\n a: u8 flags {0: x}", "2: The value of a flag must not be 0"},
      {"raw 1\n a: u8 = x", "2: Expected a number, found \"x\""},
      {"raw 1\n a: u8\nraw 2\n a: float",
       "4: a is a number that is never negative elsewhere, and a float here: give one of them another name"},
      {"raw 1\n a: u8 {1: x}\nraw 2\n a: u8 {1: y}",
       "4: a has the number 1 for x elsewhere, and for y here: give one of the fields another name"},
      {"part P\n p: P\nraw 1\n a: P", "2: The part P would contain itself"},
      {"part P\n a: u8\npart P\n b: u8\nraw 1\n a: P", "3: A part with this name is already defined above"},
      {"call f(x)\n a: u8", "1: An argument must be a number, a text in quotes, _ (any value) or bytes (the payload)"},
      {"raw 1\n a: u8 \x01", "2: Expected the end of the line, found \"\x01\""},
      {"raw 1\n a: data = \"x", "2: Expected a text in quotes, found \"\"x\""},
      {"raw 1\n a: é", "2: Expected a type, found \"é\""},
      {"raw 1\n a: \xc3", "2: Expected a type, found \"\xc3\""},
      {"raw 1\n a: \"" + std::string(58, 'x') + "éé\"",
       "2: Expected a type, found \"\"" + std::string(58, 'x') + "…\""},
      {"raw 1\n " + std::string(257, 'x') + ": u8",
       "2: Expected a field name, found \"" + std::string(60, 'x') + "…\""},
  };
  for (const auto &[file, mistake] : wrong) {
    const std::vector<std::string> found = errors_of(file);
    ASSERT_EQ(found.size(), 1U) << file;
    EXPECT_EQ(found[0], mistake) << file;
  }
}

TEST(CustomFormatFile, FormatsOverTheSizeLimitsAreErrors) {
  std::string deep = "raw 1\n a: ";
  for (int i = 0; i < 40; ++i) deep += "(b: ";
  EXPECT_EQ(errors_of(deep), std::vector<std::string>{"2: Parts are nested too deeply"});
  // Each part contains the previous part twice.
  std::string wide = "part P0\n x: float\n";
  for (int i = 1; i < 14; ++i) {
    const std::string inner = "P" + std::to_string(i - 1);
    wide += "part P" + std::to_string(i) + "\n a: " + inner + "\n b: " + inner + "\n";
  }
  EXPECT_EQ(errors_of(wide + "raw 1\n a: P13\n"), std::vector<std::string>{"5: Too many fields for one file"});
  EXPECT_EQ(errors_of(std::string(LayoutFile::max_file_size + 1, '\n')),
            std::vector<std::string>{"0: The file is too large"});
  std::string numbers = "raw 1\n";
  for (int i = 0; i < 129; ++i) numbers += " n" + std::to_string(i) + ": u8\n";
  EXPECT_EQ(errors_of(numbers), std::vector<std::string>{"130: Too many numbers for one format"});
}

// " a: u8 KEYWORD {1: a1, 2: a2, …}"
std::string field_of_names(const std::string &name, const std::string &keyword, std::size_t count) {
  std::string line = " " + name + ": u64 " + keyword + "{";
  for (std::size_t i = 1; i <= count; ++i) line += std::to_string(i) + ": a" + std::to_string(i) + ", ";
  return line + "}\n";
}

TEST(CustomFormatFile, TooManyFlagsOrNamesAreErrors) {
  const auto flags = [](std::size_t count) { return field_of_names("f", "flags ", count); };
  EXPECT_EQ(errors_of("raw 1\n" + flags(64)), std::vector<std::string>());
  EXPECT_EQ(errors_of("raw 1\n" + flags(65)), std::vector<std::string>{"2: Too many flags for one field"});
  // In 63 places, a field and its 64 flags make 4,095 fields. One more place exceeds the limit, and so do all later
  // places.
  std::string places;
  for (int i = 1; i <= 100; ++i)
    places += "raw " + std::to_string(i) + "\n" + field_of_names("f" + std::to_string(i), "flags ", 64);
  const LayoutFile many = LayoutFile::parse(places);
  EXPECT_EQ(many.fields().size(), 4095U);
  EXPECT_EQ(errors_of(places), std::vector<std::string>{"128: Too many fields for one file"});

  const auto names = [](std::size_t count) { return field_of_names("n", "", count); };
  EXPECT_EQ(errors_of("raw 1\n" + names(1024)), std::vector<std::string>());
  EXPECT_EQ(errors_of("raw 1\n" + names(1025)), std::vector<std::string>{"2: Too many names for one field"});
  // 64 places with a part of 1,024 names reach the limit.
  std::string parts = "part P\n" + names(1024);
  for (int i = 1; i <= 66; ++i) parts += "raw " + std::to_string(i) + "\n p" + std::to_string(i) + ": P\n";
  EXPECT_EQ(errors_of(parts), std::vector<std::string>{"2: Too many names for one file"});
}

// ---- places

TEST(CustomFormatFile, CallFormatAppliesToTheMethodOfTheNode) {
  const LayoutFile layouts =
      LayoutFile::parse("call World.blob\n a: u8\ncall save\n a: u8\ncall /root/My Node.x y\n a: u8\n");
  const Layout &blob = layouts.layouts()[0];
  EXPECT_TRUE(LayoutFile::applies_to(blob, "World", "blob", 0, {}));
  EXPECT_TRUE(LayoutFile::applies_to(blob, "Main/World", "blob", 3, {}));
  EXPECT_FALSE(LayoutFile::applies_to(blob, "Main/MyWorld", "blob", 0, {}));
  EXPECT_FALSE(LayoutFile::applies_to(blob, "World/Main", "blob", 0, {}));
  EXPECT_FALSE(LayoutFile::applies_to(blob, "World", "blob2", 0, {}));
  EXPECT_TRUE(LayoutFile::applies_to(layouts.layouts()[1], "Anything", "save", 0, {}));
  EXPECT_TRUE(LayoutFile::applies_to(layouts.layouts()[1], "", "save", 0, {}));
  EXPECT_EQ(layouts.layouts()[2].node, "/root/My Node");
  EXPECT_EQ(layouts.layouts()[2].method, "x y");
  EXPECT_TRUE(layouts.has_layout_for_method("blob"));
  EXPECT_FALSE(layouts.has_layout_for_method("heal"));
  EXPECT_FALSE(layouts.has_layout_for_method(""));
}

TEST(CustomFormatFile, CallFormatAppliesOnlyToMatchingArguments) {
  const LayoutFile layouts = LayoutFile::parse("call f(4, bytes, _, \"fast\")\n a: u8\n");
  ASSERT_TRUE(layouts.errors().empty());
  const Layout &layout = layouts.layouts()[0];
  const LayoutArgumentValue four{4, std::nullopt};
  const LayoutArgumentValue five{5, std::nullopt};
  const LayoutArgumentValue none;
  const LayoutArgumentValue fast{std::nullopt, "fast"};
  const auto applies_to = [&](std::uint32_t index, const std::vector<LayoutArgumentValue> &arguments) {
    return LayoutFile::applies_to(layout, "", "f", index, arguments);
  };
  EXPECT_TRUE(applies_to(1, {four, none, none, fast}));
  EXPECT_FALSE(applies_to(2, {four, none, none, fast})) << "another argument";
  EXPECT_FALSE(applies_to(1, {five, none, none, fast}));
  EXPECT_FALSE(applies_to(1, {none, none, none, fast}));
  EXPECT_FALSE(applies_to(1, {four, none, none, four}));
  EXPECT_FALSE(applies_to(1, {four, none, none})) << "it has fewer arguments";
}

// ---- bytes

TEST(CustomFormatValues, AreReadAsStreamPeerWritesThem) {
  // put_u8(2), put_utf8_string("bob"), put_float(2.5)
  EXPECT_EQ(text_of(std::string(example), "\x02\x03\0\0\0bob\0\0\x20\x40"s),
            "{kind: hit, target: \"bob\", amount: 2.5}");
  EXPECT_EQ(text_of(raw(" a: 8\n b: 16\n c: 32\n d: 64\n e: u64\n f: double\n g: half\n"),
                    "\xff\xfe\xff\xfd\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff"s +
                        "\xff\xff\xff\xff\xff\xff\xff\xff"s + "\0\0\0\0\0\0\xf8\xbf"s + "\x00\xc2"s),
            "{a: -1, b: -2, c: -3, d: -4, e: 18446744073709551615, f: -1.5, g: -3}");
  EXPECT_EQ(text_of(raw(" big_endian\n a: u16\n b: float\n c: string\n little_endian\n d: u16\n"),
                    "\x01\x02\x40\x20\0\0\0\0\0\x02hi\x01\x02"s),
            "{a: 258, b: 2.5, c: \"hi\", d: 513}");
  EXPECT_EQ(text_of(raw(" a: cstring\n b: string(3)\n c: varint\n d: data\n"), "hey\0you\x96\x01\xde\xad"s),
            "{a: \"hey\", b: \"you\", c: 150, d: dead}");
}

TEST(CustomFormatValues, HalfFloatsOfAllKindsAreRead) {
  const std::vector<std::pair<std::string, std::string>> halves = {
      {"\x00\x3c"s, "1"},    {"\x01\x00"s, "5.9604645e-08"}, {"\xff\x7b"s, "65504"}, {"\x00\x7c"s, "inf"},
      {"\x00\xfc"s, "-inf"}, {"\x00\x7e"s, "nan"},           {"\x00\x80"s, "-0"},    {"\xff\x03"s, "6.097555e-05"}};
  for (const auto &[bytes, value] : halves) EXPECT_EQ(text_of(raw(" a: half\n"), bytes), "{a: " + value + "}");
}

TEST(CustomFormatValues, BitFieldsAreRead) {
  EXPECT_EQ(walk(raw(" a: bits(3)\n b: bits(7)\n c: u8\n"), "\xfd\x03\x09"),
            (std::vector<std::string>{"a#0 0+3", "b#0 3+7", "c#0 16+8"}));
  // From the lowest bit up, or from the highest bit down.
  EXPECT_EQ(text_of(raw(" a: bits(3)\n b: bits(7)\n c: u8\n"), "\xf5\x03\x09"), "{a: 5, b: 126, c: 9}");
  EXPECT_EQ(text_of(raw(" big_endian\n a: bits(3)\n b: bits(7)\n c: u8\n"), "\xb5\xc3\x09"), "{a: 5, b: 87, c: 9}");
}

TEST(CustomFormatValues, CountedFieldsAreRepeated) {
  const std::string players =
      raw(" count: u8\n players: count * (slot: u8, pos: 3 * u8, name: string if slot != 255)\n");
  EXPECT_EQ(text_of(players, "\x02\x01\x0a\x0b\x0c\x02\0\0\0me\xff\x0d\x0e\x0f"s),
            "{count: 2, players: [{slot: 1, pos: [10, 11, 12], name: \"me\"}, {slot: 255, pos: [13, 14, 15]}]}");
  EXPECT_EQ(walk(players, "\x01\x07\x01\x02\x03\0\0\0\0"s),
            (std::vector<std::string>{"count#0 0+8", "[ players", "( players#0 8+0", "players.slot#0 8+8", "[ pos",
                                      "players.pos#0 16+8", "players.pos#1 24+8", "players.pos#2 32+8", "] pos",
                                      "players.name#0 40+32", ") players#0 8+64", "] players"}));
  EXPECT_EQ(text_of(raw(" a: all * u16\n"), "\x01\0\x02\0"s), "{a: [1, 2]}");
  EXPECT_EQ(text_of(raw(" a: * u16\n"), "\x01\0\x02\0\x03"s), "{a: [1, 2]} [malformed]")
      << "the last byte is half of one";
  EXPECT_EQ(text_of(raw(" n: u8\n a: n * u8\n b: u8\n"), "\0\x07"s), "{n: 0, a: [], b: 7}");
}

TEST(CustomFormatValues, ConditionalFieldsAreReadIfTheConditionHolds) {
  const std::string file =
      raw(" kind: u8 {1: heal, 2: hit}\n a: u8 if kind == heal\n b: u8 if kind & 2\n c: u8 if kind >= 2\n");
  EXPECT_EQ(text_of(file, "\x01\x09"), "{kind: heal, a: 9}");
  EXPECT_EQ(text_of(file, "\x02\x08\x07"), "{kind: hit, b: 8, c: 7}");
  EXPECT_EQ(text_of(file, "\x05\x08"), "{kind: 5, c: 8}");
}

TEST(CustomFormatValues, PartsAreExpandedWhereverTheyAreUsed) {
  const std::string file = "part Point\n x: 8\n y: 8\nraw 1\n from: Point\n to: 2 * Point\n";
  EXPECT_EQ(text_of(file, "\x01\xff\x03\x04\x05\x06"), "{from: {x: 1, y: -1}, to: [{x: 3, y: 4}, {x: 5, y: 6}]}");
  EXPECT_EQ(LayoutFile::parse(file).fields()[4].path, "to.x");
}

TEST(CustomFormatValues, SizedGroupEndsAtItsSize) {
  const std::string file = raw(" size: u8\n inner: size bytes (a: u8, b: all * u8)\n c: u8\n");
  EXPECT_EQ(text_of(file, "\x03\x01\x02\x03\x09"), "{size: 3, inner: {a: 1, b: [2, 3]}, c: 9}");
  EXPECT_EQ(text_of(file, "\x05\x01\x02\x03\x09"), "{size: 5} [malformed]");
  EXPECT_EQ(walk(raw(" inner: 3 bytes (a: u8)\n b: u8\n"), "\x01\x02\x03\x04"),
            (std::vector<std::string>{"( inner#0 0+0", "inner.a#0 0+8", "rest 1+2", ") inner#0 0+24", "b#0 24+8"}));
}

TEST(CustomFormatValues, FlagsAreNamed) {
  const std::string file = raw(" state: u8 flags {1: jumping, 0x80: dead}\n");
  EXPECT_EQ(text_of(file, "\x81"), "{state: jumping|dead}");
  EXPECT_EQ(text_of(file, "\x03"), "{state: jumping|2}");
  EXPECT_EQ(text_of(file, "\0"s), "{state: 0}");
  const LayoutFile layouts = LayoutFile::parse(file);
  EXPECT_EQ(layouts.fields()[2].path, "state.dead");
  EXPECT_EQ(layouts.fields()[2].kind, LayoutFieldKind::boolean);
}

TEST(CustomFormatValues, VariantsAreRead) {
  const std::string variant = "\x02\0\0\0\x57\0\0\0"s;  // var_to_bytes(87)
  EXPECT_EQ(text_of(raw(" a: var\n b: u8\n"), variant + "\x01"), "{a: 87, b: 1}");
  EXPECT_EQ(text_of(raw(" a: var\n b: u8\n"), "\x08\0\0\0"s + variant + "\x01"), "{a: 87, b: 1}") << "put_var()";
  EXPECT_EQ(text_of(raw(" big_endian\n a: all * var\n"), "\0\0\0\x08"s + variant + "\0\0\0\x08"s + variant),
            "{a: [87, 87]}");
  EXPECT_EQ(text_of(raw(" a: var\n"), "\xff\0\0\0\x57\0\0\0"s), "{} [unsupported]");
}

// ---- bytes that do not match

TEST(CustomFormatValues, FieldPastTheDataIsMalformed) {
  LayoutWalkResult result;
  EXPECT_EQ(text_of(raw(" a: u16\n b: u32\n"), "\x01\0\x02\0"s, &result), "{a: 1} [malformed]");
  EXPECT_EQ(result.offset, 2U);
  ASSERT_NE(result.failed_node, nullptr);
  EXPECT_EQ(result.failed_node->name, "b");
  EXPECT_EQ(text_of(raw(" a: string\n"), "\xff\xff\xff\xff"s + "abc", &result), "{} [malformed]");
  EXPECT_EQ(text_of(raw(" a: cstring\n"), "abc"), "{} [malformed]");
  EXPECT_EQ(text_of(raw(" a: varint\n"), std::string(11, '\x80')), "{} [malformed]");
  EXPECT_EQ(text_of(raw(" a: u8\n"), "\x01\x02", &result), "{a: 1}");
  EXPECT_EQ(result.offset, 1U);
  // The remaining bits of a byte are too few for another element.
  text_of(raw(" a: bits(4)\n b: all * u8\n"), "\x21", &result);
  EXPECT_EQ(result.outcome, Outcome::ok);
  EXPECT_EQ(text_of(raw(" a: all * bits(3)\n"), "\x21", &result), "{a: [1, 4]} [malformed]");
}

TEST(CustomFormatValues, FieldPastTheCapturedBytesIsTruncated) {
  const LayoutFile layouts = LayoutFile::parse(raw(" a: u8\n b: u16\n c: data\n"));
  const std::array<std::uint8_t, 2> data = {1, 2};
  const auto outcome = [&](std::size_t captured) {
    return walk_layout(layouts.layouts()[0], {layouts, {data.data(), captured, 9}, godot4, options}, nullptr).outcome;
  };
  EXPECT_EQ(outcome(0), Outcome::truncated);
  EXPECT_EQ(outcome(2), Outcome::truncated);
}

TEST(CustomFormatValues, HugeCountsAreLimited) {
  LayoutWalkResult result;
  text_of(raw(" n: u64\n a: n * (b: u8 if n == 1)\n c: u8\n"), "\xff\xff\xff\xff\xff\xff\xff\x7f\x05"s, &result);
  EXPECT_EQ(result.outcome, Outcome::ok) << "elements of nothing are not counted out";
  EXPECT_EQ(result.offset, 9U);
  text_of(raw(" a: all * bits(1)\n"), std::string(layout_max_values / 8 + 1, '\0'), &result);
  EXPECT_EQ(result.outcome, Outcome::over_limit);
  text_of(raw(" n: 8\n a: n * u8\n b: data(n)\n"), "\xff\x01"s, &result);
  EXPECT_EQ(result.offset, 1U) << "a negative number is none";
}

// ---- several layouts for the same payload

TEST(CustomFormatChoice, ConstantFieldsSelectTheFormat) {
  const LayoutFile layouts = LayoutFile::parse(
      "raw 1\n kind: u8 = 1\n a: u8\nraw 1\n kind: u8 = 2\n b: u16\nraw 1\n magic: data(2) = \"\\0n\"\n c: u8\n");
  ASSERT_TRUE(layouts.errors().empty()) << layouts.errors()[0].message;
  const auto choose = [&](const std::string &bytes) {
    const Layout *layout = find_port_layout(1, {layouts, bytes_of(bytes), godot4, options});
    return layout == nullptr ? 0 : layout->line;
  };
  EXPECT_EQ(choose("\x01\x09"), 1U);
  EXPECT_EQ(choose("\x02\x09\x09"), 4U);
  EXPECT_EQ(choose("\0n\x09"s), 7U);
  EXPECT_EQ(choose("\x03\x09"), 0U) << "none of them";
  EXPECT_EQ(choose("\x02\x09"), 4U) << "as far as it fits";
}

TEST(CustomFormatChoice, ExactFitIsPreferred) {
  const LayoutFile layouts = LayoutFile::parse("raw 1\n a: u8\nraw 1\n b: u16\n");
  EXPECT_EQ(find_port_layout(1, {layouts, bytes_of("xy"), godot4, options})->line, 3U);
}

}  // namespace
}  // namespace godot_codec::test
