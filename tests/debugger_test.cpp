// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events.h"
#include "godot-codec/debugger/message.h"
#include "godot-codec/variant/variant_text.h"
#include "unknown_type.h"

namespace godot_codec::test {
namespace {

using ArgumentList = std::vector<Data>;
using Texts = std::vector<std::string>;

constexpr std::uint32_t max_length = 8U << 20;

// --- Bytes of values (the two generations of Godot have different type ids) -------------------------------------

Data nil() { return u32(0); }
Data boolean(bool value) { return u32(1) + u32(value ? 1 : 0); }
Data integer(std::int64_t value) { return u32(2) + u32(static_cast<std::uint32_t>(value)); }
Data wide_integer(std::int64_t value) { return u32(0x10002) + u64(static_cast<std::uint64_t>(value)); }
Data real(double value) { return u32(0x10003) + f64(value); }
Data string(std::string_view text) { return u32(4) + padded(text); }

Data joined(const ArgumentList &parts) {
  Data all;
  for (const Data &part : parts) all += part;
  return all;
}
Data array4(const ArgumentList &elements) { return u32(28) + u32(elements.size()) + joined(elements); }
Data array3(const ArgumentList &elements) { return u32(19) + u32(elements.size()) + joined(elements); }
Data dictionary3(const std::vector<std::pair<Data, Data>> &entries) {
  Data all = u32(18) + u32(entries.size());
  for (const auto &[key, value] : entries) all += key + value;
  return all;
}
Data packed_strings(const Texts &texts) {
  Data all = u32(34) + u32(texts.size());
  for (const std::string &text : texts) all += u32(text.size() + 1) + padded_text(text + '\0');
  return all;
}
Data packed_ints(const std::vector<std::uint32_t> &values) {
  Data all = u32(30) + u32(values.size());
  for (const std::uint32_t value : values) all += u32(value);
  return all;
}
Data packet(const Data &variant) { return u32(variant.size()) + variant; }

// Messages of Godot 4 with and without the thread id, and of Godot 3, from the editor and from the game.
Data message4(std::string_view name, const ArgumentList &arguments, std::int64_t thread = 1) {
  return packet(array4({string(name), integer(thread), array4(arguments)}));
}
Data message4_without_thread(std::string_view name, const ArgumentList &arguments) {
  return packet(array4({string(name), array4(arguments)}));
}
Data command3(std::string_view name, const ArgumentList &arguments) {
  ArgumentList elements = {string(name)};
  elements.insert(elements.end(), arguments.begin(), arguments.end());
  return packet(array3(elements));
}
Data packets3(std::string_view name, const ArgumentList &arguments) {
  Data all = packet(string(name)) + packet(integer(static_cast<std::int64_t>(arguments.size())));
  for (const Data &argument : arguments) all += packet(argument);
  return all;
}

const ArgumentList breakpoint = {string("res://a.gd"), integer(11), boolean(true)};

// One message of each form.
const struct {
  const char *what;
  Data bytes;
  DebugMessageForm form;
} message_formats[] = {
    {"Godot 4", message4("breakpoint", breakpoint), DebugMessageForm::godot4},
    {"Godot 4 without thread", message4_without_thread("breakpoint", breakpoint), DebugMessageForm::godot4},
    {"Godot 3 from the editor", command3("breakpoint", breakpoint), DebugMessageForm::godot3_command},
    {"Godot 3 from the game", packets3("breakpoint", breakpoint), DebugMessageForm::godot3_packets},
};

// --- Reading ---------------------------------------------------------------------------------------------------

// A parsed message with the bytes that its texts point into.
struct Reading {
  explicit Reading(const Data &data, std::size_t reported = 0)
      : bytes(data, reported), message(read_debug_message(bytes.get())) {}

  [[nodiscard]] std::vector<DebugValue> arguments() const {
    std::vector<DebugValue> values;
    DebugArgumentReader reader(bytes.get(), message);
    for (DebugValue value; reader.next(value);) values.push_back(value);
    return values;
  }
  // Returns the argument that next() fails to read; nullopt if it reads all arguments.
  [[nodiscard]] std::optional<DebugValue> failed_argument() const {
    DebugArgumentReader reader(bytes.get(), message);
    DebugValue value;
    for (std::uint32_t i = 0; i < message.argument_count; ++i) {
      if (!reader.next(value)) return value;
    }
    return {};
  }
  // Returns the labels of the arguments that can be read.
  [[nodiscard]] Texts labels(std::optional<std::uint32_t> own_monitors = {}) const {
    Texts found;
    DebugArgumentLabels labels(bytes.get(), message, own_monitors);
    for (const DebugValue &value : arguments()) {
      found.emplace_back(labels.next());
      labels.record_argument(value);
    }
    return found;
  }
  [[nodiscard]] std::string summary(std::size_t capacity = 1000) const {
    std::vector<char> memory(capacity);
    TextBuffer buffer(memory);
    append_debug_summary(buffer, bytes.get(), message);
    return std::string(buffer.view());
  }

