// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "godot-codec/variant/message_kind_text.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

std::string kind_of(const std::string &bytes) {
  std::array<char, 200> memory{};
  TextBuffer text(memory);
  ValueArena arena;
  const Bytes packet(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
  append_message_kind(text, Dialect::godot4, read_value(packet, 0, {}, {}, arena).root);
  return std::string(text.view());
}

std::string text_value(const std::string &text) {
  return u32(4) + u32(static_cast<std::uint32_t>(text.size())) + text + std::string((4 - text.size() % 4) % 4, '\0');
}
std::string int_value(std::uint32_t value) { return u32(2) + u32(value); }

TEST(MessageKind, DictionariesAreGroupedByTheirNamingKey) {
  const std::string position = text_value("pos") + int_value(3);
  EXPECT_EQ(kind_of(u32(27) + u32(2) + position + text_value("cmd") + text_value("move")), "{cmd: \"move\"}");
  EXPECT_EQ(kind_of(u32(27) + u32(2) + position + text_value("type") + int_value(7)), "{type: 7}");
  EXPECT_EQ(kind_of(u32(27) + u32(2) + text_value("type") + int_value(7) + text_value("cmd") + text_value("a")),
            "{cmd: \"a\"}")
      << "the likeliest key";
  EXPECT_EQ(kind_of(u32(27) + u32(1) + text_value("msg") + text_value(std::string(33, 'x'))), "{msg}")
      << "a long text is no name";
  EXPECT_EQ(kind_of(u32(27) + u32(2) + position + text_value("id") + int_value(7)), "{pos, id}");
  EXPECT_EQ(kind_of(u32(27) + u32(1) + int_value(9) + int_value(7)), "{int}") << "a number as key is no key's name";
  EXPECT_EQ(kind_of(u32(27) + u32(0)), "{}");
}

TEST(MessageKind, ArraysAreGroupedByFirstTextOrTypes) {
  EXPECT_EQ(kind_of(u32(28) + u32(2) + text_value("score") + int_value(7)), "[\"score\", …]");
  EXPECT_EQ(kind_of(u32(28) + u32(1) + text_value("hi")), "[\"hi\"]");
  EXPECT_EQ(kind_of(u32(28) + u32(2) + int_value(1) + text_value("x")), "[int, String]");
  std::string many = u32(28) + u32(13);
  for (int i = 0; i < 13; ++i) many += int_value(1);
  EXPECT_EQ(kind_of(many), "[int, int, int, int, int, int, int, int, int, int, int, int, …]");
}

TEST(MessageKind, OtherValuesAreGroupedByType) {
  EXPECT_EQ(kind_of(int_value(7)), "int");
  EXPECT_EQ(kind_of(u32(5) + u32(0) + u32(0)), "Vector2");
  EXPECT_EQ(kind_of(text_value("hello")), "String");
  EXPECT_EQ(kind_of(u32(27) + u32(5)), "(unreadable)");
  EXPECT_EQ(kind_of(""), "(unreadable)");
}

}  // namespace
}  // namespace godot_codec::test
