// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "events.h"
#include "godot-codec/variant/dialect_detection.h"
#include "unknown_type.h"

namespace godot_codec::test {
namespace {

constexpr Dialect g4 = Dialect::godot4;
constexpr Dialect g3 = Dialect::godot3;
constexpr Dialect docs = Dialect::docs;

DialectSet set_of(std::initializer_list<Dialect> dialects) {
  DialectSet set;
  for (const Dialect dialect : dialects) set.add(dialect);
  return set;
}

const DialectSet none;
const DialectSet all = every_dialect;

std::string name_of(DialectSet set) {
  return std::string(set.has(g4) ? "4" : "-") + (set.has(g3) ? "3" : "-") + (set.has(docs) ? "d" : "-");
}

DialectDetection detect(const Data &data, std::size_t reported = 0, const ReadOptions &options = {}) {
  return detect_dialect(ExactBytes(data, reported).get(), options);
}

DialectChoice choose(const DialectDetection &detection, std::initializer_list<DialectSet> evidence = {}) {
  return choose_dialect(detection, std::span(evidence.begin(), evidence.size()));
}

bool reads_alike(const DialectDetection &detection, Dialect first, Dialect second) {
  return detection.fingerprints[static_cast<std::size_t>(first)] ==
         detection.fingerprints[static_cast<std::size_t>(second)];
}

Data reals(std::size_t count) {
  Data data;
  for (std::size_t i = 0; i < count; ++i) data += f32(static_cast<float>(i) + 0.5F);
  return data;
}

const Data dictionary_body = u32(1) + u32(4) + padded("a") + u32(2) + u32(1);
const Data plane_or_color = u32(14) + reals(4);
const Data transform2d_or_aabb = u32(11) + reals(6);
// A Godot 3 Dictionary with the size of Godot 4's Transform3D: {"a": 1, "b": 2}, the 2 in 64 bits.
const Data transform3d_or_dictionary =
    u32(18) + u32(2) + u32(4) + padded("a") + u32(2) + u32(1) + u32(4) + padded("b") + u32(0x10002) + u64(2);

struct Row {
  const char *name;
  Data packet;
  DialectFit fit;
  DialectSet candidates;
  Dialect dialect;  // the choice without evidence
  bool is_guess;
};

const Row rows[] = {
    {"dictionary of Godot 4", u32(27) + dictionary_body, DialectFit::exact, set_of({g4}), g4, false},
    {"array of Godot 4", u32(28) + u32(1) + u32(2) + u32(5), DialectFit::exact, set_of({g4}), g4, false},
    {"typed array", u32(0x1001c) + u32(2) + u32(0), DialectFit::exact, set_of({g4}), g4, false},
    {"string name", u32(21) + padded("jump"), DialectFit::exact, set_of({g4}), g4, false},
    {"dictionary of the others", u32(18) + dictionary_body, DialectFit::exact, set_of({g3, docs}), g3, false},
    {"array of the others", u32(19) + u32(2) + u32(0) + u32(0), DialectFit::exact, set_of({g3, docs}), g3, false},
    {"pool of reals", u32(22) + u32(2) + reals(2), DialectFit::exact, set_of({g3}), g3, false},
    {"64-bit integers of the documentation", u32(22) + u32(2) + u64(1) + u64(2), DialectFit::exact, set_of({docs}),
     docs, false},
    {"nil", u32(0), DialectFit::exact, all, g4, false},
    {"bool", u32(1) + u32(1), DialectFit::exact, all, g4, false},
    {"int", u32(2) + u32(7), DialectFit::exact, all, g4, false},
    {"int of 64 bits", u32(0x10002) + u64(7), DialectFit::exact, all, g4, false},
    {"float", u32(3) + f32(1), DialectFit::exact, all, g4, false},
    {"string", u32(4) + padded("hi"), DialectFit::exact, all, g4, false},
    {"vector2", u32(5) + reals(2), DialectFit::exact, all, g4, false},
    {"plane or color", plane_or_color, DialectFit::exact, all, g4, true},
    {"transform2d or aabb", transform2d_or_aabb, DialectFit::exact, all, g4, true},
    {"dictionary as long as a transform3d", transform3d_or_dictionary, DialectFit::exact, all, g3, false},
    {"transform3d", u32(18) + reals(12), DialectFit::exact, set_of({g4}), g4, false},
    {"array as long as a projection", u32(19) + u32(15) + repeat(u32(0), 15), DialectFit::exact, all, g3, false},
    {"array of vectors, or colors of the documentation", u32(28) + u32(2) + repeat(u32(9) + reals(3), 2),
     DialectFit::exact, set_of({g4, docs}), g4, false},
    {"no array, or no colors", u32(28) + u32(0), DialectFit::exact, set_of({g4, docs}), g4, true},
    {"bytes as long as a color", u32(20) + u32(12) + u32(0x01020304) + u32(0) + u32(0), DialectFit::exact, all, g3,
     false},
    {"colors as bytes of no such count", u32(20) + repeat(f32(1), 4), DialectFit::exact, set_of({g4}), g4, false},
    {"a number, or a name of one letter", u32(21) + u32(1) + u32('A'), DialectFit::exact, all, g4, true},
    {"a number that is no letter", u32(21) + u32(1) + u32(1), DialectFit::exact, all, g3, true},
    {"vectors, or long reals of the documentation", u32(24) + u32(1) + f32(0) + f32(0.82F), DialectFit::exact,
     set_of({g3, docs}), g3, true},
    {"double-precision vector2", u32(0x10005) + f64(1) + f64(2), DialectFit::exact, set_of({g4}), g4, false},
    {"bool that is 2", u32(1) + u32(2), DialectFit::with_notes, all, g4, false},
    {"padding that is not zero", u32(4) + u32(2) + raw("hi!!"), DialectFit::exact, set_of({g4, g3}), g4, false},
    {"int and more", u32(2) + u32(7) + u32(0), DialectFit::trailing, all, g4, false},
    {"dictionary and more", u32(27) + dictionary_body + hex("00"), DialectFit::trailing, set_of({g4, docs}), g4, false},
    {"half an int", u32(2) + hex("0700"), DialectFit::none, all, g4, false},
    {"nothing", {}, DialectFit::none, all, g4, false},
};

TEST(VariantDialectDetection, EachPacketHasTheExpectedFitAndCandidates) {
  for (const Row &row : rows) {
    SCOPED_TRACE(row.name);
    const DialectDetection detection = detect(row.packet);
    EXPECT_EQ(detection.fit, row.fit);
    EXPECT_EQ(name_of(detection.candidates), name_of(row.candidates));
    EXPECT_EQ(detection.is_decisive(), row.fit == DialectFit::exact && detection.likely != all);
    const DialectChoice choice = choose(detection);
    EXPECT_EQ(choice.dialect, row.dialect);
    EXPECT_EQ(choice.is_guess, row.is_guess);
  }
}

TEST(VariantDialectDetection, OtherBytesFitNoDialect) {
  for (const Data &packet : {raw("hello, this is text"), hex("ffffffffffffffff"), u32(63) + u32(0), hex("020000")}) {
    EXPECT_EQ(detect(packet).fit, DialectFit::none);
    EXPECT_FALSE(detect(packet).is_decisive());
    EXPECT_FALSE(detect(packet).candidates.empty());
    EXPECT_FALSE(choose(detect(packet)).is_guess);
  }
}

TEST(VariantDialectDetection, DialectsThatReadFurthestAreCandidatesIfNoneFits) {
  const Data bad = u32(unknown_type);
  EXPECT_EQ(name_of(detect(u32(28) + u32(2) + u32(2) + u32(1) + bad).candidates), name_of(set_of({g4})));
}

TEST(VariantDialectDetection, DialectsReadAlikeIfTypeAndValueAreEqual) {
  for (const Data &packet : {u32(0), u32(2) + u32(7), u32(4) + padded("hi"), u32(5) + reals(2)}) {
    EXPECT_TRUE(reads_alike(detect(packet), g4, g3));
    EXPECT_TRUE(reads_alike(detect(packet), g3, docs));
  }
  for (const Data &packet : {plane_or_color, transform2d_or_aabb, transform3d_or_dictionary}) {
    EXPECT_FALSE(reads_alike(detect(packet), g4, g3));
    EXPECT_TRUE(reads_alike(detect(packet), g3, docs));
  }
  EXPECT_FALSE(reads_alike(detect(u32(22) + u32(0)), g3, docs));  // empty, but of different types
}

TEST(VariantDialectDetection, TruncatedPacketIsNotDecisive) {
  const Data dictionary = u32(27) + dictionary_body;
  for (std::size_t length = 12; length < dictionary.size(); ++length) {
    SCOPED_TRACE(length);
    const DialectDetection detection = detect(dictionary.first(length), dictionary.size());
    EXPECT_EQ(detection.fit, DialectFit::truncated);
    EXPECT_TRUE(detection.candidates.has(g4));
    EXPECT_FALSE(detection.candidates.has(g3));  // its table has no type 27
    EXPECT_FALSE(detection.is_decisive());
    EXPECT_EQ(choose(detection).dialect, g4);
  }
  EXPECT_EQ(detect({}, 100).fit, DialectFit::truncated);
  EXPECT_EQ(name_of(detect({}, 100).candidates), name_of(all));
  // One dialect reads the packet completely, although more bytes were sent. The remaining bytes are trailing, not
  // truncated.
  EXPECT_EQ(detect(u32(2) + u32(7), 12).fit, DialectFit::trailing);
}

TEST(VariantDialectDetection, PacketOverALimitFitsLikeATruncatedPacket) {
  ReadOptions options;
  options.limits.nesting = 2;
  const Data nested = repeat(u32(28) + u32(1), 3) + u32(0);
  EXPECT_EQ(detect(nested).fit, DialectFit::exact);
  EXPECT_EQ(detect(nested, 0, options).fit, DialectFit::truncated);
  EXPECT_EQ(name_of(detect(nested, 0, options).candidates), name_of(set_of({g4})));
}

TEST(VariantDialectDetection, ConfiguredRealSizeIsUsed) {
  ReadOptions options;
  EXPECT_EQ(name_of(detect(u32(27) + dictionary_body, 0, options).candidates), name_of(set_of({g4})));
  options.has_double_reals = true;  // a Plane has four reals; a Color has floats
  EXPECT_EQ(name_of(detect(u32(14) + repeat(f64(1), 4), 0, options).candidates), name_of(set_of({g4})));
  EXPECT_EQ(name_of(detect(plane_or_color, 0, options).candidates), name_of(set_of({g3, docs})));
}

TEST(VariantDialectDetection, HeaderWithUnknownTypeOrFlagsIsNoVariant) {
  for (std::uint32_t type = 0; type < 64; ++type) {
    for (std::uint32_t flags = 0; flags < 16; ++flags) {
      EXPECT_TRUE(has_variant_header(ExactBytes(u32(flags << 16 | type)).get()));
    }
  }
  for (const std::uint32_t header : {0x40U, 0x80U, 0xffU, 0x100U, 0x8000U, 0x100000U, 0x80000000U, 0xffffffffU}) {
    EXPECT_FALSE(has_variant_header(ExactBytes(u32(header)).get())) << header;
  }
  EXPECT_FALSE(has_variant_header(Bytes()));
  EXPECT_FALSE(has_variant_header(ExactBytes(hex("020000")).get()));
  EXPECT_FALSE(has_variant_header(ExactBytes(hex("020000"), 12).get()));
}

TEST(VariantDialectDetection, SizeThatContradictsTheTypeIsNoVariant) {
  const auto is_longer = [](std::uint32_t type, std::size_t size) {
    return contradicts_its_type(ExactBytes(u32(type) + hex(std::string(2 * (size - 4), '0'))).get());
  };
  // A null, a bool, an int, and a Godot 3 Rect2 with eight bytes per number.
  for (const auto &[type, longest] : {std::pair{0U, 4U}, {1U, 12U}, {2U, 12U}, {6U, 36U}}) {
    EXPECT_FALSE(is_longer(type, longest)) << type;
    EXPECT_TRUE(is_longer(type, longest + 1)) << type;
  }
  EXPECT_FALSE(is_longer(19, 4096)) << "Projection in Godot 4, an Array in Godot 3";
  EXPECT_FALSE(contradicts_its_type(ExactBytes(u32(2), 100).get())) << "the capture has cut it";
  // A String may extend to the end of the packet, which the capture may have truncated.
  EXPECT_FALSE(contradicts_its_type(ExactBytes(u32(4) + u32(4) + hex("74657874")).get()));
  EXPECT_FALSE(contradicts_its_type(ExactBytes(u32(4) + u32(4), 12).get()));
  EXPECT_TRUE(contradicts_its_type(ExactBytes(u32(4) + u32(4) + hex("746578")).get()));
  EXPECT_FALSE(contradicts_its_type(ExactBytes(u32(4) + hex("0700")).get()));
}

TEST(VariantDialectDetection, CountThatContradictsThePacketSizeIsNoVariant) {
  // A type number, and the minimum size of an element in bytes in any dialect.
  const std::pair<std::uint32_t, std::size_t> rows[] = {
      {21, 1},   // StringName in Godot 4, PoolIntArray in Godot 3
      {24, 1},   // Object (the length of its class name), PoolVector2Array
      {26, 1},   // Signal, PoolColorArray
      {27, 8},   // Dictionary; PackedVector3Array in the documentation
      {28, 4},   // Array
      {29, 1},   // PackedByteArray
      {30, 4},   // PackedInt32Array
      {33, 8},   // PackedFloat64Array
      {34, 4},   // PackedStringArray
      {35, 8},   // PackedVector2Array
      {36, 12},  // PackedVector3Array
      {37, 16},  // PackedColorArray
      {38, 16},  // PackedVector4Array
  };
  constexpr std::uint32_t count = 3;
  for (const auto &[type, element] : rows) {
    const auto contradicts = [&](std::uint32_t header, std::uint32_t number, std::size_t reported) {
      return contradicts_its_type(ExactBytes(u32(header) + u32(number), reported).get());
    };
    const std::size_t size = 8 + count * element;
    EXPECT_FALSE(contradicts(type, count, size)) << type;
    EXPECT_TRUE(contradicts(type, count, size - 1)) << type;
    EXPECT_FALSE(contradicts(type, count | 1U << 31, size)) << "the flag of a shared container, " << type;
    EXPECT_FALSE(contradicts(1U << 16 | type, count, size - 1)) << "a type may precede the count, " << type;
  }
  // In a Godot 4 NodePath, two counts follow each other.
  EXPECT_FALSE(contradicts_its_type(ExactBytes(u32(22) + u32(1U << 31 | 9)).get()));
  // 20 is a Color in Godot 4. Its first number may be too high for the count of Godot 3's PoolByteArray.
  EXPECT_FALSE(contradicts_its_type(ExactBytes(u32(20) + repeat(f32(1), 8)).get()));
  EXPECT_TRUE(contradicts_its_type(ExactBytes(u32(20) + repeat(f32(1), 9)).get()));
  EXPECT_FALSE(contradicts_its_type(ExactBytes(u32(20) + u32(32) + repeat(f32(1), 8)).get()));
}

// --- Choice ----------------------------------------------------------------------------------------------------

TEST(VariantDialectChoice, EvidenceDecidesAmbiguousBytes) {
  struct EvidenceRow {
    std::initializer_list<DialectSet> evidence;
    Dialect dialect;
    bool is_guess;
  };
  const EvidenceRow evidence_rows[] = {
      {{}, g4, true},
      {{none}, g4, true},
      {{all}, g4, true},
      {{set_of({g4})}, g4, false},
      {{set_of({g3})}, g3, false},
      {{set_of({docs})}, docs, false},
      {{set_of({g3, docs})}, g3, false},  // these two read alike
      {{set_of({g4, g3})}, g4, true},
      {{none, set_of({g3})}, g3, false},
      {{set_of({docs}), set_of({g4})}, docs, false},  // the first evidence has priority
  };
  for (const Data &packet : {plane_or_color, transform2d_or_aabb}) {
    for (const EvidenceRow &row : evidence_rows) {
      const DialectChoice choice = choose(detect(packet), row.evidence);
      EXPECT_EQ(choice.dialect, row.dialect);
      EXPECT_EQ(choice.is_guess, row.is_guess);
    }
  }
}

TEST(VariantDialectChoice, ThisConversationThenLikelihoodThenOthersDecide) {
  const DialectDetection dictionary = detect(transform3d_or_dictionary);
  EXPECT_EQ(name_of(dictionary.candidates), name_of(all));
  EXPECT_EQ(name_of(dictionary.likely), name_of(set_of({g3, docs})));
  EXPECT_EQ(dictionary.likeliest, g3);
  EXPECT_EQ(choose(dictionary, {set_of({g4})}).dialect, g4);
  EXPECT_FALSE(choose(dictionary, {set_of({g4})}).is_guess);
  EXPECT_EQ(choose(dictionary, {none, set_of({g4})}).dialect, g3);
  EXPECT_FALSE(choose(dictionary, {none, set_of({g4})}).is_guess);
  EXPECT_EQ(choose(dictionary, {all, set_of({docs})}).dialect, docs);
}

TEST(VariantDialectChoice, EvidenceDoesNotOverruleTheBytes) {
  const DialectDetection only_4 = detect(u32(27) + dictionary_body);
  EXPECT_EQ(choose(only_4, {set_of({g3})}).dialect, g4);
  EXPECT_FALSE(choose(only_4, {set_of({g3})}).is_guess);
  const DialectDetection only_3 = detect(u32(22) + u32(2) + reals(2));
  EXPECT_EQ(choose(only_3, {set_of({g4}), set_of({docs})}).dialect, g3);
}

TEST(VariantDialectChoice, EvidenceSelectsTheDialectOfUnreadableBytes) {
  const DialectDetection bad =
      detect(u32(28) + u32(2) + u32(2) + u32(1) + u32(unknown_type));  // Godot 4 reads furthest
  ASSERT_EQ(bad.fit, DialectFit::none);
  EXPECT_EQ(choose(bad).dialect, g4);
  EXPECT_EQ(choose(bad, {set_of({g3})}).dialect, g3);
  EXPECT_FALSE(choose(bad, {set_of({g3})}).is_guess);
}

TEST(VariantDialectChoice, EvidenceOutsideTheCandidatesIsIgnored) {
  DialectDetection detection;
  detection.fit = DialectFit::exact;
  detection.candidates = set_of({g4, g3});
  detection.fingerprints = {1, 2, 3};
  EXPECT_EQ(choose(detection, {set_of({docs}), set_of({g3})}).dialect, g3);
  EXPECT_FALSE(choose(detection, {set_of({docs}), set_of({g3})}).is_guess);
  EXPECT_EQ(choose(detection, {set_of({docs})}).dialect, g4);
  EXPECT_TRUE(choose(detection, {set_of({docs})}).is_guess);
  detection.fingerprints = {1, 1, 3};
  EXPECT_FALSE(choose(detection).is_guess);  // the dialect that reads differently is no candidate
}

TEST(VariantDialectChoice, EvidenceSelectsTheDialectIfAllReadAlike) {
  const DialectDetection detection = detect(u32(2) + u32(7));
  EXPECT_EQ(choose(detection, {set_of({g3})}).dialect, g3);
  EXPECT_FALSE(choose(detection, {set_of({g3})}).is_guess);
}

TEST(VariantDialectEvidence, KeepsDialectsThatFitAllDecisivePackets) {
  const DialectDetection for_4 = detect(u32(27) + dictionary_body);
  const DialectDetection for_3_or_docs = detect(u32(18) + dictionary_body);
  const DialectDetection for_3 = detect(u32(22) + u32(2) + reals(2));
  struct EvidenceRow {
    DialectDetection detection;
    DialectSet known;
    DialectSet result;
  };
  const EvidenceRow evidence_rows[] = {
      {for_4, none, set_of({g4})},
      {for_3_or_docs, none, set_of({g3, docs})},
      {for_3, set_of({g3, docs}), set_of({g3})},
      {for_3_or_docs, set_of({g3}), set_of({g3})},
      {for_4, set_of({g3, docs}), set_of({g4})},  // a contradiction: the newest evidence wins
      {for_3_or_docs, set_of({g4}), set_of({g3, docs})},
      // A likely dialect is evidence, but does not contradict another dialect that reads the bytes equally well.
      {detect(transform3d_or_dictionary), none, set_of({g3, docs})},
      {detect(transform3d_or_dictionary), set_of({g3}), set_of({g3})},
      {detect(transform3d_or_dictionary), set_of({g4}), set_of({g4})},
      // A packet is not decisive if it is ambiguous, unusual, truncated, no Variant, or followed by other bytes.
      {detect(plane_or_color), none, none},
      {detect(plane_or_color), set_of({g3}), set_of({g3})},
      {detect(u32(1) + u32(2)), set_of({g3}), set_of({g3})},
      {detect(u32(27) + dictionary_body + hex("00")), set_of({g3}), set_of({g3})},
      {detect((u32(27) + dictionary_body).first(20), 28), set_of({g3}), set_of({g3})},
      {detect(raw("hello, this is text")), none, none},
  };
  for (const EvidenceRow &row : evidence_rows) {
    EXPECT_EQ(name_of(narrow_dialects(row.known, row.detection)), name_of(row.result));
  }
}

}  // namespace
}  // namespace godot_codec::test