  ExactBytes bytes;
  DebugMessage message;
};

void expect_range(const Range &range, std::size_t offset, std::size_t length) {
  EXPECT_EQ(range.offset, offset);
  EXPECT_EQ(range.length, length);
}

// Size of the Variant "breakpoint": 4 bytes of header, 4 of length, 10 of text, 2 of padding.
constexpr std::size_t name_size = 20;
void expect_name(const DebugMessage &message, std::size_t offset) {
  EXPECT_EQ(message.name.outcome, Outcome::ok);
  EXPECT_EQ(message.name.type, Type::string);
  EXPECT_EQ(message.name.text, "breakpoint");
  expect_range(message.name.range, offset, name_size);
  expect_range(message.name.text_range, offset + 8, 10);
}

// Expects the three arguments, each @p distance after the previous one.
void expect_arguments(const Reading &reading, std::size_t offset, std::size_t distance) {
  const std::vector<DebugValue> values = reading.arguments();
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(reading.message.argument_count, 3U);
  EXPECT_EQ(values[0].text, "res://a.gd");
  expect_range(values[0].range, offset, 20);
  expect_range(values[0].text_range, offset + 8, 10);
  EXPECT_EQ(values[1].type, Type::integer);
  EXPECT_EQ(values[1].integer, 11);
  expect_range(values[1].range, offset + 20 + distance, 8);
  EXPECT_EQ(values[2].type, Type::boolean);
  EXPECT_EQ(values[2].integer, 1);
  expect_range(values[2].range, offset + 28 + 2 * distance, 8);
}

TEST(DebugMessage, Godot4ThreadIdIsRead) {
  const Reading reading(message4("breakpoint", breakpoint, 5));
  const DebugMessage &message = reading.message;
  EXPECT_EQ(message.outcome, Outcome::ok);
  EXPECT_EQ(message.form, DebugMessageForm::godot4);
  EXPECT_EQ(message.dialect, Dialect::godot4);
  expect_name(message, 12);
  EXPECT_TRUE(message.has_thread_id);
  EXPECT_EQ(message.thread_id.integer, 5);
  expect_range(message.thread_id.range, 32, 8);
  expect_range(message.list.range, 40, 8);
  EXPECT_EQ(message.arguments_offset, 48U);
  expect_arguments(reading, 48, 0);
}

TEST(DebugMessage, Godot4ThreadIdOf64BitsIsRead) {
  const Reading reading(packet(array4({string("step"), wide_integer(1LL << 40), array4({})})));
  EXPECT_EQ(reading.message.form, DebugMessageForm::godot4);
  EXPECT_TRUE(reading.message.has_thread_id);
  EXPECT_EQ(reading.message.thread_id.integer, 1LL << 40);
  expect_range(reading.message.thread_id.range, 24, 12);
  expect_range(reading.message.list.range, 36, 8);
  EXPECT_EQ(reading.message.argument_count, 0U);
  EXPECT_TRUE(reading.arguments().empty());
}

TEST(DebugMessage, Godot4MessageWithoutAThreadIdIsRead) {
  const Reading reading(message4_without_thread("breakpoint", breakpoint));
  const DebugMessage &message = reading.message;
  EXPECT_EQ(message.outcome, Outcome::ok);
  EXPECT_EQ(message.form, DebugMessageForm::godot4);
  expect_name(message, 12);
  EXPECT_FALSE(message.has_thread_id);
  expect_range(message.list.range, 32, 8);
  expect_arguments(reading, 40, 0);
}

TEST(DebugMessage, Godot3EditorMessageInOneArrayIsRead) {
  const Reading reading(command3("breakpoint", breakpoint));
  const DebugMessage &message = reading.message;
  EXPECT_EQ(message.outcome, Outcome::ok);
  EXPECT_EQ(message.form, DebugMessageForm::godot3_command);
  EXPECT_EQ(message.dialect, Dialect::godot3);
  expect_name(message, 12);
  EXPECT_FALSE(message.has_thread_id);
  EXPECT_EQ(message.arguments_offset, 32U);
  expect_arguments(reading, 32, 0);
}

TEST(DebugMessage, Godot3EditorMessageWithOnlyANameIsRead) {
  const Reading reading(command3("get_stack_dump", {}));
  EXPECT_EQ(reading.message.form, DebugMessageForm::godot3_command);
  EXPECT_EQ(reading.message.name.text, "get_stack_dump");
  EXPECT_EQ(reading.message.argument_count, 0U);
  EXPECT_TRUE(reading.arguments().empty());
}

TEST(DebugMessage, Godot3GameMessageOfSeveralPacketsIsRead) {
  const Reading reading(packets3("breakpoint", breakpoint));
  const DebugMessage &message = reading.message;
  EXPECT_EQ(message.outcome, Outcome::ok);
  EXPECT_EQ(message.form, DebugMessageForm::godot3_packets);
  EXPECT_EQ(message.dialect, Dialect::godot3);
  expect_name(message, 4);
  EXPECT_FALSE(message.has_thread_id);
  expect_range(message.list.range, 28, 8);   // the number of arguments
  EXPECT_EQ(message.arguments_offset, 36U);  // starts at the length of the first argument
  expect_arguments(reading, 40, 4);
}

TEST(DebugMessage, Godot3GameMessageWithoutArgumentsIsRead) {
  for (const std::int64_t count : {0LL, -1LL, -0x80000000LL}) {
    const Reading reading(packet(string("debug_exit")) + packet(integer(count)));
    EXPECT_EQ(reading.message.form, DebugMessageForm::godot3_packets);
    EXPECT_EQ(reading.message.argument_count, 0U) << count;
    EXPECT_TRUE(reading.arguments().empty());
  }
}

TEST(DebugMessage, VariantThatIsNoMessageHasFormOtherAndNoArguments) {
  const Data text = u32(21) + padded("step");  // a StringName
  const struct {
    const char *what;
    Data bytes;
  } others[] = {
      {"null", packet(nil())},
      {"an int", packet(integer(7))},
      {"a String", packet(string("step"))},
      {"a Dictionary of Godot 3", packet(dictionary3({{string("a"), integer(1)}}))},
      {"an empty Array of 4", packet(array4({}))},
      {"an empty Array of 3", packet(array3({}))},
      {"an Array of 4 whose name is an int", packet(array4({integer(1), integer(1), array4({})}))},
      {"an Array of 4 whose name is a StringName", packet(array4({text, integer(1), array4({})}))},
      {"an Array of 3 whose name is an int", packet(array3({integer(1), string("step")}))},
      {"a name alone in 4", packet(array4({string("step")}))},
      {"no thread and no list", packet(array4({string("step"), integer(1)}))},
      {"a thread that is a String", packet(array4({string("step"), string("1"), array4({})}))},
      {"a list that is a String", packet(array4({string("step"), integer(1), string("a")}))},
      {"four elements", packet(array4({string("step"), integer(1), array4({}), nil()}))},
  };
  for (const auto &other : others) {
    SCOPED_TRACE(other.what);
    const Reading reading(other.bytes);
    EXPECT_EQ(reading.message.outcome, Outcome::ok);
    EXPECT_EQ(reading.message.form, DebugMessageForm::other);
    EXPECT_EQ(reading.message.argument_count, 0U);
    EXPECT_TRUE(reading.arguments().empty());
  }
}

TEST(DebugMessage, ContradictoryMessageIsMalformed) {
  const struct {
    const char *what;
    Data bytes;
  } rows[] = {
      {"nothing behind the length", u32(0)},
      {"no count", packet(u32(28))},
      {"a count and no element", packet(u32(28) + u32(3))},
      {"a name that is too long", packet(u32(28) + u32(2) + u32(4) + u32(100) + raw("step") + array4({}))},
      {"the same of Godot 3", packet(u32(19) + u32(2) + u32(4) + u32(100) + raw("step"))},
      {"a name in a packet that is too short for it", u32(8) + u32(4) + u32(100) + packet(integer(0))},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.what);
    EXPECT_EQ(Reading(row.bytes).message.outcome, Outcome::malformed);
  }
}

// --- Arguments -------------------------------------------------------------------------------------------------

TEST(DebugArguments, ValuesOfAllTypesAreRead) {
  const Data name = u32(21) + padded("hero");  // a StringName, which only Godot 4 has
  const Reading reading(message4("mygame:score", {integer(-1200), wide_integer(1LL << 40), boolean(false), real(0.1),
                                                  u32(3) + f32(1.5F), string("Ada"), name, nil(), array4({nil()})}));
  const std::vector<DebugValue> values = reading.arguments();
  ASSERT_EQ(values.size(), 9U);
  EXPECT_EQ(values[0].integer, -1200);
  EXPECT_EQ(values[1].integer, 1LL << 40);
  EXPECT_EQ(values[2].type, Type::boolean);
  EXPECT_EQ(values[2].integer, 0);
  EXPECT_EQ(values[3].type, Type::real);
  EXPECT_EQ(values[5].text, "Ada");
  expect_range(values[5].text_range, values[5].range.offset + 8, 3);
  EXPECT_EQ(values[5].range.length, 12U);
  EXPECT_EQ(values[6].type, Type::string_name);
  EXPECT_EQ(values[6].text, "hero");
  EXPECT_EQ(values[7].type, Type::nil);
  EXPECT_EQ(values[7].range.length, 4U);
  EXPECT_EQ(values[8].type, Type::array);
  EXPECT_EQ(values[8].count, 1U);
  EXPECT_EQ(values[8].range.end(), reading.bytes.get().reported);
}

TEST(DebugArguments, ContainerIsOneArgument) {
  const Reading reading(message4("mygame:a", {array4({integer(7), string("inner"), array4({real(1)})})}));
  const std::vector<DebugValue> values = reading.arguments();
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].count, 3U);
  EXPECT_EQ(values[0].integer, 0);
  EXPECT_EQ(values[0].text, "");
}

TEST(DebugArguments, EndAtAMalformedArgument) {
  const Data bad = u32(4) + u32(100) + raw("no 100 bytes");
  const ArgumentList arguments = {integer(7), bad, integer(8)};
  const Data messages[] = {message4("mygame:a", arguments), message4_without_thread("mygame:a", arguments),
                           command3("mygame:a", arguments), packets3("mygame:a", arguments)};
  for (std::size_t i = 0; i < std::size(messages); ++i) {
    SCOPED_TRACE(message_formats[i].what);
    const Reading reading(messages[i]);
    // The part before the arguments is read successfully.
    EXPECT_EQ(reading.message.outcome, Outcome::ok);
    EXPECT_EQ(reading.message.form, message_formats[i].form);
    EXPECT_EQ(reading.message.name.text, "mygame:a");
    EXPECT_EQ(reading.message.argument_count, 3U);
    ASSERT_EQ(reading.arguments().size(), 1U);
    EXPECT_EQ(reading.arguments()[0].integer, 7);
    const auto failed = reading.failed_argument();
    ASSERT_TRUE(failed.has_value());
    EXPECT_EQ(failed->outcome, Outcome::malformed);
  }
}

