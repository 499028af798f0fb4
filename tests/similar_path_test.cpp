// SPDX-License-Identifier: MIT
// "Did you mean …": nodes of tests/projects/arena that are similar to unknown paths.
#include <gtest/gtest.h>

#include <string>

#include "godot-codec/multiplayer/game_names.h"

namespace godot_codec::test {
namespace {

class SimilarPath : public testing::Test {
 protected:
  SimilarPath() { EXPECT_TRUE(names.read(std::string(GODOT_TESTS_DIR) + "/projects/arena")); }

  [[nodiscard]] std::string similar(std::string_view path) const { return std::string(names.find_similar_path(path)); }

  MpGameNames names;
};

TEST_F(SimilarPath, PathThatDiffersInFewLettersIsFound) {
  EXPECT_EQ(similar("Main/Wordl"), "Main/World");
  EXPECT_EQ(similar("main/world"), "Main/World");
  EXPECT_EQ(similar("Main/World2"), "Main/World");
  EXPECT_EQ(similar("Chatt"), "Chat");
}

TEST_F(SimilarPath, NodeWithTheSameNameElsewhereIsFound) { EXPECT_EQ(similar("Somewhere/Clock"), "Main/Clock"); }

TEST_F(SimilarPath, IsEmptyForAnExistingOrDissimilarPath) {
  EXPECT_EQ(similar("Main/World"), "");
  EXPECT_EQ(similar("Lobby/Button"), "");
  EXPECT_EQ(similar(std::string(300, 'x')), "");
  EXPECT_EQ(similar(""), "");
}

// A script may add a scene below another node, under any name.
TEST_F(SimilarPath, IsEmptyForAPathThatMayBeInAnAddedScene) {
  EXPECT_EQ(similar("Stage/Main/World"), "");
  EXPECT_EQ(similar("Stage/Main2/World"), "");
  EXPECT_EQ(similar("Stage/Main"), "");
  EXPECT_EQ(similar("Main2/Clock"), "Main/Clock") << "nothing is around it";
}

TEST_F(SimilarPath, IsEmptyWithoutAProject) {
  MpGameNames nothing;
  EXPECT_EQ(nothing.find_similar_path("Main/Wordl"), "");
}

TEST_F(SimilarPath, SpawnableScenesOfASpawnerAreCounted) {
  EXPECT_EQ(names.count_spawnable_scenes("Main/Spawner"), 2U);
  EXPECT_EQ(names.count_spawnable_scenes("Main/World"), std::nullopt);
}

}  // namespace
}  // namespace godot_codec::test
