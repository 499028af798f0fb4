// SPDX-License-Identifier: MIT
#include "godot-codec/detection/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <random>
#include <span>

#include "enet_reading.h"
#include "events.h"
#include "godot-codec/detection/protocol_detection.h"
#include "godot-codec/detection/weights.h"
#include "unknown_type.h"

namespace godot_codec {

bool operator==(const Evidence &first, const Evidence &second) {
  return first.confidence == second.confidence && first.kind == second.kind;
}

std::ostream &operator<<(std::ostream &stream, Confidence confidence) {
  constexpr std::string_view names[] = {"none", "neutral", "weak", "strong"};
  return stream << names[static_cast<std::size_t>(confidence)];
}

std::ostream &operator<<(std::ostream &stream, const Evidence &evidence) {
  return stream << evidence.confidence << " of kind " << evidence.kind;
}

}  // namespace godot_codec

namespace godot_codec::test {
namespace {

using enum Confidence;

constexpr std::uint32_t any_kind = 0;

std::uint32_t kind_of(Type type, Dialect dialect = Dialect::godot4) {
  return static_cast<std::uint32_t>(type) << 8 | (static_cast<std::uint32_t>(dialect) + 1);
}

Evidence evidence_of(const Data &packet, std::size_t reported = 0, const ReadOptions &options = {}) {
  return variant_evidence(ExactBytes(packet, reported).get(), options);
}

// --- Variants --------------------------------------------------------------------------------------------------

Data integer(int value) { return u32(2) + u32(static_cast<std::uint32_t>(value)); }
Data text(std::string_view value) { return u32(4) + padded(value); }
Data boolean(bool value) { return u32(1) + u32(value ? 1 : 0); }

Data reals(std::size_t count, float first = 0.5F) {
  Data data;
  for (std::size_t i = 0; i < count; ++i) data += f32(first + static_cast<float>(i));
  return data;
}

Data container(std::uint32_t type, std::size_t count, std::initializer_list<Data> values) {
  Data data = u32(type) + u32(count);
  for (const Data &value : values) data += value;
  return data;
}

Data array(std::initializer_list<Data> values) { return container(28, values.size(), values); }
Data dictionary(std::initializer_list<Data> values) { return container(27, values.size() / 2, values); }
Data dictionary3(std::initializer_list<Data> values) { return container(18, values.size() / 2, values); }

// A typical message: {"cmd": "move", "pos": (1, 2), "id": 7}
Data move() {
  return dictionary({text("cmd"), text("move"), text("pos"), u32(5) + reals(2, 1), text("id"), integer(7)});
}

Data object() {
  return u32(24) + padded("Node2D") + u32(2) + padded("position") + u32(5) + reals(2) + padded("visible") +
         boolean(true);
}

struct Row {
  const char *name;
  Data packet;
  Confidence confidence;
  std::uint32_t kind = any_kind;
};

void check(std::span<const Row> rows) {
  for (const Row &row : rows) EXPECT_EQ(evidence_of(row.packet), (Evidence{row.confidence, row.kind})) << row.name;
}

TEST(VariantEvidence, ScalarsAreWeakOrNeutral) {
  const Row rows[] = {
      {"nothing", {}, none},
      {"a part of a header", hex("020000"), none},
      {"null", u32(0), neutral},
      {"zeros, of which the first four are a null", repeat(u32(0), 4), none},
      {"false", boolean(false), neutral},
      {"true", boolean(true), weak, kind_of(Type::boolean)},
      {"a bool that is 2", u32(1) + u32(2), none},
      {"0", integer(0), neutral},
      {"1", integer(1), weak, kind_of(Type::integer)},
      {"-1", integer(-1), weak, kind_of(Type::integer)},
      {"the largest of the small", integer((1 << 24) - 1), weak, kind_of(Type::integer)},
      {"the smallest of the large", integer(1 << 24), neutral, any_kind},
      {"the same below zero", integer(-(1 << 24)), neutral, any_kind},
      {"a clock in 64 bits", u32(0x10002) + u64(0x123456789ab), weak, kind_of(Type::integer)},
      {"the smallest that needs them", u32(0x10002) + u64(std::uint64_t{1} << 31), weak, kind_of(Type::integer)},
      {"below zero", u32(0x10002) + u64(-(std::uint64_t{1} << 32)), weak, kind_of(Type::integer)},
      {"one that does not, as 3.0 sends it", u32(0x10002) + u64(7), weak, kind_of(Type::integer)},
      {"a large one that does not", u32(0x10002) + u64(1 << 30), neutral, any_kind},
      {"more than a clock", u32(0x10002) + u64(std::uint64_t{1} << 53), weak, kind_of(Type::integer)},
      {"a float", u32(3) + f32(1.5F), weak, kind_of(Type::real)},
      {"a float of 64 bits", u32(0x10003) + f64(0.1), weak, kind_of(Type::real)},
      {"0.0", u32(3) + f32(0), neutral},
      {"-0.0", u32(3) + f32(-0.0F), neutral},
      {"a small float", u32(3) + f32(1e-5F), weak, kind_of(Type::real)},
      {"a tiny one", u32(3) + f32(1e-7F), neutral, any_kind},
      {"a large one", u32(3) + f32(9e7F), weak, kind_of(Type::real)},
      {"a huge one", u32(3) + f32(1e9F), neutral, any_kind},
      {"a denormal one, which is a small integer", u32(3) + u32(5), none, any_kind},
      {"none (NaN)", u32(3) + f32(std::numeric_limits<float>::quiet_NaN()), neutral, any_kind},
      {"infinity", u32(3) + f32(std::numeric_limits<float>::infinity()), neutral, any_kind},
      {"a header bit that an engine does not set", u32(0x10001) + u32(1), none},
      {"a type that there is not", u32(unknown_type) + u32(1), none},
      {"text", raw("hello, this is text"), none},
      {"half an int", u32(2) + hex("0700"), none},
  };
  for (const Row &row : rows) {
    // The kind only matters for weak evidence.
    const Evidence evidence = evidence_of(row.packet);
    EXPECT_EQ(evidence.confidence, row.confidence) << row.name;
    if (row.confidence == weak) {
      EXPECT_EQ(evidence.kind, row.kind) << row.name;
    }
  }
}

// Other programs, too, often send a small number followed by reals.
TEST(VariantEvidence, VectorsAndMatricesAreNeverStrong) {
  const std::tuple<std::uint32_t, Type, std::size_t> types[] = {{5, Type::vector2, 2},       {9, Type::vector3, 3},
                                                                {11, Type::transform2d, 6},  {15, Type::quaternion, 4},
                                                                {18, Type::transform3d, 12}, {20, Type::color, 4}};
  for (const auto &[number, type, count] : types) {
    EXPECT_EQ(evidence_of(u32(number) + reals(count)), (Evidence{weak, kind_of(type)})) << number;
    const Data wide = u32(0x10000 | number) + repeat(f64(1.25), count);
    EXPECT_EQ(evidence_of(wide).confidence, number == 20 ? none : weak) << number;  // a Color has 32-bit components
  }
  // Games rarely send Rect2, Vector4, AABB, Basis or Projection alone.
  const std::pair<std::uint32_t, std::size_t> rare[] = {{7, 4}, {12, 4}, {16, 6}, {17, 9}, {19, 16}};
  EXPECT_EQ(evidence_of(u32(14) + reals(4)), (Evidence{weak, kind_of(Type::color, Dialect::godot3)})) << "or a Plane";
  for (const auto &[number, count] : rare) {
    const Evidence evidence = evidence_of(u32(number) + reals(count));
    EXPECT_EQ(evidence.confidence, neutral) << number;
    EXPECT_NE(evidence.kind, any_kind) << number << ": it says something when it comes again";
  }
  EXPECT_EQ(evidence_of(u32(5) + reals(2, 0) + u32(0)), Evidence{none});
  EXPECT_EQ(evidence_of(u32(5) + f32(0) + f32(0)).confidence, neutral);
  EXPECT_EQ(evidence_of(u32(5) + f32(0) + f32(1)).confidence, weak);
  EXPECT_EQ(evidence_of(u32(5) + u32(3) + u32(4)).confidence, none) << "small integers are tiny reals";
  EXPECT_EQ(evidence_of(u32(19) + reals(15) + u32(7)).confidence, none) << "one of them is enough";
  EXPECT_EQ(evidence_of(u32(6) + u32(3) + u32(4)).confidence, weak) << "Vector2i";
  EXPECT_EQ(evidence_of(u32(6) + u32(3) + u32(0x3f800000)).confidence, neutral)
      << "a Vector2i of bytes of something else";
}

TEST(VariantEvidence, TextsAreAtMostWeak) {
  const Row rows[] = {
      {"one letter", text("a"), weak},
      {"a word", text("hello"), weak},
      {"a word that fills its words", text("jump"), weak},
      {"a long text", text(std::string(1000, 'x')), weak},
      {"UTF-8", text("h\xc3\xbcpfen"), weak},
      {"a StringName", u32(21) + padded("jump"), weak},
      {"a NodePath", u32(22) + u32(0x80000001) + u32(0) + u32(1) + padded("root"), weak},
  };
  check(rows);
  EXPECT_EQ(evidence_of(text("")).confidence, neutral);
  EXPECT_EQ(evidence_of(text("\x01\x02")).confidence, neutral) << "control characters";
  EXPECT_EQ(evidence_of(text("\xff\xfe")).confidence, none) << "no UTF-8";
  EXPECT_EQ(evidence_of(u32(4) + u32(5) + raw("helloabc")).confidence, weak) << "old bytes in the padding: Godot 3.0";
  EXPECT_EQ(evidence_of(u32(21) + u32(5) + raw("helloabc")).confidence, none) << "Godot 4 has none";
  const Evidence path = evidence_of(u32(22) + u32(0x80000001) + u32(0) + u32(1) + u32(4) + raw("root"));
  EXPECT_EQ(evidence_of(u32(22) + u32(0x80000001) + u32(0) + u32(1) + u32(3) + raw("abc\x07")), path)
      << "but in a NodePath, up to 4.5";
  EXPECT_EQ(evidence_of(u32(4) + u32(5) + raw("hello")).confidence, none) << "no padding";
  EXPECT_EQ(evidence_of(u32(4) + u32(6) + raw("hello")).confidence, none) << "a length past the end";
}

TEST(VariantEvidence, PackedArraysAreAtMostWeak) {
  const Data packets[] = {
      u32(30) + u32(4) + u32(1) + u32(2) + u32(3) + u32(4),
      u32(31) + u32(2) + u64(1) + u64(2),
      u32(32) + u32(6) + reals(6),
      u32(33) + u32(2) + f64(1) + f64(2),
      u32(34) + u32(4) + padded({"one\0", 4}) + padded({"two\0", 4}) + padded({"three\0", 6}) + padded(""),
      u32(35) + u32(4) + reals(8),
      u32(36) + u32(4) + reals(12),
      u32(37) + u32(4) + reals(16),
      u32(38) + u32(4) + reals(16),
  };
  for (const Data &packet : packets) EXPECT_EQ(evidence_of(packet).confidence, weak) << int{packet.bytes[0]};
  EXPECT_EQ(evidence_of(u32(29) + u32(5) + hex("0102030405000000")).confidence, neutral)
      << "a number, a length and bytes";
  EXPECT_EQ(evidence_of(u32(30) + u32(0)).confidence, neutral);
  EXPECT_EQ(evidence_of(u32(30) + u32(3) + u32(1) + u32(2)).confidence, none);
}

TEST(VariantEvidence, ContainersWithSeveralTextsOrTypicalValuesAreStrong) {
  const Row rows[] = {
      {"an empty array", array({}), neutral},
      {"an empty dictionary", dictionary({}), neutral},
      {"an array of null", array({u32(0)}), weak, kind_of(Type::array)},
      {"an array of a small int", array({integer(5)}), weak, kind_of(Type::array)},
      {"an array of two", array({integer(5), integer(6)}), weak, kind_of(Type::array)},
      {"an array of true", array({boolean(true)}), weak, kind_of(Type::array)},
      {"a dictionary of one short word", dictionary({text("hp"), integer(87)}), weak, any_kind},
      {"a dictionary of ints", dictionary({integer(1), integer(2)}), weak, kind_of(Type::dictionary)},
      {"a dictionary of two words", dictionary({text("name"), text("Ada")}), strong},
      {"a dictionary of two entries", dictionary({text("x"), integer(1), text("y"), integer(2)}), strong},
      {"a move", move(), strong},
      {"an array of one text", array({text("a long sentence")}), weak, any_kind},
      {"an array of texts", array({text("join"), text("Ada")}), strong},
      {"an array of reals", array({u32(3) + f32(1), u32(3) + f32(2), u32(3) + f32(3)}), strong},
      {"an array of bools", array({boolean(true), boolean(false), boolean(true), boolean(true)}), strong},
      {"nested", array({text("a"), array({text("b"), array({})})}), strong},
      {"an object", object(), strong},
      {"a move in the numbers of Godot 3",
       dictionary3({text("cmd"), text("move"), text("pos"), u32(5) + reals(2, 1), text("id"), integer(7)}), strong},
      {"an array in the numbers of Godot 3", container(19, 2, {text("join"), text("Ada")}), strong},
      {"a small array of those", container(19, 1, {integer(5)}), weak, kind_of(Type::array, Dialect::godot3)},
      {"an object of Godot 3",
       u32(17) + padded("Node2D") + u32(2) + padded("position") + u32(5) + reals(2) + padded("visible") + boolean(true),
       strong},
  };
  for (const Row &row : rows) {
    const Evidence evidence = evidence_of(row.packet);
    EXPECT_EQ(evidence.confidence, row.confidence) << row.name;
    if (row.confidence == weak) {
      EXPECT_EQ(evidence.kind, row.kind) << row.name;
    }
  }
}

TEST(VariantEvidence, ContainerWithoutATextIsNotCountedAsContainer) {
  EXPECT_TRUE(evidence_of(dictionary({text("x"), integer(1)})).is_container);
  EXPECT_TRUE(evidence_of(array({text("a")})).is_container);
  EXPECT_FALSE(evidence_of(array({integer(5), integer(6)})).is_container);
  EXPECT_FALSE(evidence_of(dictionary({text("x"), integer(1 << 24)})).is_container) << "neutral";
  EXPECT_FALSE(evidence_of(text("a long sentence")).is_container);
}

TEST(VariantEvidence, TextsWithLineBreaksAreEvidence) {
  EXPECT_EQ(evidence_of(dictionary({text("name"), text("Ada"), text("talk"), text("two\nlines")})).confidence, strong);
}

TEST(VariantEvidence, TypedContainersAreStronger) {
  EXPECT_EQ(evidence_of(array({integer(1), integer(2)})).confidence, weak);
  EXPECT_EQ(evidence_of(u32(0x1001c) + u32(2) + u32(4) + repeat(integer(1), 4)).confidence, strong)
      << "Array[int]([1, 1, 1, 1])";
  EXPECT_EQ(evidence_of(u32(0x1001c) + u32(2) + u32(0)).confidence, weak) << "Array[int]([])";
  EXPECT_EQ(evidence_of(u32(0x1001c) + u32(unknown_type) + u32(2) + integer(1) + integer(2)).confidence, none)
      << "of no type";
}

TEST(VariantEvidence, ObjectIdIsNoEvidence) {
  EXPECT_EQ(evidence_of(u32(0x10018) + u64(0x80000a0001)).confidence, neutral);
  EXPECT_EQ(evidence_of(u32(0x10018) + u64(0)).confidence, neutral);
  EXPECT_EQ(
      evidence_of(dictionary({text("who"), u32(0x10018) + u64(0x80000a0001), text("what"), text("hit")})).confidence,
      strong)
      << "beside texts it does no harm";
}

TEST(VariantEvidence, BytesAfterTheVariantRuleAPacketOut) {
  for (const Data &packet : {move(), object(), text("hello"), integer(7), u32(20) + reals(4)}) {
    ASSERT_GE(evidence_of(packet).confidence, weak);
    EXPECT_EQ(evidence_of(packet + hex("00")).confidence, none);
    EXPECT_EQ(evidence_of(packet + u32(0)).confidence, none);
    EXPECT_EQ(evidence_of(packet + packet).confidence, none);
    for (std::size_t size = 4; size < packet.size(); ++size) {
      // In another dialect, the first bytes may be an array with exactly this number of elements.
      EXPECT_LE(evidence_of(packet.first(size)).confidence, neutral) << size;
    }
  }
}

TEST(VariantEvidence, ImpossibleValuesRuleAPacketOut) {
  const Data bad[] = {
      u32(4) + u32(2) + raw("hi!!"),      // nonzero padding
      u32(1) + u32(2),                    // a bool that is neither 0 nor 1
      u32(0x20002) + u32(7),              // unknown header bits
      u32(4) + u32(4) + hex("c0c0c0c0"),  // invalid UTF-8
      u32(28) + u32(3) + integer(1),      // the count exceeds the elements
      u32(unknown_type),                  // unknown type
      text("x") + u32(0),                 // a null value after a key
  };
  for (const Data &packet : bad) {
    const Data inside = dictionary({text("name"), text("Ada"), text("more"), packet});
    EXPECT_EQ(evidence_of(inside).confidence, none) << to_hex({reinterpret_cast<const char *>(packet.bytes.data()), 4});
  }
  EXPECT_EQ(evidence_of(repeat(u32(28) + u32(1), 1100) + integer(1)).confidence, none)
      << "nested as the engine does not";
  EXPECT_EQ(evidence_of(repeat(u32(28) + u32(1), 1000) + integer(1)).confidence, strong) << "nested as it may be";
}

TEST(VariantEvidence, TruncatedPacketIsNeverStrong) {
  for (const Data &packet : {move(), object(), text("hello"), integer(7), u32(19) + reals(16), array({integer(5)})}) {
    for (std::size_t size = 0; size < packet.size(); ++size) {
      const Evidence evidence = evidence_of(packet.first(size), packet.size());
      EXPECT_LE(evidence.confidence, weak) << size;
      EXPECT_EQ(evidence.confidence == none, size < 4) << size;
      EXPECT_EQ(evidence.kind, any_kind) << size;
    }
  }
  EXPECT_EQ(evidence_of(move().first(12), move().size()).confidence, neutral);
  EXPECT_EQ(evidence_of((u32(19) + reals(16)).first(60), 68).confidence, neutral) << "reals";
  EXPECT_EQ(evidence_of(move().first(60), move().size()).confidence, neutral) << "its end would have to fit";
  EXPECT_EQ(evidence_of(move().first(68), move().size()).confidence, weak);
  EXPECT_EQ(evidence_of(move().first(68), 1 << 20).confidence, weak) << "the rest may be anything";
  EXPECT_EQ(evidence_of(u32(unknown_type) + u32(1), 100).confidence, none);
  EXPECT_EQ(evidence_of(dictionary({text("name"), u32(unknown_type)}), 100).confidence, none);
}

TEST(VariantEvidence, PacketOverALimitIsNeverStrong) {
  ReadOptions options;
  options.limits.nesting = 2;
  const Data deep = array({text("hello"), text("and how"), text("are you"), array({array({array({integer(1)})})})});
  EXPECT_EQ(evidence_of(deep).confidence, strong);
  EXPECT_EQ(evidence_of(deep, 0, options), (Evidence{weak, any_kind}));
  EXPECT_EQ(evidence_of(array({array({array({integer(1)})})}), 0, options).confidence, neutral);
}

TEST(VariantEvidence, ShortPacketsAreNeverStrong) {
  std::mt19937 random(5);
  for (std::uint32_t first = 0; first < 40; ++first) {
    for (std::size_t words = 0; words < 3; ++words) {
      for (int i = 0; i < 500; ++i) {
        Data packet = u32(first);
        for (std::size_t word = 0; word < words; ++word) packet += u32(random() % 40);
        ASSERT_LT(packet.size(), least_strong_size);
        ASSERT_NE(evidence_of(packet).confidence, strong) << first;
      }
    }
  }
}

TEST(VariantEvidence, ConfiguredRealSizeIsUsed) {
  ReadOptions options;
  options.has_double_reals = true;
  const Data packet = u32(5) + f64(1) + f64(2);
  EXPECT_EQ(evidence_of(packet).confidence, none);
  EXPECT_EQ(evidence_of(packet, 0, options).confidence, weak);
}

TEST(VariantEvidence, IsThatOfTheBestDialect) {
  EXPECT_EQ(evidence_of(move()).confidence, strong);
  EXPECT_EQ(evidence_of(dictionary3({text("name"), text("Ada")})).confidence, strong);
}

// --- Evidence of several packets -------------------------------------------------------------------------------

struct Step {
  Evidence evidence;
  int bits;  // sum of the evidence after this step, in bits
  bool is_decided;
};

void check(std::initializer_list<Step> steps, int prior = 0) {
  EvidenceScore sum{};
  std::size_t index = 0;
  for (const Step &step : steps) {
    EXPECT_EQ(sum.add(step.evidence, prior), step.is_decided) << "step " << index;
    EXPECT_EQ(int{sum.bits}, step.bits) << "step " << index++;
  }
}

TEST(VariantEvidence, NonzeroPaddingIsAcceptedForGodot30Only) {
  const auto old_text = [](std::string_view value) {
    Data data = u32(4) + u32(value.size()) + raw(std::string(value));
    for (std::size_t i = value.size(); i % 4 != 0; ++i) data += hex("7f");
    return data;
  };
  const Data wide = u32(0x10002) + u64(7);
  const Data player = dictionary3({old_text("name"), old_text("Adele"), old_text("hp"), wide});
  EXPECT_EQ(evidence_of(player).confidence, strong);
  const Data of_godot4 = dictionary({old_text("name"), old_text("Adele"), old_text("hp"), wide});
  EXPECT_EQ(evidence_of(of_godot4).confidence, none);
}

TEST(EvidenceScore, OneStrongPacketDecides) {
  check({{{strong}, 40, true}});
  check({{{neutral}, 0, false}, {{strong}, 40, true}, {{strong}, 60, true}, {{strong}, 60, true}});
}

TEST(EvidenceScore, TwoWeakPacketsOfOneKindDecide) {
  check({{{weak, 2}, 10, false}, {{weak, 2}, 30, true}, {{weak, 2}, 36, true}, {{weak, 2}, 36, true}});
  check({{{weak, 2}, 10, false}, {{neutral}, 10, false}, {{weak, 2}, 30, true}});
  check({{{weak, 2}, 10, false}, {{weak, 0}, 30, true}});
  check({{{weak, 0}, 10, false}, {{weak, 2}, 30, true}});
}

TEST(EvidenceScore, ThreeWeakPacketsOfAlternatingKindsDecide) {
  check({{{weak, 2}, 10, false}, {{weak, 4}, 20, false}, {{weak, 2}, 36, true}});
  check({{{weak, 2}, 10, false}, {{weak, 4}, 20, false}, {{weak, 3}, 30, true}});
}

TEST(EvidenceScore, ElevenNeutralPacketsOfOneTypeDecide) {
  EvidenceScore sum{};
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(sum.add({neutral, 7})) << i;
  EXPECT_TRUE(sum.add({neutral, 7}));
  EXPECT_EQ(sum.bits, 30);
}

TEST(EvidenceScore, TwoMismatchesRevokeWeakEvidence) {
  check({{{weak, 2}, 10, false}, {{weak, 2}, 30, true}, {{none}, 14, true}, {{none}, -2, false}});
  check({{{none}, -16, false}, {{weak, 2}, -6, false}, {{weak, 2}, 14, false}, {{weak, 2}, 34, true}});
  check({{{none}, -16, false}, {{none}, -32, false}, {{none}, -40, false}, {{none}, -40, false}, {{strong}, 40, true}});
}

TEST(EvidenceScore, SecondContainerWithATextIsStrong) {
  const Evidence container{.confidence = weak, .is_container = true};
  check({{container, 10, false}, {container, 50, true}, {{none}, 34, true}});
  check({{container, 10, false}, {{none}, -6, false}, {{none}, -22, false}, {container, 40, true}, {{none}, 24, true}});
  check({{{none}, -16, false}, {container, -6, false}, {{weak, 0}, 14, false}, {container, 54, true}});
}

TEST(EvidenceScore, StrayPacketDoesNotPreventDetection) {
  EvidenceScore sum{};
  sum.add({none});
  int count = 0;
  while (!sum.add({weak, 2})) ++count;
  EXPECT_EQ(count, 2);
}

TEST(EvidenceScore, MismatchesAfterAStrongPacketDoNotRevoke) {
  EvidenceScore sum{};
  sum.add({strong});
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(sum.add({none}));
  EXPECT_EQ(int{sum.bits}, weights::revoked_below);
}

TEST(EvidenceScore, PriorOfAKnownServerIsOutweighedByMismatches) {
  check({{{neutral}, 0, true}}, weights::server);
  check({{{none}, -16, false}, {{none}, -32, false}}, weights::server);
  check({{{weak, 1}, 10, true}, {{none}, -6, true}, {{none}, -22, false}}, weights::server);
  check({{{neutral}, 0, false}, {{weak, 1}, 10, true}}, weights::greeted);
}

// --- Streams ---------------------------------------------------------------------------------------------------

Data in_stream(const Data &packet) { return u32(packet.size()) + packet; }

Evidence evidence_of_stream(const Data &data, std::size_t reported = 0, const StreamOptions &options = {}) {
  EvidenceScore sum{};
  return stream_evidence(ExactBytes(data, reported).get(), options, sum);
}

TEST(StreamEvidence, PacketBeginsWithAPlausibleLengthAndType) {
  const auto may_begin = [](const Data &data) { return may_begin_variant_packet(ExactBytes(data).get(), 1000); };
  EXPECT_TRUE(may_begin(in_stream(move())));
  EXPECT_TRUE(may_begin(u32(8)));
  EXPECT_TRUE(may_begin(u32(1000) + u32(38)));
  EXPECT_TRUE(may_begin(u32(8) + hex("ff ff ff"))) << "no type yet";
  EXPECT_FALSE(may_begin(hex("08 00 00")));
  EXPECT_FALSE(may_begin(u32(0)));
  EXPECT_FALSE(may_begin(u32(10) + u32(4))) << "no Variant is so long";
  EXPECT_FALSE(may_begin(u32(1004) + u32(4)));
  EXPECT_FALSE(may_begin(u32(8) + u32(0x40)));
}

TEST(StreamEvidence, SinglePacketHasTheEvidenceOfItsVariant) {
  EXPECT_EQ(evidence_of_stream(in_stream(move())).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7))), (Evidence{weak, kind_of(Type::integer)}));
  EXPECT_EQ(evidence_of_stream(in_stream(text("hello"))), (Evidence{weak, any_kind}));
  EXPECT_EQ(evidence_of_stream(in_stream(u32(19) + reals(16))).confidence, neutral);
  EXPECT_EQ(evidence_of_stream(in_stream(u32(0))).confidence, neutral);
}