TEST(DebugArguments, MalformedPacketIsAMalformedArgument) {
  const Data name = packet(string("output"));
  const struct {
    const char *what;
    Data bytes;
    std::size_t readable;
  } rows[] = {
      {"more are counted", name + packet(integer(2)) + packet(integer(7)), 1},
      {"a length of zero", name + packet(integer(2)) + packet(integer(7)) + u32(0), 1},
      {"a length shorter than the Variant", name + packet(integer(1)) + u32(4) + integer(7), 0},
      {"a length past the end", name + packet(integer(1)) + u32(0xfffffff0) + integer(7), 1},
      {"half a length", name + packet(integer(1)) + raw("ab"), 0},
      {"an unknown type", name + packet(integer(1)) + packet(u32(0x7f)), 0},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(row.what);
    const Reading reading(row.bytes);
    EXPECT_EQ(reading.message.form, DebugMessageForm::godot3_packets);
    EXPECT_EQ(reading.arguments().size(), row.readable);
    for (const DebugValue &value : reading.arguments()) EXPECT_LE(value.range.end(), row.bytes.size());
  }
}

TEST(DebugArguments, NextReturnsFalseAfterTheLastArgument) {
  const Reading reading(message4("breakpoint", breakpoint));
  DebugArgumentReader reader(reading.bytes.get(), reading.message);
  DebugValue value;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reader.next(value));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(reader.next(value));
}

// --- Truncation by the snap length -----------------------------------------------------------------------------

TEST(DebugSnapLength, CutMessageIsTruncatedNotMalformed) {
  for (const auto &form : message_formats) {
    for (std::size_t captured = 0; captured < form.bytes.size(); ++captured) {
      SCOPED_TRACE(form.what + std::string(" of which are captured: ") + std::to_string(captured));
      const Reading reading(form.bytes.first(captured), form.bytes.size());
      const DebugMessage &message = reading.message;
      const auto failed = reading.failed_argument();
      if (message.outcome == Outcome::ok) {
        EXPECT_EQ(message.form, form.form);
        EXPECT_EQ(message.name.text, "breakpoint");
        EXPECT_EQ(message.argument_count, 3U);
        EXPECT_GE(captured, message.list.range.end());
        ASSERT_TRUE(failed.has_value());
        EXPECT_EQ(failed->outcome, Outcome::truncated);
      } else {
        EXPECT_EQ(message.outcome, Outcome::truncated);
      }
      EXPECT_LE(reading.summary().size(), 1000U);
    }
  }
}

TEST(DebugSnapLength, CapturedArgumentsAreRead) {
  const std::size_t cut_in_the_last = 2;
  for (const auto &form : message_formats) {
    SCOPED_TRACE(form.what);
    const Reading reading(form.bytes.first(form.bytes.size() - cut_in_the_last), form.bytes.size());
    EXPECT_EQ(reading.message.outcome, Outcome::ok);
    EXPECT_EQ(reading.message.form, form.form);
    EXPECT_EQ(reading.arguments().size(), 2U);
  }
}

// --- Extent ----------------------------------------------------------------------------------------------------

void expect_extent(const MessageExtent &extent, std::size_t length, bool is_complete, bool is_valid = true) {
  EXPECT_EQ(extent.length, length);
  EXPECT_EQ(extent.is_complete, is_complete);
  EXPECT_EQ(extent.is_valid, is_valid);
}

MessageExtent extent_of(const Data &data, std::size_t offset = 0, std::uint32_t longest = max_length) {
  return measure_debug_message(ExactBytes(data).get(), offset, {longest});
}

TEST(DebugMessageLength, EndsAtTheNextMessage) {
  for (const auto &form : message_formats) {
    SCOPED_TRACE(form.what);
    expect_extent(extent_of(form.bytes), form.bytes.size(), true);
    // The bytes after the message belong to the next message.
    expect_extent(extent_of(form.bytes + form.bytes), form.bytes.size(), true);
    expect_extent(extent_of(hex("0102 03") + form.bytes + hex("ff"), 3), form.bytes.size(), true);
  }
  const Data nothing = packet(nil());
  expect_extent(extent_of(nothing), nothing.size(), true);
}

TEST(DebugMessageLength, UnfinishedMessageIsLongerThanItsReceivedBytes) {
  for (const auto &form : message_formats) {
    for (std::size_t size = 0; size < form.bytes.size(); ++size) {
      SCOPED_TRACE(form.what + std::string(" cut after ") + std::to_string(size));
      const MessageExtent extent = extent_of(form.bytes.first(size));
      EXPECT_FALSE(extent.is_complete);
      EXPECT_TRUE(extent.is_valid);
      EXPECT_GT(extent.length, size);
      EXPECT_LE(extent.length, form.bytes.size());
    }
  }
}

TEST(DebugMessageLength, OnePacketMessageHasTheLengthOfItsPrefix) {
  const Data message = message4("breakpoint", breakpoint);
  for (std::size_t size = 0; size < 4; ++size) expect_extent(extent_of(message.first(size)), 4, false);
  for (const std::size_t size : {4U, 7U, 8U, 40U, 83U}) expect_extent(extent_of(message.first(size)), 84, false);
}

TEST(DebugMessageLength, UnfinishedMessageGrowsWithEachPacket) {
  const Data message = packets3("breakpoint", breakpoint);  // packets end at: 24, 36, 60, 72, 84
  const struct {
    std::size_t size;
    std::size_t length;
  } rows[] = {{3, 4},   {4, 24},  {23, 24}, {24, 28}, {27, 28}, {28, 36}, {35, 36}, {36, 40},
              {40, 60}, {59, 60}, {60, 64}, {64, 72}, {72, 76}, {76, 84}, {83, 84}};
  for (const auto &row : rows) {
    SCOPED_TRACE(row.size);
    expect_extent(extent_of(message.first(row.size)), row.length, false);
  }
}

// Each missing packet has at least a length and a header, so the minimum includes them.
TEST(DebugMessageLength, MinimumIncludesAHeaderForEachMissingPacket) {
  const Data message = packets3("breakpoint", breakpoint);  // packets end at: 24, 36, 60, 72, 84
  const struct {
    std::size_t size;
    std::size_t least;
  } rows[] = {{36, 36 + 3 * 8}, {40, 60 + 2 * 8}, {60, 60 + 2 * 8}, {64, 72 + 8}, {72, 72 + 8}, {76, 84}, {84, 84}};
  for (const auto &row : rows) EXPECT_EQ(extent_of(message.first(row.size)).min_size, row.least) << row.size;
  for (const auto &form : message_formats) {
    for (std::size_t size = 0; size < form.bytes.size(); ++size) {
      const MessageExtent extent = extent_of(form.bytes.first(size));
      EXPECT_GE(extent.min_size, extent.length) << form.what << size;
      EXPECT_LE(extent.min_size, form.bytes.size()) << form.what << size;
    }
  }
}

TEST(DebugMessageLength, IsExactOnceTheLengthOfTheLastPacketIsKnown) {
  const Data message = message4("breakpoint", breakpoint);
  for (std::size_t size = 0; size <= message.size(); ++size) {
    // Without its header, the packet may be the name in a message that consists of several packets.
    EXPECT_EQ(extent_of(message.first(size)).is_exact, size >= 8) << size;
  }
  const Data parts = packets3("breakpoint", breakpoint);
  constexpr std::size_t last_length_end = 76;
  for (std::size_t size = 0; size <= parts.size(); ++size) {
    EXPECT_EQ(extent_of(parts.first(size)).is_exact, size >= last_length_end) << size;
  }
  EXPECT_FALSE(extent_of(u32(0) + message).is_exact);
}

