// SPDX-License-Identifier: MIT
// Games that alternate between values of two or three types, with and without other datagrams between them: how many
// messages detection needs.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/detection/protocol_detection.h"
#include "recognition/random.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

using recognition::Random;

constexpr unsigned max_messages = 20;

/// A kind of message: values of one type as a Godot 4 game sends them, a different value each time.
struct VariantKind {
  std::string name;
  std::function<std::string(Random &)> make;
};

float real(Random &random) { return static_cast<float>(random.between(0, 20000)) / 16 - 600.125F; }

std::string reals(Random &random, std::uint32_t type, unsigned count) {
  std::string bytes = u32(type);
  for (unsigned i = 0; i < count; ++i) bytes += f32(real(random));
  return bytes;
}

std::string numbers(Random &random, std::uint32_t type, unsigned count) {
  std::string bytes = u32(type);
  for (unsigned i = 0; i < count; ++i) bytes += i32(static_cast<std::int32_t>(random.between(300, 9000)));
  return bytes;
}

std::string packed(Random &random, std::uint32_t type, unsigned size_of_one) {
  const std::uint32_t count = random.between(2, 6);
  std::string bytes = u32(type) + u32(count);
  for (unsigned i = 0; i < count * size_of_one / 4; ++i) bytes += f32(real(random));
  return bytes;
}

std::vector<VariantKind> all_variant_kinds() {
  std::vector<VariantKind> all = {
      {"bool", [](Random &random) { return boolean(random.one_in(2)); }},
      {"int", [](Random &random) { return integer(static_cast<std::int32_t>(random.between(300, 9000))); }},
      {"float", [](Random &random) { return u32(0x10003) + f64(0.1 + random.between(1, 500)); }},
      {"String", [](Random &random) { return string("player " + std::to_string(random.between(1, 50))); }},
      {"StringName", [](Random &random) { return u32(21) + text("jump" + std::to_string(random.between(1, 50))); }},
      {"RID", [](Random &random) { return u32(23) + u64(random.between(1, 5000)); }},
      {"Array", [](Random &random) { return array({integer(static_cast<std::int32_t>(random.between(1, 99)))}); }},
      {"PackedByteArray",
       [](Random &random) { return u32(29) + u32(8) + u32(random.between(1, 999)) + u32(random.between(1, 999)); }},
      {"PackedInt32Array", [](Random &random) { return u32(30) + u32(3) + numbers(random, 7, 2); }},
      {"PackedStringArray",
       [](Random &random) { return u32(34) + u32(1) + text("item " + std::to_string(random.between(1, 99))); }},
  };
  const std::pair<std::uint32_t, unsigned> of_reals[] = {{5, 2},  {7, 4},  {9, 3},  {11, 6},  {12, 4},  {14, 4},
                                                         {15, 4}, {16, 6}, {17, 9}, {18, 12}, {19, 16}, {20, 4}};
  for (const auto &[type, count] : of_reals) {
    all.push_back({"type " + std::to_string(type), [=](Random &random) { return reals(random, type, count); }});
  }
  const std::pair<std::uint32_t, unsigned> of_numbers[] = {{6, 2}, {8, 4}, {10, 3}, {13, 4}};
  for (const auto &[type, count] : of_numbers) {
    all.push_back({"type " + std::to_string(type), [=](Random &random) { return numbers(random, type, count); }});
  }
  const std::pair<std::uint32_t, unsigned> arrays[] = {{32, 4}, {35, 8}, {36, 12}, {37, 16}};
  for (const auto &[type, size] : arrays) {
    all.push_back({"type " + std::to_string(type), [=](Random &random) { return packed(random, type, size); }});
  }
  return all;
}

Evidence evidence_of(const std::string &bytes) {
  return variant_evidence({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()}, {});
}

/// Returns the index of the message that decides the detection, counted from 1. Returns an index above the limit if no
/// message decides.
unsigned deciding_message(Random &random, const std::vector<const VariantKind *> &turns,
                          const std::string &stray = {}) {
  EvidenceScore sum{};
  if (!stray.empty()) sum.add(evidence_of(stray));
  for (unsigned number = 1; number <= max_messages; ++number) {
    if (sum.add(evidence_of(turns[(number - 1) % turns.size()]->make(random)))) return number;
  }
  return max_messages + 1;
}

template <typename Visit>
void for_each_alternation(const std::vector<VariantKind> &all, Visit visit) {
  for (const VariantKind &one : all) {
    for (const VariantKind &two : all) {
      if (&two <= &one) continue;
      visit(std::vector{&one, &two});
      for (const VariantKind &three : all) {
        if (&three > &two) visit(std::vector{&one, &two, &three});
      }
    }
  }
}

TEST(AlternatingVariantTypes, TwoOrThreeTypesAreDetectedWithin16Messages) {
  Random random(21);
  unsigned latest = 0;
  unsigned count = 0;
  for_each_alternation(all_variant_kinds(), [&](const std::vector<const VariantKind *> &turns) {
    const unsigned deciding = deciding_message(random, turns);
    latest = std::max(latest, deciding);
    ++count;
    EXPECT_LE(deciding, max_messages) << turns[0]->name << ", " << turns[1]->name << ", " << turns.back()->name;
  });
  EXPECT_EQ(count, 30U * 29 / 2 + 30U * 29 * 28 / 6);
  EXPECT_EQ(latest, 16U);
}

TEST(AlternatingVariantTypes, StrayDatagramOnlyDelaysDetection) {
  Random random(22);
  unsigned latest = 0;
  for_each_alternation(all_variant_kinds(), [&](const std::vector<const VariantKind *> &turns) {
    if (turns.size() == 2) latest = std::max(latest, deciding_message(random, turns, "hello from somewhere else"));
  });
  EXPECT_EQ(latest, 18U);
}

}  // namespace
}  // namespace godot_codec::test