TEST(StreamEvidence, EvidenceOfSeveralPacketsIsSummed) {
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7)) + in_stream(integer(8))).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7)) + in_stream(u32(0)) + in_stream(integer(8))).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7)) + in_stream(text("hello"))).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7)) + in_stream(boolean(true))),
            (Evidence{weak, kind_of(Type::boolean)}));
  EXPECT_EQ(evidence_of_stream(in_stream(u32(0)) + in_stream(u32(0))).confidence, neutral);
  EXPECT_EQ(evidence_of_stream(in_stream(u32(0)) + in_stream(move())).confidence, strong);
}

TEST(StreamEvidence, OtherBytesAreNoEvidence) {
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7)) + in_stream(u32(unknown_type)) + in_stream(integer(7))).confidence,
            none);
  EXPECT_EQ(evidence_of_stream(in_stream(u32(unknown_type) + u32(0)) + in_stream(integer(7))).confidence, none);
  EXPECT_EQ(evidence_of_stream(in_stream(move() + u32(0))).confidence, none) << "trailing bytes";
  EXPECT_EQ(evidence_of_stream(in_stream(raw("text"))).confidence, none);
  EXPECT_EQ(evidence_of_stream(raw("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")).confidence, none);
  EXPECT_EQ(evidence_of_stream(u32(0)).confidence, none) << "no packet is empty";
  EXPECT_EQ(evidence_of_stream(move()).confidence, none) << "without a length";
}