TEST(DebugMessageLength, InvalidLengthsAreRejected) {
  const Data message = message4("step", {});
  EXPECT_FALSE(extent_of(u32(0) + message).is_valid);
  EXPECT_FALSE(extent_of(u32(max_length + 1) + message).is_valid);
  EXPECT_FALSE(extent_of(u32(0xffffffff) + message).is_valid);
  EXPECT_TRUE(extent_of(u32(max_length) + message).is_valid);
  const std::uint32_t length = static_cast<std::uint32_t>(message.size()) - 4;
  EXPECT_TRUE(extent_of(message, 0, length).is_complete);
  EXPECT_FALSE(extent_of(message, 0, length - 1).is_valid);
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{max_length} + 1, std::uint64_t{0xffffffff}}) {
    const Data name = packet(string("output"));
    EXPECT_FALSE(extent_of(name + u32(bad) + integer(1)).is_valid) << "of the number's packet";
    EXPECT_FALSE(extent_of(name + packet(integer(1)) + u32(bad) + nil()).is_valid) << "of an argument's packet";
  }
  for (const Data &bad : {u32(0) + message, u32(0xffffffff) + message}) {
    EXPECT_FALSE(extent_of(bad).is_complete);
    EXPECT_GE(extent_of(bad).length, 4U);
  }
}

TEST(DebugMessageLength, ImpossibleArgumentCountEndsTheMessageAfterItsName) {
  const Data name = packet(string("output"));
  for (const Data &count : {integer(0x7fffffff), wide_integer(INT64_MAX), wide_integer(1LL << 32)}) {
    expect_extent(extent_of(name + packet(count) + packet(nil())), name.size(), true);
  }
  // A negative count means no arguments.
  for (const Data &count : {integer(-1), wide_integer(INT64_MIN)}) {
    expect_extent(extent_of(name + packet(count) + packet(nil())), name.size() + packet(count).size(), true);
  }
  // A plausible count is accepted, and the extent waits for more packets.
  const Data many = name + packet(integer(1 << 20));
  expect_extent(extent_of(many), many.size() + 4, false);
}

TEST(DebugMessageLength, SecondStringBeginsAnotherMessage) {
  const Data first = packet(string("output"));
  const Data second = packet(string("error"));
  expect_extent(extent_of(first + second), first.size(), true);
  expect_extent(extent_of(first + second + packet(integer(0)), first.size()), second.size() + 12, true);
  for (const Data &other : {nil(), boolean(true), real(1), array3({})}) {
    expect_extent(extent_of(first + packet(other)), first.size(), true);
  }
}

TEST(DebugMessageLength, IsKnownIfTheSnapLengthCutsTheMessage) {
  for (const auto &form : message_formats) {
    if (form.form == DebugMessageForm::godot3_packets) continue;  // needs the lengths of its later packets
    for (std::size_t captured = 4; captured < form.bytes.size(); ++captured) {
      SCOPED_TRACE(form.what + std::string(" of which are captured: ") + std::to_string(captured));
      const ExactBytes bytes(form.bytes.first(captured), form.bytes.size());
      expect_extent(measure_debug_message(bytes.get(), 0, {max_length}), form.bytes.size(), true);
    }
  }
}

TEST(DebugMessageLength, OffsetAfterTheDataIsIncomplete) {
  const Data message = message4("step", {});
  for (const std::size_t offset : {message.size(), message.size() + 1, message.size() + 1000}) {
    EXPECT_FALSE(extent_of(message, offset).is_complete);
  }
}

// --- Labels ----------------------------------------------------------------------------------------------------

ArgumentList zeros(std::size_t count) { return ArgumentList(count, integer(0)); }

Texts labels4(std::string_view name, const ArgumentList &arguments) {
  return Reading(message4(name, arguments)).labels();
}
Texts labels3(std::string_view name, const ArgumentList &arguments) {
  return Reading(packets3(name, arguments)).labels();
}

