// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "dialect_tally.h"
#include "game_messages.h"

namespace recognition {
namespace {

using godot_codec::Dialect;

constexpr int message_count = 8000;
constexpr auto min_margin = static_cast<std::int64_t>(godot_codec::ruling_out_bits);

template <typename Make>
DialectTally tally_of(Engine engine, Make make) {
  Random random(engine == Engine::godot3 ? 3 : 4);
  DialectTally tally;
  for (int i = 0; i < message_count; ++i) {
    tally.add(make(random, engine), engine == Engine::godot3 ? Dialect::godot3 : Dialect::godot4);
  }
  return tally;
}

TEST(VariantDialectOfOneMessage, Godot3ContainersAreNeverTakenForGodot4) {
  const DialectTally tally = tally_of(Engine::godot3, game_container);
  EXPECT_EQ(tally.undecoded, 0U);
  EXPECT_GT(tally.ambiguous, 300U);
  EXPECT_EQ(tally.wrong, 0U);
  EXPECT_EQ(tally.wrong_guesses, 0U);
  EXPECT_GE(tally.min_margin, min_margin);
}

TEST(VariantDialectOfOneMessage, Godot4ContainersAreNeverTakenForGodot3) {
  const DialectTally tally = tally_of(Engine::godot4, game_container);
  EXPECT_EQ(tally.undecoded, 0U);
  EXPECT_GT(tally.ambiguous, 300U);
  EXPECT_EQ(tally.wrong, 0U);
  EXPECT_EQ(tally.wrong_guesses, 0U);
}

TEST(VariantDialectOfOneMessage, AmbiguousValuesAreNeverDecidedWrongly) {
  for (const Engine engine : {Engine::godot3, Engine::godot4}) {
    const DialectTally tally = tally_of(engine, game_value);
    EXPECT_EQ(tally.undecoded, 0U);
    EXPECT_EQ(tally.wrong, 0U);
    EXPECT_GT(tally.is_guess, 300U);
    EXPECT_GT(tally.min_margin, -min_margin / 2);
  }
}

TEST(VariantDialectOfOneMessage, ArraysWithAnEncodedValueHaveTheRightDialect) {
  for (const Engine engine : {Engine::godot3, Engine::godot4}) {
    const DialectTally tally = tally_of(engine, game_array_of_bytes);
    EXPECT_EQ(tally.messages, static_cast<std::uint64_t>(message_count));
    EXPECT_EQ(tally.undecoded, 0U);
    EXPECT_EQ(tally.wrong, 0U);
    EXPECT_EQ(tally.wrong_guesses, 0U);
  }
}

// Written by Godot 3.2.3 with say.gd.
TEST(VariantDialectOfOneMessage, RecordedGodot3ContainersHaveTheRightDialect) {
  std::ifstream file(GODOT_TESTS_DIR "/recognition/godot3_alone.txt");
  DialectTally tally;
  for (std::string line; std::getline(file, line);) tally.add(bytes_of_hex(line), Dialect::godot3);
  EXPECT_EQ(tally.messages, 100U);
  EXPECT_EQ(tally.undecoded, 0U);
  EXPECT_EQ(tally.ambiguous, 60U);
  EXPECT_EQ(tally.wrong, 0U);
  EXPECT_EQ(tally.wrong_guesses, 0U);
  EXPECT_GE(tally.min_margin, min_margin);
}

}  // namespace
}  // namespace recognition