// The game mixes put_var() with put_string() or custom packets.
TEST(StreamEvidence, OneStrongPacketAmongOthersIsStrong) {
  const Data line = raw("hello there");
  ASSERT_NE(line.size() % 4, 0U);
  EXPECT_EQ(evidence_of_stream(in_stream(move()) + in_stream(line)).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(line) + in_stream(move())).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(u32(unknown_type) + u32(0)) + in_stream(move())).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(line) + in_stream(line)).confidence, none);
  EXPECT_EQ(evidence_of_stream(in_stream(line) + in_stream(integer(7)) + in_stream(integer(7))).confidence, none);
  // A truncated packet is no evidence.
  EXPECT_EQ(evidence_of_stream(in_stream(line) + in_stream(move()).first(50)).confidence, none);
  EXPECT_EQ(evidence_of_stream(in_stream(line) + in_stream(move()) + u32(0)).confidence, none)
      << "a length that is none";
}

TEST(StreamEvidence, LengthNotAMultipleOfFourOrTooLargeIsNoEvidence) {
  for (const std::uint32_t length : {1U, 2U, 3U, 5U, 41U}) {
    EXPECT_EQ(evidence_of_stream(u32(length) + move()).confidence, none) << length;
  }
  StreamOptions options;
  options.max_length = static_cast<std::uint32_t>(move().size());
  EXPECT_EQ(evidence_of_stream(in_stream(move()), 0, options).confidence, strong);
  options.max_length -= 4;
  EXPECT_EQ(evidence_of_stream(in_stream(move()), 0, options).confidence, none);
}

