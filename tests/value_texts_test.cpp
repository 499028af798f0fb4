// SPDX-License-Identifier: MIT
// The texts that one walk writes for many values equal the texts of each value alone.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "godot-codec/variant/variant_text.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

Bytes bytes_of(const std::string &packet) {
  return {reinterpret_cast<const std::uint8_t *>(packet.data()), packet.size(), packet.size()};
}

std::string header(Type type) { return u32(static_cast<std::uint32_t>(type)); }

std::string string_value(const std::string &value) { return header(Type::string) + text(value); }

using Random = std::mt19937;

std::string random_string(Random &random) {
  const std::array<std::string, 7> parts = {"a", "word", "\n", "\"", "\\", "\xe2\x80\xae", "\xf0\x9f\x98\x80"};
  std::string value;
  for (std::size_t left = random() % 4 == 0 ? random() % 300 : random() % 6; left > 0; --left) {
    value += parts[random() % parts.size()];
  }
  return value;
}

std::string random_value(Random &random, int depth) {
  const std::size_t count = random() % 6;
  std::string value;
  switch (random() % (depth < 6 ? 8 : 5)) {
    case 0:
      return header(Type::nil);
    case 1:
      return header(Type::integer) + i32(static_cast<std::int32_t>(random()));
    case 2:
      return header(Type::vector2) + f32(1.5F) + f32(-2);
    case 3:
      return string_value(random_string(random));
    case 4:
      value = header(Type::packed_byte_array) + u32_size(4 * count);
      return value + std::string(4 * count, '\x7f');
    case 5:
      value = header(Type::dictionary) + u32_size(count);
      for (std::size_t i = 0; i < 2 * count; ++i) value += random_value(random, depth + 1);
      return value;
    default:
      value = header(Type::array) + u32_size(count);
      for (std::size_t i = 0; i < count; ++i) value += random_value(random, depth + 1);
      return value;
  }
}

// Queries the text of each readable value, and compares it with the text of a separate walk.
class QueryingSink final : public VariantSink {
 public:
  QueryingSink(const std::string &packet, const ReadOptions &options, ScriptTextCache &texts)
      : bytes_(bytes_of(packet)), options_(options), texts_(texts) {
    texts_.set_bytes(bytes_);
  }

  VisitAction begin_value(const ValueHeader &value) {
    ++queries;
    if (skips > 0 && queries % skips == 0) return VisitAction::skip;
    // A root Object may be a null argument of a call; a nested Object may not.
    if (value.type == Type::object) return VisitAction::proceed;
    std::array<char, ScriptTextCache::max_text_size + 1> memory;
    TextBuffer alone(memory);
    append_variant(alone, bytes_, value.range.offset, {}, options_, TextStyle::script);
    const std::string_view script = texts_.script_text(value.range.offset, {});
    EXPECT_EQ(script, alone.view()) << "at " << value.range.offset;
    EXPECT_EQ(script.data()[script.size()], '\0');
    return VisitAction::proceed;
  }

  std::size_t skips = 0;  // each n-th value is skipped with its content; 0: none
  std::size_t queries = 0;

 private:
  Bytes bytes_;
  const ReadOptions &options_;
  ScriptTextCache &texts_;
};

// Writes the script texts of a value in the walk that writes its brief text.
void write_texts(const std::string &packet, ScriptTextCache &texts) {
  std::array<char, 300> memory;
  TextBuffer brief(memory);
  append_brief(brief, bytes_of(packet), 0, {}, {}, TextStyle::brief, &texts);
}

std::size_t query_all(const std::string &packet, std::size_t skips = 0) {
  const ReadOptions options;
  ScriptTextCache texts(options);
  write_texts(packet, texts);
  QueryingSink querying(packet, options, texts);
  querying.skips = skips;
  walk_variant(bytes_of(packet), 0, {}, options, querying);
  return querying.queries;
}