ArgumentList operator+(ArgumentList first, const ArgumentList &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
Texts operator+(Texts first, const Texts &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
Texts repeated(const Texts &texts, std::size_t count) {
  Texts all;
  for (std::size_t i = 0; i < count; ++i) all = std::move(all) + texts;
  return all;
}

TEST(DebugLabels, AreTheSameInEveryMessageFormat) {
  for (const auto &form : message_formats) {
    EXPECT_EQ(Reading(form.bytes).labels(), (Texts{"file", "line", "is set"})) << form.what;
  }
}

TEST(DebugLabels, AreEmptyForUnknownArguments) {
  EXPECT_EQ(labels4("mygame:score", zeros(2)), (Texts{"", ""}));
  EXPECT_EQ(labels4("debug_exit", zeros(2)), (Texts{"", ""}));
  EXPECT_EQ(labels4("set_pid", zeros(3)), (Texts{"pid", "", ""}));
  EXPECT_EQ(labels4("message:scene_tree", zeros(1)), (Texts{""})) << "is Godot 3's";
  EXPECT_EQ(labels3("set_pid", zeros(1)), (Texts{""})) << "is Godot 4's";
  EXPECT_EQ(labels4("", zeros(1)), (Texts{""}));
}

TEST(DebugLabels, AreEmptyAfterTheLastArgument) {
  const Reading reading(message4("set_pid", {integer(7)}));
  DebugArgumentLabels labels(reading.bytes.get(), reading.message);
  EXPECT_EQ(labels.next(), "pid");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(labels.next(), "");
}

TEST(DebugLabels, ErrorRepeatsItsLabelsForEachStackFrame) {
  const Texts head = {"hour",        "minute", "second",      "millisecond", "source file", "source function",
                      "source line", "error",  "description", "is warning",  "stack size"};
  const Texts frame = {"file", "function", "line"};
  EXPECT_EQ(labels4("error", zeros(11)), head);
  EXPECT_EQ(labels4("error", zeros(14)), head + frame);
  EXPECT_EQ(labels4("error", zeros(23)), head + repeated(frame, 4));
  EXPECT_EQ(labels3("error", zeros(8)), (Texts{"error", "stack size"}) + repeated(frame, 2));
}

TEST(DebugLabels, StackDumpRepeatsItsLabelsForEachStackFrame) {
  EXPECT_EQ(labels4("stack_dump", {integer(0)}), (Texts{"stack size"}));
  EXPECT_EQ(labels4("stack_dump", ArgumentList{integer(6)} + zeros(6)),
            (Texts{"stack size", "file", "line", "function", "file", "line", "function"}));
  EXPECT_EQ(labels3("stack_dump", zeros(3)), (Texts{"frame", "frame", "frame"}));
}

TEST(DebugLabels, SceneTreeRepeatsItsLabelsForEachNode) {
  const Texts node4 = {"children", "name", "class", "id", "scene file", "view flags"};
  EXPECT_EQ(labels4("scene:scene_tree", zeros(18)), repeated(node4, 3));
  EXPECT_EQ(labels3("message:scene_tree", zeros(12)), repeated({"children", "name", "class", "id"}, 3));
}

TEST(DebugLabels, VariableCountsSelectTheLabels) {
  // Two locals, no member, one global.
  const ArgumentList arguments = {integer(2), string("a"), integer(7),  string("b"), integer(-3),
                                  integer(0), integer(1),  string("G"), integer(9)};
  EXPECT_EQ(labels3("stack_frame_vars", arguments),
            (Texts{"locals", "name", "value", "name", "value", "members", "globals", "name", "value"}));
  EXPECT_EQ(labels3("stack_frame_vars", zeros(3)), (Texts{"locals", "members", "globals"}));
  EXPECT_EQ(labels4("stack_frame_vars", {integer(2)}), (Texts{"variables"}));
}

TEST(DebugLabels, ServerProfileHasNestedLabels) {
  const Texts head = {"frame",       "frame time", "process time", "physics time", "physics frame time",
                      "script time", "servers"};
  const Texts function = {"function", "time"};
  const Texts server = {"server", "values"};
  const Texts script = {"function id", "calls", "self time", "total time", "internal time"};
  const ArgumentList long_function = {integer(0), integer(1), real(1), real(2), real(3)};
  const ArgumentList two =
      zeros(6) + ArgumentList{integer(2), string("a"), integer(4), string("f"), real(1), string("g"), real(2)} +
      ArgumentList{string("b"), integer(2), string("h"), real(3), integer(10)} + long_function + long_function;
  const ArgumentList without_functions = zeros(6) +
                                         ArgumentList{integer(2), string("a"), integer(0), string("b"), integer(2)} +
                                         ArgumentList{string("h"), real(3), integer(0)};
  for (const std::string_view name : {"servers:profile_frame", "servers:profile_total"}) {
    EXPECT_EQ(labels4(name, zeros(8)), head + Texts{"script values"});
    EXPECT_EQ(labels4(name, two), (head + server + repeated(function, 2) + server + function + Texts{"script values"} +
                                   repeated(script, 2)));
    EXPECT_EQ(labels4(name, without_functions), head + server + server + function + Texts{"script values"});
  }
}

// A Godot 4.1 game sent this message.
TEST(DebugLabels, ServerProfileBeforeGodot43HasNoInternalTime) {
  const Texts head = {"frame",       "frame time",   "process time", "physics time", "physics frame time",
                      "script time", "servers",      "server",       "values",       "function",
                      "time",        "script values"};
  const Texts function = {"function id", "calls", "self time", "total time"};
  const ArgumentList beginning = {
      integer(103),  real(0.000193), real(0.000189),         real(0),    real(0.016666666666666666),
      real(2.7e-05), integer(1),     string("audio_thread"), integer(2), string("audio_server"),
      real(0)};
  const ArgumentList first = {integer(0), integer(1), real(1e-06), real(1e-06)};
  const ArgumentList second = {integer(1), integer(1), real(2e-06), real(2e-06)};
  const ArgumentList third = {integer(2), integer(1), real(2.4e-05), real(3.4e-05)};
  for (const std::string_view name : {"servers:profile_frame", "servers:profile_total"}) {
    EXPECT_EQ(labels4(name, beginning + ArgumentList{integer(12)} + first + second + third),
              head + repeated(function, 3));
    EXPECT_EQ(labels4(name, beginning + ArgumentList{integer(4)} + first), head + function);
    // 20 values are whole functions in both formats: five functions of four values, or four of five.
    ArgumentList five;
    for (int i = 0; i < 5; ++i) five = five + first;
    EXPECT_EQ(labels4(name, beginning + ArgumentList{integer(20)} + five), head + repeated(function, 5));
  }
}

TEST(DebugLabels, Godot3ProfileHasTwoConsecutiveCounts) {
  const Texts head = {"frame",       "frame time", "process time", "physics time", "physics frame time",
                      "script time", "servers",    "functions"};
  const Texts server = {"server", "times"};
  const Texts function = {"function id", "calls", "total time", "self time"};
  const ArgumentList one_server = {string("a"), array3({})};
  const auto counts = [](int servers, int functions) {
    return zeros(6) + ArgumentList{integer(servers), integer(functions)};
  };
  for (const std::string_view name : {"profile_frame", "profile_total"}) {
    EXPECT_EQ(labels3(name, counts(2, 1) + one_server + one_server + zeros(4)), head + repeated(server, 2) + function);
    EXPECT_EQ(labels3(name, counts(0, 2) + zeros(8)), head + repeated(function, 2));
    EXPECT_EQ(labels3(name, counts(1, 0) + one_server), head + server);
  }
}

TEST(DebugLabels, ValueCountRepeatsTheLabelsForEachGroup) {
  const Texts node = {"node", "path", "incoming calls", "incoming bytes", "outgoing calls", "outgoing bytes"};
  EXPECT_EQ(labels4("multiplayer:rpc", ArgumentList{integer(12)} + zeros(12)), Texts{"values"} + repeated(node, 2));
  EXPECT_EQ(labels4("multiplayer:rpc", {integer(0)}), (Texts{"values"}));
  // Arguments beyond the count have no label. If the count is no multiple of the group size, it covers only whole
  // groups.
  EXPECT_EQ(labels4("multiplayer:rpc", ArgumentList{integer(11)} + zeros(7)), Texts{"values"} + node + Texts{""});
  EXPECT_EQ(labels4("multiplayer:rpc", ArgumentList{integer(-6)} + zeros(1)), (Texts{"values", ""}));
  EXPECT_EQ(labels4("servers:memory_usage", ArgumentList{integer(4)} + zeros(4)),
            (Texts{"values", "path", "format", "type", "video memory"}));
  EXPECT_EQ(labels4("visual:profile_frame", ArgumentList{integer(1), integer(6)} + zeros(6)),
            (Texts{"frame", "values"}) + repeated({"area", "cpu time", "gpu time"}, 2));
  EXPECT_EQ(labels4("multiplayer:syncs", ArgumentList{integer(7)} + zeros(7)),
            (Texts{"values", "synchronizer", "config", "root node", "incoming syncs", "incoming bytes",
                   "outgoing syncs", "outgoing bytes"}));
}

TEST(DebugLabels, ArgumentsAfterANonIntCountHaveNoLabel) {
  EXPECT_EQ(labels4("multiplayer:rpc", ArgumentList{string("6")} + zeros(1)), (Texts{"values", ""}));
  EXPECT_EQ(labels4("multiplayer:rpc", ArgumentList{boolean(true)} + zeros(1)), (Texts{"values", ""}));
}

TEST(DebugLabels, HugeCountLabelsOnlyExistingArguments) {
  EXPECT_EQ(labels4("multiplayer:rpc", ArgumentList{wide_integer(INT64_MAX)} + zeros(2)),
            (Texts{"values", "node", "path"}));
  EXPECT_EQ(labels4("multiplayer:rpc", ArgumentList{wide_integer(INT64_MIN)} + zeros(1)), (Texts{"values", ""}));
  EXPECT_EQ(labels3("stack_frame_vars", {wide_integer(INT64_MAX), string("a"), integer(1)}),
            (Texts{"locals", "name", "value"}));
}

TEST(DebugLabels, PerformanceMonitorsAreNamedByIndex) {
  constexpr std::size_t known = 59;
  Texts labels = labels4("performance:profile_frame", zeros(known + 2));
  ASSERT_EQ(labels.size(), known + 2);
  EXPECT_EQ(labels[0], "fps");
  EXPECT_EQ(labels[23], "audio output latency");
  EXPECT_EQ(labels[24], "navigation maps");
  EXPECT_EQ(labels[58], "3D navigation obstacles");
  EXPECT_EQ(labels[59], "custom monitor");
  EXPECT_EQ(labels[60], "custom monitor");
  EXPECT_EQ(labels4("performance:profile_frame", zeros(known)), Texts(labels.begin(), labels.end() - 2));

  const Texts fewer = labels4("performance:profile_frame", zeros(known - 1));
  EXPECT_EQ(Texts(fewer.begin(), fewer.begin() + 24), Texts(labels.begin(), labels.begin() + 24));
  for (std::size_t i = 24; i < fewer.size(); ++i) EXPECT_EQ(fewer[i], "monitor");
  EXPECT_EQ(labels3("performance", zeros(1)), (Texts{"monitors"}));

  const Texts of_4_4 = labels4("performance:profile_frame", zeros(39));
  EXPECT_EQ(of_4_4, Texts(labels.begin(), labels.begin() + 39));
  EXPECT_EQ(of_4_4[38], "specialized pipelines");
  const Texts of_4_2 = labels4("performance:profile_frame", zeros(33));
  EXPECT_EQ(of_4_2, Texts(labels.begin(), labels.begin() + 33));
  EXPECT_EQ(of_4_2[32], "navigation edges free");
  for (const std::size_t count : {32U, 34U, 40U}) {
    EXPECT_EQ(labels4("performance:profile_frame", zeros(count))[24], "monitor") << count;
  }
}

// The bytes are handmade, because only 4.6 was recorded with custom monitors.
TEST(DebugLabels, CustomMonitorsAreLabelledIfTheirCountIsKnown) {
  const auto labels = [](std::size_t count, std::uint32_t own) {
    return Reading(message4("performance:profile_frame", zeros(count))).labels(own);
  };
  const Texts of_4_6 = labels(59, 0);
  for (const std::size_t fixed : {33U, 39U, 59U}) {
    // The total may equal the number of built-in monitors in another release.
    for (const std::uint32_t own : {0U, 1U, 6U, 20U, 26U, 40U}) {
      SCOPED_TRACE(fixed);
      SCOPED_TRACE(own);
      const Texts wanted =
          Texts(of_4_6.begin(), of_4_6.begin() + static_cast<std::ptrdiff_t>(fixed)) + Texts(own, "custom monitor");
      EXPECT_EQ(labels(fixed + own, own), wanted);
    }
  }
  // No known release has so many monitors.
  EXPECT_EQ(labels(60, 0)[24], "monitor");
  EXPECT_EQ(labels(60, 2)[24], "monitor");
  EXPECT_EQ(labels(33, 40), labels(33, 0)) << "there are not so many: the names say nothing";
}

TEST(DebugCustomMonitors, CountIsReadFromTheProfileNamesMessage) {
  const auto count = [](const Data &data) {
    const Reading reading(data);
    return count_custom_monitors(reading.bytes.get(), reading.message);
  };
  EXPECT_EQ(count(message4("performance:profile_frame", zeros(59))), std::nullopt);
  EXPECT_EQ(count(message4("performance:profile_names", {string("game/a"), string("game/b")})), 2U);  // to 4.5
  EXPECT_EQ(count(message4("performance:profile_names", {array4({string("a")}), packed_ints({0})})), 1U);
  EXPECT_EQ(count(message4("performance:profile_names", {array4({}), packed_ints({})})), 0U);
  EXPECT_EQ(count(message4("performance:profile_names", {})), 0U);
  EXPECT_EQ(count(message4("performance:profile_names", {integer(5)})), std::nullopt);  // unknown form
  EXPECT_EQ(count(command3("performance:profile_names", {string("a")})), std::nullopt);
}

TEST(DebugLabels, DependOnTheEngineRelease) {
  const ArgumentList variable = {string("points"), integer(0), integer(5)};
  EXPECT_EQ(labels4("stack_frame_var", variable), (Texts{"name", "kind", "value"}));
  EXPECT_EQ(labels4("stack_frame_var", variable + ArgumentList{integer(5)}), (Texts{"name", "kind", "type", "value"}));
  EXPECT_EQ(labels4("stack_frame_var", variable + zeros(2)), (Texts{"name", "kind", "type", "value", ""}));
  const ArgumentList enter = {boolean(true), string("Breakpoint"), boolean(true)};
  EXPECT_EQ(labels4("debug_enter", enter), (Texts{"can continue", "reason", "has stack dump"}));
  EXPECT_EQ(labels4("debug_enter", enter + ArgumentList{string("Main Thread")}).back(), "thread");
  EXPECT_EQ(labels4("debug_enter", enter + ArgumentList{integer(1)}).back(), "thread id");
  EXPECT_EQ(labels4("performance:profile_names", {array4({}), packed_ints({})}), (Texts{"names", "types"}));
  EXPECT_EQ(labels4("performance:profile_names", {string("a/b"), string("c")}), (Texts{"name", "name"}));
  EXPECT_EQ(labels3("output", {string("hello"), string("there")}), (Texts{"text", "text"}));
  EXPECT_EQ(labels3("output", {array3({string("hello"), integer(0)})}), (Texts{"text and kind"}));
}

TEST(DebugLabels, InspectedObjectsDependOnTheSender) {
  // The editor sends ids and whether to update the selection; the game sends one Array per object.
  EXPECT_EQ(labels4("scene:inspect_objects", {array4({integer(7)}), boolean(true)}),
            (Texts{"ids", "update selection"}));
  EXPECT_EQ(labels4("scene:inspect_objects", {array4({}), array4({})}), (Texts{"object", "object"}));
  EXPECT_EQ(labels4("scene:inspect_objects", {array4({})}), (Texts{"object"}));
  EXPECT_EQ(labels4("scene:inspect_objects", {array4({}), array4({}), boolean(true)}),
            (Texts{"object", "object", "object"}));
  EXPECT_EQ(labels4("scene:inspect_objects", {}), Texts());
}

TEST(DebugLabels, AllProfilersShareTheirLabels) {
  for (const std::string_view name : {"profiler:servers", "profiler:mine"}) {
    EXPECT_EQ(labels4(name, {boolean(true), array4({})}), (Texts{"enable", "options"}));
  }
}

// --- Names -----------------------------------------------------------------------------------------------------

TEST(DebugMessageName, KnownNamesAndEnginePrefixesAreRecognized) {
  for (const std::string_view name :
       {"set_pid", "output", "error", "kill_me", "request_video_mem", "profile_sig", "scene:scene_tree",
        "scene:of_tomorrow", "message:scene_tree", "profiler:mine", "core:x", "window:title"}) {
    EXPECT_TRUE(is_debug_message_name(name)) << name;
  }
  for (const std::string_view name : {"", "mygame:talk", "scene", "outputs", "Output", "xscene:a", "set_pid "}) {
    EXPECT_FALSE(is_debug_message_name(name)) << name;
  }
}

// --- Summaries -------------------------------------------------------------------------------------------------

std::string summary4(std::string_view name, const ArgumentList &arguments) {
  return Reading(message4(name, arguments)).summary();
}
std::string summary3(std::string_view name, const ArgumentList &arguments) {
  return Reading(packets3(name, arguments)).summary();
}

TEST(DebugSummary, OutputShowsEachTextAndMarksErrors) {
  EXPECT_EQ(summary4("output", {packed_strings({"Hello"}), packed_ints({0})}), "Output: Hello");
  EXPECT_EQ(summary4("output", {packed_strings({"Hello\n", "Bad\n\n", "[b]Rich[/b]"}), packed_ints({0, 1, 2})}),
            "Output: Hello | (error) Bad | [b]Rich[/b]");
  EXPECT_EQ(summary4("output", {packed_strings({"a\nb", "tab\t"}), packed_ints({1, 0})}),
            R"(Output: (error) a\nb | tab\t)");
  EXPECT_EQ(summary4("output", {packed_strings({}), packed_ints({})}), "Output: ");
  // The list of kinds may be shorter than the list of texts, or missing.
  EXPECT_EQ(summary4("output", {packed_strings({"a", "b"}), packed_ints({1})}), "Output: (error) a | b");
  EXPECT_EQ(summary4("output", {packed_strings({"a", "b"}), nil()}), "Output: a | b");
  EXPECT_EQ(Reading(message4_without_thread("output", {packed_strings({"a"}), packed_ints({0})})).summary(),
            "Output: a");
}

TEST(DebugSummary, Godot3OutputShowsEachTextAndMarksErrors) {
  const auto line = [](std::string_view text, int kind) { return array3({string(text), integer(kind)}); };
  EXPECT_EQ(summary3("output", {line("Hello", 0)}), "Output: Hello");
  EXPECT_EQ(summary3("output", {line("Hello", 0), line("Bad\n", 1), line("", 0)}), "Output: Hello | (error) Bad | ");
  EXPECT_EQ(summary3("output", {array3({}), integer(7)}), "Output:  | ");
  // Godot 3.0 and 3.1 send no kinds.
  EXPECT_EQ(summary3("output", {string("hello from 3.1"), string("second 42\n")}),
            "Output: hello from 3.1 | second 42");
}

ArgumentList error_arguments(std::string_view error, std::string_view description, bool is_warning,
                             const ArgumentList &stack) {
  return ArgumentList{integer(0),
                      integer(0),
                      integer(1),
                      integer(500),
                      string("a.cpp"),
                      string("load"),
                      integer(343),
                      string(error),
                      string(description),
                      boolean(is_warning),
                      integer(static_cast<std::int64_t>(stack.size()))} +
         stack;
}
Data error3(std::string_view error, std::string_view description, bool is_warning) {
  return array3({integer(0), integer(0), integer(1), integer(500), string("load"), string("a.cpp"), integer(343),
                 string(error), string(description), boolean(is_warning)});
}
const ArgumentList stack = {string("res://game.gd"),  string("talk"), integer(46),
                            string("res://other.gd"), string("x"),    integer(1)};

TEST(DebugSummary, ErrorShowsLocationAndDescription) {
  // The location is in the script. If there is no script, the location is in the engine.
  EXPECT_EQ(summary4("error", error_arguments("Lost", "", false, stack)), "Error at res://game.gd:46 in talk(): Lost");
  EXPECT_EQ(summary4("error", error_arguments("Lost", "", false, {})), "Error at a.cpp:343 in load(): Lost");
  EXPECT_EQ(summary4("error", error_arguments("Condition", "Why", false, stack)),
            "Error at res://game.gd:46 in talk(): Why (Condition)");
  EXPECT_EQ(summary4("error", error_arguments("The door", "", true, {})), "Warning at a.cpp:343 in load(): The door");
  const ArgumentList nowhere = {string("res://game.gd"), string(""), integer(46)};
  EXPECT_EQ(summary4("error", error_arguments("Lost", "", false, nowhere)), "Error at res://game.gd:46: Lost");
}

TEST(DebugSummary, Godot3ErrorShowsLocationAndDescription) {
  EXPECT_EQ(summary3("error", ArgumentList{error3("Lost", "", false), integer(6)} + stack),
            "Error at res://game.gd:46 in talk(): Lost");
  EXPECT_EQ(summary3("error", {error3("Lost", "", false), integer(0)}), "Error at a.cpp:343 in load(): Lost");
  EXPECT_EQ(summary3("error", ArgumentList{error3("Condition", "Why", true), integer(6)} + stack),
            "Warning at res://game.gd:46 in talk(): Why (Condition)");
}

TEST(DebugSummary, DebugEnterShowsTheReason) {
  EXPECT_EQ(summary4("debug_enter", {boolean(true), string("Breakpoint"), boolean(true), integer(1)}),
            "Debugger entered: Breakpoint");
  EXPECT_EQ(summary4("debug_enter", {boolean(false), string("Parse error"), boolean(false), integer(1)}),
            "Debugger entered: Parse error (cannot continue)");
  EXPECT_EQ(summary3("debug_enter", {boolean(true), string("Breakpoint")}), "Debugger entered: Breakpoint");
  EXPECT_EQ(summary4("debug_enter", {boolean(true), string(""), boolean(false), integer(1)}), "Debugger entered: ");
}

TEST(DebugSummary, StackDumpShowsTheTopFrameAndTheCount) {
  const ArgumentList frame = {string("res://game.gd"), integer(46), string("talk")};
  EXPECT_EQ(summary4("stack_dump", {integer(0)}), "Stack: empty (0 frames)");
  EXPECT_EQ(summary4("stack_dump", ArgumentList{integer(3)} + frame), "Stack: res://game.gd:46 in talk() (1 frame)");
  EXPECT_EQ(summary4("stack_dump", ArgumentList{integer(6)} + frame + frame),
            "Stack: res://game.gd:46 in talk() (2 frames)");
  ArgumentList many = {integer(90)};
  for (int i = 0; i < 30; ++i) many = many + frame;
  EXPECT_EQ(summary4("stack_dump", many), "Stack: res://game.gd:46 in talk() (30 frames)");

  const Data frame3 = dictionary3({{string("file"), string("res://game.gd")},
                                   {string("line"), integer(46)},
                                   {string("function"), string("talk")},
                                   {string("id"), integer(0)}});
  EXPECT_EQ(summary3("stack_dump", {}), "Stack: empty (0 frames)");
  EXPECT_EQ(summary3("stack_dump", {frame3}), "Stack: res://game.gd:46 in talk() (1 frame)");
  EXPECT_EQ(summary3("stack_dump", {frame3, frame3}), "Stack: res://game.gd:46 in talk() (2 frames)");
}

TEST(DebugSummary, VariableShowsScopeNameAndValue) {
  const struct {
    int kind;
    const char *text;
  } rows[] = {{0, "Local points = 5"},     {1, "Member points = 5"},   {2, "Global points = 5"},
              {3, "Evaluated points = 5"}, {4, "Variable points = 5"}, {-1, "Variable points = 5"}};
  for (const auto &row : rows) {
    for (const std::string_view name : {"stack_frame_var", "evaluation_return"}) {
      EXPECT_EQ(summary4(name, {string("points"), integer(row.kind), integer(2), integer(5)}), row.text);
    }
  }
  EXPECT_EQ(summary4("evaluation_return", {string("a"), integer(3), integer(4), string("b")}), R"(Evaluated a = "b")");
  EXPECT_EQ(summary4("stack_frame_var", {string("self"), integer(1), integer(24), u32(0x10018) + u64(77)}),
            "Member self = <Object#77>");
}

TEST(DebugSummary, PerformanceShowsFramesPerSecond) {
  EXPECT_EQ(summary4("performance:profile_frame", {real(60), real(0.1)}), "Performance: 60 frames per second");
  EXPECT_EQ(summary3("performance", {array3({real(59.5), real(1)})}), "Performance: 59.5 frames per second");
}

TEST(DebugSummary, ShowsCustomMessagesAsCalls) {
  EXPECT_EQ(summary4("breakpoint", breakpoint), R"(breakpoint("res://a.gd", 11, true))");
  EXPECT_EQ(Reading(command3("breakpoint", breakpoint)).summary(), R"(breakpoint("res://a.gd", 11, true))");
  EXPECT_EQ(summary3("breakpoint", breakpoint), R"(breakpoint("res://a.gd", 11, true))");
  EXPECT_EQ(summary4("mygame:none", {}), "mygame:none()");
  EXPECT_EQ(summary4("a\nb", {array4({real(1), nil()})}), R"(a\nb([1.0, null]))");
}

TEST(DebugSummary, ShowsOtherVariantsAsValues) {
  EXPECT_EQ(Reading(packet(array3({integer(1), integer(2)}))).summary(), "Array(2) [1, 2]");
  EXPECT_EQ(Reading(packet(string("step"))).summary(), R"(String "step")");
  EXPECT_EQ(Reading(packet(array4({integer(1)}))).summary(), "Array(1) [1]");
}

TEST(DebugSummary, ShowsUnusualEngineMessagesAsCalls) {
  // A game may send any arguments under any name.
  const struct {
    std::string summary;
    const char *text;
  } rows[] = {
      {summary4("output", {}), "output()"},
      {summary4("output", {string("a")}), R"(output("a"))"},
      {summary4("output", {string("a"), string("b")}), R"(output("a", "b"))"},
      {summary4("error", {string("a")}), R"(error("a"))"},
      {summary3("error", {}), "error()"},
      {summary3("error", {string("a")}), R"(error("a"))"},
      {summary3("error", {array3({integer(1)})}), "error([1])"},
      {summary4("debug_enter", {}), "debug_enter()"},
      {summary4("debug_enter", {boolean(true)}), "debug_enter(true)"},
      {summary4("stack_frame_var", {string("a")}), R"(stack_frame_var("a"))"},
      {summary4("performance:profile_frame", {}), "performance:profile_frame()"},
      {summary3("performance", {}), "performance()"},
      {summary3("performance", {array3({})}), "performance([])"},
      {summary3("performance", {real(7)}), "performance(7.0)"},
      {summary4("performance", {real(7)}), "performance(7.0)"},
      {summary3("stack_frame_var", {string("a"), integer(0), integer(2), integer(5)}),
       R"(stack_frame_var("a", 0, 2, 5))"},
  };
  for (const auto &row : rows) EXPECT_EQ(row.summary, row.text);
}

TEST(DebugSummary, VariableWithoutATypeShowsScopeNameAndValue) {
  EXPECT_EQ(summary4("stack_frame_var", {string("points"), integer(0), integer(5)}), "Local points = 5");
}

// If there is no space for more text, the rest of the message is read nevertheless.
TEST(DebugSummary, MalformedMessageIsReportedEvenIfTheTextIsFull) {
  const auto verdict = [](const Data &data, std::size_t reported = 0, std::size_t capacity = 20) {
    const Reading reading(data, reported);
    std::vector<char> memory(capacity);
    TextBuffer buffer(memory);
    return append_debug_summary(buffer, reading.bytes.get(), reading.message);
  };
  const Data bad = u32(4) + u32(100);
  const Data line = string("Hello");
  for (const std::string_view name : {"output", "error", "mygame:a", "stack_dump"}) {
    for (const bool is_packets : {false, true}) {
      const auto message = [&](const ArgumentList &parts) {
        return is_packets ? packets3(name, parts) : message4(name, parts);
      };
      SCOPED_TRACE(name);
      EXPECT_EQ(verdict(message({line, line, line})), Outcome::ok);
      EXPECT_EQ(verdict(message({line, line, bad})), Outcome::malformed);
      EXPECT_EQ(verdict(message({line, line, u32(unknown_type)})), Outcome::unsupported);
      const Data whole = message({line, line});
      EXPECT_EQ(verdict(whole.first(whole.size() - 4), whole.size()), Outcome::truncated);
    }
  }
  EXPECT_EQ(verdict(packet(array4({string("a:b"), integer(1), array4({})}) + nil())), Outcome::malformed);
}

TEST(DebugSummary, LongTextIsTruncatedToTheBuffer) {
  const std::string text(5000, 'x');
  for (const Data &message :
       {message4("output", {packed_strings(Texts(50, text)), packed_ints({0})}),
        packets3("output", ArgumentList(50, array3({string(text), integer(0)}))),
        message4("mygame:a", ArgumentList(50, string(text))), message4(text, {}),
        message4("error", error_arguments(text, text, false, stack)), packet(array4(ArgumentList(1000, integer(7))))}) {
    for (const std::size_t capacity : {4U, 5U, 20U, 240U}) {
      const std::string summary = Reading(message).summary(capacity);
      EXPECT_LT(summary.size(), capacity);
      EXPECT_NE(summary.find("…"), std::string::npos) << summary;
    }
  }
}

TEST(DebugSummary, ControlCharactersAreEscaped) {
  const std::string summary = summary4("output", {packed_strings({"\x1b[31m\xff\xe2\x80\xae"}), packed_ints({0})});
  EXPECT_TRUE(is_valid_utf8(summary));
  for (const char character : summary) EXPECT_GE(static_cast<unsigned char>(character), 0x20);
  EXPECT_EQ(summary.find("\xe2\x80\xae"), std::string::npos);
}

// --- Detection -------------------------------------------------------------------------------------------------

Confidence confidence_of(const Data &data, std::size_t reported = 0) {
  return evaluate_debug_message(ExactBytes(data, reported).get(), max_length);
}
bool may_be_debugger(const Data &data) { return may_be_debug_message(ExactBytes(data).get(), max_length); }

TEST(DebugEvidence, EngineMessagesAreStrong) {
  for (const auto &form : message_formats) {
    EXPECT_EQ(confidence_of(form.bytes), Confidence::strong) << form.what;
    EXPECT_EQ(confidence_of(form.bytes + form.bytes.first(7)), Confidence::strong) << form.what;
    EXPECT_TRUE(may_be_debugger(form.bytes)) << form.what;
  }
  EXPECT_EQ(confidence_of(message4("scene:of_tomorrow", {nil()})), Confidence::strong);
}

TEST(DebugEvidence, CustomMessagesAreNoEvidence) {
  EXPECT_EQ(confidence_of(message4("mygame:talk", {})), Confidence::none);
  EXPECT_EQ(confidence_of(command3("mygame:talk", {})), Confidence::none);
  EXPECT_EQ(confidence_of(packets3("mygame:talk", {})), Confidence::none);
  EXPECT_TRUE(may_be_debugger(message4("mygame:talk", {}))) << "on the debugger's port it is one";
}

TEST(DebugEvidence, UnfinishedMessageIsNeutral) {
  for (const auto &form : message_formats) {
    for (std::size_t size = 1; size < form.bytes.size(); ++size) {
      SCOPED_TRACE(form.what + std::string(" cut after ") + std::to_string(size));
      EXPECT_EQ(confidence_of(form.bytes.first(size)), Confidence::neutral);
      EXPECT_TRUE(may_be_debugger(form.bytes.first(size)));
      EXPECT_EQ(confidence_of(form.bytes.first(size), form.bytes.size()), Confidence::neutral) << "by the snap length";
    }
  }
}

// Bytes are rejected as soon as they cannot be the debugger's.
TEST(DebugEvidence, ForeignMessagesAreRejectedBeforeTheirEnd) {
  const Data others[] = {message4("mygame:score", {integer(1)}), packet(array3({string("mine"), nil(), nil()})),
                         packet(string("mine")) + packet(nil()),
                         packet(array4({integer(7), string("output"), integer(1)}))};
  for (const Data &message : others) {
    const Confidence confidence =
        evaluate_debug_message(ExactBytes(message.first(message.size() - 2)).get(), max_length);
    EXPECT_EQ(confidence, Confidence::none);
  }
}

TEST(DebugEvidence, OtherVariantsAreNoEvidence) {
  const Data others[] = {
      packet(nil()),
      packet(integer(7)),
      packet(string("output")) + packet(string("output")),
      packet(array4({})),
      packet(array3({integer(7)})),
      packet(array4({string("set_pid"), integer(1)})),
      packet(dictionary3({{string("output"), integer(1)}})),
      packet(array4({string("set_pid"), integer(1), array4({})}) + nil()),           // trailing bytes after the list
      packet(array3({string("step")}) + nil()),                                      // trailing bytes after the Array
      packet(array4({string("set_pid"), integer(1), u32(28) + u32(9) + nil()})),     // fewer arguments than the count
      packet(string("output")) + packet(integer(1)) + u32(12) + integer(7) + nil(),  // trailing bytes in an argument
      u32(0) + string("output"),
  };
  for (std::size_t i = 0; i < std::size(others); ++i) EXPECT_EQ(confidence_of(others[i]), Confidence::none) << i;
}

// The first bytes of each side of X11, which uses the same ports, in both byte orders.
const Data x11_starts[] = {
    hex("6c00 0b00 0000 0000 0000 0000"),  // the client, little-endian
    hex("4200 000b 0000 0000 0000 0000"),  // big-endian
    hex("6c00 0b00 0000 1200 1000 0000") + raw("MIT-MAGIC-COOKIE-1") + hex("0000") + raw("0123456789abcdef"),
    hex("4200 000b 0000 0012 0010 0000") + raw("MIT-MAGIC-COOKIE-1") + hex("0000") + raw("0123456789abcdef"),
    hex("0100 0b00 0000 6201 00a0 ab00 0000 0004 ffff 1f00 0001 0000 1400 ffff 0107 0000 2020 08ff 0000 0000"),
    hex("0100 000b 0000 0162 00ab a000 0400 0000 001f ffff 0000 0100 0014 ffff 0107 0000 2020 08ff 0000 0000"),
    hex("001a 0b00 0000 0700") + raw("No protocol specified\n\0\0\0"),  // the server rejects, little-endian
    hex("001a 000b 0000 0007") + raw("No protocol specified\n\0\0\0"),  // big-endian
};

TEST(DebugEvidence, X11IsNoEvidence) {
  for (std::size_t i = 0; i < std::size(x11_starts); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FALSE(may_be_debugger(x11_starts[i]));
    EXPECT_EQ(confidence_of(x11_starts[i]), Confidence::none);
  }
}

TEST(DebugEvidence, OtherBytesAreNoEvidence) {
  for (const Data &data : {raw("GET / HTTP/1.1\r\n"), raw("SSH-2.0-OpenSSH_9\r\n"), hex("1603 0100 f801 0000 f403"),
                           hex("0d00 0000 0400 0000 0100 0000 6100 0000 00")}) {
    EXPECT_FALSE(may_be_debugger(data));
    EXPECT_EQ(confidence_of(data), Confidence::none);
  }
  EXPECT_FALSE(may_be_debugger(u32(0)));
  EXPECT_FALSE(may_be_debugger(u32(max_length + 4)));
  EXPECT_TRUE(may_be_debugger(u32(max_length)));
  EXPECT_FALSE(may_be_debugger(u32(20) + u32(27))) << "a Dictionary";
  const Data odd_header = packet(u32(0xf91c) + u32(3) + string("set_pid") + integer(1) + array4({integer(7)}));
  EXPECT_FALSE(may_be_debugger(odd_header));
  EXPECT_EQ(confidence_of(odd_header), Confidence::none);
}

}  // namespace
}  // namespace godot_codec::test