TEST(StreamEvidence, LengthAloneIsNeutral) {
  EXPECT_EQ(evidence_of_stream({}), Evidence{neutral});
  EXPECT_EQ(evidence_of_stream(hex("080000")), Evidence{neutral});
  EXPECT_EQ(evidence_of_stream(u32(8)), Evidence{neutral});
  EXPECT_EQ(evidence_of_stream(u32(8) + hex("020000")), Evidence{neutral});
}

TEST(StreamEvidence, UnfinishedFirstPacketIsNeutral) {
  const Data stream = in_stream(move());
  for (std::size_t size = 0; size < stream.size(); ++size) {
    EXPECT_EQ(evidence_of_stream(stream.first(size)).confidence, neutral) << size;
  }
}

// If evidence does not suffice in a complete packet, it does not suffice in a packet that continues after the segment.
TEST(StreamEvidence, UnfinishedPacketOfNumbersIsAtMostNeutral) {
  const Data packets[] = {u32(17) + reals(9),
                          u32(18) + reals(12),
                          u32(19) + reals(16),
                          u32(16) + reals(6),
                          u32(32) + u32(40) + reals(40),
                          u32(35) + u32(20) + reals(40),
                          u32(36) + u32(20) + reals(60),
                          u32(23) + u32(40) + reals(40),
                          u32(30) + u32(40) + repeat(u32(1), 40)};
  for (const Data &packet : packets) {
    const Data stream = in_stream(packet);
    for (std::size_t size = 0; size < stream.size(); ++size) {
      EXPECT_EQ(evidence_of_stream(stream.first(size)).confidence, neutral) << int{packet.bytes[0]} << ", " << size;
    }
    EXPECT_EQ(evidence_of_stream(u32(4000) + packet.first(24)).confidence, neutral) << int{packet.bytes[0]};
    // One or two additional words before the numbers are no additional evidence.
    EXPECT_LE(evidence_of_stream(u32(4000) + u32(28) + u32(4) + packet).confidence, neutral) << int{packet.bytes[0]};
  }
  EXPECT_EQ(evidence_of_stream(u32(4000) + u32(28) + u32(400) + repeat(integer(1), 300)).confidence, neutral)
      << "small ones";
}

