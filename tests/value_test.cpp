// SPDX-License-Identifier: MIT
// Trees of values: every type, and the memory cost of hostile bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "counting_memory.h"
#include "events.h"
#include "godot-codec/variant/variant_value.h"

namespace godot_codec::test {
namespace {

struct Tree {
  explicit Tree(const Data &data, const Encoding &encoding = {}, const ReadOptions &options = {}) : bytes(data) {
    read = read_value(bytes.get(), 0, encoding, options, arena);
  }
  [[nodiscard]] const VariantValue &root() const { return *read.root; }

  ExactBytes bytes;
  ValueArena arena;
  ValueTree read;
};

// Returns the numbers in script order; none if they are of another type.
template <typename Number>
std::vector<Number> numbers_of(const VariantValue &value) {
  std::vector<Number> numbers;
  value.numbers().visit([&](auto view) {
    if constexpr (std::is_same_v<decltype(view[0]), Number>) {
      for (std::size_t i = 0; i < view.size(); ++i) numbers.push_back(view[script_index(shape_of(value.type()), i)]);
    }
  });
  return numbers;
}

Data string(std::string_view text) { return u32(4) + u32(text.size()) + padded_text(text); }

TEST(VariantValue, ScalarsHaveTheSentValues) {
  EXPECT_TRUE(Tree(u32(0)).root().is_null());
  EXPECT_TRUE(Tree(hex("01000000 01000000")).root().boolean());
  EXPECT_FALSE(Tree(hex("01000000 00000000")).root().boolean());
  EXPECT_EQ(Tree(hex("02000000 f9ffffff")).root().integer(), -7);
  EXPECT_EQ(Tree(hex("02000100 0000000000000080")).root().integer(), INT64_MIN);
  EXPECT_EQ(Tree(hex("02000000 07000000")).root().real(), 7.0);
  EXPECT_EQ(Tree(u32(3) + f32(0.5F)).root().real(), 0.5);
  EXPECT_EQ(Tree(u32(0x10003) + f64(0.1)).root().real(), 0.1);
  const Tree text(string("Ada"));
  EXPECT_EQ(text.root().type(), Type::string);
  EXPECT_EQ(text.root().text(), "Ada");
  EXPECT_EQ(Tree(hex("15000000 02000000 68700000")).root().text(), "hp");
  EXPECT_EQ(Tree(string("")).root().text(), "");
  EXPECT_EQ(Tree(hex("17000000 4d00000000000000")).root().integer(), 77);
}

TEST(VariantValue, ComponentsAndElementsKeepTheirOrder) {
  EXPECT_EQ(numbers_of<float>(Tree(u32(5) + f32(1.5F) + f32(-2)).root()), (std::vector<float>{1.5F, -2}));
  EXPECT_EQ(numbers_of<double>(Tree(u32(0x10005) + f64(0.1) + f64(2)).root()), (std::vector<double>{0.1, 2}));
  EXPECT_EQ(numbers_of<std::int32_t>(Tree(hex("0a000000 01000000 02000000 ffffffff")).root()),
            (std::vector<std::int32_t>{1, 2, -1}));
  Data basis = u32(17);
  for (const float number : {1.F, 4.F, 7.F, 2.F, 5.F, 8.F, 3.F, 6.F, 9.F}) basis += f32(number);
  const Tree axes(basis);
  EXPECT_EQ(numbers_of<float>(axes.root()), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(axes.root().number(3), 4.0);
  EXPECT_EQ(axes.root().numbers().real(3), 2.0);
  const Tree bytes(hex("1d000000 05000000 0102030405 000000"));
  EXPECT_EQ(numbers_of<std::uint8_t>(bytes.root()), (std::vector<std::uint8_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(numbers_of<std::int64_t>(Tree(hex("1f000000 01000000 feffffffffffffff")).root()),
            (std::vector<std::int64_t>{-2}));
  const Tree vectors(u32(36) + u32(2) + f32(1) + f32(2) + f32(3) + f32(4) + f32(5) + f32(6));
  EXPECT_EQ(vectors.root().numbers().size(), 6U);
  EXPECT_EQ(vectors.root().number(5), 6.0);
  EXPECT_EQ(Tree(hex("1e000000 00000000")).root().numbers().size(), 0U);
  // The last element of a packet without its padding; a value without numbers has none.
  EXPECT_EQ(numbers_of<std::uint8_t>(Tree(hex("1d000000 01000000 2a")).root()), (std::vector<std::uint8_t>{42}));
  EXPECT_EQ(Tree(string("x")).root().numbers().size(), 0U);
}

TEST(VariantValue, PackedStringsHaveNoTerminator) {
  const Tree tree(hex("22000000 03000000 02000000 61000000 00000000 04000000 62636400"));
  std::vector<std::string_view> strings;
  for (const PackedString &element : tree.root().strings()) strings.push_back(element.text);
  EXPECT_EQ(strings, (std::vector<std::string_view>{"a", "", "bcd"}));
  EXPECT_EQ(tree.root().numbers().size(), 0U);
}

TEST(VariantValue, ContainersHaveTheirElements) {
  // [{"hp": 87, 3: [], "hp": 12}, "x", null]
  const Data hp = string("hp");
  const Tree tree(u32(28) + u32(3) + u32(27) + u32(3) + hp + hex("02000000 57000000") + hex("02000000 03000000") +
                  hex("1c000000 00000000") + hp + hex("02000000 0c000000") + string("x") + u32(0));
  const std::span<const VariantValue> all = tree.root().elements();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].text(), "x");
  EXPECT_EQ(all[2].type(), Type::nil);
  const std::span<const ValueEntry> entries = all[0].entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].key.text(), "hp");
  EXPECT_EQ(entries[0].value.integer(), 87);
  EXPECT_EQ(entries[1].key.integer(), 3);
  EXPECT_EQ(entries[1].value.type(), Type::array);
  EXPECT_TRUE(entries[1].value.elements().empty());
  ASSERT_NE(all[0].find("hp"), nullptr);
  EXPECT_EQ(all[0].find("hp")->integer(), 12);  // the last value wins, as in the engine
  EXPECT_EQ(all[0].find("mp"), nullptr);
  EXPECT_EQ(tree.root().find("hp"), nullptr);
}

TEST(VariantValue, ObjectsPathsAndSignalsAreRead) {
  const Tree by_id(hex("18000100 0700000000000080"));
  EXPECT_EQ(by_id.root().object_id(), 0x8000000000000007U);
  EXPECT_FALSE(by_id.root().is_null());
  EXPECT_TRUE(Tree(hex("18000100 0000000000000000")).root().is_null());
  EXPECT_TRUE(Tree(hex("18000000 00000000")).root().is_null());
  const Tree freed(hex("18000000"), {.is_compact = true});
  EXPECT_TRUE(freed.root().is_null());
  const Tree whole(hex("18000000 04000000 4e6f6465 02000000") + u32(2) + padded_text("hp") + hex("02000000 05000000") +
                   u32(1) + padded_text("x") + u32(28) + u32(1) + u32(0));
  EXPECT_EQ(whole.root().text(), "Node");
  ASSERT_EQ(whole.root().entries().size(), 2U);
  EXPECT_EQ(whole.root().find("hp")->integer(), 5);
  EXPECT_EQ(whole.root().find("x")->elements().size(), 1U);
  const Tree path(hex("16000000 02000080 01000000 01000000 04000000 726f6f74 01000000 41000000 01000000 78000000"));
  ASSERT_EQ(path.root().path_names().size(), 2U);
  EXPECT_EQ(path.root().path_names()[1].text(), "A");
  ASSERT_EQ(path.root().path_subnames().size(), 1U);
  EXPECT_EQ(path.root().path_subnames()[0].text(), "x");
  EXPECT_TRUE(path.root().is_absolute());
  EXPECT_FALSE(Tree(hex("16000000 00000080 00000000 00000000")).root().is_absolute());
  EXPECT_EQ(Tree(hex("16000000 01000000 41000000")).root().path_names()[0].text(), "A");
  const Tree signal(hex("1a000000 03000000 68697400 4d00000000000000"));
  EXPECT_EQ(signal.root().text(), "hit");
  EXPECT_EQ(signal.root().object_id(), 77U);
}

// Two NodePaths in an Array do not share names.
TEST(VariantValue, NodePathsDoNotShareNames) {
  const Data absolute = hex("16000000 01000080 01000000 01000000 01000000 41000000 01000000 78000000");
  const Tree tree(u32(28) + u32(2) + absolute + hex("16000000 00000080 00000000 00000000"));
  EXPECT_EQ(tree.root().elements()[0].path_names().size(), 1U);
  EXPECT_TRUE(tree.root().elements()[1].path_names().empty());
  EXPECT_TRUE(tree.root().elements()[1].path_subnames().empty());
  EXPECT_FALSE(tree.root().elements()[1].is_absolute());
}

TEST(VariantValue, UnreadableBytesGiveNoValue) {
  const auto outcome = [](const Data &data) {
    const Tree tree(data);
    EXPECT_EQ(tree.read.root == nullptr, tree.read.result.outcome != Outcome::ok);
    return name_of(tree.read.result.outcome) + " @" + std::to_string(tree.read.result.offset);
  };
  EXPECT_EQ(outcome(hex("")), "malformed @0");
  EXPECT_EQ(outcome(hex("ff000000")), "unsupported @0");
  EXPECT_EQ(outcome(hex("1c000000 02000000 02000000 07000000")), "malformed @16");
  EXPECT_EQ(outcome(hex("1c000000 02000000 00000000 04000000")), "malformed @16");
  EXPECT_EQ(outcome(hex("1b000000 01000000 00000000 1c000000 ffffff7f")), "malformed @20");
}

// The most expensive cases: large counts, nested containers, the smallest values.
TEST(VariantValue, MemoryIsProportionalToTheActualBytes) {
  Data promises;
  for (int i = 0; i < 1000; ++i) promises += hex("1c000000") + u32((8000 - 8 * (i + 1)) / 4);
  Data nils = u32(28) + u32(20000);
  for (int i = 0; i < 20000; ++i) nils += u32(0);
  Data empty = u32(34) + u32(20000);
  for (int i = 0; i < 20000; ++i) empty += u32(0);
  Data deep;
  for (int i = 0; i < 1024; ++i) deep += hex("1c000000 01000000");
  Data paths = u32(28) + u32(5000);
  for (int i = 0; i < 5000; ++i) paths += hex("16000000 00000080 00000000 00000000");
  Data objects = u32(28) + u32(5000);
  for (int i = 0; i < 5000; ++i) objects += hex("18000000 01000000 41000000 00000000");
  for (const Data &data : {promises, nils, empty, deep + u32(0), paths, objects}) {
    CountingMemory memory;
    ValueArena arena(&memory);
    const ExactBytes bytes(data);
    const ValueTree first = read_value(bytes.get(), 0, {}, {}, arena);
    EXPECT_LE(memory.bytes(), 8192 + 32 * data.size());
    const std::size_t used = memory.used();
    arena.clear();
    EXPECT_EQ(read_value(bytes.get(), 0, {}, {}, arena).root == nullptr, first.root == nullptr);
    EXPECT_LE(memory.used(), used);
  }
}

TEST(VariantValue, MemoryIsReusedForSmallTrees) {
  CountingMemory memory;
  ValueArena arena(&memory);
  const ExactBytes bytes(hex("1c000000 02000000 04000000 03000000 61626300 02000000 07000000"));
  for (int i = 0; i < 3; ++i) {
    arena.clear();
    ASSERT_NE(read_value(bytes.get(), 0, {}, {}, arena).root, nullptr);
    EXPECT_EQ(memory.used(), 4 * sizeof(VariantValue)) << "the stack";
  }
}

TEST(VariantValue, ValuesReadIntoOneArenaStayValid) {
  const ExactBytes bytes(hex("022a 04000000 03000000 61626300"));
  ValueArena arena;
  const ValueTree first = read_value(bytes.get(), 0, {.is_compact = true}, {}, arena);
  const ValueTree second = read_value(bytes.get(), first.result.offset, {.is_compact = true}, {}, arena);
  EXPECT_EQ(first.root->integer(), 42);
  EXPECT_EQ(second.root->text(), "abc");
  EXPECT_EQ(second.result.offset, 14U);
}

TEST(VariantValue, TypeNumbersDependOnTheDialect) {
  const Tree godot3(hex("12000000 01000000 04000000 01000000 61000000 14000000 02000000 01020000"),
                    {.dialect = Dialect::godot3});
  ASSERT_NE(godot3.root().find("a"), nullptr);
  EXPECT_EQ(numbers_of<std::uint8_t>(*godot3.root().find("a")), (std::vector<std::uint8_t>{1, 2}));
}

}  // namespace
}  // namespace godot_codec::test
