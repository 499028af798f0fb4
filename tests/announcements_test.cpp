// SPDX-License-Identifier: MIT
// Session state by key and position: compared with std::map, and measured in bytes.
#include "godot-codec/multiplayer/announcements.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <memory_resource>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "counting_memory.h"
#include "godot-codec/core/sorted_map.h"

namespace godot_codec::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

// ---- sorted map

void expect_same(const SortedMap<std::uint32_t, std::uint32_t> &map,
                 const std::map<std::uint32_t, std::uint32_t> &expected, std::uint32_t key) {
  const auto above = expected.upper_bound(key);
  const auto *first_above = map.first_above(key);
  ASSERT_EQ(first_above != nullptr, above != expected.end()) << key;
  if (first_above != nullptr) {
    EXPECT_EQ(first_above->key, above->first);
    EXPECT_EQ(first_above->value, above->second);
  }
  const auto *last_until = map.last_until(key);
  ASSERT_EQ(last_until != nullptr, above != expected.begin()) << key;
  if (last_until != nullptr) {
    EXPECT_EQ(last_until->key, std::prev(above)->first);
    EXPECT_EQ(last_until->value, std::prev(above)->second);
  }
  EXPECT_EQ(map.find(key) != nullptr, expected.contains(key)) << key;
}

Numbers from(std::uint32_t first, std::uint32_t count, std::uint32_t step) {
  Numbers numbers;
  for (std::uint32_t i = 0; i < count; ++i) numbers.push_back(first + i * step);
  return numbers;
}

Numbers with(Numbers first, const Numbers &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Numbers any(std::uint32_t count, std::uint32_t end) {
  std::mt19937 random(1);
  Numbers numbers;
  for (std::uint32_t i = 0; i < count; ++i) numbers.push_back(random() % end);
  return numbers;
}

TEST(SortedMap, FindsWhatStdMapFinds) {
  const Numbers orders[] = {
      {},
      {7},
      from(0, 3000, 2),
      from(6000, 3000, static_cast<std::uint32_t>(-2)),
      any(3000, 6000),
      any(6000, 50),
      with(from(4000, 1000, 1), from(0, 1000, 2)),
      with(from(0, 17, 1000), from(8001, 900, 1)),
      with(from(0, 17, 1000), from(8999, 900, static_cast<std::uint32_t>(-1))),
  };
  for (const Numbers &order : orders) {
    SCOPED_TRACE(&order - orders);
    std::pmr::monotonic_buffer_resource memory;
    SortedMap<std::uint32_t, std::uint32_t> map(&memory);
    std::map<std::uint32_t, std::uint32_t> expected;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      map[order[i]] = i;
      expected[order[i]] = i;
      if (i % 64 == 0) expect_same(map, expected, order[i]);
    }
    for (std::uint32_t key = 0; key < 6100; ++key) expect_same(map, expected, key);
  }
}

TEST(SortedMap, NewValueIsZero) {
  std::pmr::monotonic_buffer_resource memory;
  SortedMap<std::uint32_t, std::uint32_t> map(&memory);
  EXPECT_EQ(map[5], 0U);
  map[5] += 3;
  map.find(5)->value += 4;
  EXPECT_EQ(map[5], 7U);
  EXPECT_EQ(map.find(6), nullptr);
}