TEST(StreamEvidence, UnfinishedLaterPacketDoesNotReduceTheEvidence) {
  const Data cut = in_stream(move()).first(60);
  EXPECT_EQ(evidence_of_stream(in_stream(move()) + cut).confidence, strong);
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7)) + cut), (Evidence{weak, kind_of(Type::integer)}));
  EXPECT_EQ(evidence_of_stream(in_stream(u32(0)) + cut).confidence, neutral);
  EXPECT_EQ(evidence_of_stream(in_stream(integer(7)) + u32(8)), (Evidence{weak, kind_of(Type::integer)}));
}

TEST(StreamEvidence, SnapLengthNeverRulesOutAStream) {
  const Data stream = in_stream(move()) + in_stream(move());
  for (std::size_t size = 0; size < stream.size(); ++size) {
    const Evidence evidence = evidence_of_stream(stream.first(size), stream.size());
    EXPECT_NE(evidence.confidence, none) << size;
    if (size < in_stream(move()).size()) {
      EXPECT_NE(evidence.confidence, strong) << size;
    } else {
      EXPECT_EQ(evidence.confidence, strong) << size;
    }
  }
}

// --- ENet ------------------------------------------------------------------------------------------------------

constexpr std::string_view to_peer = "0000";
constexpr std::string_view timed = "8000 1234";