// Writes the texts of several consecutive values before they are queried.
void query_children_first(const std::string &packet) {
  const ReadOptions options;
  const Bytes bytes = bytes_of(packet);
  ScriptTextCache texts(options);
  std::vector<std::size_t> starts;
  for (std::size_t offset = 0; offset < packet.size();) {
    std::array<char, 300> memory;
    std::array<char, 300> memory_alone;
    TextBuffer brief(memory);
    TextBuffer alone(memory_alone);
    const WalkResult result = append_brief(brief, bytes, offset, {}, options, TextStyle::brief, &texts);
    append_variant(alone, bytes, offset, {}, options, TextStyle::brief);
    EXPECT_EQ(brief.view(), alone.view()) << "at " << offset;
    starts.push_back(offset);
    if (result.outcome != Outcome::ok) break;
    offset = result.offset;
  }
  QueryingSink querying(packet, options, texts);
  for (const std::size_t start : starts) walk_variant(bytes, start, {}, options, querying);
}

TEST(VariantValueTexts, EqualTheTextOfEachValueAlone) {
  Random random(1);
  std::size_t values = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string packet = random_value(random, 0);
    values += query_all(packet);
    query_all(packet, 2 + i % 7);
    query_all(packet.substr(0, random() % (packet.size() + 1)));
    packet[random() % packet.size()] = static_cast<char>(random());
    query_all(packet);
    if (HasFailure()) FAIL() << i << ": " << to_hex(packet);
  }
  EXPECT_GT(values, 2000U);
}

TEST(VariantValueTexts, AreEqualIfChildrenAreQueriedBeforeTheirParent) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    std::string packet;
    for (int values = 0; values <= i % 5; ++values) packet += random_value(random, 0);
    query_children_first(packet);
    query_children_first(packet.substr(0, random() % (packet.size() + 1)));
    packet[random() % packet.size()] = static_cast<char>(random());
    query_children_first(packet);
    if (HasFailure()) FAIL() << i << ": " << to_hex(packet);
  }
}

TEST(VariantValueTexts, LongTextsAreTruncatedLikeThoseOfSingleValues) {
  // The 255th byte falls into each position of an escape and of a character.
  for (std::size_t length = 230; length < 262; ++length) {
    for (const char *part : {"\xe2\x80\xae", "\n", "\\", "\xf0\x9f\x98\x80", "\xff", "a"}) {
      const std::string value = string_value(std::string(length, 'a') + part + part + "b");
      query_all(header(Type::array) + u32(3) + value + value + string_value("c"));
    }
  }
}

TEST(VariantValueTexts, AreRewrittenIfTheBufferWasFull) {
  std::string nested;
  for (int i = 0; i < 700; ++i) nested += header(Type::array) + u32(1);
  query_all(nested + header(Type::nil));
  std::string many = header(Type::array) + u32(3000);
  for (int i = 0; i < 3000; ++i) many += header(Type::nil);
  query_all(many);
}

TEST(VariantValueTexts, OneWalkWritesAllTextsOfADictionary) {
  std::string packet = header(Type::dictionary) + u32(20);
  for (int i = 0; i < 20; ++i) packet += string_value("key") + header(Type::integer) + i32(i);
  const ReadOptions options;
  ScriptTextCache texts(options);
  texts.set_bytes(bytes_of(packet));
#ifdef GODOT_CODEC_COUNTS
  const std::uint64_t before = test_count(TestCounter::walked_bytes);
#endif
  write_texts(packet, texts);
  EXPECT_EQ(texts.script_text(0, {}).substr(0, 20), R"({"key": 0, "key": 1,)");
  for (std::size_t i = 0; i < 20; ++i) {
    const std::size_t key = 8 + 20 * i;
    EXPECT_EQ(texts.script_text(key, {}), "\"key\"");
    EXPECT_EQ(texts.script_text(key + 12, {}), std::to_string(i));
  }
#ifdef GODOT_CODEC_COUNTS
  EXPECT_EQ(test_count(TestCounter::walked_bytes) - before, packet.size());
#endif
}

}  // namespace
}  // namespace godot_codec::test