// Rising keys leave little unused space. Even keys chosen to waste space leave at most three quarters unused.
TEST(SortedMap, NeedsLittleMoreMemoryThanItsEntries) {
  const struct {
    const char *name;
    Numbers keys;
    double most;  // largest number of bytes per entry; an entry has 8
  } rows[] = {
      {"rising", from(0, 100'000, 1), 11},
      {"rising before others", with(from(1'000'000, 1000, 1), from(0, 100'000, 1)), 12},
      {"rising between others", with(from(0, 100, 1'000'000), from(50'000'001, 100'000, 1)), 15},
      {"falling", from(100'000, 100'000, static_cast<std::uint32_t>(-1)), 23},
      {"any", any(100'000, UINT32_MAX), 17},
  };
  for (const auto &row : rows) {
    std::pmr::monotonic_buffer_resource kept;  // frees the memory at the end; CountingMemory never frees
    CountingMemory memory(&kept);
    SortedMap<std::uint32_t, std::uint32_t> map(&memory);
    EXPECT_EQ(memory.bytes(), 0U);
    for (const std::uint32_t key : row.keys) map[key] = key;
    EXPECT_LT(static_cast<double>(memory.bytes()) / static_cast<double>(row.keys.size()), row.most) << row.name;
  }
}

// ---- announcements

using IntAnnouncements = Announcements<std::uint32_t, int>;
using Answer = std::optional<std::pair<PacketPosition, int>>;

Answer answer(const std::optional<IntAnnouncements::Announcement> &deciding) {
  return deciding ? Answer({deciding->position, deciding->value}) : std::nullopt;
}

// Finds the answers by searching everything that was announced.
struct Model {
  struct Row {
    std::int32_t sender;
    std::optional<std::int32_t> receiver;
    std::uint32_t what;
    PacketPosition position;
    int value;
  };
  std::vector<Row> rows;

  template <typename Wanted>
  [[nodiscard]] Answer newest(PacketPosition position, Wanted wanted) const {
    Answer found;
    for (const Row &row : rows) {
      if (wanted(row) && row.position <= position) found = {row.position, row.value};
    }
    return found;
  }
  template <typename Wanted>
  [[nodiscard]] Answer next(PacketPosition position, Wanted wanted) const {
    for (const Row &row : rows) {
      if (wanted(row) && row.position > position) return {{row.position, row.value}};
    }
    return std::nullopt;
  }
};

void expect_answers(const IntAnnouncements &announcements, const Model &model, std::int32_t sender, std::uint32_t what,
                    PacketPosition position) {
  const auto to_anybody = [&](const Model::Row &row) { return row.sender == sender && row.what == what; };
  EXPECT_EQ(answer(announcements.newest(sender, what, position)), model.newest(position, to_anybody));
  EXPECT_EQ(answer(announcements.next(sender, what, position)), model.next(position, to_anybody));
  for (std::int32_t receiver = 1; receiver <= 3; ++receiver) {
    const auto to_him = [&](const Model::Row &row) { return to_anybody(row) && row.receiver == receiver; };
    EXPECT_EQ(answer(announcements.newest(sender, receiver, what, position)), model.newest(position, to_him));
    EXPECT_EQ(answer(announcements.next(sender, receiver, what, position)), model.next(position, to_him));
  }
}

TEST(Announcements, EqualALinearSearch) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    std::pmr::monotonic_buffer_resource memory;
    IntAnnouncements announcements(&memory);
    Model model;
    // At first, all announcements have the same receiver, or no receiver. Later announcements have any receiver.
    const std::optional<std::int32_t> only = round % 4 == 0 ? std::nullopt : std::optional(round % 4);
    constexpr std::uint32_t count = 60;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t any_listener = random() % 4;
      const bool is_early = i < static_cast<std::uint32_t>(round);
      const std::optional<std::int32_t> receiver =
          is_early ? only : (any_listener == 0 ? std::nullopt : std::optional(static_cast<std::int32_t>(any_listener)));
      const Model::Row row{static_cast<std::int32_t>(random() % 2),
                           receiver,
                           static_cast<std::uint32_t>(random() % 3),
                           {1 + i / 3, i % 3},
                           static_cast<int>(i)};
      model.rows.push_back(row);
      announcements.add(row.sender, row.receiver, row.what, row.position, row.value);
    }
    for (std::uint32_t i = 0; i < 3 * count; ++i) {
      expect_answers(announcements, model, static_cast<std::int32_t>(i % 2), i % 3, {i / 6, i % 4});
    }
  }
}

}  // namespace
}  // namespace godot_codec::test