constexpr std::string_view connect_command =
    "82 ff 0001 0003 ff fe 00000570 00010000 000000ff 00000001 00000002 00001388 00000003 00000004 e04188f9 000003e9";
constexpr std::string_view verify_command =
    "83 ff 0001 0003 01 02 00000570 00010000 000000ff 00000001 00000002 00001388 00000003 00000004 e04188f9";
constexpr std::string_view ping_command = "85 ff 0104";
constexpr std::string_view ack_command = "01 ff 0002 0002 56f8";
constexpr std::string_view reliable_command = "86 03 ffff 0003 616263";
constexpr std::string_view unreliable_command = "07 02 0001 0010 0002 6162";
constexpr std::string_view unsequenced_command = "49 01 0000 0123 0001 61";
constexpr std::string_view fragment_command =
    "88 02 0002 0001 0004 00000003 00000001 0000000b 00000004 61626364";  // fragments 4 to 8 of 11
constexpr std::string_view unreliable_fragment_command = "0c 01 0000 0007 0001 00000002 00000000 00000002 00000000 61";

Evidence evidence_of_enet(const Data &datagram, std::size_t reported = 0, bool has_checksum = false) {
  const ExactBytes bytes(datagram, reported);
  return with_datagram(bytes.get(), {has_checksum, true}, enet_evidence);
}

Confidence evidence_of_enet(std::string_view header, std::initializer_list<std::string_view> commands) {
  Data datagram = hex(header);
  for (const std::string_view command : commands) datagram += hex(command);
  return evidence_of_enet(datagram).confidence;
}

TEST(EnetEvidence, HandshakesAreStrong) {
  EXPECT_EQ(evidence_of_enet(hex("8fff 1234") + hex(connect_command)), Evidence{strong});
  EXPECT_EQ(evidence_of_enet(hex(timed) + hex(verify_command)), Evidence{strong});
  EXPECT_EQ(evidence_of_enet(hex("8fff 1234 00000000") + hex(connect_command), 0, true), Evidence{strong});
}

TEST(EnetEvidence, HandshakeValuesOutsideEnetsLimitsAreNoEvidence) {
  const auto with = [](std::size_t offset, std::uint32_t value) {
    Data datagram = hex("8fff 1234") + hex(connect_command);
    for (std::size_t i = 0; i < 4; ++i) {
      datagram.bytes[4 + offset + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
    }
    return evidence_of_enet(datagram).confidence;
  };
  constexpr std::size_t mtu = 8;
  constexpr std::size_t window = 12;
  constexpr std::size_t channels = 16;
  for (const std::uint32_t value : {576U, 1392U, 4096U}) EXPECT_EQ(with(mtu, value), strong) << value;
  for (const std::uint32_t value : {0U, 575U, 4097U, 0x70050000U}) EXPECT_EQ(with(mtu, value), none) << value;
  for (const std::uint32_t value : {4096U, 12288U, 65536U}) EXPECT_EQ(with(window, value), strong) << value;
  for (const std::uint32_t value : {0U, 4095U, 65537U}) EXPECT_EQ(with(window, value), none) << value;
  for (const std::uint32_t value : {1U, 2U, 255U}) EXPECT_EQ(with(channels, value), strong) << value;
  for (const std::uint32_t value : {0U, 256U, 0xffffffffU}) EXPECT_EQ(with(channels, value), none) << value;
}

TEST(EnetEvidence, OneSmallCommandIsWeak) {
  EXPECT_EQ(evidence_of_enet(timed, {ping_command}), weak);
  EXPECT_EQ(evidence_of_enet(to_peer, {ack_command}), weak);
  EXPECT_EQ(evidence_of_enet(timed, {reliable_command}), weak);
  EXPECT_EQ(evidence_of_enet(to_peer, {unreliable_command}), weak);
  EXPECT_EQ(evidence_of_enet(to_peer, {unsequenced_command}), weak);
  EXPECT_EQ(evidence_of_enet(timed, {"84 ff 0003 00000009"}), weak) << "disconnect";
  EXPECT_EQ(evidence_of_enet(to_peer, {"44 ff 0003 00000009"}), weak) << "disconnect, not waiting for an answer";
  EXPECT_EQ(evidence_of_enet(timed, {"8a ff 0002 00010000 00020000"}), weak) << "bandwidth limit";
  EXPECT_EQ(evidence_of_enet(timed, {"8b ff 0003 00001388 00000002 00000003"}), weak) << "throttle configure";
}

TEST(EnetEvidence, LongDataIsWeak) {
  const Data data = raw(std::string(1000, 'x'));
  EXPECT_EQ(evidence_of_enet(hex(timed) + hex("86 00 0001 03e8") + data).confidence, weak);
  EXPECT_EQ(evidence_of_enet(hex(timed) + hex("86 00 0001 03e7") + data).confidence, none) << "a byte too many";
  EXPECT_EQ(evidence_of_enet(hex(timed) + hex("86 00 0001 03e9") + data).confidence, none) << "a byte too few";
}

TEST(EnetEvidence, AcknowledgementWithTwoDifferentNumbersIsNoEvidence) {
  EXPECT_EQ(evidence_of_enet(to_peer, {"01 ff 0002 0003 56f8"}), none);
  EXPECT_EQ(evidence_of_enet(to_peer, {"01 05 fffe fffe 56f8"}), weak) << "on a channel";
  EXPECT_EQ(evidence_of_enet(to_peer, {"01 01 0101 0101 0101"}), none) << "one byte, repeated";
  EXPECT_EQ(evidence_of_enet(to_peer, {"01 01 0101 0101 0102"}), weak);
  EXPECT_EQ(evidence_of_enet(to_peer, {ack_command, ack_command}), strong);
  EXPECT_EQ(evidence_of_enet(to_peer, {ack_command, "01 ff 0002 0003 56f8"}), none);
}

TEST(EnetEvidence, AcknowledgementWithAnotherCommandIsStrong) {
  EXPECT_EQ(evidence_of_enet(timed, {ping_command, ping_command}), weak);
  EXPECT_EQ(evidence_of_enet(timed, {ack_command, ping_command}), strong);
  EXPECT_EQ(evidence_of_enet(timed, {ack_command, reliable_command}), strong);
  EXPECT_EQ(evidence_of_enet(to_peer, {ack_command, unreliable_command}), strong);
  EXPECT_EQ(evidence_of_enet(timed, {ping_command, reliable_command}), weak);
  EXPECT_EQ(evidence_of_enet(timed, {reliable_command, reliable_command, reliable_command, reliable_command,
                                     reliable_command, reliable_command}),
            strong);
}

TEST(EnetEvidence, CommandsWithWrongFlagsOrChannelsAreNoEvidence) {
  const std::string_view wrong[] = {
      "05 ff 0104",             // a ping without its flag
      "c5 ff 0104",             // a ping with both flags
      "95 ff 0104",             // a ping with an undefined flag
      "85 03 0104",             // a ping on an application channel
      "81 ff 0002 0002 56f8",   // an acknowledge that requests an acknowledgement
      "86 ff ffff 0003 616263"  // data on ENet's own channel
  };
  for (const std::string_view command : wrong) {
    EXPECT_EQ(evidence_of_enet(timed, {command}), none) << command;
    EXPECT_EQ(evidence_of_enet(to_peer, {command}), none) << command;
    EXPECT_EQ(evidence_of_enet(timed, {fragment_command, command}), none) << command;
  }
  EXPECT_EQ(evidence_of_enet(to_peer, {"09 01 0000 0123 0001 61"}), none) << "unsequenced without its flag";
  EXPECT_EQ(evidence_of_enet(to_peer, {"47 02 0001 0010 0002 6162"}), none) << "unreliable with another's";
}

TEST(EnetEvidence, OtherBytesAreNoEvidence) {
  EXPECT_EQ(evidence_of_enet(Data{}).confidence, none);
  EXPECT_EQ(evidence_of_enet(hex("80")).confidence, none);
  EXPECT_EQ(evidence_of_enet(hex(timed)).confidence, none) << "without a command";
  EXPECT_EQ(evidence_of_enet(hex("8000 12")).confidence, none);
  EXPECT_EQ(evidence_of_enet(hex(timed) + hex(ping_command) + hex("00")).confidence, none);
  EXPECT_EQ(evidence_of_enet(hex(timed) + hex(ping_command) + hex("0d000000")).confidence, none);
  EXPECT_EQ(evidence_of_enet(repeat(u32(0), 10)).confidence, none);
}

TEST(EnetEvidence, TruncatedDatagramIsNeverRuledOut) {
  const Data datagram =
      hex(timed) + hex(unreliable_command) + hex(ack_command) + hex(reliable_command) + hex(fragment_command);
  ASSERT_EQ(evidence_of_enet(datagram).confidence, strong);
  for (std::size_t size = 8; size < datagram.size(); ++size) {
    EXPECT_NE(evidence_of_enet(datagram.first(size), datagram.size()).confidence, none) << size;
  }
  EXPECT_EQ(evidence_of_enet(datagram.first(24), datagram.size()).confidence, weak);
}

TEST(EnetEvidence, CompressedDatagramIsEvaluatedByItsCommands) {
  // A connect that FastLZ does not compress: two runs of literals, 32 and 16 bytes.
  const Data commands = hex(connect_command);
  ASSERT_EQ(commands.size(), 48U);
  Data packed = hex("1f") + commands.first(32) + hex("0f");
  packed.bytes.insert(packed.bytes.end(), commands.bytes.begin() + 32, commands.bytes.end());
  const Data datagram_bytes = hex("cfff 1234") + packed;
  const ExactBytes bytes(datagram_bytes);
  with_datagram(bytes.get(), {}, [](const EnetDatagram &datagram) {
    ASSERT_TRUE(datagram.header.is_compressed);
    ASSERT_EQ(datagram.compression, Compression::fastlz);
    EXPECT_EQ(enet_evidence(datagram).confidence, strong);
  });
  EnetExpectedFormat as_it_is;
  as_it_is.may_decompress = false;
  EXPECT_EQ(with_datagram(bytes.get(), as_it_is, enet_evidence).confidence, none);
  const ExactBytes cut(datagram_bytes.first(30), datagram_bytes.size());
  EXPECT_EQ(with_datagram(cut.get(), {}, enet_evidence).confidence, neutral) << "nothing can be said of it";
}

// --- Packets of other programs ---------------------------------------------------------------------------------

class ForeignPacketGenerator {
 public:
  explicit ForeignPacketGenerator(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  Data noise() {
    Data data;
    const std::size_t size = below(200);
    while (data.size() < size) data.bytes.push_back(static_cast<std::uint8_t>(random_()));
    return data;
  }

  // A word that could begin a Variant, followed by words that are typical of other programs.
  Data words() { return words(24); }

  Data words(std::size_t most) {
    Data data = u32(below(39));
    const std::size_t count = below(most);
    const std::size_t kind = below(4);
    for (std::size_t i = 0; i < count; ++i) {
      switch (kind == 3 ? below(3) : kind) {
        case 0:
          data += u32(below(40));
          break;
        case 1:
          data += f32(static_cast<float>(below(20000)) / 16 - 500);
          break;
        default:
          data += raw(letters(4));
      }
    }
    return data;
  }

  // A packet in a stream whose message continues after its length.
  Data part_of_message() { return u32(4 * below(1000)) + words(below(2) == 0 ? 24 : 350); }

  // Numbers that rise or repeat.
  Data counters() {
    const std::size_t width = std::size_t{1} << below(4);
    const std::size_t step = below(3);
    const std::size_t count = below(40);
    std::uint64_t value = below(100);
    Data data;
    for (std::size_t i = 0; i < count; ++i, value += step) data += little_endian(value, width);
    return data;
  }

  // Texts with their lengths, in words or in bytes, with or without padding. Each text has a type before it, or a count
  // is before all texts.
  Data records() {
    const bool has_type = below(2) == 0;
    const bool has_count = below(2) == 0;
    const bool is_padded = below(2) == 0;
    const std::size_t width = std::size_t{1} << below(3);
    const std::size_t count = 1 + below(5);
    Data data;
    if (has_count) data += little_endian(count, width);
    for (std::size_t i = 0; i < count; ++i) {
      if (has_type) data += little_endian(below(40), width);
      const std::string value = letters(below(20));
      data += little_endian(value.size(), width) + (is_padded ? padded_text(value) : raw(value));
    }
    return below(2) == 0 ? little_endian(data.size(), width) + data : data;
  }

  Data text() {
    constexpr std::string_view words[] = {"GET / HTTP/1.1\r\n", "{\"cmd\": ", "\"move\"", ", ",
                                          "[1, 2, 3]",          "}",          "hello ",   "\n"};
    Data data;
    for (std::size_t i = below(12); i > 0; --i) data += raw(words[below(std::size(words))]);
    return data;
  }

 private:
  std::string letters(std::size_t count) {
    std::string text;
    while (text.size() < count) text += static_cast<char>('a' + below(26));
    return text;
  }

  std::mt19937 random_;
};

TEST(ForeignPackets, AreNeverStrongEvidence) {
  constexpr int packets = 200'000;
  ForeignPacketGenerator others(20'240'607);
  constexpr Data (ForeignPacketGenerator::*makers[])() = {
      &ForeignPacketGenerator::noise,   &ForeignPacketGenerator::words,          &ForeignPacketGenerator::counters,
      &ForeignPacketGenerator::records, &ForeignPacketGenerator::text,           &ForeignPacketGenerator::words,
      &ForeignPacketGenerator::records, &ForeignPacketGenerator::part_of_message};
  std::size_t weak_ones = 0;
  for (int i = 0; i < packets; ++i) {
    const Data packet = (others.*makers[static_cast<std::size_t>(i) % std::size(makers)])();
    const ExactBytes bytes(packet);
    const Evidence variant = variant_evidence(bytes.get(), {});
    const std::string digits = to_hex({reinterpret_cast<const char *>(packet.bytes.data()), packet.size()});
    ASSERT_NE(variant.confidence, strong) << digits;
    if (variant.confidence == weak) ++weak_ones;
    for (const bool has_checksum : {false, true}) {
      ASSERT_NE(with_datagram(bytes.get(), {has_checksum, true}, enet_evidence).confidence, strong) << digits;
    }
    EvidenceScore sum{};
    ASSERT_NE(stream_evidence(bytes.get(), {}, sum).confidence, strong) << digits;
  }
  EXPECT_LT(weak_ones, packets / 50) << "few are as much as weak";
}

TEST(ForeignPackets, RarelyLeadToADetection) {
  constexpr int conversations = 20'000;
  ForeignPacketGenerator others(7);
  constexpr Data (ForeignPacketGenerator::*makers[])() = {
      &ForeignPacketGenerator::noise, &ForeignPacketGenerator::words, &ForeignPacketGenerator::counters,
      &ForeignPacketGenerator::records, &ForeignPacketGenerator::text};
  int recognised = 0;
  for (int i = 0; i < conversations; ++i) {
    EvidenceScore sum{};
    for (int packet = 0; packet < 5; ++packet) {
      sum.add(evidence_of((others.*makers[static_cast<std::size_t>(i) % std::size(makers)])()));
    }
    if (sum.is_decided) ++recognised;
  }
  EXPECT_LT(recognised, conversations / 5000) << "two vectors in a row, now and then";
}

}  // namespace
}  // namespace godot_codec::test
